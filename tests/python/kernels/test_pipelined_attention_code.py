"""The ISA of warp-pipelined attention: registers, and which stages multiply. See also `test_pipeline_code`."""

import pytest
from pipelined_loop import having, read_loop
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
