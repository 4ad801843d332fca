"""Kernels in the shape of Gluon's tutorial on wgmma: one product, a blocked matmul, one with products in flight.

Only the imports differ from a Gluon file.
"""

import numpy as np
import pytest

import hocket as gluon
from hocket import language as gl
from hocket.language.nvidia.hopper import (
    fence_async_shared,
    mbarrier,
    tma,
    warpgroup_mma,
    warpgroup_mma_init,
    warpgroup_mma_wait,
)
from hocket.nvidia.hopper import TensorDescriptor


def described(device, array, block):
    layout = gl.NVMMASharedLayout.get_default_for(block, getattr(gl, str(array.dtype)))
    return TensorDescriptor.from_tensor(device.to_device(array), block, layout)


def operands(m, n, k, dtype=np.float16):
    rng = np.random.default_rng(m + n + k)
    return rng.integers(-4, 5, (m, k)).astype(dtype), rng.integers(-4, 5, (k, n)).astype(dtype)


@gluon.jit
def one_product(a_desc, b_desc, c_desc, d_desc, A_IN_REGISTERS: gl.constexpr):
    """d = a x b + c, with a from shared memory or from registers."""
    bar = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(bar, count=1)
    a_tile = gl.allocate_shared_memory(a_desc.dtype, a_desc.block_type.shape, a_desc.layout)
    b_tile = gl.allocate_shared_memory(b_desc.dtype, b_desc.block_type.shape, b_desc.layout)
    c_tile = gl.allocate_shared_memory(c_desc.dtype, c_desc.block_type.shape, c_desc.layout)
    mbarrier.expect(bar, a_desc.block_type.nbytes + b_desc.block_type.nbytes + c_desc.block_type.nbytes)
    tma.async_copy_global_to_shared(a_desc, [0, 0], bar, a_tile)
    tma.async_copy_global_to_shared(b_desc, [0, 0], bar, b_tile)
    tma.async_copy_global_to_shared(c_desc, [0, 0], bar, c_tile)
    mbarrier.wait(bar, phase=0)
    mbarrier.invalidate(bar)
    N: gl.constexpr = c_desc.block_type.shape[1]
    c_layout: gl.constexpr = gl.NVMMADistributedLayout(
        version=[3, 0], warps_per_cta=[gl.num_warps(), 1], instr_shape=[16, N, 16]
    )
    if A_IN_REGISTERS:
        a = a_tile.load(gl.DotOperandLayout(operand_index=0, parent=c_layout, k_width=2))
    else:
        a = a_tile
    d = warpgroup_mma(a, b_tile, c_tile.load(c_layout), is_async=True)
    d = warpgroup_mma_wait(num_outstanding=0, deps=(d,))
    d_tile = gl.allocate_shared_memory(d_desc.dtype, d_desc.block_type.shape, d_desc.layout)
    d_tile.store(d)
    fence_async_shared()
    tma.async_copy_shared_to_global(d_desc, [0, 0], d_tile)
    tma.store_wait(pendings=0)


@pytest.mark.parametrize("in_registers", [False, True])
@pytest.mark.parametrize("m, n, k", [(64, 32, 32), (64, 128, 128), (128, 64, 16)])
def test_one_product(hopper_device, m, n, k, in_registers):
    a, b = operands(m, n, k)
    c = np.random.default_rng(1).integers(-9, 9, (m, n)).astype(np.float32)
    shapes = (a, [m, k]), (b, [k, n]), (c, [m, n]), (np.zeros_like(c), [m, n])
    descriptors = [described(hopper_device, array, block) for array, block in shapes]
    one_product[(1,)](*descriptors, in_registers)
    expected = a.astype(np.float32) @ b.astype(np.float32) + c
    np.testing.assert_array_equal(hopper_device.to_host(descriptors[3].base), expected)


@gluon.jit
def blocked(a_desc, b_desc, c_desc, TRANSPOSED: gl.constexpr):
    """One buffer per operand: a step loads, waits, multiplies and waits. B may be given as its transposed."""
    BM: gl.constexpr = c_desc.block_type.shape[0]
    BN: gl.constexpr = c_desc.block_type.shape[1]
    BK: gl.constexpr = a_desc.block_type.shape[1]
    a_tile = gl.allocate_shared_memory(a_desc.dtype, a_desc.block_type.shape, a_desc.layout)
    b_tile = gl.allocate_shared_memory(b_desc.dtype, b_desc.block_type.shape, b_desc.layout)
    bar = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(bar, count=1)
    row = gl.program_id(0) * BM
    column = gl.program_id(1) * BN
    layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [gl.num_warps(), 1], [16, BN, 16])
    acc = gl.zeros((BM, BN), gl.float32, layout)
    phase = 0
    for k in range(0, a_desc.shape[1], BK):
        mbarrier.expect(bar, a_desc.block_type.nbytes + b_desc.block_type.nbytes)
        tma.async_copy_global_to_shared(a_desc, [row, k], bar, a_tile)
        if TRANSPOSED:
            tma.async_copy_global_to_shared(b_desc, [column, k], bar, b_tile)
            b = b_tile.permute((1, 0))
        else:
            tma.async_copy_global_to_shared(b_desc, [k, column], bar, b_tile)
            b = b_tile
        mbarrier.wait(bar, phase=phase)
        phase ^= 1
        acc = warpgroup_mma(a_tile, b, acc, is_async=True)
        acc = warpgroup_mma_wait(num_outstanding=0, deps=(acc,))
    mbarrier.invalidate(bar)
    c_tile = gl.allocate_shared_memory(c_desc.dtype, c_desc.block_type.shape, c_desc.layout)
    c_tile.store(acc.to(c_desc.dtype))
    fence_async_shared()
    tma.async_copy_shared_to_global(c_desc, [row, column], c_tile)
    tma.store_wait(pendings=0)


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("warps", [4, 8])
def test_blocked_matmul(hopper_device, warps, transposed):
    a, b = operands(200, 136, 160)
    given, block = (np.ascontiguousarray(b.T), [64, 64]) if transposed else (b, [64, 64])
    a_desc, b_desc = described(hopper_device, a, [128, 64]), described(hopper_device, given, block)
    c_desc = described(hopper_device, np.zeros((200, 136), np.float16), [128, 64])
    blocked[(2, 3)](a_desc, b_desc, c_desc, transposed, num_warps=warps)
    expected = (a.astype(np.float32) @ b.astype(np.float32)).astype(np.float16)
    np.testing.assert_array_equal(hopper_device.to_host(c_desc.base), expected)


@gluon.jit
def in_flight(a_desc, b_desc, c_desc, BUFFERS: gl.constexpr):
    """The wgmma of an iteration is in flight during the copies of later tiles."""
    BM: gl.constexpr = c_desc.block_type.shape[0]
    BN: gl.constexpr = c_desc.block_type.shape[1]
    BK: gl.constexpr = a_desc.block_type.shape[1]
    a_ring = gl.allocate_shared_memory(a_desc.dtype, [BUFFERS, *a_desc.block_type.shape], a_desc.layout)
    b_ring = gl.allocate_shared_memory(b_desc.dtype, [BUFFERS, *b_desc.block_type.shape], b_desc.layout)
    bars = gl.allocate_shared_memory(gl.int64, [BUFFERS, 1], mbarrier.MBarrierLayout())
    for i in gl.static_range(BUFFERS):
        mbarrier.init(bars.index(i), count=1)
    row = gl.program_id(0) * BM
    column = gl.program_id(1) * BN
    K = a_desc.shape[1]
    layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [gl.num_warps(), 1], [16, BN, 16])
    producer = 0
    consumer = 0
    acc = warpgroup_mma_init(gl.zeros((BM, BN), gl.float32, layout))
    for k in gl.static_range(0, BK * (BUFFERS - 2), BK):
        producer = load_both(producer, a_desc, b_desc, row, column, k, bars, a_ring, b_ring, BUFFERS)
    for k in range(BK * (BUFFERS - 2), K, BK):
        producer = load_both(producer, a_desc, b_desc, row, column, k, bars, a_ring, b_ring, BUFFERS)
        consumer, acc = multiply(consumer, acc, bars, a_ring, b_ring, BUFFERS)
    for _ in gl.static_range(BUFFERS - 2):
        consumer, acc = multiply(consumer, acc, bars, a_ring, b_ring, BUFFERS)
    for i in gl.static_range(BUFFERS):
        mbarrier.invalidate(bars.index(i))
    acc = warpgroup_mma_wait(0, deps=(acc,))
    c_tile = gl.allocate_shared_memory(c_desc.dtype, c_desc.block_type.shape, c_desc.layout)
    c_tile.store(acc.to(c_desc.dtype))
    fence_async_shared()
    tma.async_copy_shared_to_global(c_desc, [row, column], c_tile)
    tma.store_wait(pendings=0)


@gluon.jit
def load_both(producer, a_desc, b_desc, row, column, k, bars, a_ring, b_ring, BUFFERS: gl.constexpr):
    bar = bars.index(producer % BUFFERS)
    mbarrier.expect(bar, a_desc.block_type.nbytes + b_desc.block_type.nbytes)
    tma.async_copy_global_to_shared(a_desc, [row, k], bar, a_ring.index(producer % BUFFERS))
    tma.async_copy_global_to_shared(b_desc, [k, column], bar, b_ring.index(producer % BUFFERS))
    return producer + 1


@gluon.jit
def multiply(consumer, acc, bars, a_ring, b_ring, BUFFERS: gl.constexpr):
    mbarrier.wait(bars.index(consumer % BUFFERS), phase=consumer // BUFFERS & 1)
    # The wgmma of the previous iteration has completed, so the next loads overwrite its buffers.
    acc = warpgroup_mma_wait(0, deps=(acc,))
    acc = warpgroup_mma(a_ring.index(consumer % BUFFERS), b_ring.index(consumer % BUFFERS), acc, is_async=True)
    return consumer + 1, acc


@pytest.mark.parametrize("buffers", [3, 4])
def test_products_in_flight(hopper_device, buffers):
    a, b = operands(128, 192, 320)
    a_desc, b_desc = described(hopper_device, a, [128, 64]), described(hopper_device, b, [64, 64])
    c_desc = described(hopper_device, np.zeros((128, 192), np.float16), [128, 64])
    in_flight[(1, 3)](a_desc, b_desc, c_desc, buffers)
    expected = (a.astype(np.float32) @ b.astype(np.float32)).astype(np.float16)
    np.testing.assert_array_equal(hopper_device.to_host(c_desc.base), expected)
