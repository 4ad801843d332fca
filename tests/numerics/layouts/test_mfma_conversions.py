"""Conversions of MFMA accumulators to operands and to rows of memory: all elements are right, at the expected cost."""

import ml_dtypes
import numpy as np
import pytest
from tiles import tile_offsets

import hocket
from hocket import emulator
from hocket import language as gl
from hocket.language import amd

VERSIONS = {"gfx942": 3, "gfx950": 4}


@hocket.jit
def convert(x, out, M: gl.constexpr, N: gl.constexpr, SRC: gl.constexpr, DST: gl.constexpr):
    values = gl.convert_layout(gl.load(x + tile_offsets(M, N, SRC)), DST)
    gl.store(out + tile_offsets(M, N, DST), values)


def converted(target, x, source, destination):
    out = np.zeros_like(x)
    with emulator.target(target):
        kernel = convert[(1,)](x, out, M=x.shape[0], N=x.shape[1], SRC=source, DST=destination, num_warps=4)
    np.testing.assert_array_equal(out.view(np.uint8), x.view(np.uint8))
    return kernel.asm["amdgcn"]


def accumulators(target, side, transposed=True, warps=(4, 1)):
    k = {("gfx942", 32): 8, ("gfx942", 16): 16, ("gfx950", 32): 16, ("gfx950", 16): 32}[target, side]
    return amd.AMDMFMALayout(VERSIONS[target], [side, side, k], transposed, list(warps))


def exchanges(asm):
    return {
        name
        for name in ("v_permlane32_swap", "v_permlane16_swap", "ds_bpermute", "ds_swizzle", "ds_write")
        if name in asm
    }


DTYPES = [np.float32, np.float16, ml_dtypes.float8_e5m2]


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: np.dtype(dtype).name)
@pytest.mark.parametrize("side", [16, 32])
@pytest.mark.parametrize("target", VERSIONS)
def test_transposed_accumulators_are_the_left_operand(target, side, dtype):
    x = np.arange(128 * 64).reshape(128, 64).astype(dtype)
    acc = accumulators(target, side)
    assert exchanges(converted(target, x, acc, gl.DotOperandLayout(0, acc, 4))) == set()


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: np.dtype(dtype).name)
@pytest.mark.parametrize("side", [16, 32])
@pytest.mark.parametrize("target", VERSIONS)
def test_twice_as_wide_operands_exchange_lanes(target, side, dtype):
    x = np.arange(128 * 64).reshape(128, 64).astype(dtype)
    acc = accumulators(target, side)
    used = exchanges(converted(target, x, acc, gl.DotOperandLayout(0, acc, 8)))
    if (target, side) == ("gfx950", 32):
        assert used == {"v_permlane32_swap"}
    else:
        assert "v_permlane32_swap" not in used


@pytest.mark.parametrize("warps", [(4, 1), (2, 2)])
@pytest.mark.parametrize("transposed", [True, False])
@pytest.mark.parametrize("target", VERSIONS)
def test_rows_and_back(target, transposed, warps):
    x = np.arange(128 * 64).reshape(128, 64).astype(np.float16)
    acc = accumulators(target, 32, transposed, warps)
    rows = gl.BlockedLayout([1, 8], [8, 8], [4, 1], [1, 0])
    converted(target, x, acc, rows)
    converted(target, x, rows, gl.DotOperandLayout(0, acc, 8))
    converted(target, x, gl.DotOperandLayout(1, acc, 8), acc)


@hocket.jit
def swap_halves(x, out, SRC: gl.constexpr, DST: gl.constexpr):
    values = gl.convert_layout(gl.load(x + tile_offsets(64, 2, SRC)), DST)
    gl.store(out + tile_offsets(64, 2, DST), values)


@pytest.mark.parametrize("distance", [16, 32])
def test_transpose_of_two_by_two_is_a_swap(distance):
    lanes = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]]
    swapped = [[0, 1] if row[0] == distance else row for row in lanes]
    source = gl.DistributedLinearLayout([[0, 1]], lanes, [], [], [64, 2])
    destination = gl.DistributedLinearLayout([[distance, 0]], swapped, [], [], [64, 2])
    x = np.arange(128, dtype=np.float32).reshape(64, 2)
    out = np.zeros_like(x)
    with emulator.target("gfx950"):
        kernel = swap_halves[(1,)](x, out, SRC=source, DST=destination, num_warps=1)
    np.testing.assert_array_equal(out, x)
    assert exchanges(kernel.asm["amdgcn"]) == {f"v_permlane{distance}_swap"}
