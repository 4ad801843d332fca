"""A warp pipeline with copies in flight at its end, for `hocket check`:

    hocket check pipeline_check.py::right_end --target gfx950 --schedules 200
    hocket check pipeline_check.py::early_end --target gfx950 --schedules 200

The kernel sums tiles. While one half of the warps reads a tile and starts the copy of a later one, the other half adds.
In the pipeline, the compiler proves that the copy of a tile has completed before its reads. After the pipeline, two
copies are still in flight, and the kernel must wait for them.
"""

import numpy as np

import hocket
from hocket import language as gl
from hocket.language import amd
from hocket.language.amd.cdna4 import async_copy

SIZE = 64
TILES = 7


@hocket.jit
def copy_tile(ring, x, offsets, tile):
    slot = ring.acquire(tile)
    async_copy.buffer_load_to_shared(slot.buffer, x + tile * SIZE * SIZE, offsets)
    ring.commit()


@hocket.jit
def add_tiles(x, out, tiles, OUTSTANDING: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [4, 16], [gl.num_warps(), 1], [1, 0])
    rows = gl.arange(0, SIZE, layout=gl.SliceLayout(1, layout))[:, None]
    offsets = rows * SIZE + gl.arange(0, SIZE, layout=gl.SliceLayout(0, layout))[None, :]
    buffers = gl.allocate_shared_memory(gl.float32, [3, SIZE, SIZE], gl.SwizzledSharedLayout(1, 1, 1, [1, 0]))
    ring = gl.RingBuffer(buffers, fill="groups", consumers=0)
    total = gl.zeros([SIZE, SIZE], gl.float32, layout)
    for tile in gl.static_range(2):
        copy_tile(ring.producer(), x, offsets, tile)
    ring.consumer().wait(0, outstanding=1)
    for tile in range(tiles - 2):
        with amd.warp_pipeline_stage("read"):
            values = ring.slot(tile).buffer.load(layout)
            copy_tile(ring.producer(), x, offsets, tile + 2)
        ring.consumer().wait(tile + 1, outstanding=1)
        with amd.warp_pipeline_stage("add"):
            total += values
    ring.consumer().wait(tiles - 2, outstanding=OUTSTANDING)
    for last in gl.static_range(2):
        total += ring.slot(tiles - 2 + last).buffer.load(layout)
    gl.store(out + offsets, total)


def sum_of_tiles(outstanding):
    x = np.random.default_rng(0).integers(0, 100, (TILES, SIZE, SIZE)).astype(np.float32)
    out = np.zeros((SIZE, SIZE), np.float32)
    add_tiles[(1,)](x, out, TILES, OUTSTANDING=outstanding, num_warps=8)
    np.testing.assert_array_equal(out, x.sum(axis=0))
    return out


def right_end():
    """Waits for both remaining tiles."""
    return sum_of_tiles(outstanding=0)


def early_end():
    """Waits only for the first of the two remaining tiles."""
    return sum_of_tiles(outstanding=1)


if __name__ == "__main__":
    for function in (right_end, early_end):
        print(hocket.check(function, target="gfx950", schedules=50), end="\n\n")
