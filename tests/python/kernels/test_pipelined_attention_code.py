"""The ISA of warp-pipelined attention: registers, and which stages multiply. See also `test_pipeline_code`."""

import pytest
from pipelined_loop import having, read_loop, read_loops
from test_matmul_code import LDS_BYTES, count, metadata

from hocket import language as gl
from hocket.kernels.attention_amd import KERNELS
from hocket.kernels.attention_layouts import configure

each_case = pytest.mark.parametrize(
    ("target", "head_size", "causal"),
    [(target, size, causal) for target in LDS_BYTES for size in (64, 128) for causal in (False, True)],
    ids=lambda value: str(value),
)


def code_of(target, head_size, causal):
    is_direct = target == "gfx950"
    config = configure(target, gl.float16, head_size, causal, is_direct, 8)
    strides = (16 * 4096 * head_size, 4096 * head_size, head_size, 1)
    arguments = [gl.float16] * 4 + [strides] * 4 + [16, 1, 4096, 4096, 0.125]
    return KERNELS[True, is_direct].warmup(*arguments, cfg=config, num_warps=8, target=target).asm["amdgcn"]


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
MOST = {"gfx950": {64: (220, 94), 128: (280, 110)}, "gfx942": {64: (256, 125), 128: (325, 146)}}


@each_case
def test_a_block_takes_few_instructions(target, head_size, causal):
    loop = read_loop(code_of(target, head_size, causal)).loop
    vector = [line for line in having(loop, "v_") if not line.startswith(("v_mfma", "v_exp"))]
    assert len(loop) <= MOST[target][head_size][0]
    assert len(vector) <= MOST[target][head_size][1]


@each_case
def test_scores_are_weighed_with_few_instructions(target, head_size, causal):
    """Of a lane's 32 scores: the maximum, by threes; fma in pairs; an exponential each."""
    weigh = read_loop(code_of(target, head_size, causal)).stages[1]
    assert len(having(weigh, "v_max3_f32")) == 16
    assert len(having(weigh, "v_max_f32")) == 1
    assert len(having(weigh, "v_pk_fma_f32")) == 16
    assert not having(weigh, "v_fma_f32")
    assert len(having(weigh, "v_exp_f32")) == 32 + 1
    assert len(having(weigh, "v_permlane32_swap")) == (2 if target == "gfx950" else 0)
    assert len(having(weigh, "ds_bpermute")) == (0 if target == "gfx950" else 2)
    assert not having(weigh, "v_cmp|v_cndmask|s_cbranch")


@each_case
def test_only_the_loop_for_the_last_blocks_masks(target, head_size, causal):
    whole, last = read_loops(code_of(target, head_size, causal))
    assert not having(whole.loop, "v_cmp|v_cndmask")
    assert len(having(last.loop, "v_cndmask")) >= 32
