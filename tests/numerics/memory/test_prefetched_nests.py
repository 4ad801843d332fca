"""Prefetched loops in loops give the same bits as plain ones: copies start across iterations of the outer loop."""

import numpy as np
import pytest

import hocket
from hocket import emulator
from hocket import language as gl
from hocket.language.amd.cdna4 import async_copy as lds
from hocket.language.nvidia.ampere import async_copy as cp_async

#: All loops of these tests are prefetched.
pytestmark = pytest.mark.usefixtures("no_compile_warnings")
#: A target, and the way in which its kernels copy.
each_way = pytest.mark.parametrize(
    ("target", "how"), [("gfx942", "registers"), ("sm_80", "cp.async"), ("gfx950", "LDS")]
)


@hocket.jit
def copy(tile, address, HOW: gl.constexpr):
    if HOW == "registers":
        tile.store(gl.load(address))
    elif HOW == "cp.async":
        cp_async.async_load(tile, address)
        cp_async.commit_group()
        cp_async.wait_group(0)
    else:
        lds.global_load_to_shared(tile, address)
        lds.commit_group()
        lds.wait_group(0)


@hocket.jit
def nest(x, out, rows, n, OUTER: gl.constexpr, INNER: gl.constexpr, HOW: gl.constexpr, FORM: gl.constexpr):
    """Only the inner loop copies. FORM: "passed on" for an accumulator that the outer loop passes to the inner loop,
    "own" for an accumulator of each iteration of the outer loop, "pointer" for an address that the outer loop carries.
    """
    layout: gl.constexpr = gl.BlockedLayout([1], [gl.num_lanes()], [gl.num_warps()], [0])
    turned: gl.constexpr = gl.row_layout(4)
    i = gl.arange(0, 256, layout=layout)
    tile = gl.allocate_shared_memory(gl.float32, [256], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    total = gl.zeros([256], gl.float32, turned)
    best = gl.zeros([256], gl.float32, turned)
    pointer = x
    for row in gl.range(1, 2 * rows + 1, 2, num_stages=OUTER):
        acc = total
        if FORM == "own":
            acc = gl.zeros([256], gl.float32, turned) + row
        for k in gl.range(0, 3 * n, 3, num_stages=INNER):
            if FORM == "pointer":
                address = pointer + k // 3 * 256
            else:
                address = x + (row // 2 * n + k // 3) * 256
            copy(tile, address + i, HOW)
            acc = acc * 0.5 + tile.load(turned) + k
        if FORM == "own":
            best = gl.maximum(best, acc)
            total = total + acc * row
        else:
            total = acc
        pointer += n * 256
    gl.store(out + gl.arange(0, 256, layout=turned), total + best)


def expected_of_nest(x, rows, trips, form):
    total = best = np.zeros(256, np.float32)
    for row in range(rows):
        acc = total if form != "own" else np.full(256, 2 * row + 1, np.float32)
        for k in range(trips):
            acc = acc * np.float32(0.5) + x[row, k] + np.float32(3 * k)
        if form == "own":
            best = np.maximum(best, acc)
            total = total + acc * np.float32(2 * row + 1)
        else:
            total = acc
    return total + best


@pytest.mark.parametrize("form", ["passed on", "own", "pointer"])
@each_way
def test_copies_across_iterations_of_the_outer_loop(target, how, form):
    stages = 3 if how == "registers" else 4
    for rows, trips in ((0, 2), (2, 0), (3, 2), (2, 5)):
        x = np.random.default_rng(trips).integers(-4, 4, (max(rows, 1), max(trips, 1), 256)).astype(np.float32)
        out = np.full(256, np.nan, np.float32)
        with emulator.target(target, completion="late", seed=rows):
            nest[(1,)](x, out, rows, trips, stages, stages, how, form, num_warps=4)
        assert out.tobytes() == expected_of_nest(x, rows, trips, form).tobytes(), (rows, trips)


@hocket.jit
def both(x, y, out, rows, n, OUTER: gl.constexpr, INNER: gl.constexpr, FIRST: gl.constexpr, SECOND: gl.constexpr):
    """Both loops copy. FIRST and SECOND: how the outer loop and the inner loop copy."""
    layout: gl.constexpr = gl.BlockedLayout([1], [gl.num_lanes()], [gl.num_warps()], [0])
    turned: gl.constexpr = gl.row_layout(4)
    i = gl.arange(0, 256, layout=layout)
    shared: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [0])
    factor = gl.allocate_shared_memory(gl.float32, [256], shared)
    tile = gl.allocate_shared_memory(gl.float32, [256], shared)
    total = gl.zeros([256], gl.float32, turned)
    for row in gl.range(rows, num_stages=OUTER):
        copy(factor, y + row * 256 + i, FIRST)
        for k in gl.range(n, num_stages=INNER):
            copy(tile, x + (row * n + k) * 256 + i, SECOND)
            total = total * 0.5 + tile.load(turned) * factor.load(turned)
    gl.store(out + gl.arange(0, 256, layout=turned), total)


@pytest.mark.parametrize("is_async", [False, True], ids=["registers", ""])
@pytest.mark.parametrize(("target", "how"), [("sm_80", "cp.async"), ("gfx950", "LDS")])
def test_both_loops_copy(target, how, is_async):
    """The outer loop copies through registers or asynchronously, around an inner loop that copies asynchronously."""
    outer, inner = (3, 2) if is_async else (2, 3)
    for rows, trips in ((1, 2), (3, 0), (3, 5)):
        rng = np.random.default_rng(trips)
        x, y = (rng.integers(-4, 4, (3, count, 256)).astype(np.float32) for count in (max(trips, 1), 1))
        expected = np.zeros(256, np.float32)
        for row in range(rows):
            for k in range(trips):
                expected = expected * np.float32(0.5) + x[row, k] * y[row, 0]
        out = np.full(256, np.nan, np.float32)
        with emulator.target(target, completion="late", seed=outer):
            first = how if is_async else "registers"
            both[(1,)](x, y, out, rows, trips, outer, inner, first, how, num_warps=4)
        assert out.tobytes() == expected.tobytes(), (rows, trips)


@pytest.mark.parametrize("trips", [0, 1, 2, 5])
@pytest.mark.parametrize("rows", [0, 1, 3])
def test_both_loops_copy_through_registers(device, rows, trips):
    rng = np.random.default_rng(trips)
    x, y = (rng.integers(-4, 4, shape).astype(np.float32) for shape in ((3, 5, 256), (3, 256)))
    x = np.ascontiguousarray(x[:, :trips]) if trips else x
    outs = []
    for outer, inner in ((1, 1), (2, 1), (1, 2), (2, 2), (3, 2), (3, 3)):
        out = device.to_device(np.full(256, np.nan, np.float32))
        both[(1,)](device.to_device(x), device.to_device(y), out, rows, trips, outer, inner, *["registers"] * 2)
        outs.append(device.to_host(out))
    expected = np.zeros(256, np.float32)
    for row in range(rows):
        for k in range(trips):
            expected = expected * np.float32(0.5) + x[row, k] * y[row]
    assert {out.tobytes() for out in outs} == {expected.tobytes()}
