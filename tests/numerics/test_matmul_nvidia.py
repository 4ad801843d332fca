"""hocket.kernels.matmul on NVIDIA GPUs against NumPy: every tile, order, dtype, edge, batch and epilogue."""

import dataclasses

import ml_dtypes
import numpy as np
import pytest

from hocket import emulator
from hocket.kernels import matmul
from hocket.kernels.matmul_hopper_plan import TILES, choose_hopper_plan

SHARED_BYTES = 232448


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
    """matmul of NumPy arrays that stand in memory as `transposed` says."""
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
    return dataclasses.replace(choose_hopper_plan(m, n, k, 1, 16, 16, SHARED_BYTES, tile=tile), **changes)


@pytest.mark.parametrize("k", [64, 200], ids=["one slice", "ragged"])
@pytest.mark.parametrize("tile", TILES, ids=lambda tile: f"{tile} {tile.workers} {tile.taking_turns}")
def test_every_tile(hopper_device, tile, k):
    """Blocks take several tiles, not all of them the same number, and those at the edges stick out."""
    m, n = 2 * tile.m + 8, tile.n + 40
    check(*product(hopper_device, m, n, k, plan=plan_for(tile, m, n, k, blocks=4)))


@pytest.mark.parametrize("slots", [2, 3])
@pytest.mark.parametrize("tile", TILES[:2], ids=str)
def test_short_rings(hopper_device, tile, slots):
    m, n, k = 300, 520, 328
    check(*product(hopper_device, m, n, k, plan=plan_for(tile, m, n, k, blocks=3, slots=slots)))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("size", [(1, 8, 8), (65, 72, 40), (130, 264, 152), (8, 1000, 64)], ids=str)
def test_sizes(hopper_device, size, dtype):
    check(*product(hopper_device, *size, dtype))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("transposed", [(True, False), (False, True), (True, True)], ids=["A", "B", "both"])
@pytest.mark.parametrize("tile", TILES[:2], ids=str)
def test_transposed(hopper_device, tile, transposed, dtype):
    m, n, k = 136, 264, 88
    check(*product(hopper_device, m, n, k, dtype, transposed, plan=plan_for(tile, m, n, k, blocks=2)))


@pytest.mark.parametrize("seed, completion", [(1, "random"), (2, "random"), (3, "now"), (4, "late")])
@pytest.mark.parametrize("tile", TILES[:2], ids=str)
def test_every_schedule_gives_the_same(tile, seed, completion):
    m, n, k = 264, 264, 136
    rng = np.random.default_rng(0)
    a, b = values(rng, (m, k), "float16"), values(rng, (k, n), "float16")
    with emulator.target("sm_90a", seed=seed, completion=completion):
        check(matmul(a, b, plan=plan_for(tile, m, n, k, blocks=2, slots=3)), a, b)
