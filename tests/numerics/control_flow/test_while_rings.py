"""Rings in loops whose end is decided as they run (`while`, `break`): slots are told apart as in a `for`.

Copies in flight are those of other iterations, in which an index computed from loop-carried values is different.
"""

import re

import numpy as np
import pytest

import hocket
from hocket import emulator
from hocket import language as gl
from hocket.language.nvidia import hopper
from hocket.language.nvidia.ampere import async_copy
from hocket.language.nvidia.hopper import mbarrier, tma
from hocket.nvidia.hopper import TensorDescriptor

TILE = gl.constexpr(512)
LANES = gl.constexpr(gl.BlockedLayout([4], [32], [4], [0]))
SCHEDULES = [(0, "late"), (1, "random"), (2, "now")]


@hocket.jit
def start_copy(ring, x, step, count):
    places = step * TILE + gl.arange(0, TILE, layout=LANES)
    async_copy.async_load(ring.index(step % ring.shape[0]), x + places, mask=places < count * TILE)


@hocket.jit
def add_in_while(x, out, count, AHEAD: gl.constexpr, SLOTS: gl.constexpr, WRITTEN: gl.constexpr):
    """With WRITTEN, the kernel contains commits and waits, with the maximum number of copies in flight."""
    ring = gl.allocate_shared_memory(gl.int32, [SLOTS, TILE], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    for step in gl.static_range(AHEAD):
        start_copy(ring, x, step, count)
        if WRITTEN:
            async_copy.commit_group()
    total = gl.zeros([TILE], gl.int32, LANES)
    if not WRITTEN:  # only copies of the loop are in flight there
        total -= ring.index(0).load(LANES)
    step = 0
    while step < count:
        if WRITTEN:
            async_copy.wait_group(AHEAD - 1)
        total += ring.index(step % SLOTS).load(LANES)
        start_copy(ring, x, step + AHEAD, count)
        if WRITTEN:
            async_copy.commit_group()
        step += 1
    gl.store(out + gl.arange(0, TILE, layout=LANES), total)


@hocket.jit
def add_until_negative(x, out, count, AHEAD: gl.constexpr, SLOTS: gl.constexpr, WRITTEN: gl.constexpr):
    ring = gl.allocate_shared_memory(gl.int32, [SLOTS, TILE], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    for step in gl.static_range(AHEAD):
        start_copy(ring, x, step, count)
        if WRITTEN:
            async_copy.commit_group()
    total = gl.zeros([TILE], gl.int32, LANES)
    for step in range(count):
        if WRITTEN:
            async_copy.wait_group(AHEAD - 1)
        tile = ring.index(step % SLOTS).load(LANES)
        if gl.min(tile, 0) < 0:
            break
        total += tile
        start_copy(ring, x, step + AHEAD, count)
        if WRITTEN:
            async_copy.commit_group()
    gl.store(out + gl.arange(0, TILE, layout=LANES), total)


@pytest.mark.parametrize("seed, completion", SCHEDULES)
@pytest.mark.parametrize("written", [False, True])
@pytest.mark.parametrize("ahead, slots", [(1, 2), (2, 3), (3, 4), (1, 3)])
@pytest.mark.parametrize("kernel", [add_in_while, add_until_negative], ids=["while", "break"])
def test_copies(nvidia_device, kernel, ahead, slots, written, seed, completion):
    x = np.random.default_rng(0).integers(0, 1000, (7, 512)).astype(np.int32)
    if kernel is add_until_negative:
        x[5, 77] = -1
    out = nvidia_device.to_device(np.zeros(512, np.int32))
    with emulator.schedule(seed=seed, completion=completion):
        kernel[(1,)](nvidia_device.to_device(x), out, 7, ahead, slots, written)
    if kernel is add_until_negative:
        expected = x[:5].sum(0)
    else:
        expected = x.sum(0) - (0 if written else x[0])
    np.testing.assert_array_equal(nvidia_device.to_host(out), expected)


@hocket.jit
def start_loads(a, b, a_ring, b_ring, ready, step, pred):
    slot = step % a_ring.shape[0]
    mbarrier.expect(ready.index(slot), a.nbytes_per_cta + b.nbytes_per_cta, pred=pred)
    tma.async_load(a, [0, step * a.block_shape[1]], ready.index(slot), a_ring.index(slot), pred=pred)
    tma.async_load(b, [step * b.block_shape[0], 0], ready.index(slot), b_ring.index(slot), pred=pred)


@hocket.jit
def multiply_in_while(a, b, out, steps, SLOTS: gl.constexpr, FLIGHT: gl.constexpr):
    """FLIGHT slots are for wgmmas in flight; the compiler inserts the waits for them."""
    M: gl.constexpr = a.block_shape[0]
    K: gl.constexpr = a.block_shape[1]
    N: gl.constexpr = b.block_shape[1]
    ACC: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, N, 16])
    a_ring = gl.allocate_shared_memory(a.dtype, [SLOTS, M, K], a.layout)
    b_ring = gl.allocate_shared_memory(b.dtype, [SLOTS, K, N], b.layout)
    ready = mbarrier.allocate_mbarrier(batch=SLOTS)
    for slot in gl.static_range(SLOTS):
        mbarrier.init(ready.index(slot), count=1)
    for step in gl.static_range(SLOTS - FLIGHT):
        start_loads(a, b, a_ring, b_ring, ready, step, step < steps)
    acc = gl.zeros([M, N], gl.float32, ACC)
    step = 0
    while step < steps:
        slot = step % SLOTS
        mbarrier.wait(ready.index(slot), step // SLOTS & 1)
        acc = hopper.warpgroup_mma(a_ring.index(slot), b_ring.index(slot), acc, is_async=True)
        ahead = step + SLOTS - FLIGHT
        start_loads(a, b, a_ring, b_ring, ready, ahead, ahead < steps)
        step += 1
    row = gl.arange(0, M, layout=gl.SliceLayout(1, ACC))[:, None]
    gl.store(out + row * N + gl.arange(0, N, layout=gl.SliceLayout(0, ACC))[None, :], acc)


def described(device, array, block):
    layout = gl.NVMMASharedLayout.get_default_for(block, gl.float16)
    return TensorDescriptor.from_tensor(device.to_device(array), block, layout)


@pytest.mark.parametrize("seed, completion", SCHEDULES)
@pytest.mark.parametrize("slots, flight", [(2, 1), (3, 1), (4, 2), (5, 4)])
def test_products(hopper_device, slots, flight, seed, completion):
    rng = np.random.default_rng(1)
    a, b = (rng.integers(-9, 9, shape).astype(np.float16) for shape in ((64, 448), (448, 64)))
    out = hopper_device.to_device(np.zeros((64, 64), np.float32))
    descriptors = [described(hopper_device, array, [64, 64]) for array in (a, b)]
    with emulator.schedule(seed=seed, completion=completion):
        multiply_in_while[(1,)](*descriptors, out, 7, slots, flight)
    np.testing.assert_array_equal(hopper_device.to_host(out), a.astype(np.float32) @ b.astype(np.float32))


@hocket.jit
def store_each_product(a, b, out, steps, WRITTEN: gl.constexpr):
    """Each loop starts again at slot 0; with WRITTEN, the kernel contains the waits, one iteration later."""
    M: gl.constexpr = a.block_shape[0]
    K: gl.constexpr = a.block_shape[1]
    N: gl.constexpr = b.block_shape[1]
    ACC: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, N, 16])
    a_tile = gl.allocate_shared_memory(a.dtype, [1, M, K], a.layout)
    b_tile = gl.allocate_shared_memory(b.dtype, [1, K, N], b.layout)
    ready = mbarrier.allocate_mbarrier(batch=1)
    mbarrier.init(ready.index(0), count=1)
    start_loads(a, b, a_tile, b_tile, ready, 0, True)
    mbarrier.wait(ready.index(0), 0)
    row = gl.arange(0, M, layout=gl.SliceLayout(1, ACC))[:, None]
    places = row * N + gl.arange(0, N, layout=gl.SliceLayout(0, ACC))[None, :]
    acc = gl.zeros([M, N], gl.float32, ACC)
    step = 0
    while step < steps:
        if WRITTEN:
            acc = hopper.warpgroup_mma_wait(0, deps=acc)
        gl.store(out + step * M * N + places, acc)
        acc = hopper.warpgroup_mma(a_tile.index(0), b_tile.index(0), gl.zeros([M, N], gl.float32, ACC), is_async=True)
        step += 1
    if WRITTEN:
        acc = hopper.warpgroup_mma_wait(0, deps=acc)
    gl.store(out + step * M * N + places, acc)


@pytest.mark.parametrize("seed, completion", SCHEDULES)
@pytest.mark.parametrize("written", [False, True])
def test_wgmma_loops_that_restart(hopper_device, written, seed, completion):
    rng = np.random.default_rng(2)
    a, b = (rng.integers(-9, 9, (64, 64)).astype(np.float16) for _ in range(2))
    out = hopper_device.to_device(np.ones((4, 64, 64), np.float32))
    descriptors = [described(hopper_device, array, [64, 64]) for array in (a, b)]
    with emulator.schedule(seed=seed, completion=completion):
        store_each_product[(1,)](*descriptors, out, 3, written)
    product = a.astype(np.float32) @ b.astype(np.float32)
    np.testing.assert_array_equal(hopper_device.to_host(out), [0 * product, product, product, product])


def waits(kernel, *arguments, target):
    return re.findall(r"(?:wgmma|cp\.async)\.wait_group\S*\s*(\d)", kernel.warmup(*arguments, target=target).asm["ptx"])


@pytest.mark.parametrize("kernel, written", [(add_in_while, False), (add_in_while, True), (add_until_negative, True)])
def test_copies_stay_in_flight(kernel, written):
    x, out = np.zeros((7, 512), np.int32), np.zeros(512, np.int32)
    found = waits(kernel, x, out, 7, 3, 4, written, target="sm_80")
    assert sorted({*found}) == (["2"] if written else ["0", "2"])


@pytest.mark.parametrize("slots, flight", [(2, 1), (4, 2), (5, 4)])
def test_products_stay_in_flight(slots, flight):
    device = hocket.devices.EmulatedDevice("sm_90a")
    descriptors = [described(device, np.zeros(shape, np.float16), [64, 64]) for shape in ((64, 448), (448, 64))]
    found = waits(multiply_in_while, *descriptors, np.zeros((64, 64), np.float32), 7, slots, flight, target="sm_90a")
    assert found == [str(flight), "0"]
