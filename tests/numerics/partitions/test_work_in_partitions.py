"""Reductions, barriers, asynchronous copies and prefetched loops inside the partitions of warp_specialize."""

import numpy as np
import pytest
from partition_launches import integers, launch

import hocket
from hocket import language as gl
from hocket.language.nvidia.ampere import async_copy


@gl.constexpr_function
def rows(warps):
    return gl.BlockedLayout([1, 1], [1, 32], [warps, 1], [1, 0])


@gl.constexpr_function
def columns(warps):
    return gl.BlockedLayout([1, 1], [1, 32], [1, warps], [1, 0])


FLAT = gl.constexpr(gl.SwizzledSharedLayout(1, 1, 1, [0]))
SQUARE = gl.constexpr(gl.SwizzledSharedLayout(1, 1, 1, [1, 0]))


@hocket.jit
def nothing():
    pass


@hocket.jit
def sum_all(x, out):
    i = gl.arange(0, 1024, layout=gl.row_layout())
    gl.store(out, gl.sum(gl.load(x + i), axis=0))


@hocket.jit
def sum_columns(x, out):
    layout: gl.constexpr = rows(gl.num_warps())
    i = gl.arange(0, 32, layout=gl.SliceLayout(1, layout))[:, None]
    j = gl.arange(0, 32, layout=gl.SliceLayout(0, layout))[None, :]
    gl.store(out + gl.arange(0, 32, layout=gl.SliceLayout(0, layout)), gl.sum(gl.load(x + 32 * i + j), axis=0))


@hocket.jit
def transpose(x, out):
    """By a conversion that passes values between warps."""
    source: gl.constexpr = rows(gl.num_warps())
    target: gl.constexpr = columns(gl.num_warps())
    i = gl.arange(0, 32, layout=gl.SliceLayout(1, source))[:, None]
    j = gl.arange(0, 32, layout=gl.SliceLayout(0, source))[None, :]
    tile = gl.convert_layout(gl.load(x + 32 * i + j), target)
    i = gl.arange(0, 32, layout=gl.SliceLayout(1, target))[:, None]
    j = gl.arange(0, 32, layout=gl.SliceLayout(0, target))[None, :]
    gl.store(out + 32 * j + i, tile)


@hocket.jit
def reductions_everywhere(x, total, sums, turned, WARPS: gl.constexpr):
    gl.warp_specialize([(sum_all, (x, total)), (sum_columns, (x, sums)), (transpose, (x, turned))], WARPS)


@pytest.mark.parametrize("launched", [1, 4])
@pytest.mark.parametrize("warps", [(1, 1), (2, 4), (8, 2)])
def test_reductions_and_conversions_in_partitions(nvidia_device, launched, warps):
    x = integers(32, 32)
    arrays = x, np.zeros(1, np.int32), np.zeros(32, np.int32), np.zeros((32, 32), np.int32)
    _, total, sums, turned = launch(nvidia_device, reductions_everywhere, *arrays, warps, num_warps=launched)
    assert total[0] == x.sum()
    np.testing.assert_array_equal(sums, x.sum(axis=0))
    np.testing.assert_array_equal(turned, x.T)


@hocket.jit
def reverse_through_shared(x, out, place, tile):
    """Written by some lanes, read by others: the compiler's barrier is one of this partition."""
    i = gl.arange(0, 256, layout=gl.row_layout())
    tile.store(gl.load(x + i))
    wide: gl.constexpr = gl.row_layout(8)
    back = 255 - gl.arange(0, 256, layout=wide)
    gl.store(out + place * 256 + back, tile.load(wide))


@hocket.jit
def a_tile_each(x, out):
    tiles = gl.allocate_shared_memory(gl.int32, [3, 256], FLAT)
    gl.warp_specialize(
        [
            (reverse_through_shared, (x, out, 0, tiles.index(0))),
            (reverse_through_shared, (x, out, 1, tiles.index(1))),
            (reverse_through_shared, (x, out, 2, tiles.index(2))),
        ],
        [2, 8],
    )


def test_barriers_in_partitions(nvidia_device):
    x = integers(256)
    _, out = launch(nvidia_device, a_tile_each, x, np.zeros((3, 256), np.int32))
    np.testing.assert_array_equal(out, np.tile(x[::-1], (3, 1)))


@hocket.jit
def with_a_buffer_of_its_own(x, out, place, ROUNDS: gl.constexpr):
    tile = gl.allocate_shared_memory(gl.int32, [256], FLAT)
    for k in range(ROUNDS):
        reverse_through_shared(x + 256 * k, out + 256 * k, place * ROUNDS, tile)
        gl.barrier()


@hocket.jit
def buffers_of_their_own(x, out, ROUNDS: gl.constexpr):
    gl.warp_specialize(
        [(with_a_buffer_of_its_own, (x, out, 0, ROUNDS)), (with_a_buffer_of_its_own, (x, out, 1, ROUNDS))], [4]
    )


def test_buffers_of_partitions_do_not_overlap(nvidia_device):
    x = integers(3, 256)
    _, out = launch(nvidia_device, buffers_of_their_own, x, np.zeros((2, 3, 256), np.int32), 3)
    np.testing.assert_array_equal(out, np.stack([x[:, ::-1]] * 2))


@hocket.jit
def through_copies(x, out, place, ring):
    """The waits, too, are for what this partition has started."""
    layout: gl.constexpr = gl.row_layout(4)
    i = gl.arange(0, 256, layout=layout)
    for k in gl.static_range(2):
        async_copy.async_load(ring.index(k), x + 256 * k + i)
        async_copy.commit_group()
    wide: gl.constexpr = gl.row_layout(8)
    back = 255 - gl.arange(0, 256, layout=wide)
    for k in gl.static_range(2):
        async_copy.wait_group(1 - k)
        gl.store(out + 512 * place + 256 * k + back, ring.index(k).load(wide))


@hocket.jit
def a_ring_each(x, out):
    first = gl.allocate_shared_memory(gl.int32, [2, 256], FLAT)
    second = gl.allocate_shared_memory(gl.int32, [2, 256], FLAT)
    gl.warp_specialize([(through_copies, (x, out, 0, first)), (through_copies, (x, out, 1, second))], [2])


def test_asynchronous_copies_in_partitions(nvidia_device):
    x = integers(2, 256)
    _, out = launch(nvidia_device, a_ring_each, x, np.zeros((2, 2, 256), np.int32))
    np.testing.assert_array_equal(out, np.stack([x[:, ::-1]] * 2))


@hocket.jit
def sum_of_rounds(x, out, rounds):
    """Loads run ahead by an iteration, into a buffer that gets two slots."""
    layout: gl.constexpr = gl.row_layout()
    wide: gl.constexpr = gl.row_layout(8)
    tile = gl.allocate_shared_memory(gl.int32, [256], FLAT)
    total = gl.zeros([256], gl.int32, wide)
    for k in gl.range(0, rounds, num_stages=2):
        tile.store(gl.load(x + 256 * k + gl.arange(0, 256, layout=layout)))
        total += tile.load(wide) * (k + 1)
    gl.store(out + 255 - gl.arange(0, 256, layout=wide), total)


@hocket.jit
def prefetched_loops(x, out, rounds):
    gl.warp_specialize(
        [(sum_of_rounds, (x, out, rounds)), (sum_of_rounds, (x, out + 256, rounds)), (nothing, ())], [2, 1]
    )


@pytest.mark.parametrize("rounds", [1, 2, 5])
def test_prefetching_in_partitions(nvidia_device, rounds):
    x = integers(rounds, 256)
    _, out = launch(nvidia_device, prefetched_loops, x, np.zeros((2, 256), np.int32), rounds)
    np.testing.assert_array_equal(out, [(x * np.arange(1, rounds + 1)[:, None]).sum(axis=0)[::-1]] * 2)
