"""GEMMs on CDNA whose warps interleave MFMAs with memory accesses, against NumPy in float64 on the emulator."""

import itertools

import ml_dtypes
import numpy as np
import pytest
import scaled_cases

from hocket import check, emulator
from hocket.errors import LaunchError
from hocket.kernels import matmul
from hocket.kernels._matmul.plan_cdna import CdnaPlan, Tile

#: Each warp has one result of an MFMA for each quadrant; LARGEST: four.
SMALL, LARGEST = Tile(128, 128, 2, 2), Tile(256, 256, 2, 2)
FLOAT8 = {"gfx942": ml_dtypes.float8_e4m3fnuz, "gfx950": ml_dtypes.float8_e4m3fn}


def plan_of(target, bits, tile=SMALL, **fields):
    is_direct = target == "gfx950"
    return CdnaPlan(tile, 1024 // bits, is_direct, 2 if is_direct else 1, False, is_interleaved=True, **fields)


def plain_plan(plan):
    return CdnaPlan(plan.tile, plan.block_k, plan.is_direct, plan.stages, False)


def matrix(rng, rows, columns, dtype, is_transposed):
    shape = (columns, rows) if is_transposed else (rows, columns)
    values = rng.standard_normal(shape, np.float32).astype(dtype)
    return values.T if is_transposed else values


@pytest.fixture(params=["gfx950", "gfx942"])
def target(request):
    with emulator.target(request.param):
        yield request.param


def compare(target, m, n, k, dtype, orders, plan, **options):
    """Compares with NumPy in float64, and bit by bit with the plain kernel."""
    rng = np.random.default_rng(m * n + k)
    a, b = matrix(rng, m, k, dtype, orders[0]), matrix(rng, k, n, dtype, orders[1])
    result = matmul(a, b, out_dtype="float32", plan=plan, **options)
    exact = a.astype(np.float64) @ b.astype(np.float64)
    np.testing.assert_allclose(result, exact, atol=2e-5 * np.sqrt(k) * max(1, np.abs(exact).max() / 16))
    assert np.array_equal(result, matmul(a, b, out_dtype="float32", plan=plain_plan(plan), **options))


@pytest.mark.parametrize("seed", range(6))
def test_random_shapes(target, seed):
    rng = np.random.default_rng(seed)
    m, n, k = (16 * int(size) for size in rng.integers(1, (20, 20, 40)))
    dtype = [np.float16, ml_dtypes.bfloat16, FLOAT8[target]][rng.integers(3)]
    orders = (False, True) if target == "gfx942" else tuple(bool(order) for order in rng.integers(2, size=2))
    compare(target, m, n, k, dtype, orders, plan_of(target, 8 * np.dtype(dtype).itemsize))


@pytest.mark.parametrize("k", [16, 64, 80, 128, 192, 320], ids=lambda k: f"K={k}")
def test_few_k_tiles(target, k):
    """One k-tile, one for each stage, and a ragged last k-tile."""
    compare(target, 144, 112, k, np.float16, (False, True), plan_of(target, 16))


@pytest.mark.parametrize("orders", list(itertools.product([False, True], repeat=2)), ids=str)
def test_orders_of_the_largest_tile(orders):
    with emulator.target("gfx950"):
        compare("gfx950", 256, 272, 208, np.float16, orders, plan_of("gfx950", 16, LARGEST))


def test_the_largest_tile_through_registers():
    with emulator.target("gfx942"):
        compare("gfx942", 272, 256, 208, np.float16, (False, True), plan_of("gfx942", 16, LARGEST))


def test_splits_batches_and_epilogues(target):
    rng = np.random.default_rng(5)
    a = rng.standard_normal((2, 144, 336), np.float32).astype(np.float16)
    b = rng.standard_normal((2, 128, 336), np.float32).astype(np.float16).transpose(0, 2, 1)
    bias = rng.standard_normal(128, np.float32)
    plan = plan_of(target, 16, splits=2)
    result = matmul(a, b, bias=bias, activation="relu", out_dtype="float32", plan=plan)
    exact = np.maximum(a.astype(np.float64) @ b.astype(np.float64) + bias, 0)
    np.testing.assert_allclose(result, exact, rtol=1e-4, atol=1e-3)


SCALED = CdnaPlan(SMALL, 128, True, 2, False, is_interleaved=True)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("dtype", ["float8_e4m3fn", "float8_e5m2", scaled_cases.FLOAT4])
def test_random_shapes_with_scales(dtype, seed):
    rng = np.random.default_rng(seed)
    m, n, k = 16 * int(rng.integers(1, 20)), 16 * int(rng.integers(1, 20)), 32 * int(rng.integers(16, 48))
    with emulator.target("gfx950"):
        result, exact = scaled_cases.product(dtype, m, n, k, SCALED)
        plain, _ = scaled_cases.product(dtype, m, n, k)
    assert (np.abs(result - exact) <= np.abs(exact).max() * 2.0**-18).all()
    assert np.array_equal(result, plain)


def small_product(target):
    rng = np.random.default_rng(0)
    a, b = matrix(rng, 128, 320, np.float16, False), matrix(rng, 320, 128, np.float16, True)
    return matmul(a, b, out_dtype="float32", plan=plan_of(target, 16))


@pytest.mark.parametrize("target", ["gfx950", "gfx942"])
def test_every_schedule_gives_the_same(target):
    """Reads, copies and stores of all warps are ordered by the two barriers of a k-tile."""
    report = check(lambda: small_product(target), target=target, schedules=12)
    assert report.ok, report


def test_every_schedule_gives_the_same_with_scales():
    report = check(
        lambda: scaled_cases.product("float8_e4m3fn", 128, 128, 640, SCALED)[0], target="gfx950", schedules=6
    )
    assert report.ok, report


@pytest.mark.parametrize("orders", [(False, False), (True, True)], ids=str)
def test_registers_need_operands_that_are_contiguous_along_k(orders):
    rng = np.random.default_rng(0)
    a, b = matrix(rng, 128, 64, np.float16, orders[0]), matrix(rng, 64, 128, np.float16, orders[1])
    with emulator.target("gfx942"), pytest.raises(LaunchError) as error:
        matmul(a, b, plan=plan_of("gfx942", 16))
    assert str(error.value) == (
        "matmul: an interleaved kernel that copies through registers needs operands that are contiguous along K; "
        "others would need more registers than a lane has"
    )
