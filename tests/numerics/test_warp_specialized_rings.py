"""Producers and consumers: partitions that hand tiles over through rings of shared memory, in order by mbarriers."""

import numpy as np
import pytest

import hocket
from hocket import emulator, errors
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


@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize("slots, warps", [(1, 4), (2, 1), (3, 8)])
def test_producer_and_consumer(nvidia_device, slots, warps, is_async):
    run(nvidia_device, one_producer, 7, slots, warps, is_async, True)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("completion", ["late", "random"])
def test_under_other_schedules(seed, completion):
    with emulator.target("sm_90a", seed=seed), emulator.schedule(completion=completion):
        for is_async in (False, True):
            x = np.arange(5 * 1024, dtype=np.int32).reshape(5, 32, 32)
            out = np.zeros((32, 32), np.int32)
            one_producer[(1,)](x, out, 5, 2, 2, is_async, True)
            np.testing.assert_array_equal(out, (x * np.arange(1, 6)[:, None, None]).sum(axis=0))


def test_a_consumer_that_does_not_wait():
    x, out = np.zeros((5, 32, 32), np.int32), np.zeros((32, 32), np.int32)
    with emulator.target("sm_90a"), pytest.raises(errors.RaceError, match="of worker `produce`"):
        one_producer[(1,)](x, out, 5, 2, 4, False, False)


@hocket.jit
def two_producers(x, out, steps, WARPS: gl.constexpr):
    """Each fills every second slot; registers go to the consumer."""
    ring = gl.allocate_shared_memory(gl.int32, [4, 32, 32], SHARED)
    full = gl.allocate_shared_memory(gl.int64, [4, 1], ring_of_mbarriers())
    free = gl.allocate_shared_memory(gl.int64, [4, 1], ring_of_mbarriers())
    for slot in gl.static_range(4):
        mbarrier.init(full.index(slot), count=1)
        mbarrier.init(free.index(slot), count=1)
    total = gl.warp_specialize(
        [
            (consume, (ring, full, free, steps, True)),
            (produce, (x, ring, full, free, 0, 2, steps, True)),
            (produce, (x, ring, full, free, 1, 2, steps, False)),
        ],
        WARPS,
        [40, 40],
    )
    gl.store(out + offsets(columns(gl.num_warps())), total)


@pytest.mark.parametrize("warps", [(1, 1), (4, 2), (4, 4)])
@pytest.mark.parametrize("launched", [4, 8])
def test_two_producers(nvidia_device, warps, launched):
    run(nvidia_device, two_producers, 9, warps, num_warps=launched)
