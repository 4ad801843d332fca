"""Kernels for test_hopper_seeded_bugs.py, besides those of hopper_pipelines.py: two pipelines, one after the other.

As they stand they are right; what is wrong is planted below the compiler. A tile is written to shared memory by rows
and read by columns, so that each warp reads what all others have written.
"""

import numpy as np

import hocket
from hocket import language as gl

SIZE, TILES = gl.constexpr(64), 4
ROWS = gl.constexpr(gl.BlockedLayout([1, 1], [1, 32], [8, 1], [1, 0]))
COLUMNS = gl.constexpr(gl.BlockedLayout([1, 1], [32, 1], [1, 8], [0, 1]))
SHARED = gl.constexpr(gl.SwizzledSharedLayout(1, 1, 1, [1, 0]))


@hocket.jit
def places(layout: gl.constexpr):
    rows = gl.arange(0, SIZE, layout=gl.SliceLayout(1, layout))
    columns = gl.arange(0, SIZE, layout=gl.SliceLayout(0, layout))
    return rows[:, None] * SIZE + columns[None, :]


@hocket.jit
def two_pipelines(x, out, tiles: gl.constexpr):
    """The first loop fills the buffer, the second sums its elements."""
    buffer = gl.allocate_shared_memory(gl.float32, [tiles, SIZE, SIZE], SHARED)
    total = gl.zeros([SIZE, SIZE], gl.float32, COLUMNS)
    for k in range(tiles):
        with gl.warp_pipeline_stage("fetch"):
            fetched = gl.load(x + k * SIZE * SIZE + places(ROWS))
        with gl.warp_pipeline_stage("write"):
            buffer.index(k).store(fetched)
    for k in range(tiles):
        with gl.warp_pipeline_stage("read"):
            values = buffer.index(tiles - 1 - k).load(COLUMNS)
        with gl.warp_pipeline_stage("add"):
            total += values
    gl.store(out + places(COLUMNS), total)


@hocket.jit
def merged_pipelines(x, out, tiles: gl.constexpr):
    """A straight line and a loop, two stages apart: the compiler joins them by one more slot."""
    buffer = gl.allocate_shared_memory(gl.float32, [tiles, SIZE, SIZE], SHARED)
    total = gl.zeros([SIZE, SIZE], gl.float32, COLUMNS)
    with gl.warp_pipeline_stage("fetch"):
        fetched = gl.load(x + places(ROWS))
    with gl.warp_pipeline_stage("store"):
        buffer.index(0).store(fetched)
        for k in gl.static_range(1, tiles):
            buffer.index(k).store(gl.load(x + k * SIZE * SIZE + places(ROWS)))
    for k in range(tiles):
        with gl.warp_pipeline_stage("add"):
            total *= 2
        with gl.warp_pipeline_stage("read"):
            total += buffer.index(k).load(COLUMNS)
    gl.store(out + places(COLUMNS), total)


def sum_of_tiles(kernel):
    """Launches one of the kernels; the numbers are such that any order gives the same sum."""
    x = np.random.default_rng(0).integers(-9, 10, (TILES, SIZE.value, SIZE.value)).astype(np.float32)
    out = np.zeros(x.shape[1:], np.float32)
    kernel[(1,)](x, out, TILES, num_warps=8)
    return out
