"""The ISA of warp-pipelined attention."""

import re

import pytest
from test_matmul_code import LDS_BYTES, count, metadata
from test_pipelined_matmul_code import MEMORY, having

from hocket import language as gl
from hocket.kernels.attention import KERNELS
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


def loop_pieces(code):
    """The loop, cut at barriers. Its blocks stand in any order, but none of its stages is torn apart at a barrier."""
    lines = code.splitlines()
    header = next(re.search(r"^\.L(BB\d+_\d+)", line)[1] for line in lines if "Inner Loop Header" in line)
    pieces, is_inside = [[]], False
    for line in lines:
        if line.startswith((".LBB", "; %bb")):
            is_inside = "Inner Loop Header" in line or f"Header={header} " in line
        instruction = line.split(";")[0].strip()
        if is_inside and instruction == "s_barrier":
            pieces.append([])
        elif is_inside and instruction:
            pieces[-1].append(instruction)
    return pieces


@each_case
def test_two_waves_fit_on_a_simd(target, head_size, causal):
    code = code_of(target, head_size, causal)
    assert metadata(code, "vgpr_count") + metadata(code, "agpr_count") <= 256
    assert metadata(code, "vgpr_spill_count") == metadata(code, "private_segment_fixed_size") == 0
    assert metadata(code, "group_segment_fixed_size") <= LDS_BYTES[target]
    assert count(code, "scratch_") == 0


@each_case
def test_what_multiplies_reaches_no_memory_and_waits_for_nothing(target, head_size, causal):
    pieces = loop_pieces(code_of(target, head_size, causal))
    assert len(pieces) - 1 == 4
    multiplying = [piece for piece in pieces if having(piece, "v_mfma")]
    depth = 16 if target == "gfx950" else 8
    products = (64 // 32) * (head_size // depth), (head_size // 32) * (64 // depth)
    assert sorted(len(having(piece, "v_mfma")) for piece in multiplying) == sorted(products)
    for piece in multiplying:
        assert not having(piece, MEMORY)
        assert not having(piece, "s_waitcnt.*vmcnt")
