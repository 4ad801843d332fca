"""The ISA of warp-pipelined attention: registers, and which stages multiply. See also `test_pipeline_code`."""

import re

import pytest
from matmul_code import LDS_BYTES, count, metadata
from pipelined_attention_code import CASES, FORMS, code_of, compiled
from pipelined_loop import having, read_loop, read_loops

from hocket import language as gl
from hocket.kernels._attention.blocks_cdna import AttentionProblem, AttentionStrides
from hocket.kernels._attention.host_cdna import KERNELS, launch_options
from hocket.kernels._attention.layouts_cdna import configure
from hocket.runtime.jit import MockTensor

pytestmark = pytest.mark.codegen


def over(cases):
    return pytest.mark.parametrize(("target", "head_size", "form"), cases, ids=str)


each_case = over(CASES)
#: Those with the softmax of `softmax_cdna`; of the other one, `test_narrow_attention_code`.
WIDE_CASES = [case for case in CASES if case[:2] != ("gfx950", 64)]
each_wide_case = over(WIDE_CASES)


@each_case
def test_two_waves_fit_on_a_simd(target, head_size, form):
    code = code_of(target, head_size, form)
    assert metadata(code, "vgpr_count") + metadata(code, "agpr_count") <= 256
    assert metadata(code, "vgpr_spill_count") == metadata(code, "private_segment_fixed_size") == 0
    assert metadata(code, "group_segment_fixed_size") <= LDS_BYTES[target]
    assert count(code, "scratch_") == 0


@each_wide_case
def test_every_second_stage_multiplies(target, head_size, form):
    """64 keys: their scores, then what they add to the output."""
    stages = read_loop(code_of(target, head_size, form)).stages
    depth = 16 if target == "gfx950" else 8
    products = [0, (64 // 32) * (head_size // depth), 0, (head_size // 32) * (64 // depth), 0]
    assert [len(having(stage, "v_mfma")) for stage in stages] == products


@each_wide_case
def test_a_block_takes_few_instructions(budgets, target, head_size, form):
    """A wave's instructions per block of 64 keys without a mask; nothing spilled; two waves on a SIMD unit."""
    report = compiled(target, head_size, form).report()
    loop = report.loops[0]
    budgets.check(
        "attention, pipelined: a block",
        f"{target}, D {head_size}, {form}",
        without_rescale=loop.instructions - loop.optional(),
        vector=loop.total("vector") - loop.optional("vector"),
        with_rescale=loop.instructions,
    )
    assert loop.total("scratch") == report.resources["registers_spilled"] == 0
    assert report.occupancy.warps_per_simd == 2


@each_case
def test_what_multiplies_reads_no_memory(target, head_size, form):
    """There are no waits either: all operands of the MFMAs are in registers when the stage begins."""
    for loop in compiled(target, head_size, form).report().loops:
        assert [stage.name for stage in loop.stages] == ["read K", "Q K", "read V", "P V"]
        for stage in (loop.stages[1], loop.stages[3]):
            assert set(stage.units) <= {"matrix", "vector", "transcendental", "barriers", "other", "scalar"}
            # Counting and the priority; the loop's end; what separates two dependent vector instructions.
            arithmetic = sum(stage.units[unit] for unit in ("matrix", "vector", "transcendental"))
            assert stage.instructions - arithmetic <= 18
        assert not any(wait.is_amid_mmas for wait in loop.waits)


@each_wide_case
def test_p_is_computed_during_mfmas(budgets, target, head_size, form):
    """Half of the exponentials are in each stage with MFMAs, and the one of the rescale factor in the second. The row
    max is there too; on gfx942 it is in the stage that reads V."""
    stages = compiled(target, head_size, form).report().loops[0].stages
    read_k, q_k, read_v, p_v = stages
    assert q_k.units["transcendental"] + p_v.units["transcendental"] == 32 + 1
    budgets.check(
        "attention, pipelined: softmax",
        f"{target}, D {head_size}, {form}",
        exponentials_beside_q_k=q_k.units["transcendental"],
        exponentials_beside_p_v=p_v.units["transcendental"],
        vector_beside_k=read_k.units["vector"] - read_k.optional["vector"],
        vector_beside_v=read_v.units["vector"],
    )


def clocks_between_products(stage, target):
    """Returns the clocks of the VALU instructions that a wave issues after each MFMA."""
    slow = 8 if target == "gfx950" else 16
    clocks = []
    for line in stage:
        if line.startswith("v_mfma"):
            clocks.append(0)
        elif line.startswith("v_") and clocks:
            clocks[-1] += slow if line.startswith("v_exp") else 4
    return clocks


@each_case
def test_products_are_spread_over_the_softmax(target, head_size, form):
    """VALU instructions are evenly interleaved with the MFMAs, and none follow the last one."""
    stages = read_loop(code_of(target, head_size, form)).stages
    for clocks in (clocks_between_products(stage, target) for stage in (stages[1], stages[3])):
        middle = clocks[1:-1]
        assert max(middle) <= 3 * sum(clocks) / len(clocks) + 8
        assert sum(share > 0 for share in middle) >= 0.7 * len(middle)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("head_size", [64, 128])
def test_maxima_are_looked_for_between_reads(head_size, form):
    """A warp that reads LDS has priority: consecutive VALU instructions must not take longer than the concurrent MFMA,
    32 clocks less 8 for its operands."""
    stage = read_loop(code_of("gfx942", head_size, form)).stages[2]
    heaps = [0]
    for line in stage[: stage.index(*having(stage, "ds_bpermute"))]:
        heaps[-1] += line.startswith("v_")
        if line.startswith(("ds_", "buffer_")):
            heaps.append(0)
    assert sum(heaps) >= 16
    assert max(heaps) <= 6


@each_case
def test_floats_beside_products_are_computed_one_by_one(target, head_size, form):
    """Packed instructions would wait until the matrix core is idle."""
    stages = read_loop(code_of(target, head_size, form)).stages
    for stage in (stages[1], stages[2], stages[3]):
        assert not having(stage, "v_pk_(add|mul|fma)_f32")


@each_wide_case
def test_scores_are_weighed_with_few_instructions(budgets, target, head_size, form):
    """VALU instructions for a lane's 32 scores: max3 for the maximum, one fma and one exponential per score."""
    stages = read_loop(code_of(target, head_size, form)).stages
    end, begin = stages[1], stages[2] + stages[3]
    budgets.check(
        "attention, pipelined: scores of a lane",
        f"{target}, D {head_size}, {form}",
        max3=len(having(begin, "v_max3_f32")),
        max=len(having(begin, "v_max_f32")),
        fma=len(having(begin, "v_fma_f32")),
        # Lanes that share a row exchange their maxima.
        exchanges=len(having(begin, "v_permlane32_swap|ds_bpermute")),
        # The branch around rescaling.
        branches=len(having(begin, "v_cmp|v_cndmask|s_cbranch")),
        # Two probabilities to a register: at once, or the second into its upper half.
        conversions=len(having(end, "v_cvt_pk_f16_f32|v_cvt_f16_f32_sdwa")),
    )
    # Sums are not exchanged.
    assert not having(end, "v_permlane|ds_bpermute")
    assert not having(end, "v_pack|v_perm|v_and|v_or|v_lsh")


@each_wide_case
def test_the_accumulator_is_scaled_down_in_few_blocks(budgets, target, head_size, form):
    """A warp jumps over the multiplications where no row's m has changed."""
    stages = compiled(target, head_size, form).report().loops[0].stages
    products = head_size // 2 // 2
    assert [bool(stage.optional) for stage in stages] == [True, False, False, False]
    optional = {unit: stages[0].optional.get(unit, 0) for unit in ("vector", "other")}
    budgets.check("attention, pipelined: rescale", f"{target}, D {head_size}, {form}", **optional)
    read = read_loop(code_of(target, head_size, form)).stages[0]
    jump = read.index(*having(read, "s_cbranch_execz"))
    assert len(having(read[jump:], "v_pk_mul_f32")) == products
    assert not having(read[:jump], "v_pk_mul_f32.*op_sel_hi:.1,0.")


@each_case
def test_only_keys_that_may_end_in_a_block_have_a_second_loop(target, head_size, form):
    assert len(read_loops(code_of(target, head_size, form))) == (1 if "whole" in form else 2)


@pytest.mark.parametrize("head_size", [64, 128])
@pytest.mark.parametrize("target", LDS_BYTES)
def test_whole_blocks_are_not_masked(target, head_size):
    """The first block, whose softmax is before the loop, is not masked either."""
    numbers = [re.findall(r"v_cmp_\w+_i32\w* \S+, -?\d+, ", code_of(target, head_size, form)) for form in FORMS]
    assert len(numbers[0]) >= 60
    assert len(numbers[1]) <= 4


@over([case for case in WIDE_CASES if "whole" not in case[2]])
def test_only_the_loop_for_the_last_blocks_masks(target, head_size, form):
    """A comparison and a selection for each score, whose number is a constant of the instruction."""
    loops = [loop.stages for loop in read_loops(code_of(target, head_size, form))]
    whole, last = (stages[2] + stages[3] for stages in loops)
    assert len(having(whole, "v_cmp|v_cndmask")) == 2
    constant = having(last, r"v_cmp_\w+_i32\w* \S+, -?\d+, ")
    assert len(constant) >= 30
    assert len(having(last, "v_cndmask")) - len(having(whole, "v_cndmask")) >= 32


@pytest.mark.parametrize("head_size", [64, 128])
def test_p_is_rounded_to_bfloat16_in_few_instructions(budgets, head_size):
    """On gfx942, which has no instruction for it: four for each of 32, and one for each pair."""
    config = configure("gfx942", gl.bfloat16, head_size, False, False, 8)
    strides = (16 * 4096 * head_size, 4096 * head_size, head_size, 1)
    arguments = [gl.bfloat16] * 4 + [AttentionStrides(*[strides] * 4), AttentionProblem(16, 1, 4096, 4096, 0.125)]
    options = launch_options(pipelined=True)
    code = KERNELS[True, False].warmup(*arguments, cfg=config, target="gfx942", **options).asm["amdgcn"]
    end = read_loop(code).stages[1]
    names = ("v_bfe_u32", "v_add3_u32", "v_cmp_o_f32", "v_cndmask_b32", "v_perm_b32")
    counts = {name: len(having(end, name)) for name in names}
    budgets.check("attention, pipelined: bfloat16 P", f"gfx942, D {head_size}", **counts)
    assert not having(end, "v_or|v_and|v_lsh")


OTHERS = ["bfloat16", "negative scale", "rows that are not aligned", "sequences of different lengths"]


@pytest.mark.parametrize("pipelined", [False, True], ids=["plain", "pipelined"])
@pytest.mark.parametrize("other", OTHERS)
@each_case
def test_other_forms_spill_nothing_either(target, head_size, form, other, pipelined):
    element = gl.bfloat16 if other == "bfloat16" else gl.float16
    is_direct = target == "gfx950" and other != "rows that are not aligned"
    options = launch_options(pipelined)
    is_whole = "whole" in form and other != "sequences of different lengths"
    config = configure(
        target,
        element,
        head_size,
        "causal" in form,
        is_direct,
        options["num_warps"],
        other == "negative scale",
        is_whole,
    )
    strides = (16 * 4096 * head_size, 4096 * head_size, head_size, 1)
    starts = [MockTensor(gl.int32) if other == "sequences of different lengths" else None] * 2
    arguments = [element] * 4 + [AttentionStrides(*[strides] * 4), AttentionProblem(16, 1, 4096, 4096, 0.125, *starts)]
    report = KERNELS[pipelined, is_direct].warmup(*arguments, cfg=config, target=target, **options).report()
    assert report.resources["registers_spilled"] == 0
    assert report.occupancy.warps_per_simd >= 2
    assert not pipelined or report.occupancy.warps_per_simd == 2
