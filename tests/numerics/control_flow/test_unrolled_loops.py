"""gl.range with loop_unroll_factor: the same results as without."""

import numpy as np
import pytest

import hocket
from hocket import language as gl

pytestmark = pytest.mark.usefixtures("unoptimized")

BITS31 = 2**31 - 1


@hocket.jit
def record(out, count, i):
    """Appends `i` and counts."""
    gl.store(out + count, i)
    return count + 1


@hocket.jit
def visited(out, start, stop, step, FACTOR: gl.constexpr):
    count = 0
    for i in gl.range(start, stop, step, loop_unroll_factor=FACTOR):
        count = record(out, count, i)
    gl.store(out + 63, count)


BOUNDS = [
    (0, 0, 1),
    (0, 1, 1),
    (0, 12, 1),
    (0, 13, 1),
    (3, 20, 4),
    (5, 5, 1),
    (6, 0, 4),
    (-7, 8, 2),
    (12, 0, -1),
    (17, 3, -4),
    (0, 5, -2),
    (-BITS31 - 1, -BITS31 + 6, 3),
    (-BITS31, BITS31 - 10**8, 10**8),
]


def check(device, kernel, bounds, *arguments, dtype=np.int64, **constexprs):
    out = device.to_device(np.full(64, -1, dtype))
    kernel[(1,)](out, *arguments, **constexprs)
    actual = device.to_host(out)
    expected = list(range(*bounds))
    assert actual[63] == len(expected)
    assert actual[: len(expected)].tolist() == expected
    assert (actual[len(expected) : 63] == -1).all()


@pytest.mark.parametrize("factor", [2, 3, 4, 16])
@pytest.mark.parametrize("bounds", BOUNDS)
def test_unrolled_with_run_time_bounds(device, bounds, factor):
    check(device, visited, bounds, *bounds, FACTOR=factor)


def test_a_step_of_0_makes_no_iteration(device):
    out = device.to_device(np.full(64, -1, np.int64))
    visited[(1,)](out, 0, 10, 0, FACTOR=2)
    assert device.to_host(out).tolist() == [-1] * 63 + [0]


@hocket.jit
def visited_known(out, START: gl.constexpr, STOP: gl.constexpr, STEP: gl.constexpr, FACTOR: gl.constexpr):
    count = 0
    for i in gl.range(START, STOP, STEP, loop_unroll_factor=FACTOR):
        count = record(out, count, i)
    gl.store(out + 63, count)


@pytest.mark.parametrize("bounds", [(0, 12, 1), (0, 13, 1), (6, 0, 4), (0, 1, 1), (17, 3, -4)])
def test_unrolled_with_known_bounds(device, bounds):
    start, stop, step = bounds
    check(device, visited_known, bounds, START=start, STOP=stop, STEP=step, FACTOR=4)


@hocket.jit
def visited_unsigned(out, start, stop, FACTOR: gl.constexpr):
    count = 0
    for i in gl.range(start.to(gl.uint32), stop.to(gl.uint32), loop_unroll_factor=FACTOR):
        count = record(out, count, i)
    gl.store(out + 63, count)


@pytest.mark.parametrize("bounds", [(0, 7), (2**31 - 3, 2**31 + 4), (2**32 - 9, 2**32 - 2), (9, 3)])
def test_unrolled_with_unsigned_bounds(device, bounds):
    check(device, visited_unsigned, bounds, *bounds, FACTOR=2)


@hocket.jit
def nested(out, n, INNER: gl.constexpr, OUTER: gl.constexpr):
    count = 0
    for i in gl.range(n, loop_unroll_factor=OUTER):
        for j in gl.range(i, loop_unroll_factor=INNER):
            count = record(out, count, i * 10 + j)
    gl.store(out + 63, count)


@pytest.mark.parametrize("inner, outer", [(1, 2), (2, 1), (3, 2)])
def test_nested_loops_are_both_unrolled(device, inner, outer):
    out = device.to_device(np.zeros(64, np.int32))
    nested[(1,)](out, 6, INNER=inner, OUTER=outer)
    expected = [i * 10 + j for i in range(6) for j in range(i)]
    assert device.to_host(out)[: len(expected)].tolist() == expected
    assert device.to_host(out)[63] == len(expected)


@hocket.jit
def strided_sums(x, out, n, TRIPS: gl.constexpr):
    i = gl.arange(0, 8, layout=gl.row_layout())
    for t in gl.static_range(TRIPS):
        at = i + t * n
        gl.store(out + at, gl.load(x + at, mask=at < TRIPS * 8 - 5, other=7) + t, mask=at > 2)


def test_thousands_of_accesses_in_one_block(device):
    trips = 1200
    x = np.random.default_rng(0).integers(0, 100, trips * 8, dtype=np.int32)
    out = device.to_device(np.zeros_like(x))
    strided_sums[(1,)](device.to_device(x), out, 8, TRIPS=trips, num_warps=1)
    expected = np.concatenate([x[:-5], np.full(5, 7, np.int32)]) + np.arange(trips * 8, dtype=np.int32) // 8
    expected[:3] = 0
    assert (device.to_host(out) == expected).all()
