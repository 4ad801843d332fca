"""Kernels in the shape of Gluon's tutorial on persistence: schedulers of tiles, epilogues under the next tile's loads.

Only the imports differ from a Gluon file, and tuples stand where Gluon has aggregates.
"""

from typing import Any, NamedTuple

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


class RowsOfTiles(NamedTuple):
    """Tiles one row after the other."""

    rows: Any
    columns: Any

    @gluon.jit
    def count(self):
        return self.rows * self.columns

    @gluon.jit
    def tile(self, number):
        return number // self.columns, number % self.columns


class GroupsOfRows(NamedTuple):
    """Some rows of tiles at once, one column after the other: tiles that run together share what they load."""

    rows: Any
    columns: Any
    height: gl.constexpr

    @gluon.jit
    def count(self):
        return self.rows * self.columns

    @gluon.jit
    def tile(self, number):
        in_group = self.height * self.columns
        first = number // in_group * self.height
        height = gl.minimum(self.rows - first, self.height)
        return first + number % in_group % height, number % in_group // height


@gluon.jit
def load_both(producer, a_desc, b_desc, row, column, k, bars, a_ring, b_ring, BUFFERS: gl.constexpr, pred=True):
    bar = bars.index(producer % BUFFERS)
    mbarrier.expect(bar, a_desc.block_type.nbytes + b_desc.block_type.nbytes, pred=pred)
    tma.async_copy_global_to_shared(a_desc, [row, k], bar, a_ring.index(producer % BUFFERS), pred)
    tma.async_copy_global_to_shared(b_desc, [k, column], bar, b_ring.index(producer % BUFFERS), pred)
    return producer + 1


@gluon.jit
def multiply(consumer, acc, bars, a_ring, b_ring, BUFFERS: gl.constexpr):
    mbarrier.wait(bars.index(consumer % BUFFERS), phase=consumer // BUFFERS & 1)
    acc = warpgroup_mma_wait(0, deps=(acc,))
    acc = warpgroup_mma(a_ring.index(consumer % BUFFERS), b_ring.index(consumer % BUFFERS), acc, is_async=True)
    return consumer + 1, acc


@gluon.jit
def persistent(a_desc, b_desc, c_desc, BUFFERS: gl.constexpr, HEIGHT: gl.constexpr):
    """The first loads of a tile start before the store of the previous tile, which overlaps with them."""
    BM: gl.constexpr = c_desc.block_type.shape[0]
    BN: gl.constexpr = c_desc.block_type.shape[1]
    BK: gl.constexpr = a_desc.block_type.shape[1]
    AHEAD: gl.constexpr = BUFFERS - 2
    a_ring = gl.allocate_shared_memory(a_desc.dtype, [BUFFERS, *a_desc.block_type.shape], a_desc.layout)
    b_ring = gl.allocate_shared_memory(b_desc.dtype, [BUFFERS, *b_desc.block_type.shape], b_desc.layout)
    c_tile = gl.allocate_shared_memory(c_desc.dtype, c_desc.block_type.shape, c_desc.layout)
    bars = gl.allocate_shared_memory(gl.int64, [BUFFERS, 1], mbarrier.MBarrierLayout())
    for i in gl.static_range(BUFFERS):
        mbarrier.init(bars.index(i), count=1)
    rows = gl.cdiv(c_desc.shape[0], BM)
    columns = gl.cdiv(c_desc.shape[1], BN)
    if HEIGHT > 1:
        scheduler = GroupsOfRows(rows, columns, HEIGHT)
    else:
        scheduler = RowsOfTiles(rows, columns)
    layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [gl.num_warps(), 1], [16, BN, 16])
    K = a_desc.shape[1]
    producer = 0
    consumer = 0
    row, column = scheduler.tile(gl.program_id(0))
    for early in gl.static_range(0, BK * AHEAD, BK):
        producer = load_both(producer, a_desc, b_desc, row * BM, column * BN, early, bars, a_ring, b_ring, BUFFERS)
    for number in range(gl.program_id(0), scheduler.count(), gl.num_programs(0)):
        row, column = scheduler.tile(number)
        acc = warpgroup_mma_init(gl.zeros((BM, BN), gl.float32, layout))
        for k in range(BK * AHEAD, K, BK):
            producer = load_both(producer, a_desc, b_desc, row * BM, column * BN, k, bars, a_ring, b_ring, BUFFERS)
            consumer, acc = multiply(consumer, acc, bars, a_ring, b_ring, BUFFERS)
        after = number + gl.num_programs(0)
        next_row, next_column = scheduler.tile(after)
        for late in gl.static_range(0, BK * AHEAD, BK):
            consumer, acc = multiply(consumer, acc, bars, a_ring, b_ring, BUFFERS)
            producer = load_both(
                producer,
                a_desc,
                b_desc,
                next_row * BM,
                next_column * BN,
                late,
                bars,
                a_ring,
                b_ring,
                BUFFERS,
                after < scheduler.count(),
            )
        acc = warpgroup_mma_wait(0, deps=(acc,))
        tma.store_wait(pendings=0)
        c_tile.store(acc.to(c_desc.dtype))
        fence_async_shared()
        tma.async_copy_shared_to_global(c_desc, [row * BM, column * BN], c_tile)
    tma.store_wait(pendings=0)


@pytest.mark.parametrize("height", [1, 2])
@pytest.mark.parametrize("blocks, buffers", [(2, 3), (3, 4), (6, 3)])
def test_persistent_matmul(hopper_device, blocks, buffers, height):
    rng = np.random.default_rng(buffers)
    m, n, k = 300, 128, 256
    a, b = rng.integers(-4, 5, (m, k)).astype(np.float16), rng.integers(-4, 5, (k, n)).astype(np.float16)
    a_desc, b_desc = described(hopper_device, a, [128, 64]), described(hopper_device, b, [64, 64])
    c_desc = described(hopper_device, np.zeros((m, n), np.float16), [128, 64])
    persistent[(blocks,)](a_desc, b_desc, c_desc, buffers, height)
    expected = (a.astype(np.float32) @ b.astype(np.float32)).astype(np.float16)
    np.testing.assert_array_equal(hopper_device.to_host(c_desc.base), expected)
