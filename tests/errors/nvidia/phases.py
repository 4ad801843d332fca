"""Tiles that are read before the phase of their mbarrier, or filled again before their readers have arrived."""

from cases import mistake

import hocket
import hocket.language as gl
from hocket.language.nvidia.ampere import async_copy
from hocket.language.nvidia.hopper import mbarrier, tma, warpgroup_mma

ROWS = gl.constexpr(gl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0]))
ACC = gl.constexpr(gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 16, 16]))
WIDE = gl.constexpr(gl.NVMMASharedLayout(128, 16, 2))
LINE = gl.constexpr(gl.BlockedLayout([1], [32], [4], [0]))
PLAIN = gl.constexpr(gl.SwizzledSharedLayout(1, 1, 1, [0]))


@mistake("f16[16x64]", lowered=True)
def read_without_a_wait(desc):
    tile = gl.allocate_shared_memory(desc.dtype, desc.block_shape, desc.layout)
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    mbarrier.expect(bar, desc.nbytes_per_cta)
    tma.async_load(desc, [0, 0], bar, tile)
    tile.store(tile.load(ROWS) + 1)


@mistake("f16[16x64]", lowered=True)
def read_before_the_wait(desc):
    tile = gl.allocate_shared_memory(desc.dtype, desc.block_shape, desc.layout)
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    mbarrier.expect(bar, desc.nbytes_per_cta)
    tma.async_load(desc, [0, 0], bar, tile)
    x = tile.load(ROWS)
    mbarrier.wait(bar, 0)
    tile.store(x + 1)


@mistake("f16[16x64]", lowered=True)
def a_wait_for_one_of_two_tiles(desc):
    tiles = gl.allocate_shared_memory(desc.dtype, [2, 16, 64], desc.layout)
    first, second = mbarrier.allocate_mbarrier(), mbarrier.allocate_mbarrier()
    mbarrier.init(first, count=1)
    mbarrier.init(second, count=1)
    mbarrier.expect(first, desc.nbytes_per_cta)
    tma.async_load(desc, [0, 0], first, tiles.index(0))
    mbarrier.expect(second, desc.nbytes_per_cta)
    tma.async_load(desc, [16, 0], second, tiles.index(1))
    mbarrier.wait(first, 0)
    x = tiles.index(0).load(ROWS)
    tiles.index(0).store(x + tiles.index(1).load(ROWS))


@mistake("f16[16x64], i32", lowered=True)
def a_ring_whose_loop_does_not_wait(desc, n):
    ring = gl.allocate_shared_memory(desc.dtype, [2, 16, 64], desc.layout)
    bars = mbarrier.allocate_mbarrier(batch=2)
    for slot in gl.static_range(2):
        mbarrier.init(bars.index(slot), count=1)
    total = gl.zeros([16, 64], desc.dtype, ROWS)
    for k in range(n):
        mbarrier.expect(bars.index(k % 2), desc.nbytes_per_cta)
        tma.async_load(desc, [k * 16, 0], bars.index(k % 2), ring.index(k % 2))
        total += ring.index(k % 2).load(ROWS)
    ring.index(0).store(total)


@mistake("f16[16x64]", lowered=True)
def a_product_without_a_wait(desc):
    tile = gl.allocate_shared_memory(desc.dtype, desc.block_shape, desc.layout)
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    mbarrier.expect(bar, desc.nbytes_per_cta)
    tma.async_load(desc, [0, 0], bar, tile)
    a = gl.allocate_shared_memory(gl.float16, [64, 64], WIDE, gl.zeros([64, 64], gl.float16, ROWS))
    acc = warpgroup_mma(a, tile.permute((1, 0)), gl.zeros([64, 16], gl.float32, ACC))
    out = gl.allocate_shared_memory(gl.float32, [64, 16], gl.SwizzledSharedLayout(1, 1, 1, [1, 0]), acc)
    out.store(acc)


@mistake("f16[16x64]", lowered=True)
def a_store_without_a_wait(desc):
    tile = gl.allocate_shared_memory(desc.dtype, desc.block_shape, desc.layout)
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    mbarrier.expect(bar, desc.nbytes_per_cta)
    tma.async_load(desc, [0, 0], bar, tile)
    tma.async_store(desc, [16, 0], tile)
    tma.store_wait(0)


@mistake("*f32", target="sm_80", lowered=True)
def copies_without_a_wait(x):
    tile = gl.allocate_shared_memory(gl.float32, [128], PLAIN)
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    async_copy.async_load(tile, x + gl.arange(0, 128, LINE))
    async_copy.mbarrier_arrive(bar, increment_count=True)
    mbarrier.arrive(bar)
    tile.store(tile.load(LINE) + 1)


@hocket.jit
def produce(desc, ring, full, empty, n, WAITS: gl.constexpr):
    for k in range(n):
        if WAITS:
            mbarrier.wait(empty.index(k % 2), k // 2 & 1 ^ 1)
        mbarrier.expect(full.index(k % 2), desc.nbytes_per_cta)
        tma.async_load(desc, [k * 16, 0], full.index(k % 2), ring.index(k % 2))


@hocket.jit
def consume(ring, full, empty, n, WAITS: gl.constexpr, ARRIVES: gl.constexpr):
    total = gl.zeros([16, 64], gl.float16, ROWS)
    for k in range(n):
        if WAITS:
            mbarrier.wait(full.index(k % 2), k // 2 & 1)
        total += ring.index(k % 2).load(ROWS)
        if ARRIVES:
            mbarrier.arrive(empty.index(k % 2))
    return total


@hocket.jit
def pass_on(desc, n, FULL: gl.constexpr, EMPTY: gl.constexpr, ARRIVES: gl.constexpr):
    ring = gl.allocate_shared_memory(desc.dtype, [2, 16, 64], desc.layout)
    full, empty = mbarrier.allocate_mbarrier(batch=2), mbarrier.allocate_mbarrier(batch=2)
    for slot in gl.static_range(2):
        mbarrier.init(full.index(slot), count=1)
        mbarrier.init(empty.index(slot), count=1)
    total = gl.warp_specialize(
        [(consume, (ring, full, empty, n, FULL, ARRIVES)), (produce, (desc, ring, full, empty, n, EMPTY))], [1]
    )
    ring.index(0).store(total)


@mistake("f16[16x64], i32", lowered=True)
def a_consumer_that_does_not_wait(desc, n):
    pass_on(desc, n, False, True, True)


@mistake("f16[16x64], i32", lowered=True)
def a_producer_that_does_not_wait(desc, n):
    pass_on(desc, n, True, False, True)


@mistake("f16[16x64]", lowered=True)
def a_producer_that_is_told_nothing(desc):
    pass_on(desc, 5, True, False, False)
