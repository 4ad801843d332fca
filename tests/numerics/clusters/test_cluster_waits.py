"""Operations in flight complete before another block of the cluster can write, or read, their shared memory."""

import numpy as np
import pytest

import hocket
from hocket import emulator
from hocket import language as gl
from hocket.language.nvidia import hopper
from hocket.language.nvidia.ampere import async_copy
from hocket.language.nvidia.hopper import cluster, mbarrier, tma
from hocket.nvidia.hopper import TensorDescriptor

pytestmark = pytest.mark.quick

SCHEDULES = [(0, "late"), (1, "random"), (2, "random"), (3, "now")]
M, N, K = 64, 64, 64
NUM_CTAS = 2
A_LAYOUT = gl.NVMMASharedLayout.get_default_for([NUM_CTAS * M, K], gl.float16, cga_layout=[[1, 0]])
B_LAYOUT = gl.NVMMASharedLayout.get_default_for([K, N], gl.float16, cga_layout=[[0, 0]])
ACC = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, N, 16], [[1, 0]])


@hocket.jit
def wait_for_all_blocks(done, free, HOW: gl.constexpr, phase):
    """Each block arrives before any continues."""
    if HOW == "barrier":
        gl.barrier(cluster=True)
    elif HOW == "arrive":
        cluster.arrive()
        cluster.wait()
    else:  # all blocks arrive at the first one's mbarrier, which then arrives at those of all
        mbarrier.arrive(done)
        mbarrier.wait(done, phase, pred=cluster.cta_rank() == 0)
        mbarrier.arrive(free, from_cta=0)
        mbarrier.wait(free, phase)


@hocket.jit
def multiply(a_desc, b_desc, out, steps, HOW: gl.constexpr, IS_ASYNC: gl.constexpr, ACC: gl.constexpr):
    """b arrives by multicast, always in the same tile."""
    a = gl.allocate_shared_memory(a_desc.dtype, a_desc.block_shape, a_desc.layout)
    b = gl.allocate_shared_memory(b_desc.dtype, b_desc.block_shape, b_desc.layout)
    bar = mbarrier.allocate_mbarrier()
    free = mbarrier.allocate_mbarrier()
    done = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout([[0]]))
    mbarrier.init(bar, count=1)
    mbarrier.init(free, count=1)
    mbarrier.init(done, count=gl.num_ctas())
    cluster.barrier()
    acc = gl.zeros([a_desc.block_shape[0], b_desc.block_shape[1]], gl.float32, ACC)
    for k in range(steps):
        mbarrier.expect(bar, a_desc.nbytes_per_cta + b_desc.nbytes_per_cta)
        tma.async_load(a_desc, [0, k * a_desc.block_shape[1]], bar, a)
        tma.async_load(b_desc, [k * a_desc.block_shape[1], 0], bar, b, multicast=True)
        mbarrier.wait(bar, k)
        acc = hopper.warpgroup_mma(a, b, acc, is_async=IS_ASYNC)
        wait_for_all_blocks(done, free, HOW, k)
    row = gl.arange(0, a_desc.block_shape[0], layout=gl.SliceLayout(1, ACC)).expand_dims(1)
    column = gl.arange(0, b_desc.block_shape[1], layout=gl.SliceLayout(0, ACC)).expand_dims(0)
    gl.store(out + row * b_desc.block_shape[1] + column, acc)
    cluster.barrier()


def operands(device, steps):
    rng = np.random.default_rng(steps)
    a = rng.integers(-9, 9, (NUM_CTAS * M, steps * K)).astype(np.float16)
    b = rng.integers(-9, 9, (steps * K, N)).astype(np.float16)
    a_desc = TensorDescriptor.from_tensor(device.to_device(a), [NUM_CTAS * M, K], A_LAYOUT)
    b_desc = TensorDescriptor.from_tensor(device.to_device(b), [K, N], B_LAYOUT)
    return a_desc, b_desc, a.astype(np.float32) @ b.astype(np.float32)


@pytest.mark.parametrize("seed, completion", SCHEDULES)
@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize("how", ["barrier", "arrive", "mbarrier"])
def test_products_end_before_other_blocks_load(hopper_device, how, is_async, seed, completion):
    a_desc, b_desc, expected = operands(hopper_device, 4)
    out = hopper_device.to_device(np.zeros_like(expected))
    with emulator.schedule(seed=seed, completion=completion):
        multiply[(1,)](a_desc, b_desc, out, 4, how, is_async, ACC, num_ctas=NUM_CTAS)
    np.testing.assert_array_equal(hopper_device.to_host(out), expected)


@hocket.jit
def swap_parts(x, out, FROM: gl.constexpr, TO: gl.constexpr, SHARED: gl.constexpr):
    """Each block copies its part, and reads a part of the other's."""
    tile = gl.allocate_shared_memory(gl.int32, [128, 64], SHARED)
    row = gl.arange(0, 128, layout=gl.SliceLayout(1, FROM)).expand_dims(1)
    column = gl.arange(0, 64, layout=gl.SliceLayout(0, FROM)).expand_dims(0)
    async_copy.async_load(tile, x + row * 64 + column)
    cluster.barrier()
    row = gl.arange(0, 128, layout=gl.SliceLayout(1, TO)).expand_dims(1)
    column = gl.arange(0, 64, layout=gl.SliceLayout(0, TO)).expand_dims(0)
    gl.store(out + row * 64 + column, tile.load(TO))
    cluster.barrier()


@pytest.mark.parametrize("seed, completion", SCHEDULES)
def test_copies_end_before_other_blocks_read(hopper_device, seed, completion):
    split = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0], [[1, 0]])
    other = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0], [[0, 1]])
    shared = gl.SwizzledSharedLayout(1, 1, 1, [1, 0], cga_layout=[[1, 0]])
    x = np.arange(128 * 64, dtype=np.int32).reshape(128, 64)
    out = hopper_device.to_device(np.zeros_like(x))
    with emulator.schedule(seed=seed, completion=completion):
        swap_parts[(1,)](hopper_device.to_device(x), out, split, other, shared, num_ctas=NUM_CTAS)
    np.testing.assert_array_equal(hopper_device.to_host(out), x)
