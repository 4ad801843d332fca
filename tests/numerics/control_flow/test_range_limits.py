"""Loops whose last step passes the largest integer end like those of Python."""

import numpy as np
import pytest

import hocket
from hocket import language as gl

MAX32, MAX64 = 2**31 - 1, 2**63 - 1
RANGES = {
    "int32": [
        (0, MAX32, 2**30),
        (1, MAX32, MAX32 - 1),
        (MAX32 - 5, MAX32, 3),
        (-MAX32 - 1, MAX32, 2**30),
        (-MAX32 - 1, MAX32, MAX32),
        (MAX32, -MAX32 - 1, -(2**30)),
        (MAX32, -MAX32 - 1, -MAX32 - 1),
        (-(2**30), -MAX32 - 1, -(2**29)),
        (MAX32 - 4, MAX32, 1),
    ],
    "int64": [
        (0, MAX64, 2**62),
        (-MAX64 - 1, MAX64, 2**62),
        (MAX64, -MAX64 - 1, -(2**62)),
        (MAX64 - 7, MAX64, 5),
    ],
    "uint32": [(0, 2**32 - 1, 2**31), (5, 2**32 - 1, 2**30), (2**32 - 6, 2**32 - 1, 4)],
}
CASES = [(dtype, bounds) for dtype, ranges in RANGES.items() for bounds in ranges]


@hocket.jit
def run_time_bounds(bounds, out, UNROLL: gl.constexpr):
    for k in gl.range(gl.load(bounds), gl.load(bounds + 1), gl.load(bounds + 2), loop_unroll_factor=UNROLL):
        gl.atomic_add(out, 1)
        gl.atomic_xchg(out + 1, k)


@hocket.jit
def known_bounds(out, START: gl.constexpr, STOP: gl.constexpr, STEP: gl.constexpr, UNROLL: gl.constexpr):
    for k in gl.range(START, STOP, STEP, loop_unroll_factor=UNROLL):
        gl.atomic_add(out, 1)
        gl.atomic_xchg(out + 1, k)


@pytest.mark.parametrize("unroll", [1, 2, 4])
@pytest.mark.parametrize(("dtype", "bounds"), CASES)
def test_bounds_known_at_run_time(device, dtype, bounds, unroll):
    out = device.to_device(np.zeros(2, dtype))
    run_time_bounds[(1,)](device.to_device(np.array(bounds, dtype)), out, UNROLL=unroll, num_warps=1)
    count, last = device.to_host(out)
    assert (count, last) == (len(range(*bounds)), range(*bounds)[-1])


@pytest.mark.parametrize("unroll", [1, 2, 4])
@pytest.mark.parametrize("bounds", RANGES["int32"])
def test_bounds_known_at_compile_time(device, bounds, unroll):
    out = device.to_device(np.zeros(2, np.int32))
    start, stop, step = bounds
    known_bounds[(1,)](out, START=start, STOP=stop, STEP=step, UNROLL=unroll, num_warps=1)
    count, last = device.to_host(out)
    assert (count, last) == (len(range(*bounds)), range(*bounds)[-1])


@hocket.jit
def unrolled(out, START: gl.constexpr, STOP: gl.constexpr, STEP: gl.constexpr):
    for k in gl.static_range(START, STOP, STEP):
        gl.atomic_add(out, 1)
        gl.atomic_xchg(out + 1, k)


@pytest.mark.parametrize("bounds", RANGES["int64"])
def test_unrolled_by_the_front_end(device, bounds):
    out = device.to_device(np.zeros(2, np.int64))
    unrolled[(1,)](out, START=bounds[0], STOP=bounds[1], STEP=bounds[2], num_warps=1)
    count, last = device.to_host(out)
    assert (count, last) == (len(range(*bounds)), range(*bounds)[-1])
