"""Kernels in the shape of Gluon's tutorial on warp specialization: partitions that load, compute and store.

Only the imports differ from a Gluon file.
"""

import numpy as np
import pytest

import hocket as gluon
from hocket import emulator
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


@gluon.jit
def load_partition(descs, barriers, buffers, row, steps, COLUMNS: gl.constexpr, COUNT: gl.constexpr):
    a_desc, b_desc, _ = descs
    empty, ready, _, _ = barriers
    a_ring, b_ring, _ = buffers
    for i in range(steps):
        slot = i % COUNT
        # The first round finds all slots empty: its phase has not begun.
        mbarrier.wait(empty.index(slot), i // COUNT & 1 ^ 1)
        mbarrier.expect(ready.index(slot), a_desc.block_type.nbytes + b_desc.block_type.nbytes)
        tma.async_copy_global_to_shared(a_desc, [row, i * COLUMNS], ready.index(slot), a_ring.index(slot))
        tma.async_copy_global_to_shared(b_desc, [row, i * COLUMNS], ready.index(slot), b_ring.index(slot))


@gluon.jit
def store_partition(descs, barriers, buffers, row, steps, COLUMNS: gl.constexpr, OUTS: gl.constexpr):
    c_desc = descs[2]
    c_empty, c_ready = barriers[2], barriers[3]
    c_ring = buffers[2]
    for i in range(steps):
        slot = i % OUTS
        mbarrier.wait(c_ready.index(slot), i // OUTS & 1)
        tma.async_copy_shared_to_global(c_desc, [row, i * COLUMNS], c_ring.index(slot))
        tma.store_wait(pendings=0)
        mbarrier.arrive(c_empty.index(slot), count=1)
    tma.store_wait(pendings=0)


@gluon.jit
def add_partition(barriers, buffers, steps, LAYOUT: gl.constexpr, COUNT: gl.constexpr, OUTS: gl.constexpr):
    empty, ready, c_empty, c_ready = barriers
    a_ring, b_ring, c_ring = buffers
    for i in range(steps):
        slot = i % COUNT
        mbarrier.wait(ready.index(slot), i // COUNT & 1)
        a = a_ring.index(slot).load(LAYOUT)
        b = b_ring.index(slot).load(LAYOUT)
        mbarrier.arrive(empty.index(slot), count=1)
        mbarrier.wait(c_empty.index(i % OUTS), i // OUTS & 1 ^ 1)
        c_ring.index(i % OUTS).store(a + b)
        fence_async_shared()
        mbarrier.arrive(c_ready.index(i % OUTS), count=1)


@gluon.jit
def add_by_partitions(a_desc, b_desc, c_desc, columns, COUNT: gl.constexpr, OUTS: gl.constexpr):
    ROWS: gl.constexpr = c_desc.block_type.shape[0]
    COLUMNS: gl.constexpr = c_desc.block_type.shape[1]
    layout: gl.constexpr = gl.BlockedLayout([1, 1], [1, 32], [1, gl.num_warps()], [1, 0])
    a_ring = gl.allocate_shared_memory(a_desc.dtype, [COUNT, ROWS, COLUMNS], a_desc.layout)
    b_ring = gl.allocate_shared_memory(b_desc.dtype, [COUNT, ROWS, COLUMNS], b_desc.layout)
    c_ring = gl.allocate_shared_memory(c_desc.dtype, [OUTS, ROWS, COLUMNS], c_desc.layout)
    empty = gl.allocate_shared_memory(gl.int64, [COUNT, 1], mbarrier.MBarrierLayout())
    ready = gl.allocate_shared_memory(gl.int64, [COUNT, 1], mbarrier.MBarrierLayout())
    c_empty = gl.allocate_shared_memory(gl.int64, [OUTS, 1], mbarrier.MBarrierLayout())
    c_ready = gl.allocate_shared_memory(gl.int64, [OUTS, 1], mbarrier.MBarrierLayout())
    for i in gl.static_range(COUNT):
        mbarrier.init(empty.index(i), count=1)
        mbarrier.init(ready.index(i), count=1)
    for i in gl.static_range(OUTS):
        mbarrier.init(c_empty.index(i), count=1)
        mbarrier.init(c_ready.index(i), count=1)
    descs = (a_desc, b_desc, c_desc)
    barriers = (empty, ready, c_empty, c_ready)
    buffers = (a_ring, b_ring, c_ring)
    row = gl.program_id(0) * ROWS
    steps = gl.cdiv(columns, COLUMNS)
    gl.warp_specialize(
        [
            (add_partition, (barriers, buffers, steps, layout, COUNT, OUTS)),
            (load_partition, (descs, barriers, buffers, row, steps, COLUMNS, COUNT)),
            (store_partition, (descs, barriers, buffers, row, steps, COLUMNS, OUTS)),
        ],
        [1, 1],
        [24, 24],
    )


@pytest.mark.parametrize("count, outs", [(2, 2), (3, 2), (2, 1)])
@pytest.mark.parametrize("shape", [(32, 64), (60, 212)])
def test_additions(hopper_device, shape, count, outs):
    rng = np.random.default_rng(1)
    a, b = (rng.standard_normal(shape).astype(np.float32) for _ in range(2))
    descs = [described(hopper_device, x, [32, 32]) for x in (a, b, np.zeros_like(a))]
    add_by_partitions[(-(-shape[0] // 32),)](*descs, shape[1], count, outs)
    np.testing.assert_array_equal(hopper_device.to_host(descs[2].base), a + b)


@gluon.jit
def tile_of(number, columns):
    return number // columns, number % columns


@gluon.jit
def matmul_loads(a_desc, b_desc, a_ring, b_ring, ready, empty, tiles, columns, BUFFERS: gl.constexpr):
    BM: gl.constexpr = a_desc.block_type.shape[0]
    BK: gl.constexpr = a_desc.block_type.shape[1]
    BN: gl.constexpr = b_desc.block_type.shape[1]
    producer = 0
    for number in range(gl.program_id(0), tiles, gl.num_programs(0)):
        row, column = tile_of(number, columns)
        for k in range(0, a_desc.shape[1], BK):
            slot = producer % BUFFERS
            mbarrier.wait(empty.index(slot), producer // BUFFERS & 1 ^ 1)
            mbarrier.expect(ready.index(slot), a_desc.block_type.nbytes + b_desc.block_type.nbytes)
            tma.async_copy_global_to_shared(a_desc, [row * BM, k], ready.index(slot), a_ring.index(slot))
            tma.async_copy_global_to_shared(b_desc, [k, column * BN], ready.index(slot), b_ring.index(slot))
            producer += 1


@gluon.jit
def matmul_products(c_desc, a_ring, b_ring, c_tile, ready, empty, steps, tiles, columns, BUFFERS: gl.constexpr):
    BM: gl.constexpr = c_desc.block_type.shape[0]
    BN: gl.constexpr = c_desc.block_type.shape[1]
    layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [gl.num_warps(), 1], [16, BN, 16])
    consumer = 0
    for number in range(gl.program_id(0), tiles, gl.num_programs(0)):
        row, column = tile_of(number, columns)
        acc = warpgroup_mma_init(gl.zeros((BM, BN), gl.float32, layout))
        for _ in range(steps):
            slot = consumer % BUFFERS
            mbarrier.wait(ready.index(slot), consumer // BUFFERS & 1)
            acc = warpgroup_mma(a_ring.index(slot), b_ring.index(slot), acc, is_async=True)
            acc = warpgroup_mma_wait(0, deps=(acc,))
            mbarrier.arrive(empty.index(slot), count=1)
            acc = warpgroup_mma_init(acc)
            consumer += 1
        acc = warpgroup_mma_wait(0, deps=(acc,))
        tma.store_wait(pendings=0)
        c_tile.store(acc.to(c_desc.dtype))
        fence_async_shared()
        tma.async_copy_shared_to_global(c_desc, [row * BM, column * BN], c_tile)
    tma.store_wait(pendings=0)


@gluon.jit
def specialized_matmul(a_desc, b_desc, c_desc, BUFFERS: gl.constexpr):
    a_ring = gl.allocate_shared_memory(a_desc.dtype, [BUFFERS, *a_desc.block_type.shape], a_desc.layout)
    b_ring = gl.allocate_shared_memory(b_desc.dtype, [BUFFERS, *b_desc.block_type.shape], b_desc.layout)
    c_tile = gl.allocate_shared_memory(c_desc.dtype, c_desc.block_type.shape, c_desc.layout)
    ready = mbarrier.allocate_mbarrier(batch=BUFFERS)
    empty = mbarrier.allocate_mbarrier(batch=BUFFERS)
    for i in gl.static_range(BUFFERS):
        mbarrier.init(ready.index(i), count=1)
        mbarrier.init(empty.index(i), count=1)
    columns = gl.cdiv(c_desc.shape[1], c_desc.block_type.shape[1])
    tiles = gl.cdiv(c_desc.shape[0], c_desc.block_type.shape[0]) * columns
    steps = gl.cdiv(a_desc.shape[1], a_desc.block_type.shape[1])
    gl.warp_specialize(
        [
            (matmul_products, (c_desc, a_ring, b_ring, c_tile, ready, empty, steps, tiles, columns, BUFFERS)),
            (matmul_loads, (a_desc, b_desc, a_ring, b_ring, ready, empty, tiles, columns, BUFFERS)),
        ],
        worker_num_warps=[1],
        worker_num_regs=[24],
    )


def operands():
    rng = np.random.default_rng(7)
    return rng.integers(-4, 5, (200, 192)).astype(np.float16), rng.integers(-4, 5, (192, 128)).astype(np.float16)


def check_matmul(device, blocks, buffers):
    a, b = operands()
    a_desc, b_desc = described(device, a, [64, 64]), described(device, b, [64, 64])
    c_desc = described(device, np.zeros((200, 128), np.float16), [64, 64])
    specialized_matmul[(blocks,)](a_desc, b_desc, c_desc, buffers)
    expected = (a.astype(np.float32) @ b.astype(np.float32)).astype(np.float16)
    np.testing.assert_array_equal(device.to_host(c_desc.base), expected)


@pytest.mark.parametrize("blocks, buffers", [(1, 2), (3, 3), (8, 4)])
def test_specialized_matmul(hopper_device, blocks, buffers):
    check_matmul(hopper_device, blocks, buffers)


@pytest.mark.parametrize("seed, completion", [(1, "random"), (2, "random"), (3, "now"), (4, "late")])
def test_every_schedule_gives_the_same(hopper_device, seed, completion):
    with emulator.schedule(seed=seed, completion=completion):
        check_matmul(hopper_device, 2, 3)
