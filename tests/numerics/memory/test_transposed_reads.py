"""Operands that LDS holds across K: CDNA4 transposes them on the way, CDNA3 reads them one by one. Both must agree."""

import matrix_cases as cases
import ml_dtypes
import numpy as np
import pytest

import hocket
from hocket import emulator
from hocket import language as gl
from hocket.language.amd import cdna3

ROWS, COLUMNS = 64, 128
LOADS = gl.constexpr(gl.BlockedLayout([1, 8], [4, 16], [4, 1], [1, 0]))

#: Bits of an element -> the instruction that CDNA4 has for it.
INSTRUCTIONS = {16: "ds_read_b64_tr_b16", 8: "ds_read_b64_tr_b8"}
DTYPES = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f8": ml_dtypes.float8_e4m3fn, "i8": np.int8}

SHARED = {
    "plain": gl.SwizzledSharedLayout(1, 1, 1, [1, 0]),
    "swizzled": gl.SwizzledSharedLayout(8, 1, 8, [1, 0]),
    "padded": gl.PaddedSharedLayout.with_identity_for([[COLUMNS, 16]], [ROWS, COLUMNS], [1, 0]),
    "padded twice": gl.PaddedSharedLayout.with_identity_for([[64, 8], [512, 16]], [ROWS, COLUMNS], [1, 0]),
}


def operand(side, dtype, index, width=None, warps=(2, 2)):
    """The layout of operand `index`, which holds `width` elements along K (default: 16 bytes of them)."""
    bits = np.dtype(dtype).itemsize * 8
    parent = gl.amd.AMDMFMALayout(4, [side, side, 512 // side * 16 // bits], True, list(warps))
    return gl.DotOperandLayout(index, parent, width or 128 // bits)


@hocket.jit
def transpose_through_lds(x, out, SHARED: gl.constexpr, OPERAND: gl.constexpr, ROW: gl.constexpr, COLUMN: gl.constexpr):
    """Writes the tile's rows, reads them as the operand whose K runs down the columns."""
    offsets = cases.tile_offsets(64, 128, LOADS)
    tile = gl.allocate_shared_memory(x.dtype.element_ty, [64, 128], SHARED, cdna3.buffer_load(x, offsets))
    part = tile.slice(ROW, 32, 0).slice(COLUMN, 64, 1) if ROW + COLUMN else tile
    M: gl.constexpr = part.shape[0]
    N: gl.constexpr = part.shape[1]
    if OPERAND.operand_index == 0:
        value = part.permute([1, 0]).load(OPERAND)
        rows = gl.arange(0, N, layout=gl.SliceLayout(1, OPERAND))[:, None]
        columns = gl.arange(0, M, layout=gl.SliceLayout(0, OPERAND))[None, :]
        gl.store(out + columns * N + rows, value)
    else:
        gl.store(out + cases.tile_offsets(M, N, OPERAND), part.load(OPERAND))


def run(target, dtype, shared, layout, row=0, column=0):
    rng = np.random.default_rng(3)
    x = rng.integers(-7, 8, (ROWS, COLUMNS)).astype(dtype)
    size = (32, 64) if row + column else (ROWS, COLUMNS)
    out = np.zeros(size, dtype)
    with emulator.target(target):
        kernel = transpose_through_lds[(1,)](x, out, shared, layout, row, column)
    expected = x[row : row + size[0], column : column + size[1]]
    np.testing.assert_array_equal(out.astype(np.float32), expected.astype(np.float32))
    return kernel


def is_transposed(kernel, dtype):
    return INSTRUCTIONS[np.dtype(dtype).itemsize * 8] in kernel.asm["amdgcn"]


@pytest.mark.parametrize("index", [0, 1])
@pytest.mark.parametrize("side", [16, 32])
@pytest.mark.parametrize("shared", SHARED)
@pytest.mark.parametrize("dtype", DTYPES)
def test_operands_across_k(dtype, shared, side, index):
    dtype = DTYPES[dtype]
    assert is_transposed(run("gfx950", dtype, SHARED[shared], operand(side, dtype, index)), dtype)


@pytest.mark.parametrize("width", [4, 8, 16])
@pytest.mark.parametrize("dtype", DTYPES)
def test_any_number_of_elements_along_k(dtype, width):
    dtype = DTYPES[dtype]
    assert is_transposed(run("gfx950", dtype, SHARED["padded"], operand(16, dtype, 1, width)), dtype)


@pytest.mark.parametrize("row, column", [(32, 0), (0, 64), (32, 64)])
@pytest.mark.parametrize("dtype", DTYPES)
def test_parts_of_tiles(dtype, row, column):
    dtype = DTYPES[dtype]
    for shared in SHARED.values():
        assert is_transposed(run("gfx950", dtype, shared, operand(16, dtype, 1), row, column), dtype)


def test_swizzles_of_single_elements_are_not_transposed():
    # 8 consecutive bytes of memory would not be 4 adjacent elements of the tile.
    shared = gl.SwizzledSharedLayout(1, 1, 16, [1, 0])
    assert not is_transposed(run("gfx950", np.float16, shared, operand(16, np.float16, 1)), np.float16)


def test_tiles_along_k_are_read_plainly():
    shared = gl.SwizzledSharedLayout(1, 1, 1, [0, 1])
    kernel = run("gfx950", np.float16, shared, operand(16, np.float16, 1))
    assert not is_transposed(kernel, np.float16)
    assert "ds_read_b128" in kernel.asm["amdgcn"]


def test_cdna3_has_no_such_read():
    layout = gl.DotOperandLayout(1, gl.amd.AMDMFMALayout(3, [32, 32, 8], True, [2, 2]), 4)
    kernel = run("gfx942", np.float16, SHARED["padded"], layout)
    assert "_tr_" not in kernel.asm["amdgcn"]
