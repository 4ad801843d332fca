"""hocket.kernels.matmul on NVIDIA GPUs against NumPy: every tile, order, dtype, edge, batch and epilogue."""

import dataclasses

import ml_dtypes
import numpy as np
import pytest

import hocket
from hocket.kernels import matmul
from hocket.kernels._matmul import host_nvidia
from hocket.kernels._matmul.plan_hopper import TILES, choose_hopper_plan

pytestmark = pytest.mark.usefixtures("unoptimized")

SHARED_BYTES = 232448

#: A tile whose rows two warpgroups split (cooperative), one for ping-pong, and one with three accumulators.
SHARED_AND_TURNS = (TILES[0], TILES[2], TILES[3])
PING_PONG = [tile for tile in TILES if tile.ping_pong]


def values(rng, shape, dtype, transposed=False):
    """Normal numbers; `transposed`: of an array in which the last two dimensions are the other way round."""
    if transposed:
        shape = (*shape[:-2], shape[-1], shape[-2])
    numbers = rng.standard_normal(shape).astype(np.float32).astype(getattr(ml_dtypes, dtype, dtype))
    return numbers


def exact(a, b):
    return a.astype(np.float64) @ b.astype(np.float64)


def check(result, a, b, expected=None, exact_bits=None):
    """One rounding of the result and a sum of K rounded float32 products; operands may lose bits (tf32)."""
    slack = np.abs(a.astype(np.float64)) @ np.abs(b.astype(np.float64))
    slack *= a.shape[-1] * np.finfo(np.float32).eps + (0 if exact_bits is None else 2.0 ** (1 - exact_bits))
    expected = exact(a, b) if expected is None else expected
    allowed = np.abs(expected) * float(ml_dtypes.finfo(result.dtype).eps) + 2 * slack + 1e-6
    error = np.abs(result.astype(np.float64) - expected)
    assert (error <= allowed).all(), (error - allowed).max()


def run(device, a, b, transposed=(False, False), **options):
    """Calls matmul with NumPy arrays, transposed in memory as given by `transposed`."""
    arrays = [device.to_device(x) for x in (a, b)]
    arrays = [x.swapaxes(-1, -2) if flipped else x for x, flipped in zip(arrays, transposed, strict=True)]
    if "bias" in options:
        options["bias"] = device.to_device(options["bias"])
    result = device.to_host(matmul(*arrays, **options))
    return result, *(x.swapaxes(-1, -2) if flipped else x for x, flipped in zip((a, b), transposed, strict=True))


def product(device, m, n, k, dtype="float16", transposed=(False, False), batch=(), seed=0, **options):
    rng = np.random.default_rng(seed)
    a, b = values(rng, (*batch, m, k), dtype, transposed[0]), values(rng, (*batch, k, n), dtype, transposed[1])
    return run(device, a, b, transposed, **options)


def plan_for(tile, m, n, k, **changes):
    return dataclasses.replace(choose_hopper_plan(m, n, k, 1, 16, 16, SHARED_BYTES, 132, tile=tile), **changes)


@pytest.mark.parametrize("k", [64, 200], ids=["one slice", "ragged"])
@pytest.mark.parametrize("tile", TILES, ids=lambda tile: f"{tile} {tile.consumers} {tile.ping_pong}")
def test_every_tile(hopper_device, tile, k):
    """Blocks take several tiles, not all of them the same number, and those at the edges stick out."""
    m, n = 2 * tile.m + 8, tile.n + 40
    check(*product(hopper_device, m, n, k, plan=plan_for(tile, m, n, k, blocks=4)))


DIVIDED = [tile for tile in TILES if not tile.ping_pong]
SMALLEST = min(DIVIDED, key=lambda tile: tile.m * tile.n)


@pytest.mark.parametrize("tile", DIVIDED, ids=lambda tile: f"{tile} {tile.consumers}")
def test_splits_of_k(hopper_device, monkeypatch, tile):
    """CTAs process several splits, of different lengths. The last split to arrive adds up all, in the order of k: the
    bits are the same in each run, and the arrivals are 0 again."""
    counters = hopper_device.to_device(np.zeros(512, np.int32))
    monkeypatch.setattr(host_nvidia, "counters_for", lambda array: counters)
    m, n, k = tile.m + 8, tile.n + 40, 64 * 8 - 24
    options = {"plan": plan_for(tile, m, n, k, splits=3, blocks=4), "activation": "relu", "batch": (2,)}
    results = [product(hopper_device, m, n, k, **options) for _ in range(2)]
    result, a, b = results[0]
    check(result, a, b, np.maximum(exact(a, b), 0))
    assert np.array_equal(result, results[1][0])
    assert (hopper_device.to_host(counters) == 0).all()


@pytest.mark.parametrize(
    ("tile", "size", "splits", "message"),
    [
        (TILES[2], (64, 64, 512), 2, "2 splits of K, but its warpgroups alternate"),
        (SMALLEST, (64, 64, 512), 9, "9 splits of K, but K has 8 k-tiles"),
        (SMALLEST, (64, 64, 512), 0, "0 splits of K, but K has 8 k-tiles"),
        (SMALLEST, (64 * 513, 8, 128), 2, "2 splits of K, but there are 513 tiles, more than 512"),
    ],
)
def test_splits_that_cannot_be_made(tile, size, splits, message):
    m, n, k = size
    a, b = np.zeros((m, k), np.float16), np.zeros((k, n), np.float16)
    with hocket.emulator.target("sm_90a"), pytest.raises(hocket.LaunchError, match=message):
        matmul(a, b, plan=plan_for(tile, m, n, k, splits=splits))


@pytest.mark.parametrize("stages", [2, 3])
@pytest.mark.parametrize("tile", SHARED_AND_TURNS, ids=str)
def test_short_rings(hopper_device, tile, stages):
    m, n, k = 300, 520, 328
    check(*product(hopper_device, m, n, k, plan=plan_for(tile, m, n, k, blocks=3, stages=stages)))


@pytest.mark.parametrize("options", [{}, {"out_dtype": "float32"}, {"batch": (2,)}], ids=["plain", "wide", "batch"])
@pytest.mark.parametrize("tile", PING_PONG, ids=str)
def test_buffers_of_both_warpgroups(hopper_device, tile, options):
    """One and two halves of rows a subtile, three buffers of both; some blocks take an odd number of tiles."""
    m, n, k = 2 * tile.m + 8, tile.n + 40, 200
    out_bits = 32 if "out_dtype" in options else 16
    plan = choose_hopper_plan(m, n, k, 1, 16, out_bits, SHARED_BYTES, 3, tile=tile)
    check(*product(hopper_device, m, n, k, plan=plan, **options))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("size", [(1, 8, 8), (65, 72, 40), (130, 264, 152), (8, 1000, 64)], ids=str)
def test_sizes(hopper_device, size, dtype):
    check(*product(hopper_device, *size, dtype))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("transposed", [(True, False), (False, True), (True, True)], ids=["A", "B", "both"])
@pytest.mark.parametrize("tile", SHARED_AND_TURNS, ids=str)
def test_transposed(hopper_device, tile, transposed, dtype):
    m, n, k = 136, 264, 88
    check(*product(hopper_device, m, n, k, dtype, transposed, plan=plan_for(tile, m, n, k, blocks=2)))


@pytest.mark.parametrize("tile", SHARED_AND_TURNS, ids=str)
def test_every_schedule_gives_the_same(tile):
    m, n, k = 264, 264, 136
    plan = plan_for(tile, m, n, k, blocks=2, stages=3)

    def multiply():
        rng = np.random.default_rng(0)
        a, b = values(rng, (m, k), "float16"), values(rng, (k, n), "float16")
        out = hocket.emulator.empty((m, n), np.float16)
        check(matmul(a, b, out, plan=plan), a, b)
        return out

    report = hocket.check(multiply, target="sm_90a", schedules=12)
    assert report.ok, report


FLOAT8 = ("float8_e4m3fn", "float8_e5m2")
ORDERS = [(False, False), (True, False), (False, True), (True, True)]


@pytest.mark.parametrize("dtype", FLOAT8)
@pytest.mark.parametrize("transposed", ORDERS, ids=["plain", "A", "B", "both"])
def test_float8(hopper_device, transposed, dtype):
    """Also in orders that tensor cores do not read: those are copied."""
    check(*product(hopper_device, 144, 272, 176, dtype, transposed, out_dtype="float32"), exact_bits=14)
    assert product(hopper_device, 16, 16, 16, dtype)[0].dtype == np.float16


@pytest.mark.parametrize("transposed", ORDERS, ids=["plain", "A", "B", "both"])
def test_float32_in_tf32(nvidia_device, transposed):
    check(*product(nvidia_device, 132, 72, 100, "float32", transposed), exact_bits=11)


@pytest.mark.parametrize("dtype, out_dtype, bits", [("float8_e4m3fn", "bfloat16", 14), ("float32", "float32", 11)])
@pytest.mark.parametrize("tile", SHARED_AND_TURNS, ids=str)
def test_large_tiles_of_other_dtypes(hopper_device, tile, dtype, out_dtype, bits):
    m, n, k = 2 * tile.m + 8, tile.n + 48, 272
    widths = [ml_dtypes.finfo(d).bits for d in (dtype, out_dtype)]
    plan = choose_hopper_plan(m, n, k, 1, *widths, SHARED_BYTES, 3, tile=tile)
    order = (False, dtype == "float8_e4m3fn")
    check(*product(hopper_device, m, n, k, dtype, order, out_dtype=out_dtype, plan=plan), exact_bits=bits)


@pytest.mark.parametrize("out_dtype", ["float32", "float16", "bfloat16", *FLOAT8])
def test_results_of_other_dtypes(hopper_device, out_dtype):
    result, a, b = product(hopper_device, 136, 272, 72, "bfloat16", out_dtype=out_dtype)
    assert result.dtype == getattr(ml_dtypes, out_dtype, out_dtype)
    if out_dtype in FLOAT8:
        expected = (a.astype(np.float32) @ b.astype(np.float32)).astype(result.dtype).astype(np.float32)
        np.testing.assert_allclose(result.astype(np.float32), expected, rtol=0.25, atol=0.1)
    else:
        check(result, a, b)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
@pytest.mark.parametrize("transposed", ORDERS, ids=["plain", "A", "B", "both"])
@pytest.mark.parametrize("size", [(1, 1, 1), (65, 70, 33), (130, 160, 96)], ids=str)
def test_arrays_that_tma_cannot_take(nvidia_device, size, transposed, dtype):
    check(*product(nvidia_device, *size, dtype, transposed), exact_bits=11 if dtype == "float32" else None)


def test_addresses_that_tma_cannot_take(nvidia_device):
    rng = np.random.default_rng(5)
    a, b = values(rng, (100, 104), "float16"), values(rng, (90, 64), "float16")
    left, right = nvidia_device.to_device(a)[3:75, 5:60], nvidia_device.to_device(b)[10:65]
    check(nvidia_device.to_host(matmul(left, right)), a[3:75, 5:60], b[10:65])


@pytest.mark.parametrize("transposed", ORDERS, ids=["plain", "A", "B", "both"])
@pytest.mark.parametrize("size", [(136, 264, 72), (33, 50, 70)], ids=["aligned", "odd"])
def test_batches(nvidia_device, size, transposed):
    check(*product(nvidia_device, *size, transposed=transposed, batch=(3,)))


@pytest.mark.parametrize("shared", ["a", "b"])
@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_a_batch_and_a_matrix(nvidia_device, shared, dtype):
    rng = np.random.default_rng(6)
    a = values(rng, (72, 40) if shared == "a" else (3, 72, 40), dtype)
    b = values(rng, (40, 88) if shared == "b" else (3, 40, 88), dtype)
    check(*run(nvidia_device, a, b), exact_bits=11 if dtype == "float32" else None)


@pytest.mark.parametrize("has_bias", [False, True], ids=["alone", "with bias"])
def test_columns_of_the_result_may_be_contiguous(nvidia_device, has_bias):
    rng = np.random.default_rng(7)
    a, b = values(rng, (136, 72), "float16"), values(rng, (72, 264), "float16")
    bias = values(rng, (264,), "float32")
    out = nvidia_device.to_device(np.zeros((264, 136), np.float16)).T
    left, right, added = (nvidia_device.to_device(x) for x in (a, b, bias))
    assert matmul(left, right, out, bias=added if has_bias else None) is out
    check(nvidia_device.to_host(out), a, b, exact(a, b) + (bias if has_bias else 0))


ACTIVATIONS = {
    None: lambda x: x,
    "relu": lambda x: np.maximum(x, 0),
    "gelu_tanh": lambda x: x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))),
    "silu": lambda x: x / (1 + np.exp(-x)),
}


@pytest.mark.parametrize("bias_dtype", ["float32", "bfloat16", None])
@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_bias_and_activation(nvidia_device, activation, bias_dtype):
    rng = np.random.default_rng(8)
    a, b = values(rng, (136, 40), "float16"), values(rng, (40, 280), "float16")
    options, expected = {}, exact(a, b)
    if bias_dtype:
        options["bias"] = values(rng, (280,), bias_dtype)
        expected = expected + options["bias"].astype(np.float64)
    result, *_ = run(nvidia_device, a, b, activation=activation, out_dtype="float32", **options)
    np.testing.assert_allclose(result, ACTIVATIONS[activation](expected), rtol=1e-4, atol=1e-3)


def test_nan_passes_through_relu(nvidia_device):
    a, b = np.full((8, 8), np.nan, np.float16), np.ones((8, 8), np.float16)
    result, *_ = run(nvidia_device, a, b, activation="relu")
    assert np.isnan(result).all()


def test_the_same_call_again_takes_other_arrays(nvidia_device):
    """Cached host work of a call does not contain the addresses of the arrays."""
    for seed in range(3):
        check(*product(nvidia_device, 72, 136, 40, seed=seed))
