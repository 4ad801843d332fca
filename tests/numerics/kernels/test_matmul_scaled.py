"""hocket.kernels.matmul_scaled against NumPy on emulated CDNA4."""

import ml_dtypes
import numpy as np
import pytest
import scaled_cases

import hocket
from hocket.errors import LaunchError
from hocket.kernels import matmul_scaled, shuffle_scales
from hocket.kernels._matmul.plan_cdna import CdnaPlan, Tile

DTYPES = ("float8_e4m3fn", "float8_e5m2", scaled_cases.FLOAT4)
QUADRANTS = CdnaPlan(Tile(256, 256, 2, 4), 128, True, 2, True)
INTERLEAVED = CdnaPlan(Tile(256, 256, 2, 2), 128, True, 2, False, is_interleaved=True)
RING = CdnaPlan(Tile(128, 128, 4, 2), 128, True, 3, True)


@pytest.fixture(autouse=True)
def target():
    with hocket.emulator.target("gfx950"):
        yield


def check(result, expected):
    """Sums of at most 2,000 products, whose sizes differ by what scales differ."""
    assert (np.abs(result - expected) <= np.abs(expected).max() * 2.0**-18).all()


@pytest.mark.parametrize("size", [(1, 1, 32), (128, 128, 256), (100, 70, 544), (300, 130, 96)], ids=str)
@pytest.mark.parametrize("dtype", DTYPES)
def test_sizes(dtype, size):
    check(*scaled_cases.product(dtype, *size))


@pytest.mark.parametrize("size", [(256, 256, 1024), (272, 130, 1440)], ids=["whole", "ragged"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_pipelines(dtype, size):
    """To the last bit what the plain kernel computes, too."""
    result, expected = scaled_cases.product(dtype, *size, QUADRANTS)
    check(result, expected)
    assert np.array_equal(result, scaled_cases.product(dtype, *size)[0])


@pytest.mark.parametrize("plan", [None, QUADRANTS], ids=["plain", "quadrants"])
def test_bias_and_activation(plan):
    bias = np.linspace(-400, 400, 260).astype(np.float32)
    result, expected = scaled_cases.product("float8_e4m3fn", 256, 260, 1024, plan, bias=bias, activation="relu")
    np.testing.assert_allclose(result, np.maximum(expected + bias, 0), rtol=1e-4, atol=1e-2)


def test_results_are_bfloat16_if_nothing_is_said():
    ones, scales = np.ones((64, 64), ml_dtypes.float8_e5m2), shuffle_scales(np.full((64, 2), 128, np.uint8))
    result = matmul_scaled(ones, scales, ones.T, scales)
    assert result.dtype == ml_dtypes.bfloat16
    assert (result == 256).all()


def test_scales_of_each_group_and_row_find_their_elements():
    """One element per row and column, each at another k: the result is its scale of A times its scale of B."""
    rows, k = 256, 1024
    a = np.zeros((rows, k), ml_dtypes.float8_e4m3fn)
    a[np.arange(rows), np.arange(rows) * 4] = 1
    rng = np.random.default_rng(1)
    a_scales, b_scales = (rng.integers(110, 140, (rows, k // 32)).astype(np.uint8) for _ in range(2))
    group = np.arange(rows) * 4 // 32
    expected = 2.0 ** (a_scales[np.arange(rows), group].astype(int) + b_scales[np.arange(rows), group] - 254)
    for plan in (None, QUADRANTS):
        out = matmul_scaled(a, shuffle_scales(a_scales), a.T, shuffle_scales(b_scales), out_dtype="float32", plan=plan)
        np.testing.assert_array_equal(np.diag(out), expected)


def test_shuffled_scales_are_in_the_order_of_lanes():
    scales = np.arange(40 * 10, dtype=np.uint16).astype(np.uint8).reshape(40, 10)
    shuffled = shuffle_scales(scales.view(ml_dtypes.float8_e8m0fnu)).reshape(8, 2, 2, 32, 4)
    for row in range(256):
        for group in range(16):
            expected = scales[row, group] if row < 40 and group < 10 else 127
            assert shuffled[row // 32, group // 8, group % 2, row % 32, group % 8 // 2] == expected


def ones(rows, columns, dtype=ml_dtypes.float8_e4m3fn):
    return np.ones((rows, columns), dtype)


SCALES = shuffle_scales(np.full((64, 2), 127, np.uint8))

MISTAKES = {
    "dtype": (
        lambda: matmul_scaled(ones(64, 64, np.float16), SCALES, ones(64, 64, np.float16).T, SCALES),
        "matmul_scaled multiplies float8_e4m3fn, float8_e5m2, uint8, not float16\n  hint: uint8 holds two float4 "
        "(e2m1), the first in the low half",
    ),
    "scales as they are": (
        lambda: matmul_scaled(ones(64, 64), np.full((64, 2), 127, np.uint8), ones(64, 64).T, SCALES),
        "matmul_scaled: a_scales must be uint8 of shape [8, 256], contiguous, but they are uint8 of shape [64, 2]\n"
        "  hint: pass shuffle_scales(scales) of scales of shape [64, 2]",
    ),
    "order": (
        lambda: matmul_scaled(ones(64, 64), SCALES, ones(64, 64), SCALES),
        "matmul_scaled: b must be contiguous along K, in rows whose length and distance are multiples of 16 bytes, but "
        "its shape is [64, 64] and its strides are [64, 1]",
    ),
    "inner sizes": (
        lambda: matmul_scaled(ones(64, 64), SCALES, ones(64, 96).T, SCALES),
        "matmul_scaled: a is 64 x 64 and b is 96 x 64; the inner sizes must be equal",
    ),
    "two dtypes": (
        lambda: matmul_scaled(ones(64, 64), SCALES, ones(64, 64, ml_dtypes.float8_e5m2).T, SCALES),
        "matmul_scaled: a is float8_e4m3fn and b is float8_e5m2; they must be of one dtype",
    ),
    "part of a group": (
        lambda: matmul_scaled(ones(64, 48), SCALES, ones(64, 48).T, SCALES),
        "matmul_scaled: 48 elements along K are not a multiple of 32, which share a scale",
    ),
    "too little for a pipeline": (
        lambda: matmul_scaled(ones(64, 64), SCALES, ones(64, 64).T, SCALES, plan=QUADRANTS),
        "matmul_scaled: a warp pipeline needs at least 2 k-tiles, of 128 bytes along K each",
    ),
    "too little for an interleaved kernel": (
        lambda: matmul_scaled(ones(64, 64), SCALES, ones(64, 64).T, SCALES, plan=INTERLEAVED),
        "matmul_scaled: an interleaved kernel needs at least 2 k-tiles, of 128 bytes along K each",
    ),
    "ring of whole k-tiles": (
        lambda: matmul_scaled(ones(64, 64), SCALES, ones(64, 64).T, SCALES, plan=RING),
        "matmul_scaled: a plan must copy straight into LDS, and its warp pipeline must have two stages, for quadrants",
    ),
    "out": (
        lambda: matmul_scaled(ones(64, 64), SCALES, ones(64, 64).T, SCALES, np.zeros((64, 32), np.float32)),
        "matmul_scaled: out must be 64 x 64, but its shape is [64, 32]",
    ),
    "scales of another dtype": (
        lambda: shuffle_scales(np.ones((64, 2), np.float32)),
        "shuffle_scales: scales must be uint8 or float8_e8m0fnu, not float32",
    ),
    "a vector of scales": (
        lambda: shuffle_scales(np.ones(64, np.uint8)),
        "shuffle_scales: scales must be a matrix, but their shape is [64]",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(name):
    call, message = MISTAKES[name]
    with pytest.raises(LaunchError) as caught:
        call()
    assert str(caught.value) == message


def test_other_targets_are_refused():
    with hocket.emulator.target("gfx942"), pytest.raises(LaunchError) as caught:
        matmul_scaled(ones(64, 64), SCALES, ones(64, 64).T, SCALES)
    assert str(caught.value) == "matmul_scaled has no kernel for gfx942 yet; it is written for gfx950, sm_90a"


def test_it_explains_itself():
    assert matmul_scaled.explain((4096, 4096, 4096), "uint8").splitlines() == [
        "gfx950, 4096 x 4096 times 4096 x 4096 e2m1: tile 256 x 256",
        "- 256 tiles of 256 x 256 keep half of 256 compute units or more busy",
        "- warp pipeline: four warps load while the other four multiply a quadrant of the tile",
        "- a lane loads the scales of a row for 256 elements along K at once: 4 shuffled bytes",
        "- blocks are distributed over 8 dies with an L2 cache each: those of one die process neighboring tiles, which "
        "share rows of a and columns of b",
    ]
    assert matmul_scaled.explain((512, 512, 4096), "float8_e4m3fn").splitlines()[1:3] == [
        "- tiles of 256 x 256 would be too few for half of the GPU",
        "- all warps load and multiply at the same time",
    ]
