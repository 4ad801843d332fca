"""hocket.kernels.matmul against NumPy on emulated CDNA3 and CDNA4."""

import dataclasses

import ml_dtypes
import numpy as np
import pytest

import hocket
from hocket.kernels import matmul
from hocket.kernels._matmul.plan_cdna import TILES, CdnaPlan, choose_plan
from hocket.kernels._matmul.split_k import split_extent
from hocket.kernels._matmul.variant_cdna import PIPELINED_WARPS, choose_variant

TARGETS = ("gfx942", "gfx950")
FLOAT8 = {"gfx942": ("float8_e4m3fnuz", "float8_e5m2fnuz"), "gfx950": ("float8_e4m3fn", "float8_e5m2")}

PIPELINED_TILES = [tile for tile in TILES if tile.num_warps == PIPELINED_WARPS]

#: Sizes that are not multiples of any tile; 16 divides none, some, or all of them.
SIZES = ((1, 1, 1), (65, 70, 33), (96, 80, 112), (130, 200, 150))


@pytest.fixture(params=TARGETS, autouse=True)
def target(request):
    with hocket.emulator.target(request.param):
        yield request.param


def matrix(rng, rows, columns, dtype, transposed=False):
    values = rng.standard_normal((columns, rows) if transposed else (rows, columns)).astype(dtype)
    return values.T if transposed else values


def check(result, a, b):
    a, b = a.astype(np.float64), b.astype(np.float64)
    expected = a @ b
    # One rounding of the result, and a sum of K rounded float32 products.
    slack = np.abs(a) @ np.abs(b) * a.shape[1] * np.finfo(np.float32).eps
    allowed = np.abs(expected) * float(ml_dtypes.finfo(result.dtype).eps) / 2 + slack
    assert (np.abs(result.astype(np.float64) - expected) <= allowed).all()


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_sizes_that_fit_no_tile(size, dtype):
    m, n, k = size
    rng = np.random.default_rng(0)
    kind = np.dtype(getattr(ml_dtypes, dtype, dtype))
    a, b = matrix(rng, m, k, kind), matrix(rng, k, n, kind)
    check(matmul(a, b), a, b)


@pytest.mark.parametrize("index", [0, 1])
@pytest.mark.parametrize("size", [(80, 96, 160), (65, 70, 33)], ids=str)
def test_float8_of_the_target(target, index, size):
    m, n, k = size
    rng = np.random.default_rng(1)
    kind = np.dtype(getattr(ml_dtypes, FLOAT8[target][index]))
    a, b = matrix(rng, m, k, kind), matrix(rng, k, n, kind)
    result = matmul(a, b, out_dtype="float32")
    check(result, a, b)
    assert matmul(a, b).dtype == np.float16


@pytest.mark.parametrize("dtype", ["float16", "float8"])
@pytest.mark.parametrize("size", [(96, 160, 128), (70, 66, 50)], ids=str)
@pytest.mark.parametrize("transposed", [(True, False), (False, True), (True, True)], ids=["A", "B", "both"])
def test_transposed_operands(target, transposed, size, dtype):
    m, n, k = size
    rng = np.random.default_rng(2)
    kind = np.dtype(getattr(ml_dtypes, FLOAT8[target][0])) if dtype == "float8" else np.dtype(dtype)
    a, b = matrix(rng, m, k, kind, transposed[0]), matrix(rng, k, n, kind, transposed[1])
    check(matmul(a, b, out_dtype="float32"), a, b)


@pytest.mark.parametrize("tile", TILES, ids=str)
@pytest.mark.parametrize("k", [192, 144], ids=["even", "ragged"])
def test_every_tile(target, tile, k):
    m, n = tile.m + 16, tile.n
    rng = np.random.default_rng(3)
    a, b = matrix(rng, m, k, np.float16), matrix(rng, k, n, np.float16)
    lds_bytes = 64 * 1024 if target == "gfx942" else 160 * 1024
    plan = choose_plan(m, n, k, 16, target, None if target == "gfx950" else "registers", lds_bytes)
    check(matmul(a, b, plan=dataclasses.replace(plan, tile=tile)), a, b)


def test_writes_to_any_strides():
    rng = np.random.default_rng(4)
    a, b = matrix(rng, 70, 48, np.float16), matrix(rng, 48, 90, np.float16)
    storage = np.full((90, 80), np.nan, np.float32)
    out = storage.T[:70]
    assert matmul(a, b, out) is out
    check(out, a, b)
    assert np.isnan(storage[:, 70:]).all()


def test_operands_may_be_parts_of_larger_arrays():
    rng = np.random.default_rng(5)
    a, b = matrix(rng, 100, 100, np.float16)[3:75, 5:60], matrix(rng, 90, 64, np.float16)[10:65]
    check(matmul(a, b), a, b)


def test_512_cubed():
    rng = np.random.default_rng(6)
    a, b = matrix(rng, 512, 512, np.float16), matrix(rng, 512, 512, np.float16)
    check(matmul(a, b), a, b)


def values(rng, shape, dtype=np.float16):
    return rng.standard_normal(shape).astype(dtype)


@pytest.mark.parametrize("transposed", [(False, False), (True, False), (False, True)], ids=["plain", "A", "B"])
@pytest.mark.parametrize("size", [(72, 80, 64), (33, 50, 70)], ids=["aligned", "odd"])
def test_batches(size, transposed):
    m, n, k = size
    rng = np.random.default_rng(8)
    a = values(rng, (3, k, m)).swapaxes(1, 2) if transposed[0] else values(rng, (3, m, k))
    b = values(rng, (3, n, k)).swapaxes(1, 2) if transposed[1] else values(rng, (3, k, n))
    result = matmul(a, b)
    assert result.shape == (3, m, n)
    for matrices in zip(result, a, b, strict=True):
        check(*matrices)


@pytest.mark.parametrize("shared", ["a", "b"])
def test_a_batch_and_a_matrix(shared):
    """If all matrices of A have the same B, they are one GEMM."""
    rng = np.random.default_rng(9)
    a = values(rng, (72, 48) if shared == "a" else (3, 72, 48))
    b = values(rng, (48, 80) if shared == "b" else (3, 48, 80))
    for matrix, result in enumerate(matmul(a, b)):
        check(result, a if shared == "a" else a[matrix], b if shared == "b" else b[matrix])


def test_addresses_that_are_not_aligned():
    rng = np.random.default_rng(10)
    a, b = values(rng, 64 * 64 + 1)[1:].reshape(64, 64), values(rng, (64, 64))
    check(matmul(a, b), a, b)


ACTIVATIONS = {
    None: lambda x: x,
    "relu": lambda x: np.maximum(x, 0),
    "gelu_tanh": lambda x: x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))),
    "silu": lambda x: x / (1 + np.exp(-x)),
}


@pytest.mark.parametrize("bias_dtype", [np.float32, ml_dtypes.bfloat16, None], ids=["float32", "bfloat16", "none"])
@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_bias_and_activation(activation, bias_dtype):
    rng = np.random.default_rng(11)
    a, b = values(rng, (130, 40)), values(rng, (40, 280))
    bias = None if bias_dtype is None else values(rng, 280, bias_dtype)
    sums = a.astype(np.float64) @ b.astype(np.float64) + (0 if bias is None else bias.astype(np.float64))
    result = matmul(a, b, bias=bias, activation=activation, out_dtype="float32")
    np.testing.assert_allclose(result, ACTIVATIONS[activation](sums), rtol=1e-4, atol=1e-3)


def test_bias_and_activation_of_quadrants(target):
    """The columns of a quadrant have biases of their own."""
    rng = np.random.default_rng(12)
    tile = PIPELINED_TILES[0]
    a, b, bias = values(rng, (tile.m, 256)), values(rng, (256, tile.n - 16)), values(rng, tile.n - 16)
    is_direct = target == "gfx950"
    plan = CdnaPlan(tile, 64, is_direct, 2 if is_direct else 1, True)
    result = matmul(a, b, bias=bias, activation="relu", out_dtype="float32", plan=plan)
    expected = np.maximum(a.astype(np.float64) @ b.astype(np.float64) + bias.astype(np.float64), 0)
    np.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("transposed", [(False, False), (True, True)], ids=["plain", "both"])
@pytest.mark.parametrize("splits", [2, 3, 8])
@pytest.mark.parametrize("k", [512, 1000], ids=["even", "ragged"])
def test_split_k(target, splits, k, transposed):
    """The last of eight has less to do than the others; every run gives the same."""
    rng = np.random.default_rng(13)
    a, b = matrix(rng, 80, k, np.float16, transposed[0]), matrix(rng, k, 72, np.float16, transposed[1])
    chosen = choose_plan(80, 72, k, 16, target, "registers", 64 * 1024)
    plan = dataclasses.replace(chosen, splits=splits)
    result = matmul(a, b, out_dtype="float32", plan=plan)
    check(result, a, b)
    assert np.array_equal(matmul(a, b, out_dtype="float32", plan=plan), result)
    # The sums of each share, added in the order of k.
    size = split_extent(k, plan.block_k, splits)
    parts = [matmul(a[:, at : at + size], b[at : at + size], out_dtype="float32") for at in range(0, k, size)]
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    assert np.array_equal(result, total)


@pytest.mark.parametrize("tile", PIPELINED_TILES, ids=str)
def test_split_k_with_pipelines(target, tile):
    rng = np.random.default_rng(14)
    a, b, bias = values(rng, (2, tile.m, 1104)), values(rng, (2, 1104, tile.n)), values(rng, tile.n)
    direct_copies, lds_bytes = (None, 160 * 1024) if target == "gfx950" else ("registers", 64 * 1024)
    plan = CdnaPlan(tile, *choose_variant(tile, 1 << 20, 16, direct_copies, lds_bytes), splits=3)
    assert plan.is_pipelined
    result = matmul(a, b, bias=bias, activation="relu", out_dtype="float32", plan=plan)
    expected = np.maximum(a.astype(np.float64) @ b.astype(np.float64) + bias.astype(np.float64), 0)
    np.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-3)


def both_ways(target, tile, k, dtype=np.float16, transposed=(False, False)):
    """Returns the results of the warp pipeline and of the plain kernel, and the parameters of the call."""
    rng = np.random.default_rng(7)
    kind = np.dtype(getattr(ml_dtypes, dtype)) if isinstance(dtype, str) else np.dtype(dtype)
    a = matrix(rng, tile.m + 16, k, kind, transposed[0])
    b = matrix(rng, k, tile.n, kind, transposed[1])
    direct_copies, lds_bytes = (None, 160 * 1024) if target == "gfx950" else ("registers", 64 * 1024)
    pipelined = choose_variant(tile, 1 << 20, kind.itemsize * 8, direct_copies, lds_bytes)
    assert pipelined.is_pipelined
    block_k = 64 * 2 // kind.itemsize
    plain = CdnaPlan(tile, block_k, pipelined.is_direct, 2 if pipelined.is_direct else 1, False)
    return [matmul(a, b, out_dtype="float32", plan=plan) for plan in (CdnaPlan(tile, *pipelined), plain)]


@pytest.mark.parametrize("k", [16, 32, 80, 128, 304], ids=lambda k: f"K={k}")
@pytest.mark.parametrize("tile", PIPELINED_TILES, ids=str)
def test_pipelines_compute_the_same(target, tile, k):
    """Results are bitwise equal; also with fewer k-tiles than stages of the ring, and with a ragged last k-tile."""
    pipelined, plain = both_ways(target, tile, k)
    assert np.array_equal(pipelined, plain)


@pytest.mark.parametrize("transposed", [(True, False), (False, True), (True, True)], ids=["A", "B", "both"])
@pytest.mark.parametrize("dtype", ["bfloat16", "float8"])
def test_pipelines_of_other_operands_compute_the_same(target, dtype, transposed):
    kind = FLOAT8[target][0] if dtype == "float8" else dtype
    pipelined, plain = both_ways(target, PIPELINED_TILES[0], 320, kind, transposed)
    assert np.array_equal(pipelined, plain)


@pytest.mark.parametrize("completion", ["late", "random"])
@pytest.mark.parametrize("seed", range(1, 6))
def test_pipelines_compute_the_same_in_any_order(target, seed, completion):
    with hocket.emulator.schedule(seed=seed, races=True, completion=completion):
        pipelined, plain = both_ways(target, PIPELINED_TILES[0], 256)
    assert np.array_equal(pipelined, plain)
