"""Kernels for test_seeded_bugs.py. As they stand they are right; what is wrong is planted below the compiler.

All of them add tiles up, in warp pipelines of eight warps. A tile is written to shared memory by rows and read by
columns, so that each warp reads what all others have written.
"""

import numpy as np

import hocket
from hocket import language as gl
from hocket.language import amd
from hocket.language.amd.cdna4 import async_copy

SIZE, TILES = gl.constexpr(64), 4
ROWS = gl.constexpr(gl.BlockedLayout([1, 1], [1, 64], [8, 1], [1, 0]))
COLUMNS = gl.constexpr(gl.BlockedLayout([1, 1], [64, 1], [1, 8], [0, 1]))
SHARED = gl.constexpr(gl.SwizzledSharedLayout(1, 1, 1, [1, 0]))


@hocket.jit
def places(layout: gl.constexpr):
    rows = gl.arange(0, SIZE, layout=gl.SliceLayout(1, layout))
    columns = gl.arange(0, SIZE, layout=gl.SliceLayout(0, layout))
    return rows[:, None] * SIZE + columns[None, :]


@hocket.jit
def one_buffer(x, out, tiles):
    """Writing and reading are two stages apart, both ways: that is as close as they can be."""
    tile = gl.allocate_shared_memory(gl.float32, [SIZE, SIZE], SHARED)
    total = gl.zeros([SIZE, SIZE], gl.float32, COLUMNS)
    tile.store(gl.load(x + places(ROWS)))
    following = gl.load(x + SIZE * SIZE + places(ROWS))
    for k in range(tiles - 1):
        with amd.warp_pipeline_stage("read"):
            values = tile.load(COLUMNS)
        with amd.warp_pipeline_stage("add"):
            total += values
        with amd.warp_pipeline_stage("write"):
            tile.store(following)
        with amd.warp_pipeline_stage("fetch"):
            following = gl.load(x + gl.minimum(k + 2, tiles - 1) * SIZE * SIZE + places(ROWS))
    gl.store(out + places(COLUMNS), total + tile.load(COLUMNS))


@hocket.jit
def two_stages_behind(x, out, tiles):
    """Like one_buffer, with a phase gap of two stages: writes and reads are three stages apart."""
    tile = gl.allocate_shared_memory(gl.float32, [SIZE, SIZE], SHARED)
    total = gl.zeros([SIZE, SIZE], gl.float32, COLUMNS)
    tile.store(gl.load(x + places(ROWS)))
    following = gl.load(x + SIZE * SIZE + places(ROWS))
    for k in range(tiles - 1):
        with amd.warp_pipeline_stage("read", phase_gap=2):
            values_2 = tile.load(COLUMNS)
        with amd.warp_pipeline_stage("add"):
            total += values_2
        with amd.warp_pipeline_stage("pause"):
            pass
        with amd.warp_pipeline_stage("write"):
            tile.store(following * 1)
        with amd.warp_pipeline_stage("fetch"):
            following = gl.load(x + gl.minimum(k + 2, tiles - 1) * SIZE * SIZE + places(ROWS))
        with amd.warp_pipeline_stage("rest"):
            pass
    gl.store(out + places(COLUMNS), total + tile.load(COLUMNS))


@hocket.jit
def ring_of_copies(x, out, tiles, AT_THE_END: gl.constexpr):
    """Copies go straight to shared memory, two tiles ahead. `AT_THE_END` is 0 in a right kernel."""
    ring = gl.allocate_shared_memory(gl.float32, [3, SIZE, SIZE], SHARED)
    total = gl.zeros([SIZE, SIZE], gl.float32, COLUMNS)
    for k in gl.static_range(2):
        async_copy.buffer_load_to_shared(ring.index(k), x + k * SIZE * SIZE, places(ROWS))
        async_copy.commit_group()
    async_copy.wait_group(1)
    for k in range(tiles - 2):
        with amd.warp_pipeline_stage("read"):
            values = ring.index(k % 3).load(COLUMNS)
            async_copy.buffer_load_to_shared(ring.index((k + 2) % 3), x + (k + 2) * SIZE * SIZE, places(ROWS))
            async_copy.commit_group()
        async_copy.wait_group(1)
        with amd.warp_pipeline_stage("add"):
            total += values
    async_copy.wait_group(AT_THE_END)
    for k in gl.static_range(2):
        total += ring.index((tiles - 2 + k) % 3).load(COLUMNS)
    gl.store(out + places(COLUMNS), total)


@hocket.jit
def two_pipelines(x, out, tiles: gl.constexpr):
    """The first loop fills the buffer, the second sums its elements."""
    buffer = gl.allocate_shared_memory(gl.float32, [tiles, SIZE, SIZE], SHARED)
    total = gl.zeros([SIZE, SIZE], gl.float32, COLUMNS)
    for k in range(tiles):
        with amd.warp_pipeline_stage("fetch"):
            fetched = gl.load(x + k * SIZE * SIZE + places(ROWS))
        with amd.warp_pipeline_stage("write"):
            buffer.index(k).store(fetched)
    for k in range(tiles):
        with amd.warp_pipeline_stage("read"):
            values = buffer.index(tiles - 1 - k).load(COLUMNS)
        with amd.warp_pipeline_stage("add"):
            total += values
    gl.store(out + places(COLUMNS), total)


@hocket.jit
def merged_pipelines(x, out, tiles: gl.constexpr):
    """A straight line and a loop, which are far enough apart: the compiler joins them by one more slot, a fence."""
    buffer = gl.allocate_shared_memory(gl.float32, [tiles, SIZE, SIZE], SHARED)
    total = gl.zeros([SIZE, SIZE], gl.float32, COLUMNS)
    with amd.warp_pipeline_stage("fetch"):
        fetched = gl.load(x + places(ROWS))
    with amd.warp_pipeline_stage("write"):
        buffer.index(0).store(fetched)
        for k in gl.static_range(1, tiles):
            buffer.index(k).store(gl.load(x + k * SIZE * SIZE + places(ROWS)))
    with amd.warp_pipeline_stage("pause"):
        pass
    for k in range(tiles):
        with amd.warp_pipeline_stage("add"):
            total *= 2
        with amd.warp_pipeline_stage("read"):
            total += buffer.index(k).load(COLUMNS)
    gl.store(out + places(COLUMNS), total)


def sum_of_tiles(kernel, tiles=TILES, **constexprs):
    """Launches one of the kernels; the numbers are such that any order gives the same sum."""
    x = np.random.default_rng(0).integers(-9, 10, (tiles, SIZE.value, SIZE.value)).astype(np.float32)
    out = np.zeros(x.shape[1:], np.float32)
    kernel[(1,)](x, out, tiles, num_warps=8, **constexprs)
    return out
