"""A ring buffer with a right and a wrong wait, for `hocket check`:

    hocket check ring_check.py::right_ring --target gfx950 --schedules 200
    hocket check ring_check.py::wrong_ring --target gfx950 --schedules 200

The kernel sums tiles. While it adds one tile, the copies of the next ones to the other stages of the ring buffer are in
flight. `wait(tile, outstanding=n)` waits until the copy of a tile is complete; those of the n tiles after it may still
be in flight.
"""

import numpy as np

import hocket
from hocket import language as gl
from hocket.language.amd.cdna4 import async_copy

SIZE = 64
TILES = 7


@hocket.jit
def copy_tile(ring, x, offsets, tile, tiles):
    slot = ring.acquire(tile)
    async_copy.buffer_load_to_shared(slot.buffer, x + tile * SIZE * SIZE, offsets, mask=tile < tiles)
    ring.commit()


@hocket.jit
def add_tiles(x, out, tiles, STAGES: gl.constexpr, EVERY: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [4, 16], [gl.num_warps(), 1], [1, 0])
    rows = gl.arange(0, SIZE, layout=gl.SliceLayout(1, layout))[:, None]
    offsets = rows * SIZE + gl.arange(0, SIZE, layout=gl.SliceLayout(0, layout))[None, :]
    buffers = gl.allocate_shared_memory(gl.float32, [STAGES, SIZE, SIZE], gl.SwizzledSharedLayout(1, 1, 1, [1, 0]))
    ring = gl.RingBuffer(buffers, fill="groups", consumers=0)
    for tile in gl.static_range(STAGES - 1):
        copy_tile(ring.producer(), x, offsets, tile, tiles)
    total = gl.zeros([SIZE, SIZE], gl.float32, layout)
    for tile in range(0, tiles):
        if tile % EVERY == 0:
            ring.consumer().wait(tile, outstanding=STAGES - 2)
        total += ring.slot(tile).buffer.load(layout)
        copy_tile(ring.producer(), x, offsets, tile + STAGES - 1, tiles)
    gl.store(out + offsets, total)


def sum_of_tiles(stages, every):
    x = np.random.default_rng(0).integers(0, 100, (TILES, SIZE, SIZE)).astype(np.float32)
    out = np.zeros((SIZE, SIZE), np.float32)
    add_tiles[(1,)](x, out, TILES, STAGES=stages, EVERY=every)
    np.testing.assert_array_equal(out, x.sum(axis=0))
    return out


def right_ring():
    """Uses three stages: when a tile is read, the copies of the next two have been started, and one of them may be in
    flight."""
    return sum_of_tiles(stages=3, every=1)


def wrong_ring():
    """Waits only at every other tile, and then for one copy. (The compiler rejects a wait that is too weak in every
    iteration.)"""
    return sum_of_tiles(stages=3, every=2)


if __name__ == "__main__":
    for function in (right_ring, wrong_ring):
        print(hocket.check(function, target="gfx950", schedules=50), end="\n\n")
