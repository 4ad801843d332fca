"""MFMA interleaved with VALU (csrc/codegen/amd/machine/InterleaveMfma.h); see also `test_pipelined_attention_code`."""

import re

import pytest

import hocket
from hocket import language as gl
from hocket.language import amd
from hocket.language.amd import AMDMFMALayout

pytestmark = pytest.mark.codegen

LARGE, SMALL = (AMDMFMALayout(4, shape, True, [4, 1]) for shape in ([32, 32, 16], [16, 16, 32]))
FLAT = gl.BlockedLayout([16], [64], [4], [0])


@hocket.jit
def products_of_two_sizes(x, large: gl.constexpr, small: gl.constexpr, flat: gl.constexpr):
    """Four of either size, and 32 exponentials."""
    values = gl.load(x + gl.arange(0, 4096, flat))
    sums = gl.zeros([128, 32], gl.float32, large)
    small_sums = gl.zeros([64, 16], gl.float32, small)
    rows = gl.full([128, 64], 1.0, gl.float16, gl.DotOperandLayout(0, large, 8))
    columns = gl.full([64, 32], 1.0, gl.float16, gl.DotOperandLayout(1, large, 8))
    small_rows = gl.full([64, 128], 1.0, gl.float16, gl.DotOperandLayout(0, small, 8))
    small_columns = gl.full([128, 16], 1.0, gl.float16, gl.DotOperandLayout(1, small, 8))
    gl.sched_barrier()
    sums = amd.cdna3.mfma(rows, columns, sums)
    small_sums = amd.cdna3.mfma(small_rows, small_columns, small_sums)
    values = gl.exp2(gl.exp2(values))
    gl.sched_barrier()
    gl.store(x + gl.arange(0, 4096, flat), values)
    lines, places = gl.arange(0, 128, gl.SliceLayout(1, large)), gl.arange(0, 32, gl.SliceLayout(0, large))
    gl.store(x + lines[:, None] * 32 + places[None, :], sums)
    lines, places = gl.arange(0, 64, gl.SliceLayout(1, small)), gl.arange(0, 16, gl.SliceLayout(0, small))
    gl.store(x + lines[:, None] * 16 + places[None, :], small_sums)


def test_products_of_half_the_passes_take_half_the_arithmetic():
    """Else a small product would leave the matrix core idle, and a large one keep the next waiting."""
    arguments = gl.float32, LARGE, SMALL, FLAT
    code = products_of_two_sizes.warmup(*arguments, target="gfx950", num_warps=4).asm["amdgcn"]
    exponentials = {"16x16x32": [], "32x32x16": []}
    for line in re.findall(r"v_mfma_f32_(\w+)_f16|(v_exp)", code):
        if line[0]:
            after = exponentials[line[0]]
            after.append(0)
        else:
            after[-1] += 1
    small, large = exponentials["16x16x32"], exponentials["32x32x16"]
    assert len(small) == len(large) == 4
    assert sum(small) + sum(large) == 32
    assert max(small) <= 3
    assert min(large) >= 5
