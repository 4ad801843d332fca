"""Conversions of 4- and 8-bit floats with scales: amd.cdna3.scaled_upcast and fp4_to_fp."""

import matrix_cases as cases
import ml_dtypes
import numpy as np
import pytest

import hocket
from hocket import emulator
from hocket import language as gl
from hocket.language.amd import cdna3

FLOAT8 = [ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2, ml_dtypes.float8_e4m3fnuz, ml_dtypes.float8_e5m2fnuz]
RESULTS = {gl.float16: np.float16, gl.bfloat16: ml_dtypes.bfloat16, gl.float32: np.float32}


def values_of_scales(scales):
    return scales.view(ml_dtypes.float8_e8m0fnu).astype(np.float64)


def pairs_of(codes, axis):
    low, high = (np.take(codes, range(start, codes.shape[axis], 2), axis) for start in (0, 1))
    return low | high << 4


@hocket.jit
def upcast(src, scale, out, TYPE: gl.constexpr, AXIS: gl.constexpr, IN: gl.constexpr, OUT: gl.constexpr):
    ROWS: gl.constexpr = 16 if AXIS == 0 else 32
    COLUMNS: gl.constexpr = 32 if AXIS == 1 else 64
    values = gl.load(src + cases.tile_offsets(ROWS, COLUMNS, IN))
    offsets = cases.tile_offsets(32, 64, OUT)
    if scale is None:
        result = gl.fp4_to_fp(values, TYPE, AXIS)
    else:
        result = cdna3.scaled_upcast(values, gl.load(scale + offsets), TYPE, axis=AXIS)
    gl.store(out + offsets, result)


MFMA = gl.amd.AMDMFMALayout(3, [16, 16, 16], True, [2, 2])
# (axis, layout of pairs, layout of the result)
FLOAT4_LAYOUTS = {
    "rows": (1, gl.BlockedLayout([1, 4], [8, 8], [4, 1], [1, 0]), gl.BlockedLayout([1, 8], [8, 8], [4, 1], [1, 0])),
    "columns": (0, gl.BlockedLayout([2, 1], [8, 8], [1, 4], [0, 1]), gl.BlockedLayout([4, 1], [8, 8], [1, 4], [0, 1])),
    "operand_a": (1, gl.DotOperandLayout(0, MFMA, 2), gl.DotOperandLayout(0, MFMA, 4)),
    "operand_b": (0, gl.DotOperandLayout(1, MFMA, 4), gl.DotOperandLayout(1, MFMA, 8)),
}


@pytest.mark.parametrize("result", RESULTS, ids=str)
@pytest.mark.parametrize("layout", FLOAT4_LAYOUTS)
def test_float4(layout, result):
    axis, source, destination = FLOAT4_LAYOUTS[layout]
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 16, (32, 64)).astype(np.uint8)
    scales = rng.integers(120, 134, (32, 64)).astype(np.uint8)
    out = np.zeros((32, 64), RESULTS[result])
    with emulator.target("gfx942"):
        upcast[(1,)](pairs_of(codes, axis), scales, out, result, axis, source, destination)
    expected = codes.view(ml_dtypes.float4_e2m1fn).astype(np.float64) * values_of_scales(scales)
    np.testing.assert_array_equal(out, expected.astype(out.dtype))


@pytest.mark.parametrize("target", ["sm_90a", "gfx950"])
def test_fp4_to_fp_is_for_every_target(target):
    lanes = 32 if target == "sm_90a" else 64
    source, destination = (gl.BlockedLayout([1, size], [lanes // 4, 4], [4, 1], [1, 0]) for size in (4, 8))
    codes = np.arange(32 * 64, dtype=np.uint8).reshape(32, 64) % 16
    out = np.full((32, 64), np.nan, np.float16)
    with emulator.target(target):
        upcast[(1,)](pairs_of(codes, 1), None, out, gl.float16, 1, source, destination)
    expected = codes.view(ml_dtypes.float4_e2m1fn).astype(np.float16)
    np.testing.assert_array_equal(out, expected)
    np.testing.assert_array_equal(np.signbit(out), np.signbit(expected))


@hocket.jit
def upcast_bytes(src, scale, out, TYPE: gl.constexpr, L: gl.constexpr):
    """One scale per row of 32 x 8 numbers stretches along it."""
    offsets = cases.tile_offsets(32, 8, L)
    rows = gl.arange(0, 32, layout=gl.SliceLayout(1, L))
    gl.store(out + offsets, cdna3.scaled_upcast(gl.load(src + offsets), gl.load(scale + rows)[:, None], TYPE))


@pytest.mark.parametrize("result", RESULTS, ids=str)
@pytest.mark.parametrize("dtype", FLOAT8, ids=lambda dtype: np.dtype(dtype).name)
def test_float8(dtype, result):
    src = np.arange(256, dtype=np.uint8).view(dtype).reshape(32, 8)
    scales = (112 + np.arange(32)).astype(np.uint8)
    out = np.zeros((32, 8), RESULTS[result])
    with emulator.target("gfx942"):
        upcast_bytes[(1,)](src, scales, out, result, gl.BlockedLayout([1, 2], [16, 4], [4, 1], [1, 0]))
    with np.errstate(over="ignore"):
        expected = (src.astype(np.float64) * values_of_scales(scales)[:, None]).astype(out.dtype)
    # NumPy does not take bfloat16's NaNs for equal.
    np.testing.assert_array_equal(out.astype(np.float32), expected.astype(np.float32))


def test_every_scale():
    src = np.ones((32, 8), np.float32).astype(ml_dtypes.float8_e4m3fn)
    seen = []
    for first in range(0, 256, 32):
        out = np.zeros((32, 8), np.float32)
        scales = np.arange(first, first + 32).astype(np.uint8)
        with emulator.target("gfx950"):
            upcast_bytes[(1,)](src, scales, out, gl.float32, gl.BlockedLayout([1, 2], [16, 4], [4, 1], [1, 0]))
        seen += list(out[:, 0])
    np.testing.assert_array_equal(seen[:255], 2.0 ** (np.arange(255) - 127))
    assert np.isnan(seen[255])
