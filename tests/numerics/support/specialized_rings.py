"""Kernels whose partitions pass tiles through ring buffers of shared memory, and their launch."""

import numpy as np

import hocket
from hocket import language as gl
from hocket.language.nvidia.ampere import async_copy, mbarrier

SHARED = gl.constexpr(gl.SwizzledSharedLayout(1, 1, 1, [1, 0]))


@gl.constexpr_function
def rows(warps):
    return gl.BlockedLayout([1, 4], [4, 8], [warps, 1], [1, 0])


@gl.constexpr_function
def columns(warps):
    return gl.BlockedLayout([4, 1], [8, 4], [1, warps], [0, 1])


@gl.constexpr_function
def ring_of_mbarriers():
    return mbarrier.MBarrierLayout()


@hocket.jit
def offsets(LAYOUT: gl.constexpr):
    i = gl.arange(0, 32, layout=gl.SliceLayout(1, LAYOUT))[:, None]
    j = gl.arange(0, 32, layout=gl.SliceLayout(0, LAYOUT))[None, :]
    return 32 * i + j


@hocket.jit
def produce(x, ring, full, free, first, step, steps, ASYNC: gl.constexpr):
    """Fills the slots of iterations first, first + step, ..., as they are released."""
    layout: gl.constexpr = rows(gl.num_warps())
    for k in range(first, steps, step):
        slot = k % ring.shape[0]
        mbarrier.wait(free.index(slot), (k // ring.shape[0] + 1) & 1)
        if ASYNC:
            async_copy.async_load(ring.index(slot), x + 1024 * k + offsets(layout))
            async_copy.mbarrier_arrive(full.index(slot), increment_count=True)
        else:
            ring.index(slot).store(gl.load(x + 1024 * k + offsets(layout)))
        mbarrier.arrive(full.index(slot))


@hocket.jit
def consume(ring, full, free, steps, WAITS: gl.constexpr):
    layout: gl.constexpr = columns(gl.num_warps())
    total = gl.zeros([32, 32], gl.int32, layout)
    for k in range(0, steps):
        slot = k % ring.shape[0]
        if WAITS:
            mbarrier.wait(full.index(slot), k // ring.shape[0])
        total += ring.index(slot).load(layout) * (k + 1)
        mbarrier.arrive(free.index(slot))
    return total


@hocket.jit
def one_producer(x, out, steps, SLOTS: gl.constexpr, WARPS: gl.constexpr, ASYNC: gl.constexpr, WAITS: gl.constexpr):
    ring = gl.allocate_shared_memory(gl.int32, [SLOTS, 32, 32], SHARED)
    full = gl.allocate_shared_memory(gl.int64, [SLOTS, 1], ring_of_mbarriers())
    free = gl.allocate_shared_memory(gl.int64, [SLOTS, 1], ring_of_mbarriers())
    for slot in gl.static_range(SLOTS):
        mbarrier.init(full.index(slot), count=1)
        mbarrier.init(free.index(slot), count=1)
    total = gl.warp_specialize(
        [(consume, (ring, full, free, steps, WAITS)), (produce, (x, ring, full, free, 0, 1, steps, ASYNC))], [WARPS]
    )
    gl.store(out + offsets(columns(gl.num_warps())), total)


def run(device, kernel, steps, *options, **launch):
    x = np.random.default_rng(steps).integers(-100, 100, (steps, 32, 32)).astype(np.int32)
    out = device.to_device(np.zeros((32, 32), np.int32))
    kernel[(1,)](device.to_device(x), out, steps, *options, **launch)
    expected = (x * np.arange(1, steps + 1)[:, None, None]).sum(axis=0)
    np.testing.assert_array_equal(device.to_host(out), expected)
