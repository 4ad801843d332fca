"""hocket.kernels.matmul_scaled on Hopper, float8 with scales of 1 x 128 and 128 x 128 elements, against float64."""

import dataclasses

import ml_dtypes
import numpy as np
import pytest

from hocket import emulator
from hocket.errors import LaunchError
from hocket.kernels import matmul_scaled, rowwise
from hocket.kernels._matmul import host_block_scaled
from hocket.kernels._matmul.plan_block_scaled import BLOCK, TILES
from hocket.kernels._matmul.plan_hopper import HopperTile, choose_hopper_plan

pytestmark = pytest.mark.usefixtures("unoptimized")

SHARED_BYTES = 232448
#: wgmma adds float8 products with 13 bits of the fraction.
SUM_ERROR = 2.0**-12


def quantized(rng, rows, k, rows_per_scale, dtype="float8_e4m3fn"):
    """Normal numbers as float8, and scales of different sizes; returns both, and the
    matrix times its scales as float64."""
    stored = rng.standard_normal((rows, k)).astype(np.float32).astype(getattr(ml_dtypes, dtype))
    scales = (2.0 ** rng.uniform(-3, 3, (-(-rows // rows_per_scale), k // BLOCK))).astype(np.float32)
    factors = np.repeat(np.repeat(scales.astype(np.float64), rows_per_scale, 0)[:rows], BLOCK, 1)
    return stored, scales, stored.astype(np.float64) * factors


def plan_for(tile, m, n, k, out_bits=16, **changes):
    plan = choose_hopper_plan(m, n, k, 1, 8, out_bits, SHARED_BYTES, 132, tile=tile)
    return dataclasses.replace(plan, reasons=(), **changes)


def check(result, left, right, expected=None):
    """One rounding of the result, and the error of the sums relative to the sum of magnitudes."""
    exact = left @ right.T
    slack = np.abs(left) @ np.abs(right).T * (SUM_ERROR + left.shape[1] * 2.0**-22)
    expected = exact if expected is None else expected(exact)
    allowed = np.abs(expected) * float(ml_dtypes.finfo(result.dtype).eps) + slack + 1e-6
    error = np.abs(result.astype(np.float64) - expected)
    assert (error <= allowed).all(), (error - allowed).max()


def product(device, m, n, k, *, dtype="float8_e4m3fn", seed=0, column_major_scales=False, **options):
    """The result, and A and B [N, K] times their scales."""
    rng = np.random.default_rng(seed)
    a, a_scales, left = quantized(rng, m, k, 1, dtype)
    b, b_scales, right = quantized(rng, n, k, BLOCK, dtype)
    arrays = [device.to_device(array) for array in (a, b, b_scales)]
    on_device = device.to_device(np.ascontiguousarray(a_scales.T) if column_major_scales else a_scales)
    on_device = on_device.swapaxes(0, 1) if column_major_scales else on_device
    if "bias" in options:
        options["bias"] = device.to_device(options["bias"])
    result = matmul_scaled(arrays[0], on_device, arrays[1].swapaxes(0, 1), arrays[2], **options)
    return device.to_host(result), left, right


@pytest.mark.parametrize("out_dtype", ["bfloat16", "float32"])
@pytest.mark.parametrize("tile", TILES, ids=str)
def test_every_tile(hopper_device, tile, out_dtype):
    """CTAs compute several tiles with an odd number of k-tiles, and the tiles at the edges are partial."""
    m, n, k = 2 * tile.m + 9, 2 * tile.n + 40, 384
    plan = plan_for(tile, m, n, k, 32 if out_dtype == "float32" else 16, blocks=3)
    check(*product(hopper_device, m, n, k, plan=plan, out_dtype=out_dtype))


@pytest.mark.parametrize("size", [(1, 1, 128), (3, 300, 256), (130, 17, 640), (64, 128, 1024)], ids=str)
def test_sizes(hopper_device, size):
    check(*product(hopper_device, *size, out_dtype="float16"))


@pytest.mark.parametrize("stages", [2, 3])
@pytest.mark.parametrize("k", [128, 256, 640, 768])
@pytest.mark.parametrize("tile", TILES[:2], ids=str)
def test_short_rings(hopper_device, tile, stages, k):
    check(*product(hopper_device, 260, 200, k, plan=plan_for(tile, 260, 200, k, blocks=2, stages=stages)))


@pytest.mark.parametrize("tile", TILES, ids=str)
def test_splits_of_k(hopper_device, tile):
    """The bits are the same in each run."""
    m, n, k = tile.m + 8, tile.n + 40, 128 * 7
    options = {"plan": plan_for(tile, m, n, k, splits=3, blocks=4), "out_dtype": "bfloat16"}
    results = [product(hopper_device, m, n, k, **options) for _ in range(2)]
    check(*results[0])
    assert np.array_equal(results[0][0], results[1][0])


def test_scales_with_contiguous_columns_and_e5m2(hopper_device):
    check(*product(hopper_device, 140, 200, 384, dtype="float8_e5m2", column_major_scales=True))


@pytest.mark.parametrize("activation", ["relu", "silu"])
def test_bias_and_activation(hopper_device, activation):
    bias = np.linspace(-40, 40, 200).astype(np.float32)
    result, left, right = product(hopper_device, 70, 200, 256, bias=bias, activation=activation, out_dtype="float32")
    functions = {"relu": lambda y: np.maximum(y, 0), "silu": lambda y: y / (1 + np.exp(np.minimum(-y, 99)))}
    check(result, left, right, lambda exact: functions[activation](exact + bias))


def test_results_that_tma_cannot_store(hopper_device):
    """The size of a row of 201 results is not a multiple of 16 bytes. A result with contiguous columns is not
    transposed, because the scales of A and B have different shapes."""
    check(*product(hopper_device, 70, 201, 256))
    rng = np.random.default_rng(1)
    (a, a_scales, left), (b, b_scales, right) = quantized(rng, 70, 256, 1), quantized(rng, 136, 256, BLOCK)
    moved = [hopper_device.to_device(array) for array in (a, a_scales, b, b_scales)]
    out = hopper_device.to_device(np.zeros((136, 70), np.float32)).swapaxes(0, 1)
    matmul_scaled(moved[0], moved[1], moved[2].swapaxes(0, 1), moved[3], out)
    check(hopper_device.to_host(out), left, right)


def test_each_scale_belongs_to_its_block(hopper_device):
    """A and B are ones, and each scale is another power of two or 0: the result is exact."""
    m, n, k = 130, 300, 512
    rng = np.random.default_rng(2)
    ones = np.ones((n, k), ml_dtypes.float8_e4m3fn)
    a_scales = 2.0 ** rng.integers(-3, 3, (m, k // BLOCK)) * rng.integers(0, 2, (m, k // BLOCK))
    b_scales = 2.0 ** rng.integers(-3, 3, (3, k // BLOCK))
    expected = np.repeat(a_scales @ b_scales.T * BLOCK, BLOCK, 1)[:, :n]
    for tile in TILES:
        arrays = (ones[:m], a_scales.astype(np.float32), ones, b_scales.astype(np.float32))
        moved = [hopper_device.to_device(array) for array in arrays]
        plan = plan_for(tile, m, n, k, 32)
        out = matmul_scaled(
            moved[0], moved[1], moved[2].swapaxes(0, 1), moved[3], out_dtype="float32", plan=plan
        )  # fmt: skip
        np.testing.assert_array_equal(hopper_device.to_host(out), expected)


def test_large_sums_keep_their_small_products(hopper_device):
    """wgmma alone would lose products that are 2^14 times smaller than the sum; totals of k-tiles keep them."""
    k = 128 * 8
    a = np.full((64, k), 0.125, ml_dtypes.float8_e4m3fn)
    a[:, :BLOCK] = 16
    b = np.full((64, k), 0.125, ml_dtypes.float8_e4m3fn)
    b[:, :BLOCK] = 16
    ones_a, ones_b = np.ones((64, 8), np.float32), np.ones((1, 8), np.float32)
    moved = [hopper_device.to_device(array) for array in (a, ones_a, b, ones_b)]
    out = matmul_scaled(moved[0], moved[1], moved[2].swapaxes(0, 1), moved[3], out_dtype="float32")
    assert (hopper_device.to_host(out) == 128 * 256 + 7 * 128 / 64).all()


def test_quantized_norms_are_operands(hopper_device):
    """The scales of `rms_norm_quantized` with groups of 128 are those of A."""
    rng = np.random.default_rng(3)
    x, weight = rng.standard_normal((50, 512)).astype(np.float32), np.ones(512, np.float32)
    b, b_scales, right = quantized(rng, 72, 512, BLOCK)
    moved = [hopper_device.to_device(array) for array in (x, weight, b, b_scales)]
    norm = rowwise.rms_norm_quantized(moved[0], moved[1], group=128)
    out = matmul_scaled(norm.quantized, norm.scale, moved[2].swapaxes(0, 1), moved[3])
    stored, scales = hopper_device.to_host(norm.quantized), hopper_device.to_host(norm.scale)
    left = stored.astype(np.float64) * np.repeat(scales.astype(np.float64), BLOCK, 1)
    check(hopper_device.to_host(out), left, right)


def test_no_elements(hopper_device):
    result, *_ = product(hopper_device, 0, 64, 256)
    assert result.shape == (0, 64)
    bias = np.linspace(-1, 1, 64).astype(np.float32)
    result, *_ = product(hopper_device, 3, 64, 0, bias=bias, activation="relu", out_dtype="float32")
    np.testing.assert_array_equal(result, np.broadcast_to(np.maximum(bias, 0), (3, 64)))


def test_schedules():
    """The result does not depend on the order in which warps run."""
    with emulator.target("sm_90a"):
        device = type("Device", (), {"to_device": staticmethod(np.asarray), "to_host": staticmethod(np.asarray)})
        plan = plan_for(TILES[0], 264, 300, 512, blocks=2, stages=3)
        results = []
        for seed in range(4):
            with emulator.schedule(seed=seed, completion="late" if seed % 2 else "now"):
                results.append(product(device, 264, 300, 512, plan=plan))
    check(*results[0])
    assert all(np.array_equal(results[0][0], other[0]) for other in results)


A = np.ones((5, 256), ml_dtypes.float8_e4m3fn)
B = np.ones((256, 130), ml_dtypes.float8_e4m3fn, order="F")
OF_A, OF_B = np.ones((5, 2), np.float32), np.ones((2, 2), np.float32)


@pytest.mark.parametrize(
    "arguments, named, message",
    [
        ((A[:, :192], OF_A, B[:192], OF_B), {}, "192 elements along K are not a multiple of 128, which share a scale"),
        ((A, OF_A[:4], B, OF_B), {}, r"a_scales must be float32 of shape \[5, 2\], one scale per 128 elements of"),
        ((A, OF_A.astype(np.float64), B, OF_B), {}, "but they are float64"),
        ((A, OF_A, B, OF_B[:1]), {}, r"b_scales must be float32 of shape \[2, 2\], one scale per 128 x 128 elements"),
        ((A.astype(np.float16), OF_A, B, OF_B), {}, "multiplies float8_e4m3fn and float8_e5m2, not float16"),
        ((A, OF_A, B.astype(ml_dtypes.float8_e5m2), OF_B), {}, "they must be of one dtype"),
        ((A[:, :128], OF_A[:, :1], B, OF_B), {}, "a is 5 x 128 and b is 256 x 130; the inner sizes must be equal"),
        ((A[None], OF_A, B, OF_B), {}, r"a must be a matrix, but its shape is \[1, 5, 256\]"),
        ((A, OF_A, B, OF_B), {"out_dtype": "float8_e4m3fn"}, "out_dtype is one of bfloat16, float16, float32"),
        ((A, OF_A, B, OF_B, np.zeros((5, 131), np.float32)), {}, r"out must be 5 x 130, but its shape is \[5, 131\]"),
        ((A, OF_A, B, OF_B), {"plan": plan_for(HopperTile(128, 128, 2, ping_pong=True), 5, 130, 256)}, "ping-pong"),
        ((A, OF_A, B, OF_B), {"plan": plan_for(HopperTile(128, 256, 2), 5, 130, 256)}, "64 x 256 have no registers"),
        ((A, OF_A, B, OF_B), {"plan": plan_for(TILES[0], 5, 130, 256, block_k=64)}, "k-tiles have 64 elements along K"),
        ((A, OF_A, B, OF_B, np.zeros((5, 144), np.float32)[::-1, :130]), {}, "out has a negative stride"),
        ((A, OF_A, B, OF_B), {"plan": plan_for(TILES[0], 5, 130, 256, splits=3)}, "3 splits of K, but K has 2 k-tiles"),
    ],
)
def test_mistakes(arguments, named, message):
    with emulator.target("sm_90a"), pytest.raises(LaunchError, match=f"matmul_scaled: .*{message}"):
        matmul_scaled(*arguments, **named)


def test_explain():
    text = matmul_scaled.explain((4096, 7168, 2048), "float8_e4m3fn", "sm_90a")
    assert text.startswith("sm_90a, 4096 x 2048 times 2048 x 7168 e4m3: tile 128 x ")
    assert "the sums of each k-tile are multiplied by the scales of 128 elements of A and of 128 x 128" in text
    with pytest.raises(LaunchError, match="100 elements along K are not a multiple of 128"):
        matmul_scaled.explain((64, 64, 100), "float8_e4m3fn", "sm_90a")


def test_plans_depend_on_the_size():
    sizes = (8192, 8192, 8192), (16, 512, 16384)
    plans = [host_block_scaled.explained_plan(*size, "float8_e4m3fn") for size in sizes]
    assert plans[0].tile.consumers == 2
    assert plans[0].splits == 1
    assert plans[1].splits > 1
