"""A ring buffer in shared memory with a right and a wrong wait, for `hocket check`:

    hocket check ring_check.py::right_ring --target gfx950 --schedules 200
    hocket check ring_check.py::wrong_ring --target gfx950 --schedules 200

The kernel sums tiles. While it adds one tile, the copies of the next ones to the other buffers of the ring are in
flight. `wait_group(n)` waits until at most the n newest copies are in flight.
"""

import numpy as np

import hocket
from hocket import language as gl
from hocket.language.amd.cdna4 import async_copy

SIZE = 64
TILES = 7


@hocket.jit
def add_tiles(x, out, tiles, SLOTS: gl.constexpr, EVERY: gl.constexpr, SIZE: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [4, 16], [gl.num_warps(), 1], [1, 0])
    rows = gl.arange(0, SIZE, layout=gl.SliceLayout(1, layout))[:, None]
    offsets = rows * SIZE + gl.arange(0, SIZE, layout=gl.SliceLayout(0, layout))[None, :]
    ring = gl.allocate_shared_memory(gl.float32, [SLOTS, SIZE, SIZE], gl.SwizzledSharedLayout(1, 1, 1, [1, 0]))
    for slot in gl.static_range(SLOTS - 1):
        async_copy.buffer_load_to_shared(ring.index(slot), x + slot * SIZE * SIZE, offsets)
        async_copy.commit_group()
    total = gl.zeros([SIZE, SIZE], gl.float32, layout)
    for tile in range(0, tiles):
        if tile % EVERY == 0:
            async_copy.wait_group(SLOTS - 2)
        total += ring.index(tile % SLOTS).load(layout)
        ahead = tile + SLOTS - 1
        source = x + ahead * SIZE * SIZE
        async_copy.buffer_load_to_shared(ring.index(ahead % SLOTS), source, offsets, mask=ahead < tiles)
        async_copy.commit_group()
    gl.store(out + offsets, total)


def sum_of_tiles(slots, every):
    x = np.random.default_rng(0).integers(0, 100, (TILES, SIZE, SIZE)).astype(np.float32)
    out = np.zeros((SIZE, SIZE), np.float32)
    add_tiles[(1,)](x, out, TILES, SLOTS=slots, EVERY=every, SIZE=SIZE)
    np.testing.assert_array_equal(out, x.sum(axis=0))
    return out


def right_ring():
    """Uses three buffers: when a tile is read, the copies of the next two have been started, and one of them may be in
    flight."""
    return sum_of_tiles(slots=3, every=1)


def wrong_ring():
    """Waits only at every other tile, and then for one copy. (The compiler rejects a wait that is too weak in every
    iteration.)"""
    return sum_of_tiles(slots=3, every=2)


if __name__ == "__main__":
    for function in (right_ring, wrong_ring):
        print(hocket.check(function, target="gfx950", schedules=50), end="\n\n")
