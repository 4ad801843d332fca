"""Code after a pipelined loop: drains that wait for the last copies one by one, and remaining tiles."""

import numpy as np
import pytest

import hocket
from hocket import emulator
from hocket import language as gl
from hocket.errors import CompileError
from hocket.language import amd
from hocket.language.amd.cdna4 import async_copy

ROWS = gl.constexpr(gl.BlockedLayout([1, 4], [8, 8], [8, 1], [1, 0]))
COLUMNS = gl.constexpr(gl.BlockedLayout([4, 1], [4, 16], [1, 8], [0, 1]))
SHARED = gl.constexpr(gl.SwizzledSharedLayout(1, 1, 1, [1, 0]))
TILE = gl.constexpr(128 * 32)


@hocket.jit
def places(layout: gl.constexpr):
    rows = gl.arange(0, 128, layout=gl.SliceLayout(1, layout))
    columns = gl.arange(0, 32, layout=gl.SliceLayout(0, layout))
    return rows[:, None] * 32 + columns[None, :]


@hocket.jit
def copy(slot, x, k):
    async_copy.buffer_load_to_shared(slot, x, k * TILE + places(ROWS))
    async_copy.commit_group()


@hocket.jit
def summed(ring, x, first, n, BY_COUNTER: gl.constexpr, LATE: gl.constexpr):
    """The sum of n tiles, each of which counts twice as much as the one before; copied two tiles ahead."""
    acc = gl.full([128, 32], 0, gl.float32, COLUMNS)
    for k in gl.static_range(2):
        copy(ring.index(k), x, first + k)
    r, w = 0, 2
    for k in range(n - 2):
        async_copy.wait_group(1)
        with amd.warp_pipeline_stage("copy"):
            copy(ring.index(w if BY_COUNTER else (k + 2) % 4), x, first + k + 2)
        with amd.warp_pipeline_stage("compute"):
            acc = acc * 0.5 + ring.index(r if BY_COUNTER else k % 4).load(COLUMNS)
            r = (r + 1) % 4
            w = gl.where(w + 1 < 4, w + 1, 0)
    async_copy.wait_group(1)
    for u in gl.static_range(2):
        with amd.warp_pipeline_stage("pause"):
            pass
        if u == LATE:
            async_copy.wait_group(0)
        with amd.warp_pipeline_stage("compute"):
            acc = acc * 0.5 + ring.index(r if BY_COUNTER else (n - 2 + u) % 4).load(COLUMNS)
            r = (r + 1) % 4
    return acc


@hocket.jit
def drained(x, y, n, tiles, BY_COUNTER: gl.constexpr, LATE: gl.constexpr):
    ring = gl.allocate_shared_memory(gl.float32, [4, 128, 32], SHARED)
    if tiles == 1:
        gl.store(y + places(COLUMNS), summed(ring, x, 0, n, BY_COUNTER, LATE))
    else:
        for t in range(tiles):
            gl.store(y + t * TILE + places(COLUMNS), summed(ring, x, t * n, n, BY_COUNTER, LATE))


@hocket.jit
def with_an_odd_tile(x, y, n):
    """Two tiles an iteration; the last one of an odd number is in flight when the loop ends."""
    ring = gl.allocate_shared_memory(gl.float32, [8, 128, 32], SHARED)
    acc = gl.full([128, 32], 0, gl.float32, COLUMNS)
    for k in gl.static_range(4):
        copy(ring.index(k), x, k)
    for k in range(n // 2):
        async_copy.wait_group(2)
        with amd.warp_pipeline_stage("copy"):
            for u in gl.static_range(2):
                copy(ring.index((2 * k + 4 + u) % 8), x, 2 * k + 4 + u)
        with amd.warp_pipeline_stage("compute"):
            for u in gl.static_range(2):
                acc = acc * 0.5 + ring.index((2 * k + u) % 8).load(COLUMNS)
    if n % 2 == 1:
        async_copy.wait_group(3)
        with amd.warp_pipeline_stage("pause"):
            pass
        with amd.warp_pipeline_stage("last"):
            acc = acc * 0.5 + ring.index(n // 2 * 2 % 8).load(COLUMNS)
    async_copy.wait_group(0)
    gl.store(y + places(COLUMNS), acc)


def check(kernel, n, tiles, *more, **constants):
    x = np.random.default_rng(n).integers(-9, 9, (n * tiles + 6, 128, 32)).astype(np.float32)
    expected = np.zeros((tiles, 128, 32), np.float32)
    for number, tile in enumerate(x[: n * tiles]):
        expected[number // n] = expected[number // n] * np.float32(0.5) + tile
    for seed in range(2):
        y = np.zeros_like(expected)
        with emulator.target("gfx950", seed=seed):
            kernel[(1,)](x, y, n, *more, num_warps=8, **constants)
        np.testing.assert_array_equal(y, expected)


@pytest.mark.parametrize("by_counter", [False, True])
def test_drains_with_counted_waits(by_counter):
    for n in (2, 3, 7):
        check(drained, n, 1, 1, BY_COUNTER=by_counter, LATE=0)


def test_drains_in_a_persistent_loop():
    for n in (2, 5):
        check(drained, n, 3, 3, BY_COUNTER=False, LATE=0)


def test_a_wait_too_late_in_the_drain():
    with pytest.raises(CompileError, match="the other group of warps may not have waited"):
        check(drained, 5, 1, 1, BY_COUNTER=False, LATE=1)


def test_an_odd_last_tile():
    for n in (2, 4, 5, 7):
        check(with_an_odd_tile, n, 1)
