"""Kernels whose partitions alternate, synchronize, and exchange data with named barriers."""

from tiles import tile_offsets

import hocket
from hocket import language as gl
from hocket.language.nvidia.ampere import named_barrier
from hocket.language.nvidia.hopper import warpgroup_mma, warpgroup_mma_wait

FLAT = gl.constexpr(gl.SwizzledSharedLayout(1, 1, 1, [0]))


# Turns ---------------------------------------------------------------------------------------------------------------


@hocket.jit
def append(log, length, own, following, rounds, NUMBER: gl.constexpr, IS_LAST: gl.constexpr):
    """Each round appends its number to the log, which only the partition whose round it is accesses."""
    if IS_LAST:
        named_barrier.arrive(following)
    for _ in range(rounds):
        named_barrier.arrive_and_wait(own)
        end = gl.load(length)
        gl.barrier()
        gl.store(log + end, NUMBER)
        gl.store(length, end + 1)
        named_barrier.arrive(following)


@hocket.jit
def by_turns(log, length, rounds, WARPS: gl.constexpr):
    both: gl.constexpr = gl.num_warps() + WARPS
    turns = (
        named_barrier.allocate(num_warps=both),
        named_barrier.allocate(num_warps=both),
        named_barrier.allocate(num_warps=2 * WARPS),
    )
    gl.warp_specialize(
        [
            (append, (log, length, turns[0], turns[1], rounds, 0, False)),
            (append, (log, length, turns[1], turns[2], rounds, 1, False)),
            (append, (log, length, turns[2], turns[0], rounds, 2, True)),
        ],
        [WARPS, WARPS],
    )


# Data through shared memory ------------------------------------------------------------------------------------------


@hocket.jit
def fill(x, tile, full, empty, tiles):
    i = gl.arange(0, tile.shape[0], layout=gl.row_layout())
    for t in range(tiles):
        named_barrier.arrive_and_wait(empty)
        tile.store(gl.load(x + t * tile.shape[0] + i))
        named_barrier.arrive(full)


@hocket.jit
def drain(out, tile, full, empty, tiles):
    i = gl.arange(0, tile.shape[0], layout=gl.row_layout())
    for t in range(tiles):
        named_barrier.arrive(empty)
        named_barrier.arrive_and_wait(full)
        gl.store(out + t * tile.shape[0] + i, 2 * tile.load(gl.row_layout()))


@hocket.jit
def through_one_tile(x, out, tiles, N: gl.constexpr, WARPS: gl.constexpr):
    """A worker fills a tile that the launch's warps empty."""
    tile = gl.allocate_shared_memory(gl.int32, [N], FLAT)
    both: gl.constexpr = gl.num_warps() + WARPS
    full, empty = named_barrier.allocate(both), named_barrier.allocate(both)
    gl.warp_specialize([(drain, (out, tile, full, empty, tiles)), (fill, (x, tile, full, empty, tiles))], [WARPS])


# Partitions that meet ------------------------------------------------------------------------------------------------


@hocket.jit
def add_of_other(out, own, other, met, rounds):
    """Adds what the other has stored, round by round; both stand still where they meet."""
    i = gl.arange(0, own.shape[0], layout=gl.row_layout())
    mine = i
    for _ in range(rounds):
        own.store(mine)
        named_barrier.arrive_and_wait(met)
        mine += other.load(gl.row_layout())
        named_barrier.arrive_and_wait(met)
    gl.store(out + i, mine)


@hocket.jit
def side_by_side(out, rounds, N: gl.constexpr, WARPS: gl.constexpr):
    left = gl.allocate_shared_memory(gl.int32, [N], FLAT)
    right = gl.allocate_shared_memory(gl.int32, [N], FLAT)
    met = named_barrier.allocate(gl.num_warps() + WARPS)
    gl.warp_specialize(
        [(add_of_other, (out, left, right, met, rounds)), (add_of_other, (out + N, right, left, met, rounds))], [WARPS]
    )


# Turns at the tensor cores -------------------------------------------------------------------------------------------

ACC = gl.constexpr(gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 16]))
COPY = gl.constexpr(gl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0]))
TILE = gl.constexpr(gl.NVMMASharedLayout.get_default_for([64, 64], gl.float16))


@hocket.jit
def multiply(out, left, ring, own, following, steps, NUMBER: gl.constexpr, IS_LAST: gl.constexpr):
    """Computes the sum of (k + 1) left x ring[k % 2]. The next partition starts while the wgmma of this one is in
    flight."""
    total = gl.zeros([64, 64], gl.float32, ACC)
    if IS_LAST:
        named_barrier.arrive(following)
    for k in range(steps):
        named_barrier.arrive_and_wait(own)
        product = warpgroup_mma(left, ring.index(k % 2), gl.zeros([64, 64], gl.float32, ACC), is_async=True)
        named_barrier.arrive(following)
        product = warpgroup_mma_wait(0, deps=[product])
        total += product * (k + 1)
    gl.store(out + NUMBER * 64 * 64 + tile_offsets(64, 64, ACC), total)


@hocket.jit
def products_by_turns(a, b, out, steps):
    """a[3, 64, 64] and b[2, 64, 64]: three warpgroups, as attention at D 64 has them."""
    left = gl.allocate_shared_memory(gl.float16, [3, 64, 64], TILE)
    ring = gl.allocate_shared_memory(gl.float16, [2, 64, 64], TILE)
    offsets = tile_offsets(64, 64, COPY)
    for i in gl.static_range(3):
        left.index(i).store(gl.load(a + i * 64 * 64 + offsets))
    for i in gl.static_range(2):
        ring.index(i).store(gl.load(b + i * 64 * 64 + offsets))
    turns = (named_barrier.allocate(8), named_barrier.allocate(8), named_barrier.allocate(8))
    gl.warp_specialize(
        [
            (multiply, (out, left.index(0), ring, turns[0], turns[1], steps, 0, False)),
            (multiply, (out, left.index(1), ring, turns[1], turns[2], steps, 1, False)),
            (multiply, (out, left.index(2), ring, turns[2], turns[0], steps, 2, True)),
        ],
        [4, 4],
    )
