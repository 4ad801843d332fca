"""hocket.kernels.grouped_matmul over the rows of groups: gradients of the matrices of groups."""

import dataclasses

import ml_dtypes
import numpy as np
import pytest

from hocket import emulator
from hocket.errors import LaunchError
from hocket.kernels import grouped_matmul
from hocket.kernels._matmul.plan_hopper import HopperTile, choose_hopper_plan

pytestmark = pytest.mark.usefixtures("unoptimized")

SMALL = HopperTile(64, 64, 1)


def dtype_of(name):
    return np.dtype(getattr(ml_dtypes, name, name))


def numbers(rng, shape, dtype="float16"):
    return rng.standard_normal(shape).astype(np.float32).astype(dtype_of(dtype))


def plan_for(tile, groups, m, n, out_bits=16, blocks=3):
    plan = choose_hopper_plan(m, n, 64, groups, 16, out_bits, 232448, 132, tile=tile, splits=1)
    return dataclasses.replace(plan, blocks=blocks)


def assert_sums(result, a, b, ends, skipped=()):
    """`result[g]` is the sum over the rows of group g."""
    start = 0
    for group, end in enumerate(ends):
        wide_a, wide_b = (array[start:end].astype(np.float64) for array in (a, b))
        start = end
        if group in skipped:
            continue
        slack = np.abs(wide_a).T @ np.abs(wide_b) * (len(wide_a) + 1) * 2.0**-23 + 1e-6
        expected = wide_a.T @ wide_b
        allowed = np.abs(expected) * float(ml_dtypes.finfo(result.dtype).eps) + 2 * slack
        assert (np.abs(result[group].astype(np.float64) - expected) <= allowed).all()


@pytest.mark.parametrize(
    "tile, groups, dtype, out_dtype, index_dtype",
    [
        (HopperTile(128, 256, 2), 5, "bfloat16", "bfloat16", np.int32),
        (HopperTile(64, 128, 2, ping_pong=True), 7, "float16", "float32", np.int64),
        (HopperTile(64, 64, 1), 20, "bfloat16", "bfloat16", np.int64),
        (HopperTile(64, 64, 1), 1, "float16", "float16", np.int32),
    ],
    ids=str,
)
def test_drawn_groups(hopper_device, tile, groups, dtype, out_dtype, index_dtype):
    rng = np.random.default_rng(groups)
    m, n = tile.m + 8, tile.n + 40
    sizes = rng.choice([0, 0, 1, 7, 63, 64, 65], groups)
    sizes[rng.integers(groups)] = rng.integers(130, 300)
    ends = np.cumsum(sizes).astype(index_dtype)
    rows = int(ends[-1]) + int(rng.integers(0, 9))
    a, b = numbers(rng, (rows, m), dtype), numbers(rng, (rows, n), dtype)
    a[ends[-1] :], b[ends[-1] :] = np.nan, np.nan
    moved_a, moved_b, moved_ends = map(hopper_device.to_device, (a, b, ends))
    out = hopper_device.to_device(np.full((groups, m, n), np.nan, dtype_of(out_dtype)))
    plan = plan_for(tile, groups, m, n, dtype_of(out_dtype).itemsize * 8)
    assert grouped_matmul(moved_a.T, moved_b, moved_ends, out, plan=plan) is out
    assert_sums(hopper_device.to_host(out), a, b, ends)


def test_not_a_number_stays_in_its_group(hopper_device):
    """The last k-tile of group 0 and the first one of group 2 have rows of group 1."""
    rng = np.random.default_rng(1)
    ends = np.array([40, 110, 200, 200], np.int32)
    a, b = numbers(rng, (200, 72)), numbers(rng, (200, 72))
    a[40:110] = np.nan
    b[40:110] = np.inf
    moved_a, moved_b, moved_ends = map(hopper_device.to_device, (a, b, ends))
    plan = plan_for(SMALL, 4, 72, 72)
    result = hopper_device.to_host(grouped_matmul(moved_a.T, moved_b, moved_ends, plan=plan))
    assert np.isnan(result[1]).all()
    assert_sums(result, a, b, ends, skipped=(1,))
    assert (result[3] == 0).all()


def test_the_chosen_plan(hopper_device):
    rng = np.random.default_rng(2)
    ends = np.array([90, 100], np.int32)
    a, b = numbers(rng, (100, 64)), numbers(rng, (100, 64))
    moved_a, moved_b, moved_ends = map(hopper_device.to_device, (a, b, ends))
    result = hopper_device.to_host(grouped_matmul(moved_a.T, moved_b, moved_ends))
    assert result.dtype == np.float16
    assert_sums(result, a, b, ends)


@pytest.mark.parametrize("seed, completion", [(1, "random"), (2, "late")])
def test_every_schedule_gives_the_same(seed, completion):
    rng = np.random.default_rng(3)
    ends = np.array([70, 70, 200], np.int32)
    a, b = numbers(rng, (200, 136)), numbers(rng, (200, 136))
    plan = plan_for(HopperTile(64, 128, 2, ping_pong=True), 3, 136, 136, blocks=2)
    with emulator.target("sm_90a", seed=seed, completion=completion):
        assert_sums(grouped_matmul(a.T, b, ends, plan=plan), a, b, ends)


def test_without_elements():
    with emulator.target("sm_90a"):
        nothing = np.ones((0, 8), np.float16)
        assert (grouped_matmul(nothing.T, nothing, np.zeros(2, np.int32)) == np.zeros((2, 8, 8))).all()
        assert grouped_matmul(nothing.T, nothing, np.zeros(0, np.int32)).shape == (0, 8, 8)


A, ENDS = np.ones((16, 8), np.float16), np.array([3, 5], np.int32)


@pytest.mark.parametrize(
    "arguments, message",
    [
        ((A, A, ENDS), "a has 8 columns and b has 16 rows"),
        ((A[None], A, ENDS), r"a must be \[M, T\] if b has two dimensions"),
        ((np.ascontiguousarray(A.T), A, ENDS), r"a \[M, T\] must be the transpose of an array with contiguous rows"),
        ((A.T, np.asfortranarray(A), ENDS), "rows of b must be contiguous"),
        ((A.T, A, ENDS[None]), "offsets must have one dimension"),
        ((A.T, A, ENDS, A), "out must be 2 x 8 x 8, but its shape is"),
    ],
)
def test_mistakes(arguments, message):
    with emulator.target("sm_90a"), pytest.raises(LaunchError, match=message):
        grouped_matmul(*arguments)
