"""The ISA of warp-pipelined attention: registers, and which stages multiply. See also `test_pipeline_code`."""

import functools

import pytest
from pipelined_loop import having, read_loop, read_loops
from test_matmul_code import LDS_BYTES, count, metadata

from hocket import language as gl
from hocket.kernels.attention_amd import KERNELS, launch_options
from hocket.kernels.attention_layouts import configure

each_case = pytest.mark.parametrize(
    ("target", "head_size", "causal"),
    [(target, size, causal) for target in LDS_BYTES for size in (64, 128) for causal in (False, True)],
    ids=lambda value: str(value),
)


@functools.cache
def compiled(target, head_size, causal):
    is_direct = target == "gfx950"
    options = launch_options(takes_turns=True)
    config = configure(target, gl.float16, head_size, causal, is_direct, options["num_warps"])
    strides = (16 * 4096 * head_size, 4096 * head_size, head_size, 1)
    arguments = [gl.float16] * 4 + [strides] * 4 + [16, 1, 4096, 4096, 0.125]
    return KERNELS[True, is_direct].warmup(*arguments, cfg=config, target=target, **options)


def code_of(target, head_size, causal):
    return compiled(target, head_size, causal).asm["amdgcn"]


@each_case
def test_two_waves_fit_on_a_simd(target, head_size, causal):
    code = code_of(target, head_size, causal)
    assert metadata(code, "vgpr_count") + metadata(code, "agpr_count") <= 256
    assert metadata(code, "vgpr_spill_count") == metadata(code, "private_segment_fixed_size") == 0
    assert metadata(code, "group_segment_fixed_size") <= LDS_BYTES[target]
    assert count(code, "scratch_") == 0


@each_case
def test_every_second_stage_multiplies(target, head_size, causal):
    """64 keys: their scores, then what they add to the output."""
    stages = read_loop(code_of(target, head_size, causal)).stages
    depth = 16 if target == "gfx950" else 8
    products = [0, (64 // 32) * (head_size // depth), 0, (head_size // 32) * (64 // depth), 0]
    assert [len(having(stage, "v_mfma")) for stage in stages] == products


#: Instructions of a wave per block of 64 keys without a mask, and vector ones among them without exponentials, by D.
MOST = {"gfx950": {64: (212, 94), 128: (272, 110)}, "gfx942": {64: (254, 124), 128: (328, 150)}}


@each_case
def test_a_block_takes_few_instructions(target, head_size, causal):
    """By the report: those that some blocks do without included; nothing spilled; two waves on a SIMD unit."""
    report = compiled(target, head_size, causal).report()
    loop = report.loops[0]
    assert loop.instructions <= MOST[target][head_size][0]
    assert loop.total("vector") <= MOST[target][head_size][1]
    assert loop.total("scratch") == report.resources["registers_spilled"] == 0
    assert report.occupancy.warps_per_simd == 2


@each_case
def test_what_multiplies_only_multiplies(target, head_size, causal):
    """No wait either: all that a product takes is in its registers when the stage begins."""
    for loop in compiled(target, head_size, causal).report().loops:
        assert [stage.name for stage in loop.stages] == ["weigh 2", "Q K", "weigh 1", "P V"]
        for stage in (loop.stages[1], loop.stages[3]):
            assert set(stage.units) <= {"matrix", "barriers", "other", "scalar"}
            # Counting and the priority; the loop's end.
            assert stage.instructions - stage.units["matrix"] <= 16
        assert not any(wait.is_amid_products for wait in loop.waits)


@each_case
def test_weights_are_computed_beside_the_other_groups_products(target, head_size, causal):
    """About as long as these take, where they take longest: a wave issues an instruction every 4 clocks, an exponential
    takes 16."""
    stages = compiled(target, head_size, causal).report().loops[0].stages
    weighing, multiplying = stages[::2], stages[1::2]
    assert [stage.units["transcendental"] for stage in weighing] == [16, 16 + 1]
    clocks = [4 * (stage.instructions - stage.optional) + 12 * stage.units["transcendental"] for stage in weighing]
    assert max(clocks) - min(clocks) <= 220
    if (target, head_size) == ("gfx950", 128):
        assert all(0.9 <= ours / stage.matrix_clocks <= 1.25 for ours, stage in zip(clocks, multiplying, strict=True))


@each_case
def test_scores_are_weighed_with_few_instructions(target, head_size, causal):
    """Of a lane's 32 scores: the maximum, by threes; fma in pairs; an exponential each."""
    end, begin = read_loop(code_of(target, head_size, causal)).stages[:4:2]
    assert len(having(begin, "v_max3_f32")) == 15
    assert len(having(begin, "v_max_f32")) == 2
    assert len(having(begin, "v_pk_fma_f32")) == 16
    assert not having(begin, "v_fma_f32 .*neg")
    # Lanes that share a row exchange their maxima; sums stay where they are.
    assert len(having(begin, "v_permlane32_swap")) == (1 if target == "gfx950" else 0)
    assert len(having(begin, "ds_bpermute")) == (0 if target == "gfx950" else 1)
    assert not having(end, "v_permlane|ds_bpermute")
    # Whether m stays.
    assert len(having(begin, "v_cmp|v_cndmask|s_cbranch")) == 2
    assert len(having(end, "v_cvt_pk_f16_f32|v_pack_b32_f16")) == 16


@each_case
def test_the_accumulator_is_scaled_down_in_few_blocks(target, head_size, causal):
    """A warp jumps over the multiplications where no row's m has changed."""
    stages = compiled(target, head_size, causal).report().loops[0].stages
    products = head_size // 2 // 2
    assert [stage.optional for stage in stages] == [products + 1, 0, 0, 0]
    end = read_loop(code_of(target, head_size, causal)).stages[0]
    jump = end.index(*having(end, "s_cbranch_execz"))
    assert len(having(end[jump:], "v_pk_mul_f32")) == products
    assert not having(end[:jump], "v_pk_mul_f32.*op_sel_hi:.1,0.")


@each_case
def test_only_the_loop_for_the_last_blocks_masks(target, head_size, causal):
    """A comparison and a selection for each score, whose number is a constant of the instruction."""
    whole, last = (stages[2] for stages in (loop.stages for loop in read_loops(code_of(target, head_size, causal))))
    assert len(having(whole, "v_cmp|v_cndmask")) == 2
    constant = having(last, r"v_cmp_\w+_i32\w* \S+, -?\d+, ")
    assert len(constant) >= 30
    assert len(having(last, "v_cndmask")) - len(having(whole, "v_cndmask")) >= 32


@pytest.mark.parametrize("form", ["bfloat16", "negative scale", "rows that are not aligned"])
@each_case
def test_other_forms_spill_nothing_either(target, head_size, causal, form):
    element = gl.bfloat16 if form == "bfloat16" else gl.float16
    is_direct = target == "gfx950" and form != "rows that are not aligned"
    options = launch_options(takes_turns=True)
    config = configure(target, element, head_size, causal, is_direct, options["num_warps"], form == "negative scale")
    strides = (16 * 4096 * head_size, 4096 * head_size, head_size, 1)
    arguments = [element] * 4 + [strides] * 4 + [16, 1, 4096, 4096, 0.125]
    report = KERNELS[True, is_direct].warmup(*arguments, cfg=config, target=target, **options).report()
    assert report.resources["registers_spilled"] == 0
    assert report.occupancy.warps_per_simd == 2
