"""Products of microscaled formats on CDNA4's matrix cores, in the emulator against NumPy."""

import matrix_cases as cases
import ml_dtypes
import numpy as np
import pytest

import hocket
from hocket import emulator
from hocket import language as gl
from hocket.language.amd import cdna4

SHAPES = [(16, 16, 128), (32, 32, 64)]
FLOAT8 = {"e4m3": ml_dtypes.float8_e4m3fn, "e5m2": ml_dtypes.float8_e5m2}
FLOAT6 = {"e2m3": ml_dtypes.float6_e2m3fn, "e3m2": ml_dtypes.float6_e3m2fn}
FLOAT4 = ml_dtypes.float4_e2m1fn


def make(rng, fmt, shape, axis):
    """(what the kernel gets, the values as float64)"""
    if fmt in FLOAT8:
        stored = rng.standard_normal(shape).astype(FLOAT8[fmt])
        return stored, stored.astype(np.float64)
    if fmt in FLOAT6:  # a byte each, the number in its low bits
        codes = rng.integers(0, 64, shape).astype(np.uint8)
        return codes, codes.view(FLOAT6[fmt]).astype(np.float64)
    codes = rng.integers(0, 16, shape).astype(np.uint8)
    low, high = (np.take(codes, range(start, shape[axis], 2), axis) for start in (0, 1))
    return low | high << 4, codes.view(FLOAT4).astype(np.float64)


def values_of_scales(scales):
    return np.repeat(scales.view(ml_dtypes.float8_e8m0fnu).astype(np.float64), 32, axis=1)


@hocket.jit
def load_scales(scales, ROWS: gl.constexpr, GROUPS: gl.constexpr, OPERAND: gl.constexpr):
    if scales is None:
        return None
    return gl.load(scales + cases.tile_offsets(ROWS, GROUPS, cdna4.get_mfma_scale_layout(OPERAND, [ROWS, GROUPS])))


@hocket.jit
def scaled_product(
    a, a_scale, A_FORMAT: gl.constexpr, b, b_scale, B_FORMAT: gl.constexpr, c,
    M: gl.constexpr, N: gl.constexpr, K: gl.constexpr, L: gl.constexpr,
):  # fmt: skip
    A_DEPTH: gl.constexpr = K // 2 if A_FORMAT == "e2m1" else K
    B_DEPTH: gl.constexpr = K // 2 if B_FORMAT == "e2m1" else K
    A: gl.constexpr = gl.DotOperandLayout(0, L, 32 if A_FORMAT in ("e2m3", "e3m2") else 16)
    B: gl.constexpr = gl.DotOperandLayout(1, L, 32 if B_FORMAT in ("e2m3", "e3m2") else 16)
    left = cdna4.buffer_load(a, cases.tile_offsets(M, A_DEPTH, A))
    right = cdna4.buffer_load(b, cases.tile_offsets(B_DEPTH, N, B))
    left_scale, right_scale = load_scales(a_scale, M, K // 32, A), load_scales(b_scale, N, K // 32, B)
    offsets = cases.tile_offsets(M, N, L)
    acc = cdna4.buffer_load(c, offsets)
    acc = cdna4.mfma_scaled(left, left_scale, A_FORMAT, right, right_scale, B_FORMAT, acc)
    cdna4.buffer_store(acc, c, offsets)


def check(a_format, b_format, shape, transposed=True, size=(64, 64, 256), scales=True, warps=(2, 2)):
    m, n, k = size
    rng = np.random.default_rng(0)
    (a, a_values), (b, b_values) = make(rng, a_format, (m, k), 1), make(rng, b_format, (k, n), 0)
    a_scale, b_scale = (rng.integers(118, 133, (rows, k // 32)).astype(np.uint8) for rows in (m, n))
    start = rng.standard_normal((m, n)).astype(np.float32)
    if scales:
        a_values, b_values = a_values * values_of_scales(a_scale), b_values * values_of_scales(b_scale).T
    out = start.copy()
    layout = gl.amd.AMDMFMALayout(4, list(shape), transposed, list(warps))
    with emulator.target("gfx950"):
        scaled_product[(1,)](
            a, a_scale if scales else None, a_format, b, b_scale if scales else None, b_format, out,
            M=m, N=n, K=k, L=layout,
        )  # fmt: skip
    bound = np.abs(a_values) @ np.abs(b_values) + np.abs(start)
    assert (np.abs(out - (a_values @ b_values + start)) <= bound * 2.0**-20).all()


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("b_format", ["e4m3", "e5m2", "e2m1", "e2m3", "e3m2"])
@pytest.mark.parametrize("a_format", ["e4m3", "e5m2", "e2m1", "e2m3", "e3m2"])
def test_formats_mix(a_format, b_format, shape):
    check(a_format, b_format, shape)


@pytest.mark.parametrize("shape", SHAPES)
def test_plain_accumulators(shape):
    check("e4m3", "e2m1", shape, transposed=False)


@pytest.mark.parametrize("formats", [("e4m3", "e4m3"), ("e2m1", "e2m1")])
def test_without_scales(formats):
    check(*formats, (16, 16, 128), scales=False)


@pytest.mark.parametrize("size, warps", [((128, 32, 128), (4, 1)), ((32, 128, 512), (1, 4)), ((256, 64, 128), (2, 2))])
@pytest.mark.parametrize("shape", SHAPES)
def test_other_tiles(shape, size, warps):
    check("e2m1", "e4m3", shape, size=size, warps=warps)


def test_scales_may_lie_anywhere_in_their_range():
    """The largest scale makes infinity, 255 is NaN, 0 is 2^-127."""
    a = np.ones((16, 128), np.float32).astype(ml_dtypes.float8_e4m3fn)
    b = np.eye(128, 16).astype(ml_dtypes.float8_e4m3fn)
    a_scale, b_scale = np.full((16, 4), 127, np.uint8), np.full((16, 4), 127, np.uint8)
    a_scale[0], a_scale[1], a_scale[2] = 255, 254, 0
    out = np.zeros((16, 16), np.float32)
    layout = gl.amd.AMDMFMALayout(4, [16, 16, 128], True, [1, 1])
    with emulator.target("gfx950"):
        scaled_product[(1,)](a, a_scale, "e4m3", b, b_scale, "e4m3", out, M=16, N=16, K=128, L=layout, num_warps=1)
    assert np.isnan(out[0]).all()
    np.testing.assert_array_equal(out[1:4, 0], [2.0**127, 2.0**-127, 1.0])


@hocket.jit
def constant_scales(a, b, out, a_scale, A_FORMAT: gl.constexpr, L: gl.constexpr):
    A: gl.constexpr = gl.DotOperandLayout(0, L, 16)
    B: gl.constexpr = gl.DotOperandLayout(1, L, 16)
    left, right = gl.load(a + cases.tile_offsets(16, 128, A)), gl.load(b + cases.tile_offsets(128, 16, B))
    acc = gl.zeros([16, 16], gl.float32, L)
    acc = cdna4.mfma_scaled(left, 128, A_FORMAT, right, a_scale.to(gl.uint8), A_FORMAT, acc)
    gl.store(out + cases.tile_offsets(16, 16, L), acc)


def test_one_scale_for_all_elements():
    """A number known now, and one that is known when the kernel runs."""
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-4, 5, shape).astype(ml_dtypes.float8_e4m3fn) for shape in ((16, 128), (128, 16)))
    out = np.zeros((16, 16), np.float32)
    layout = gl.amd.AMDMFMALayout(4, [16, 16, 128], True, [1, 1])
    with emulator.target("gfx950"):
        constant_scales[(1,)](a, b, out, 129, "e4m3", layout, num_warps=1)
    np.testing.assert_array_equal(out, 2 * 4 * (a.astype(np.float32) @ b.astype(np.float32)))
