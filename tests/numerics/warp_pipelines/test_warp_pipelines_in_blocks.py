"""Pipelined loops in loops and branches, also those of one iteration, which are straight-line code when pipelines are
formed."""

import numpy as np
import pytest

import hocket
from hocket import emulator
from hocket import language as gl
from hocket.language import amd

ROWS = gl.constexpr(gl.BlockedLayout([1, 4], [8, 8], [8, 1], [1, 0]))
COLUMNS = gl.constexpr(gl.BlockedLayout([4, 1], [4, 16], [1, 8], [0, 1]))
SHARED = gl.constexpr(gl.SwizzledSharedLayout(1, 1, 1, [1, 0]))


@hocket.jit
def places(layout: gl.constexpr):
    rows = gl.arange(0, 128, layout=gl.SliceLayout(1, layout))
    return rows[:, None] * 32 + gl.arange(0, 32, layout=gl.SliceLayout(0, layout))[None, :]


@hocket.jit
def tiles_of_a_row(ring, x, acc, n, FACTOR: gl.constexpr):
    """acc * 2 + tile, for `n` tiles at x."""
    for k in gl.range(n, loop_unroll_factor=FACTOR):
        with amd.warp_pipeline_stage("store"):
            ring.index(k % 2).store(gl.load(x + k * 4096 + places(ROWS)))
        with amd.warp_pipeline_stage("pause"):
            pass
        with amd.warp_pipeline_stage("load"):
            acc = acc * 2 + ring.index(k % 2).load(COLUMNS)
    return acc


@hocket.jit
def in_a_for(x, out, rows, n, FACTOR: gl.constexpr):
    ring = gl.allocate_shared_memory(gl.int32, [2, 128, 32], SHARED)
    for row in range(rows):
        acc = tiles_of_a_row(ring, x + row * n * 4096, gl.zeros([128, 32], gl.int32, COLUMNS), n, FACTOR)
        gl.store(out + row * 4096 + places(COLUMNS), acc)


@hocket.jit
def in_a_while(x, out, rows, n, FACTOR: gl.constexpr):
    ring = gl.allocate_shared_memory(gl.int32, [2, 128, 32], SHARED)
    row = 0
    while row < rows:
        acc = tiles_of_a_row(ring, x + row * n * 4096, gl.zeros([128, 32], gl.int32, COLUMNS), n, FACTOR)
        gl.store(out + row * 4096 + places(COLUMNS), acc)
        row += 1


@hocket.jit
def in_an_if(x, out, rows, n, FACTOR: gl.constexpr):
    ring = gl.allocate_shared_memory(gl.int32, [2, 128, 32], SHARED)
    for row in range(rows):
        acc = gl.full([128, 32], -1, gl.int32, COLUMNS)
        if row % 2 == 0:
            acc = tiles_of_a_row(ring, x + row * n * 4096, acc * 0, n, FACTOR)
        else:
            acc = tiles_of_a_row(ring, x + row * n * 4096, acc + 1, n, FACTOR)
        gl.store(out + row * 4096 + places(COLUMNS), acc)


@pytest.mark.parametrize("n", [0, 1, 2, 3])
@pytest.mark.parametrize("factor", [1, 2])
@pytest.mark.parametrize("kernel", [in_a_for, in_a_while, in_an_if], ids=lambda kernel: kernel.__name__)
def test_pipelines_in_blocks(kernel, factor, n):
    """With n=1 the number of iterations is known to the compiler; with a factor of 2 and n=3, one remains."""
    x = np.random.default_rng(n).integers(0, 100, (3, max(n, 1), 128, 32)).astype(np.int32)
    expected = np.zeros((3, 128, 32), np.int32)
    for k in range(n):
        expected = expected * 2 + x[:, k]
    for seed in range(4):
        out = np.full_like(expected, -1)
        with emulator.target("gfx950", seed=seed):
            kernel[(1,)](x, out, 3, n, FACTOR=factor, num_warps=8)
        np.testing.assert_array_equal(out, expected)
