"""Kernels that use mbarriers wrongly, which shows when they run."""

import hocket
from hocket import language as gl
from hocket.language.nvidia import ampere, hopper
from hocket.language.nvidia.ampere import async_copy, mbarrier
from hocket.language.nvidia.hopper import tma

ROW = gl.constexpr(gl.BlockedLayout([1], [32], [4], [0]))
FLAT = gl.constexpr(gl.SwizzledSharedLayout(1, 1, 1, [0]))


@hocket.jit
def waits_without_init():
    bar = mbarrier.allocate_mbarrier()
    mbarrier.wait(bar, 0)


@hocket.jit
def uses_after_invalidate():
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    mbarrier.invalidate(bar)
    mbarrier.arrive(bar)


@hocket.jit
def inits_twice(rounds):
    bars = mbarrier.allocate_mbarrier(batch=2)
    for i in range(0, rounds):
        mbarrier.init(bars.index(i % 2), count=1)


@hocket.jit
def arrives_too_often():
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=3)
    hopper.mbarrier.arrive(bar, count=2)
    hopper.mbarrier.arrive(bar, count=4)


@hocket.jit
def counts_too_few_threads(x):
    tile = gl.allocate_shared_memory(gl.float32, [128], FLAT)
    half = mbarrier.allocate_mbarrier()
    mbarrier.init(half, count=48)
    async_copy.async_load(tile, x + gl.arange(0, 128, layout=ROW))
    async_copy.mbarrier_arrive(half, increment_count=False)
    mbarrier.wait(half, 0)
    mbarrier.wait(half, 1)


@hocket.jit
def never_arrives():
    bars = mbarrier.allocate_mbarrier(batch=3)
    mbarrier.init(bars.index(1), count=2)
    mbarrier.arrive(bars.index(1))
    mbarrier.wait(bars.index(1), 0)


@hocket.jit
def brings_no_bytes():
    full = mbarrier.allocate_mbarrier()
    mbarrier.init(full, count=1)
    hopper.mbarrier.expect(full, 4096)
    hopper.mbarrier.wait(full, 0)


@hocket.jit
def waits_for_the_wrong_phase(rounds):
    done = mbarrier.allocate_mbarrier()
    mbarrier.init(done, count=1)
    for i in range(0, rounds):
        mbarrier.arrive(done)
        mbarrier.wait(done, 0)


@hocket.jit
def overwrites(x, out):
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    mbarrier.arrive(bar)
    mbarrier.wait(bar, 0)
    tile = gl.allocate_shared_memory(gl.float32, [128], FLAT)
    tile.store(gl.load(x + gl.arange(0, 128, layout=ROW)))
    gl.store(out + gl.arange(0, 128, layout=ROW), tile.load(ROW))


@hocket.jit
def copies_over(x):
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    mbarrier.arrive(bar)
    tile = gl.allocate_shared_memory(gl.float32, [128], FLAT)
    async_copy.async_load(tile, x + gl.arange(0, 128, layout=ROW))
    async_copy.commit_group()
    async_copy.wait_group(0)


@hocket.jit
def expects_too_much():
    bar = ampere.mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=2)
    hopper.mbarrier.expect(bar, 1 << 19)
    hopper.mbarrier.expect(bar, 1 << 19)


@hocket.jit
def copies_without_waiting(x, out, waits):
    """`waits` is not known to the compiler."""
    tile = gl.allocate_shared_memory(gl.float32, [128], FLAT)
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=128)
    async_copy.async_load(tile, x + gl.arange(0, 128, layout=ROW))
    async_copy.mbarrier_arrive(bar, increment_count=False)
    mbarrier.wait(bar, 0, pred=waits != 0)
    gl.store(out + gl.arange(0, 128, layout=ROW), tile.load(ROW))


@hocket.jit
def load(desc, ring, ready, free, steps):
    for i in range(steps):
        mbarrier.wait(free.index(i % 2), i // 2 & 1 ^ 1)
        hopper.mbarrier.expect(ready.index(i % 2), desc.nbytes_per_cta)
        tma.async_load(desc, [0, 0], ready.index(i % 2), ring.index(i % 2))


@hocket.jit
def use(ready, steps):
    for i in range(steps):
        mbarrier.wait(ready.index(i % 2), i // 2 & 1)


@hocket.jit
def never_frees_slots(x, steps):
    tiles: gl.constexpr = gl.NVMMASharedLayout(128, 16, 2)
    desc = tma.make_tensor_descriptor(x, [64, 64], [64, 1], [64, 64], tiles)
    ring = gl.allocate_shared_memory(gl.float16, [2, 64, 64], tiles)
    ready = mbarrier.allocate_mbarrier(batch=2)
    free = mbarrier.allocate_mbarrier(batch=2)
    for i in gl.static_range(2):
        mbarrier.init(ready.index(i), count=1)
        mbarrier.init(free.index(i), count=1)
    gl.warp_specialize([(use, (ready, steps)), (load, (desc, ring, ready, free, steps))], [1])


@hocket.jit
def expects_two_tiles(x):
    desc = tma.make_tensor_descriptor(x, [64, 64], [64, 1], [64, 64], gl.NVMMASharedLayout(128, 16, 2))
    tile = gl.allocate_shared_memory(gl.float16, [64, 64], desc.layout)
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    hopper.mbarrier.expect(bar, 2 * desc.nbytes_per_cta)
    tma.async_load(desc, [0, 0], bar, tile)
    mbarrier.wait(bar, 0)


@hocket.jit
def fills_a_ring_without_release():
    tiles = gl.allocate_shared_memory(gl.float32, [2, 128], FLAT)
    ring = gl.RingBuffer(tiles, fill="stores")
    for tile in gl.static_range(3):
        slot = ring.producer().acquire(tile)
        slot.buffer.store(gl.full([128], tile, gl.float32, ROW))
        ring.producer().commit(tile)
