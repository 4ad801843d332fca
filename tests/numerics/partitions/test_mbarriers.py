"""Mbarriers: phases, arrivals of threads and of cp.async copies, what waiting shows, and what a missing wait does."""

import numpy as np
import pytest
from tiles import tile_offsets

import hocket
from hocket import emulator, errors
from hocket import language as gl
from hocket.language.nvidia import ampere, hopper
from hocket.language.nvidia.ampere import async_copy, mbarrier

COPY = gl.constexpr(gl.BlockedLayout([1, 4], [2, 16], [4, 1], [1, 0]))
READ = gl.constexpr(gl.BlockedLayout([4, 1], [16, 2], [1, 4], [0, 1]))
SHARED = gl.constexpr(gl.SwizzledSharedLayout(4, 1, 8, [1, 0]))
SCHEDULES = [(0, "late"), (1, "random"), (2, "random"), (4, "late"), (8, "random"), (3, "now")]


@hocket.jit
def through_global(x, out, rounds):
    """Each round writes in one layout and reads in another; the arrival orders the two."""
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    value = gl.load(x + tile_offsets(64, 64, COPY))
    for i in range(0, rounds):
        gl.store(out + tile_offsets(64, 64, COPY), value + 1)
        mbarrier.arrive(bar)
        mbarrier.wait(bar, 2 * i)
        turned = gl.load(out + tile_offsets(64, 64, READ))
        gl.store(out + 4096 + tile_offsets(64, 64, READ), turned)
        mbarrier.arrive(bar)
        mbarrier.wait(bar, 2 * i + 1)
        value = gl.load(out + 4096 + tile_offsets(64, 64, COPY))
    mbarrier.invalidate(bar)


def test_arrivals_order_global_memory(nvidia_device):
    x = np.random.default_rng(0).integers(0, 100, 4096).astype(np.float32)
    out = nvidia_device.to_device(np.zeros(8192, np.float32))
    through_global[(1,)](nvidia_device.to_device(x), out, 5)
    np.testing.assert_array_equal(nvidia_device.to_host(out), np.concatenate([x, x]) + 5)


@hocket.jit
def through_shared(x, out, rounds, PER_WARP: gl.constexpr):
    tile = gl.allocate_shared_memory(gl.float32, [64, 64], SHARED)
    bars = gl.allocate_shared_memory(gl.int64, [2, 1], mbarrier.MBarrierLayout())
    for slot in gl.static_range(2):
        mbarrier.init(bars.index(slot), count=2 * gl.num_warps() if PER_WARP else 2)
    total = gl.zeros([64, 64], gl.float32, READ)
    for i in range(0, rounds):
        tile.store(gl.load(x + i * 4096 + tile_offsets(64, 64, COPY)))
        full = bars.index(i % 2)
        mbarrier.arrive(full, per_warp=PER_WARP)
        mbarrier.arrive(full, pred=i >= 0, per_warp=PER_WARP)
        mbarrier.arrive(full, pred=i < 0, per_warp=PER_WARP)
        mbarrier.wait(full, i // 2, deps=[tile])
        total += tile.load(READ)
    gl.store(out + tile_offsets(64, 64, READ), total)


@pytest.mark.parametrize("per_warp", [False, True])
def test_arrivals_order_shared_memory(nvidia_device, per_warp):
    x = np.random.default_rng(1).integers(0, 100, (7, 64, 64)).astype(np.float32)
    out = nvidia_device.to_device(np.zeros((64, 64), np.float32))
    through_shared[(1,)](nvidia_device.to_device(x), out, 7, per_warp)
    np.testing.assert_array_equal(nvidia_device.to_host(out), x.sum(0))


@hocket.jit
def ring(x, out, steps, SLOTS: gl.constexpr, INCREMENT: gl.constexpr):
    """The producer fills slots that the consumer has emptied; both are the whole block. Sums `steps` tiles."""
    threads: gl.constexpr = gl.num_warps() * 32
    tiles = gl.allocate_shared_memory(gl.float32, [SLOTS, 64, 64], SHARED)
    full = mbarrier.allocate_mbarrier(batch=SLOTS)
    empty = mbarrier.allocate_mbarrier(batch=SLOTS)
    for slot in gl.static_range(SLOTS):
        mbarrier.init(full.index(slot), count=1 if INCREMENT else threads)
        mbarrier.init(empty.index(slot), count=1)
    total = gl.zeros([64, 64], gl.float32, READ)
    for step in range(0, steps + SLOTS - 1):
        slot, phase = step % SLOTS, (step // SLOTS) & 1
        if step < steps:
            mbarrier.wait(empty.index(slot), phase ^ 1)
            async_copy.async_load(tiles.index(slot), x + step * 4096 + tile_offsets(64, 64, COPY))
            async_copy.mbarrier_arrive(full.index(slot), increment_count=INCREMENT)
            if INCREMENT:
                mbarrier.arrive(full.index(slot))
        done = step - (SLOTS - 1)
        if done >= 0:
            slot, phase = done % SLOTS, (done // SLOTS) & 1
            mbarrier.wait(full.index(slot), phase)
            total += tiles.index(slot).load(READ)
            mbarrier.arrive(empty.index(slot))
    for slot in gl.static_range(SLOTS):
        mbarrier.invalidate(full.index(slot))
        mbarrier.invalidate(empty.index(slot))
    gl.store(out + tile_offsets(64, 64, READ), total)


@pytest.mark.parametrize("increment", [True, False])
@pytest.mark.parametrize("slots", [1, 2, 3])
def test_rings_of_copies(nvidia_device, slots, increment):
    x = np.random.default_rng(2).integers(0, 50, (9, 64, 64)).astype(np.float32)
    out = nvidia_device.to_device(np.zeros((64, 64), np.float32))
    ring[(1,)](nvidia_device.to_device(x), out, 9, slots, increment)
    np.testing.assert_array_equal(nvidia_device.to_host(out), x.sum(0))


@pytest.mark.parametrize("increment", [True, False])
@pytest.mark.parametrize("seed, completion", SCHEDULES)
def test_rings_whenever_copies_arrive(seed, completion, increment):
    x = np.random.default_rng(3).integers(0, 50, (9, 64, 64)).astype(np.float32)
    out = np.zeros((64, 64), np.float32)
    with emulator.target("sm_90a", seed=seed, completion=completion):
        ring[(1,)](x, out, 9, 3, increment)
    np.testing.assert_array_equal(out, x.sum(0))


@gl.constexpr_function
def rows_of(warps):
    return gl.BlockedLayout([1, 4], [2, 16], [warps, 1], [1, 0])


@gl.constexpr_function
def columns_of(warps):
    return gl.BlockedLayout([4, 1], [16, 2], [1, warps], [0, 1])


@hocket.jit
def produce(x, tiles, full, empty, steps, SLOTS: gl.constexpr, COPIES: gl.constexpr):
    layout: gl.constexpr = rows_of(gl.num_warps())
    for step in range(0, steps):
        slot = step % SLOTS
        mbarrier.wait(empty.index(slot), step // SLOTS + 1)
        if COPIES:
            async_copy.async_load(tiles.index(slot), x + step * 4096 + tile_offsets(64, 64, layout))
            async_copy.mbarrier_arrive(full.index(slot))
        else:
            tiles.index(slot).store(gl.load(x + step * 4096 + tile_offsets(64, 64, layout)))
        mbarrier.arrive(full.index(slot))


@hocket.jit
def consume(out, tiles, full, empty, steps, SLOTS: gl.constexpr):
    layout: gl.constexpr = columns_of(gl.num_warps())
    total = gl.zeros([64, 64], gl.float32, layout)
    for step in range(0, steps):
        slot = step % SLOTS
        mbarrier.wait(full.index(slot), step // SLOTS)
        total += tiles.index(slot).load(layout)
        mbarrier.arrive(empty.index(slot))
    gl.store(out + tile_offsets(64, 64, layout), total)


@hocket.jit
def partitioned(x, out, steps, SLOTS: gl.constexpr, COPIES: gl.constexpr, WARPS: gl.constexpr):
    tiles = gl.allocate_shared_memory(gl.float32, [SLOTS, 64, 64], SHARED)
    full = mbarrier.allocate_mbarrier(batch=SLOTS)
    empty = mbarrier.allocate_mbarrier(batch=SLOTS)
    for slot in gl.static_range(SLOTS):
        mbarrier.init(full.index(slot), count=1)
        mbarrier.init(empty.index(slot), count=1)
    gl.warp_specialize(
        [(consume, (out, tiles, full, empty, steps, SLOTS)), (produce, (x, tiles, full, empty, steps, SLOTS, COPIES))],
        [WARPS],
    )
    for slot in gl.static_range(SLOTS):
        mbarrier.invalidate(full.index(slot))
        mbarrier.invalidate(empty.index(slot))


@pytest.mark.parametrize("copies", [True, False], ids=["copies", "stores"])
@pytest.mark.parametrize("slots, producers", [(1, 4), (2, 1), (3, 2)])
def test_partitions_alternate(nvidia_device, slots, producers, copies):
    x = np.random.default_rng(5).integers(0, 50, (9, 64, 64)).astype(np.float32)
    out = nvidia_device.to_device(np.zeros((64, 64), np.float32))
    partitioned[(1,)](nvidia_device.to_device(x), out, 9, slots, copies, producers)
    np.testing.assert_array_equal(nvidia_device.to_host(out), x.sum(0))


@pytest.mark.parametrize("copies", [True, False], ids=["copies", "stores"])
@pytest.mark.parametrize("seed, completion", SCHEDULES)
def test_partitions_whenever_copies_arrive(seed, completion, copies):
    x = np.random.default_rng(6).integers(0, 50, (9, 64, 64)).astype(np.float32)
    out = np.zeros((64, 64), np.float32)
    with emulator.target("sm_90a", seed=seed, completion=completion):
        partitioned[(1,)](x, out, 9, 2, copies, 2)
    np.testing.assert_array_equal(out, x.sum(0))


@hocket.jit
def counted(out):
    """Hopper's arrivals by several at once, and phases that wait for no bytes."""
    bar = hopper.mbarrier.allocate_mbarrier()
    hopper.mbarrier.init(bar, count=4)
    hopper.mbarrier.fence_init_release_cluster()
    for i in range(0, 3):
        hopper.mbarrier.arrive(bar, count=2)
        hopper.mbarrier.expect(bar, 0)
        hopper.mbarrier.arrive(bar)
        hopper.mbarrier.wait(bar, i)
    gl.store(out, 3)


def test_several_arrivals_at_once(hopper_device):
    out = hopper_device.to_device(np.zeros(1, np.int32))
    counted[(1,)](out)
    assert hopper_device.to_host(out)[0] == 3


@hocket.jit
def waits_as_needed(x, out, waits):
    """`waits` is not known to the compiler."""
    tile = gl.allocate_shared_memory(gl.float32, [64, 64], SHARED)
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=gl.num_warps() * 32)
    async_copy.async_load(tile, x + tile_offsets(64, 64, COPY))
    async_copy.mbarrier_arrive(bar, increment_count=False)
    mbarrier.wait(bar, 0, pred=waits != 0)
    gl.store(out + tile_offsets(64, 64, READ), tile.load(READ))


@pytest.mark.parametrize("target", ["sm_80", "sm_90a"])
@pytest.mark.parametrize("seed, completion", SCHEDULES)
def test_a_missing_wait_shows(target, seed, completion):
    x, out = np.ones((64, 64), np.float32), np.zeros((64, 64), np.float32)
    with (
        emulator.target(target, seed=seed, completion=completion),
        pytest.raises(errors.RaceError, match=r"read of `tile` while the asynchronous copy"),
    ):
        waits_as_needed[(1,)](x, out, 0)
    with emulator.target(target, seed=seed, completion=completion):
        waits_as_needed[(1,)](x, out, 2)
    np.testing.assert_array_equal(out, x)


def test_late_copies_are_missing_without_a_wait():
    x, out = np.ones((64, 64), np.float32), np.zeros((64, 64), np.float32)
    with emulator.target("sm_90a", races=False):
        waits_as_needed[(1,)](x, out, 0)
    assert np.isnan(out).all()


@pytest.mark.parametrize("target", ["sm_80", "sm_90a"])
def test_check_finds_a_missing_wait(target):
    """Under every schedule, and nothing where the wait is there."""
    x, out = np.ones((64, 64), np.float32), np.zeros((64, 64), np.float32)

    def run(wait):
        waits_as_needed[(1,)](x, out, wait)
        return out

    assert hocket.check(lambda: run(2), target=target, schedules=20).ok
    report = hocket.check(lambda: run(0), target=target, schedules=20)
    assert not report.ok and "asynchronous copy" in str(report)


@hocket.jit
def reused(x, out):
    """Memory of an mbarrier becomes a tile's, once it is plain memory again."""
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    mbarrier.arrive(bar)
    mbarrier.wait(bar, 0)
    mbarrier.invalidate(bar)
    mbarrier.init(bar, count=2)
    mbarrier.arrive(bar)
    mbarrier.arrive(bar)
    mbarrier.wait(bar, 0)
    mbarrier.invalidate(bar)
    tile = gl.allocate_shared_memory(gl.float32, [64, 64], SHARED, gl.load(x + tile_offsets(64, 64, COPY)))
    gl.store(out + tile_offsets(64, 64, READ), tile.load(READ))


def test_memory_after_invalidation(nvidia_device):
    x = np.random.default_rng(4).integers(0, 50, (64, 64)).astype(np.float32)
    out = nvidia_device.to_device(np.zeros_like(x))
    reused[(1,)](nvidia_device.to_device(x), out)
    np.testing.assert_array_equal(nvidia_device.to_host(out), x)


def test_names_of_both_generations():
    for name in ("MBarrierLayout", "allocate_mbarrier", "init", "invalidate", "wait"):
        assert getattr(hopper.mbarrier, name) is getattr(ampere.mbarrier, name)
