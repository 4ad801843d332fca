"""hocket.kernels.grouped_matmul: groups of rows with their own matrix B, sizes of groups in device memory."""

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

SHARED_BYTES = 232448 - 2048
UNTOUCHED = 7.0
SMALL = HopperTile(64, 64, 1)


def dtype_of(name):
    return np.dtype(getattr(ml_dtypes, name, name))


def numbers(rng, shape, dtype):
    return rng.standard_normal(shape).astype(np.float32).astype(dtype_of(dtype))


def plan_for(tile, rows, groups, n, k, out_bits=16, blocks=3):
    plan = choose_grouped_plan(rows, groups, n, k, 16, out_bits, SHARED_BYTES, 132, tile=tile)
    return dataclasses.replace(plan, blocks=blocks)


def assert_rows(result, a, b):
    wide_a, wide_b = a.astype(np.float64), b.astype(np.float64)
    expected = wide_a @ wide_b
    slack = np.abs(wide_a) @ np.abs(wide_b) * a.shape[1] * 2.0**-23 + 1e-6
    allowed = np.abs(expected) * float(ml_dtypes.finfo(result.dtype).eps) + 2 * slack
    error = np.abs(result.astype(np.float64) - expected)
    assert (error <= allowed).all()


def assert_groups(result, a, b, ends):
    """Each group of rows has its own matrix, and rows of no group are unchanged."""
    start = 0
    for matrix, end in zip(b, ends, strict=True):
        assert_rows(result[start:end], a[start:end], matrix)
        start = end
    assert (result[start:].astype(np.float32) == UNTOUCHED).all()


def draw_sizes(rng, groups):
    """Returns sizes of groups: empty, a few rows, and one large group."""
    sizes = rng.choice([0, 0, 1, 7, 63, 64, 65, 128], groups)
    sizes[rng.integers(groups)] = rng.integers(130, 300)
    return sizes


@pytest.mark.parametrize(
    "tile, groups, dtype, out_dtype, index_dtype, is_k_contiguous",
    [
        (HopperTile(128, 256, 2), 5, "bfloat16", "bfloat16", np.int32, True),
        (HopperTile(128, 192, 2, ping_pong=True), 6, "float16", "float16", np.int64, False),
        (HopperTile(64, 64, 1), 70, "bfloat16", "float32", np.int64, False),
        (HopperTile(64, 64, 1), 1, "float16", "float16", np.int32, True),
    ],
    ids=str,
)
def test_drawn_groups(hopper_device, tile, groups, dtype, out_dtype, index_dtype, is_k_contiguous):
    rng = np.random.default_rng(groups)
    n, k = tile.n + 40, 72
    ends = np.cumsum(draw_sizes(rng, groups)).astype(index_dtype)
    rows = int(ends[-1]) + int(rng.integers(0, 9))
    a, b = numbers(rng, (rows, k), dtype), numbers(rng, (groups, k, n), dtype)
    a[ends[-1] :] = np.nan
    if is_k_contiguous:
        moved_b = hopper_device.to_device(np.ascontiguousarray(b.swapaxes(1, 2))).swapaxes(1, 2)
    else:
        moved_b = hopper_device.to_device(b)
    moved_a, moved_ends = map(hopper_device.to_device, (a, ends))
    out = hopper_device.to_device(np.full((rows, n), UNTOUCHED, dtype_of(out_dtype)))
    plan = plan_for(tile, rows, groups, n, k, dtype_of(out_dtype).itemsize * 8)
    assert grouped_matmul(moved_a, moved_b, moved_ends, out, plan=plan) is out
    assert_groups(hopper_device.to_host(out), a, b, ends)


def test_not_a_number_stays_in_its_group(hopper_device):
    rng = np.random.default_rng(1)
    ends = np.array([40, 40, 115, 300, 301], np.int32)
    a, b = numbers(rng, (301, 72), "float16"), numbers(rng, (5, 72, 72), "float16")
    a[40:115], b[1] = np.nan, np.nan  # group 2, and the matrix of the empty group 1
    plan = plan_for(SMALL, 301, 5, 72, 72)
    moved = map(hopper_device.to_device, (a, b, ends))
    result = hopper_device.to_host(grouped_matmul(*moved, plan=plan))
    assert np.isnan(result[40:115]).all()
    for group, rows in ((0, slice(0, 40)), (3, slice(115, 300)), (4, slice(300, 301))):
        assert_rows(result[rows], a[rows], b[group])


def test_masked_groups(hopper_device):
    rng = np.random.default_rng(2)
    counts = np.array([0, 5, 96, 64, 70, 0], np.int32)
    a, b = numbers(rng, (6, 96, 72), "float16"), numbers(rng, (6, 72, 72), "float16")
    for group, count in enumerate(counts):
        a[group, count:] = np.nan
    out = hopper_device.to_device(np.full((6, 96, 72), UNTOUCHED, np.float16))
    moved_a, moved_b, moved_counts = map(hopper_device.to_device, (a, b, counts))
    assert grouped_matmul(moved_a, moved_b, out=out, counts=moved_counts, plan=plan_for(SMALL, 576, 6, 72, 72)) is out
    result = hopper_device.to_host(out)
    for group, count in enumerate(counts):
        assert_rows(result[group, :count], a[group, :count], b[group])
        assert (result[group, count:] == UNTOUCHED).all()


def test_offsets_outside_the_rows_write_nothing_there(hopper_device):
    rng = np.random.default_rng(3)
    a, b = numbers(rng, (100, 72), "float16"), numbers(rng, (4, 72, 72), "float16")
    memory = hopper_device.to_device(np.full((200, 72), UNTOUCHED, np.float16))
    ends = np.array([-5 - 2**40, 80, 1000, 2**32], np.int64)  # the lower 32 bits alone would be -5 and 0
    moved = map(hopper_device.to_device, (a, b, ends))
    grouped_matmul(*moved, memory[:100], plan=plan_for(SMALL, 100, 4, 72, 72))
    assert_groups(hopper_device.to_host(memory), a, b, np.array([0, 80, 100, 100]))


def test_the_plan_follows_the_average_size(hopper_device):
    """A few rows per group take tiles of 64 rows, and many rows take larger ones."""
    few, many = (choose_grouped_plan(rows, 64, 4096, 7168, 16, 16, SHARED_BYTES, 132) for rows in (1024, 65536))
    assert few.tile.m == 64
    assert many.tile.m * many.tile.n >= 128 * 192
    rng = np.random.default_rng(4)
    ends = np.array([3, 50, 50, 90], np.int32)
    a, b = numbers(rng, (90, 72), "float16"), numbers(rng, (4, 72, 72), "float16")
    result = hopper_device.to_host(grouped_matmul(*map(hopper_device.to_device, (a, b, ends))))
    assert result.dtype == np.float16
    assert_groups(result, a, b, ends)


def test_the_choice_is_explained():
    text = grouped_matmul.explain((1024, 4096, 7168), 64, "bfloat16", "sm_90a")
    assert "tile 64 x" in text.splitlines()[0]
    assert "1024 rows in 64 groups: about 64 rows of tiles" in text
    with pytest.raises(LaunchError, match="groups must be a number from 1 to 1024, not 0"):
        grouped_matmul.explain((1024, 4096, 7168), 0, "bfloat16", "sm_90a")


@pytest.mark.parametrize("seed, completion", [(1, "random"), (2, "late")])
def test_every_schedule_gives_the_same(seed, completion):
    rng = np.random.default_rng(5)
    ends = np.array([70, 70, 200], np.int32)
    a, b = numbers(rng, (200, 136), "float16"), numbers(rng, (3, 136, 136), "float16")
    plan = plan_for(HopperTile(64, 128, 2, ping_pong=True), 200, 3, 136, 136, blocks=2)
    with emulator.target("sm_90a", seed=seed, completion=completion):
        assert_groups(grouped_matmul(a, b, ends, plan=plan), a, b, ends)


def test_without_elements():
    with emulator.target("sm_90a"):
        ends = np.array([3, 5], np.int32)
        result = grouped_matmul(np.ones((5, 0), np.float16), np.ones((2, 0, 8), np.float16), ends)
        assert (result == 0).all()
        assert grouped_matmul(np.ones((0, 8), np.float16), np.ones((2, 8, 8), np.float16), 0 * ends).shape == (0, 8)
        assert grouped_matmul(np.ones((5, 8), np.float16), np.ones((2, 8, 0), np.float16), ends).shape == (5, 0)
        no_matrix, no_end, out = np.ones((0, 8, 8), np.float16), ends[:0], np.full((5, 8), UNTOUCHED, np.float16)
        assert (grouped_matmul(np.ones((5, 8), np.float16), no_matrix, no_end, out) == UNTOUCHED).all()
        assert grouped_matmul(np.ones((0, 5, 8), np.float16), no_matrix, counts=no_end).shape == (0, 5, 8)


A, B, ENDS = np.ones((5, 16), np.float16), np.ones((2, 16, 8), np.float16), np.array([3, 5], np.int32)


@pytest.mark.parametrize(
    "arguments, named, message",
    [
        ((A, B), {}, "pass either offsets"),
        ((A[0], B, ENDS), {}, r"a must be \[T, K\] with offsets, but its shape is \[16\]"),
        ((A, B), {"counts": ENDS}, r"a must be \[G, M, K\] with counts"),
        ((A, B[None], ENDS), {}, r"b must be \[G, K, N\]"),
        ((A, B[:, :8], ENDS), {}, "a has 16 columns and each matrix of b has 8 rows"),
        ((A, B.astype(np.float32), ENDS), {}, "must be of one dtype"),
        ((A.astype(np.float32), B.astype(np.float32), ENDS), {}, "elements of a and b are float16, bfloat16"),
        ((A, B, ENDS[:1]), {}, "offsets must have one number per matrix of b, 2"),
        ((A, B, ENDS.astype(np.float32)), {}, "offsets must be int32 or int64, not float32"),
        ((A, B, np.arange(4, dtype=np.int32)[::2]), {}, "offsets must be contiguous"),
        ((A, B, ENDS, A), {}, "out must be 5 x 8, but its shape is"),
        ((A, B, ENDS), {"out_dtype": "int8"}, "out_dtype is one of float16, bfloat16, float32"),
        ((A, B[..., :7], ENDS), {}, "rows of out are 14 bytes apart, not a multiple of 16"),
        ((np.asfortranarray(A), B, ENDS), {}, "rows of a must be contiguous"),
        ((A[::-1], B, ENDS), {}, "a has a negative stride"),
        ((A, B, ENDS), {"plan": 3}, "plan must be a hocket.kernels.plans.HopperPlan"),
    ],
)  # fmt: skip
def test_mistakes(arguments, named, message):
    with emulator.target("sm_90a"), pytest.raises(LaunchError, match=message):
        grouped_matmul(*arguments, **named)


def test_other_targets_are_named():
    with emulator.target("gfx950"), pytest.raises(LaunchError, match="no kernel for gfx950 yet; it is written for sm"):
        grouped_matmul(A, B, ENDS)
