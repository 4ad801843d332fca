"""Kernels in the shape of Gluon's tutorial on TMA: copies, additions through rings of tiles, messages between blocks.

Only the imports differ from a Gluon file.
"""

import numpy as np
import pytest

import hocket as gluon
from hocket import language as gl
from hocket.language.nvidia.hopper import fence_async_shared, mbarrier, tma
from hocket.nvidia.hopper import TensorDescriptor


def described(device, array, block):
    layout = gl.NVMMASharedLayout.get_default_for(block, getattr(gl, str(array.dtype)))
    return TensorDescriptor.from_tensor(device.to_device(array), block, layout)


@gluon.jit
def copy_line(source, target, BLOCK: gl.constexpr):
    tile = gl.allocate_shared_memory(source.dtype, source.block_type.shape, source.layout)
    bar = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(bar, count=1)
    mbarrier.expect(bar, source.block_type.nbytes)
    offset = gl.program_id(0) * BLOCK
    tma.async_copy_global_to_shared(source, [offset], bar, tile)
    mbarrier.wait(bar, phase=0)
    mbarrier.invalidate(bar)
    tma.async_copy_shared_to_global(target, [offset], tile)
    tma.store_wait(pendings=0)


@pytest.mark.parametrize("size", [256, 1000])
def test_copy_of_a_line(hopper_device, size):
    x = np.random.default_rng(0).standard_normal(size).astype(np.float32)
    out = np.zeros_like(x)
    layout = gl.NVMMASharedLayout(swizzle_byte_width=0, element_bitwidth=32, rank=1)
    source, target = (TensorDescriptor.from_tensor(hopper_device.to_device(array), [128], layout) for array in (x, out))
    copy_line[(-(-size // 128),)](source, target, 128, num_warps=1)
    np.testing.assert_array_equal(hopper_device.to_host(target.base), x)


@gluon.jit
def issue_loads(index, a_desc, b_desc, a_ring, b_ring, bars, row, COLUMNS: gl.constexpr, BUFFERS: gl.constexpr, pred):
    bar = bars.index(index % BUFFERS)
    mbarrier.expect(bar, a_desc.block_type.nbytes + b_desc.block_type.nbytes, pred=pred)
    tma.async_copy_global_to_shared(a_desc, [row, index * COLUMNS], bar, a_ring.index(index % BUFFERS), pred)
    tma.async_copy_global_to_shared(b_desc, [row, index * COLUMNS], bar, b_ring.index(index % BUFFERS), pred)
    return index + 1


@gluon.jit
def add_through_rings(a_desc, b_desc, c_desc, columns, BUFFERS: gl.constexpr):
    """Loads run ahead through a ring; a store is waited for when its tile is written again."""
    ROWS: gl.constexpr = c_desc.block_type.shape[0]
    COLUMNS: gl.constexpr = c_desc.block_type.shape[1]
    layout: gl.constexpr = gl.BlockedLayout([1, 1], [1, 32], [1, gl.num_warps()], [1, 0])
    a_ring = gl.allocate_shared_memory(a_desc.dtype, [BUFFERS, *a_desc.block_type.shape], a_desc.layout)
    b_ring = gl.allocate_shared_memory(b_desc.dtype, [BUFFERS, *b_desc.block_type.shape], b_desc.layout)
    out = gl.allocate_shared_memory(c_desc.dtype, c_desc.block_type.shape, c_desc.layout)
    bars = gl.allocate_shared_memory(gl.int64, [BUFFERS, 1], mbarrier.MBarrierLayout())
    for i in gl.static_range(BUFFERS):
        mbarrier.init(bars.index(i), count=1)
    row = gl.program_id(0) * ROWS
    steps = gl.cdiv(columns, COLUMNS)
    ahead = 0
    for _ in gl.static_range(BUFFERS - 1):
        ahead = issue_loads(ahead, a_desc, b_desc, a_ring, b_ring, bars, row, COLUMNS, BUFFERS, ahead < steps)
    for step in range(steps):
        ahead = issue_loads(ahead, a_desc, b_desc, a_ring, b_ring, bars, row, COLUMNS, BUFFERS, ahead < steps)
        mbarrier.wait(bars.index(step % BUFFERS), phase=step // BUFFERS & 1)
        a = a_ring.index(step % BUFFERS).load(layout)
        b = b_ring.index(step % BUFFERS).load(layout)
        tma.store_wait(pendings=0)
        out.store(a + b)
        fence_async_shared()
        tma.async_copy_shared_to_global(c_desc, [row, step * COLUMNS], out)
    tma.store_wait(pendings=0)
    for i in gl.static_range(BUFFERS):
        mbarrier.invalidate(bars.index(i))


@pytest.mark.parametrize("buffers", [2, 3])
@pytest.mark.parametrize("shape", [(64, 64), (100, 212)])
def test_additions(hopper_device, shape, buffers):
    rng = np.random.default_rng(1)
    a, b = (rng.standard_normal(shape).astype(np.float32) for _ in range(2))
    a_desc, b_desc, c_desc = (described(hopper_device, x, [32, 32]) for x in (a, b, np.zeros_like(a)))
    add_through_rings[(-(-shape[0] // 32),)](a_desc, b_desc, c_desc, shape[1], buffers)
    np.testing.assert_array_equal(hopper_device.to_host(c_desc.base), a + b)


@gluon.jit
def send_a_tile(flag, given, passed_on):
    """Block 0 stores a tile by TMA and raises a flag; block 1 waits for the flag and loads the tile by TMA."""
    tile = gl.allocate_shared_memory(given.dtype, given.block_type.shape, given.layout)
    layout: gl.constexpr = gl.BlockedLayout([1, 1], [1, 32], [1, gl.num_warps()], [1, 0])
    if gl.program_id(0) == 0:
        tile.store(gl.full([16, 32], 5.0, gl.float32, layout))
        fence_async_shared()
        tma.async_copy_shared_to_global(given, [0, 0], tile)
        # Not only read, as for writing the tile again: written.
        tma.store_wait(pendings=0, read_only=False)
        gl.barrier()
        gl.atomic_xchg(flag, 1, sem="release")
    else:
        while gl.atomic_or(flag, 0, sem="acquire") == 0:
            pass
        bar = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
        mbarrier.init(bar, count=1)
        mbarrier.expect(bar, given.block_type.nbytes)
        tma.async_copy_global_to_shared(given, [0, 0], bar, tile)
        mbarrier.wait(bar, phase=0)
        mbarrier.invalidate(bar)
        tma.async_copy_shared_to_global(passed_on, [0, 0], tile)
        tma.store_wait(pendings=0)


def test_a_flag_passes_a_tile_to_another_block(hopper_device):
    given, passed_on = (described(hopper_device, np.zeros((16, 32), np.float32), [16, 32]) for _ in range(2))
    flag = hopper_device.to_device(np.zeros(1, np.int32))
    send_a_tile[(2,)](flag, given, passed_on)
    np.testing.assert_array_equal(hopper_device.to_host(passed_on.base), np.full((16, 32), 5, np.float32))
