"""Copies between the blocks of a cluster: multicast, mbarriers of other blocks, and what a missing wait does."""

import numpy as np
import pytest
from lane_edits import edited

import hocket
from hocket import emulator, errors
from hocket import language as gl
from hocket.language.nvidia import hopper
from hocket.language.nvidia.hopper import cluster, mbarrier, tma
from hocket.nvidia.hopper import TensorDescriptor

SCHEDULES = [(0, "late"), (1, "random"), (2, "random"), (4, "late"), (3, "now")]


@hocket.jit
def load_once(desc, out, rounds, FROM: gl.constexpr, MULTICAST: gl.constexpr):
    """Each block stores the part that it has been given, all of them side by side."""
    R: gl.constexpr = desc.block_shape[0]
    C: gl.constexpr = desc.block_shape[1]
    ring = gl.allocate_shared_memory(desc.dtype, [2, R, C], desc.layout)
    bars = gl.allocate_shared_memory(gl.int64, [2, 1], mbarrier.MBarrierLayout())
    for slot in gl.static_range(2):
        mbarrier.init(bars.index(slot), count=1)
    cluster.barrier()
    total = gl.zeros([R, C], gl.float32, FROM)
    for i in range(0, rounds):
        bar = bars.index(i % 2)
        tile = ring.index(i % 2)
        mbarrier.expect(bar, desc.nbytes_per_cta)
        tma.async_load(desc, [i * R, 0], bar, tile, multicast=MULTICAST)
        mbarrier.wait(bar, i // 2)
        total += tile.load(FROM)
        cluster.barrier()
    row = gl.arange(0, R, layout=gl.SliceLayout(1, FROM)).expand_dims(1)
    column = gl.arange(0, C, layout=gl.SliceLayout(0, FROM)).expand_dims(0)
    gl.store(out + row * C + column, total)


# cga_layout of shared memory, and of registers that are loaded from it: these may deal to blocks what all of them have.
PLACES = [
    ([[0, 0], [0, 0]], [[1, 0], [2, 0]]),
    ([[0, 0], [0, 0]], [[0, 0], [0, 0]]),
    ([], [[0, 1], [0, 0]]),
    ([[1, 0], [0, 0]], [[1, 0], [0, 1]]),
    ([[0, 0], [1, 0]], [[0, 1], [1, 0]]),
    ([[0, 0], [1, 0]], [[0, 0], [1, 0]]),
    ([[1, 0], [2, 0]], [[1, 0], [2, 0]]),
]


@pytest.mark.parametrize("seed, completion", SCHEDULES)
@pytest.mark.parametrize("shared, registers", PLACES, ids=str)
def test_multicast(hopper_device, shared, registers, seed, completion):
    x = np.random.default_rng(0).integers(0, 99, (5 * 64, 32)).astype(np.float32)
    layout = gl.NVMMASharedLayout(128, 32, cga_layout=shared)
    desc = TensorDescriptor.from_tensor(hopper_device.to_device(x), [64, 32], layout)
    out = hopper_device.to_device(np.zeros((64, 32), np.float32))
    has_copies = not shared or [0, 0] in shared
    dealt = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0], registers)
    with emulator.schedule(seed=seed, completion=completion):
        load_once[(1,)](desc, out, 5, dealt, has_copies, num_ctas=4)
    np.testing.assert_array_equal(hopper_device.to_host(out), x.reshape(5, 64, 32).sum(0))


@hocket.jit
def hand_over(out, rounds):
    """Block 0 signals the other blocks."""
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [gl.num_warps()], [0], [[1], [2]])
    at = gl.arange(0, 128, layout=layout)
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    cluster.barrier()
    value = at
    for i in range(0, rounds):
        mbarrier.arrive(bar, from_cta=0)
        mbarrier.wait(bar, i)
        value += 1
    gl.store(out + at, value)
    cluster.barrier()


@pytest.mark.parametrize("seed", range(4))
def test_one_block_arrives_for_all(hopper_device, seed):
    out = hopper_device.to_device(np.zeros(128, np.int32))
    with emulator.schedule(seed=seed):
        hand_over[(1,)](out, 1, num_ctas=4)
    np.testing.assert_array_equal(hopper_device.to_host(out), np.arange(128) + 1)


@hocket.jit
def pass_on(data, out):
    """The stores of block 0 (or of the lower block of each pair) are visible to blocks that have waited for its
    arrival."""
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [gl.num_warps()], [0], [[1], [2]])
    at = gl.arange(0, 128, layout=layout)
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    cluster.barrier()
    gl.store(data + at, at * 3)
    mbarrier.arrive(bar, from_cta=2)
    mbarrier.wait(bar, 0)
    gl.store(out + at, gl.load(data + (at // 64) * 64 + at % 32))
    cluster.barrier()


@pytest.mark.parametrize("seed", range(4))
def test_arrivals_order_memory(hopper_device, seed):
    data, out = (hopper_device.to_device(np.zeros(128, np.int32)) for _ in range(2))
    with emulator.schedule(seed=seed):
        pass_on[(1,)](data, out, num_ctas=4)
    at = np.arange(128)
    np.testing.assert_array_equal(hopper_device.to_host(out), (at // 64 * 64 + at % 32) * 3)


@hocket.jit
def multiply(a_desc, b_desc, out, ACC: gl.constexpr):
    """Blocks share b and have their own rows of a."""
    a = gl.allocate_shared_memory(a_desc.dtype, a_desc.block_shape, a_desc.layout)
    b = gl.allocate_shared_memory(b_desc.dtype, b_desc.block_shape, b_desc.layout)
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    cluster.barrier()
    mbarrier.expect(bar, a_desc.nbytes_per_cta + b_desc.nbytes_per_cta)
    tma.async_load(a_desc, [0, 0], bar, a)
    tma.async_load(b_desc, [0, 0], bar, b, multicast=True)
    mbarrier.wait(bar, 0)
    M: gl.constexpr = a_desc.block_shape[0]
    N: gl.constexpr = b_desc.block_shape[1]
    acc = hopper.warpgroup_mma(a, b, gl.zeros([M, N], gl.float32, ACC))
    row = gl.arange(0, M, layout=gl.SliceLayout(1, ACC)).expand_dims(1)
    column = gl.arange(0, N, layout=gl.SliceLayout(0, ACC)).expand_dims(0)
    gl.store(out + row * N + column, acc)
    cluster.barrier()


@pytest.mark.parametrize("num_ctas", [2, 4])
def test_products(hopper_device, num_ctas):
    rng = np.random.default_rng(4)
    m, n, k = 64 * num_ctas, 64, 64
    a, b = (rng.integers(-9, 9, shape).astype(np.float16) for shape in ((m, k), (k, n)))
    rows = [[1 << bit, 0] for bit in range(num_ctas.bit_length() - 1)]
    copies = [[0, 0]] * len(rows)
    a_layout = gl.NVMMASharedLayout.get_default_for([m, k], gl.float16, cga_layout=rows)
    b_layout = gl.NVMMASharedLayout.get_default_for([k, n], gl.float16, cga_layout=copies)
    acc = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 16], rows)
    out = hopper_device.to_device(np.zeros((m, n), np.float32))
    a_desc = TensorDescriptor.from_tensor(hopper_device.to_device(a), [m, k], a_layout)
    b_desc = TensorDescriptor.from_tensor(hopper_device.to_device(b), [k, n], b_layout)
    multiply[(1,)](a_desc, b_desc, out, acc, num_ctas=num_ctas)
    np.testing.assert_array_equal(hopper_device.to_host(out), a.astype(np.float32) @ b.astype(np.float32))


# Mistakes -------------------------------------------------------------------------------------------------------------


@hocket.jit
def early_end(out):
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    cluster.barrier()
    mbarrier.arrive(bar, from_cta=0)


@pytest.mark.parametrize("seed", range(6))
def test_a_block_that_may_have_ended(seed):
    with emulator.target("sm_90a"), emulator.schedule(seed=seed), pytest.raises(errors.EmulatorError) as raised:
        early_end[(1,)](np.zeros(1, np.int32), num_ctas=2)
    assert "although that block may have ended by then" in str(raised.value)
    assert "cluster.barrier()" in str(raised.value)


@hocket.jit
def no_barrier_after_init(desc, out, LAYOUT: gl.constexpr):
    tile = gl.allocate_shared_memory(desc.dtype, desc.block_shape, desc.layout)
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    mbarrier.expect(bar, desc.nbytes_per_cta)
    tma.async_load(desc, [0, 0], bar, tile, multicast=True)
    mbarrier.wait(bar, 0)
    gl.store(out, gl.max(gl.max(tile.load(LAYOUT), 1), 0))
    cluster.barrier()


NO_COPIES = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0], [[0, 0]])


def test_initialized_mbarriers_are_ready_in_all_blocks(hopper_device):
    """The compiler inserts the barrier of the cluster after `mbarrier.init`."""
    layout = gl.NVMMASharedLayout(128, 32, cga_layout=[[0, 0]])
    x = np.random.default_rng(0).random((64, 32), np.float32)
    desc = TensorDescriptor.from_tensor(hopper_device.to_device(x), [64, 32], layout)
    out = hopper_device.to_device(np.zeros(1, np.float32))
    compiled = no_barrier_after_init[(1,)](desc, out, NO_COPIES, num_ctas=2)
    assert hopper_device.to_host(out)[0] == x.max()
    assert compiled.asm["hk"].count("hk.cluster_barrier") == 2  # the kernel has one at its end


@pytest.mark.parametrize("shared", [[[1, 0]], None], ids=str)
def test_multicast_without_effect(hopper_device, shared):
    """Each block loads a part of its own, or there is one block only."""
    x = np.random.default_rng(0).integers(0, 99, (64, 32)).astype(np.float32)
    desc = TensorDescriptor.from_tensor(
        hopper_device.to_device(x), [64, 32], gl.NVMMASharedLayout(128, 32, cga_layout=shared or [])
    )
    out = hopper_device.to_device(np.zeros_like(x))
    dealt = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0], shared or [])
    compiled = load_once[(1,)](desc, out, 1, dealt, True, num_ctas=2 if shared else 1)
    np.testing.assert_array_equal(hopper_device.to_host(out), x)
    assert "multicast" not in compiled.asm["ptx"]


def test_multicast_before_the_others_are_ready():
    layout = gl.NVMMASharedLayout(128, 32, cga_layout=[[0, 0]])
    desc = TensorDescriptor.from_tensor(np.ones((64, 32), np.float32), [64, 32], layout)
    message = "`bar` of block 1 may not be initialized yet when a copy starts that will arrive at it"
    with (
        edited(lambda lane: lane.delete_cluster_barriers(0, 1)),
        emulator.target("sm_90a"),
        pytest.raises(errors.MbarrierError, match=message),
    ):
        hocket.jit(no_barrier_after_init.fn)[(1,)](desc, np.zeros(1, np.float32), NO_COPIES, num_ctas=2)
