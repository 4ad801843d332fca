"""Producers and consumers: partitions that hand tiles over through rings of shared memory, in order by mbarriers."""

import numpy as np
import pytest
from specialized_rings import SHARED, columns, consume, offsets, one_producer, produce, ring_of_mbarriers, run

import hocket
from hocket import emulator, errors
from hocket import language as gl
from hocket.language.nvidia.ampere import mbarrier

pytestmark = pytest.mark.quick


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
