"""hocket.kernels.grouped_matmul of gathered rows."""

import dataclasses

import ml_dtypes
import numpy as np
import pytest

from hocket import emulator
from hocket.errors import LaunchError
from hocket.kernels import grouped_matmul
from hocket.kernels._grouped.plan_hopper import choose_grouped_plan
from hocket.kernels._matmul.plan_hopper import HopperTile

pytestmark = pytest.mark.usefixtures("unoptimized")

UNTOUCHED = 7.0


def plan_for(tile, rows, groups, n, k, bits=16, blocks=3):
    plan = choose_grouped_plan(rows, groups, n, k, bits, 16, 232448 - 2048, 132, tile=tile, is_gathered=True)
    return dataclasses.replace(plan, blocks=blocks)


def numbers(rng, shape, dtype):
    return rng.standard_normal(shape).astype(np.float32).astype(np.dtype(getattr(ml_dtypes, dtype, dtype)))


def assert_rows(result, a, b, rounding=0.0):
    wide_a, wide_b = a.astype(np.float64), b.astype(np.float64)
    expected = wide_a @ wide_b
    slack = np.abs(wide_a) @ np.abs(wide_b) * (rounding + a.shape[1] * 2.0**-22) + 1e-6
    allowed = np.abs(expected) * float(ml_dtypes.finfo(result.dtype).eps) + slack
    assert (np.abs(result.astype(np.float64) - expected) <= allowed).all()


@pytest.mark.parametrize(
    "tile, dtype, out_dtype, index_dtype",
    [
        (HopperTile(128, 256, 2), "bfloat16", "bfloat16", np.int32),
        (HopperTile(64, 128, 2, ping_pong=True), "float16", "float16", np.int64),
        (HopperTile(64, 64, 1), "float8_e4m3fn", "float16", np.int32),
    ],
    ids=str,
)
def test_gathered_groups(hopper_device, tile, dtype, out_dtype, index_dtype):
    rng = np.random.default_rng(tile.n)
    ends = np.array([70, 70, 75, 300, 301], index_dtype)
    n, k = tile.n + 40, 208
    a, b = numbers(rng, (90, k), dtype), numbers(rng, (5, n, k), dtype)
    a[33] = np.nan  # a row that no index selects
    choices = np.delete(np.arange(90), 33)
    indices = rng.choice(choices, 305).astype(index_dtype)
    indices[301:] = 33
    out = hopper_device.to_device(np.full((305, n), UNTOUCHED, np.dtype(getattr(ml_dtypes, out_dtype, out_dtype))))
    moved_a, moved_b, moved_ends, moved_indices = map(hopper_device.to_device, (a, b, ends, indices))
    plan = plan_for(tile, 305, 5, n, k, a.dtype.itemsize * 8)
    arguments = moved_a, moved_b.swapaxes(1, 2), moved_ends, out
    assert grouped_matmul(*arguments, indices=moved_indices, plan=plan) is out
    result, start = hopper_device.to_host(out), 0
    for group, end in enumerate(ends):
        assert_rows(result[start:end], a[indices[start:end]], b[group].T, 2.0**-12 if dtype.startswith("float8") else 0)
        start = end
    assert (result[301:].astype(np.float32) == UNTOUCHED).all()


def test_indices_outside_the_rows_read_nothing_there(hopper_device):
    """The nearest rows are read."""
    rng = np.random.default_rng(1)
    a, b = numbers(rng, (40, 64), "float16"), numbers(rng, (1, 64, 64), "float16")
    indices, ends = np.array([-7 - 2**32, 2**32 + 5, 3], np.int64), np.array([3], np.int32)
    moved_a, moved_b, moved_ends, moved_indices = map(hopper_device.to_device, (a, b, ends, indices))
    result = hopper_device.to_host(grouped_matmul(moved_a, moved_b, moved_ends, indices=moved_indices))
    assert_rows(result, a[[0, 39, 3]], b[0])


@pytest.mark.parametrize("seed, completion", [(1, "random"), (2, "late")])
def test_every_schedule_gives_the_same(seed, completion):
    rng = np.random.default_rng(2)
    ends = np.array([70, 200], np.int32)
    a, b, indices = numbers(rng, (50, 136), "float16"), numbers(rng, (2, 136, 64), "float16"), rng.integers(0, 50, 200)
    plan = plan_for(HopperTile(64, 64, 1), 200, 2, 64, 136, blocks=2)
    with emulator.target("sm_90a", seed=seed, completion=completion):
        result = grouped_matmul(a, b, ends, indices=indices, plan=plan)
    assert_rows(result[:70], a[indices[:70]], b[0])
    assert_rows(result[70:], a[indices[70:]], b[1])


A, B, ENDS = np.ones((5, 12), np.float16), np.ones((2, 12, 8), np.float16), np.array([3, 5], np.int32)
WIDE = np.ones((5, 16), np.float16), np.ones((2, 16, 8), np.float16), ENDS


@pytest.mark.parametrize(
    "arguments, named, message",
    [
        ((A.T, A, ENDS), {"indices": ENDS}, r"indices are for a \[S, K\] and b \[G, K, N\] with offsets"),
        ((WIDE[0][:0], *WIDE[1:]), {"indices": ENDS}, "indices select rows of a, which has no rows"),
        (WIDE, {"indices": ENDS.astype(np.float32)}, "indices must be int32 or int64, not float32"),
        ((WIDE[0][:, :12], B, ENDS), {"indices": ENDS}, "must have a multiple of 8 elements of float16, not 12"),
        (WIDE, {"indices": ENDS, "plan": plan_for(HopperTile(128, 192, 2), 2, 2, 8, 16)}, "has tiles of 192 columns"),
    ],
)
def test_mistakes(arguments, named, message):
    with emulator.target("sm_90a"), pytest.raises(LaunchError, match=message):
        grouped_matmul(*arguments, **named)
