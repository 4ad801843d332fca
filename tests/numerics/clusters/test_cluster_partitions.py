"""Barriers of the cluster, and what needs them, in partitions of warp_specialize."""

import numpy as np
import pytest

import hocket
from hocket import emulator
from hocket import language as gl

SCHEDULES = [(0, "late"), (1, "random"), (2, "random"), (4, "late"), (3, "now")]


@gl.constexpr_function
def rows_of(num_ctas, dim):
    return [[1 << bit if d == dim else 0 for d in range(2)] for bit in range(num_ctas.bit_length() - 1)]


@gl.constexpr_function
def tile(num_ctas, dim, num_warps):
    return gl.BlockedLayout([1, 4], [4, 8], [num_warps, 1], [1, 0], rows_of(num_ctas, dim))


@hocket.jit
def offsets(R: gl.constexpr, C: gl.constexpr, LAYOUT: gl.constexpr):
    row = gl.arange(0, R, layout=gl.SliceLayout(1, LAYOUT))
    column = gl.arange(0, C, layout=gl.SliceLayout(0, LAYOUT))
    return row.expand_dims(1) * C + column.expand_dims(0)


@hocket.jit
def turn(x, out, R: gl.constexpr, C: gl.constexpr, ROUNDS: gl.constexpr):
    """Converts between rows and columns of CTAs, in a loop."""
    rows: gl.constexpr = tile(gl.num_ctas(), 0, gl.num_warps())
    columns: gl.constexpr = tile(gl.num_ctas(), 1, gl.num_warps())
    value = gl.load(x + offsets(R, C, rows))
    for _ in range(0, ROUNDS):
        value = gl.convert_layout(gl.convert_layout(value, columns) + 1, rows)
    gl.store(out + offsets(R, C, columns), gl.convert_layout(value, columns))


@hocket.jit
def total(x, out, R: gl.constexpr, C: gl.constexpr):
    """Sums between CTAs."""
    rows: gl.constexpr = tile(gl.num_ctas(), 0, gl.num_warps())
    at = gl.arange(0, C, layout=gl.SliceLayout(0, rows))
    gl.store(out + at, gl.sum(gl.load(x + offsets(R, C, rows)), 0))


@hocket.jit
def idle():
    pass


@hocket.jit
def in_partitions(x, turned, sums, R: gl.constexpr, C: gl.constexpr, ROUNDS: gl.constexpr):
    gl.warp_specialize(
        [(turn, (x, turned, R, C, ROUNDS)), (total, (x, sums, R, C)), (idle, ())], worker_num_warps=[4, 1]
    )


@pytest.mark.parametrize("seed, completion", SCHEDULES)
@pytest.mark.parametrize("num_ctas", [2, 4])
def test_conversions_and_reductions(hopper_device, num_ctas, seed, completion):
    """Each partition waits for its own warps in all CTAs, whatever the others do."""
    x = np.random.default_rng(0).integers(0, 99, (64, 32)).astype(np.float32)
    turned = hopper_device.to_device(np.zeros_like(x))
    sums = hopper_device.to_device(np.zeros(32, np.float32))
    with emulator.schedule(seed=seed, completion=completion):
        in_partitions[(1,)](hopper_device.to_device(x), turned, sums, 64, 32, 3, num_ctas=num_ctas, num_warps=4)
    np.testing.assert_array_equal(hopper_device.to_host(turned), x + 3)
    np.testing.assert_array_equal(hopper_device.to_host(sums), x.sum(0))


@hocket.jit
def exchange(tile, x, out, FROM: gl.constexpr, TO: gl.constexpr):
    """Accesses of the memory of other CTAs, between barriers of the partition."""
    for i in range(0, 3):
        tile.store(gl.load(x + offsets(64, 32, FROM)) + i)
        gl.barrier(cluster=True)
        gl.store(out + i * 64 * 32 + offsets(64, 32, TO), tile.load(TO))
        gl.barrier(cluster=True)


@hocket.jit
def exchange_twice(x, out, FROM: gl.constexpr, TO: gl.constexpr, SHARED: gl.constexpr):
    first = gl.allocate_shared_memory(gl.float32, [64, 32], SHARED)
    second = gl.allocate_shared_memory(gl.float32, [64, 32], SHARED)
    gl.warp_specialize(
        [(exchange, (first, x, out, FROM, TO)), (exchange, (second, x + 64 * 32, out + 3 * 64 * 32, FROM, TO))],
        worker_num_warps=[4],
    )


@pytest.mark.parametrize("seed, completion", SCHEDULES)
def test_barriers_of_partitions(hopper_device, seed, completion):
    x = np.random.default_rng(0).integers(0, 99, (2, 64, 32)).astype(np.float32)
    out = hopper_device.to_device(np.zeros((2, 3, 64, 32), np.float32))
    with emulator.schedule(seed=seed, completion=completion):
        exchange_twice[(1,)](
            hopper_device.to_device(x),
            out,
            tile(2, 0, 4),
            tile(2, 1, 4),
            gl.SwizzledSharedLayout(1, 1, 1, [1, 0], [[1, 0]]),
            num_ctas=2,
            num_warps=4,
        )
    np.testing.assert_array_equal(hopper_device.to_host(out), x[:, None] + np.arange(3)[None, :, None, None])


@hocket.jit
def repeated(x, turned, sums, rounds, R: gl.constexpr, C: gl.constexpr):
    for _ in range(0, rounds):
        gl.warp_specialize([(turn, (x, turned, R, C, 1)), (total, (x, sums, R, C))], worker_num_warps=[4])


def test_partitions_in_a_loop(hopper_device):
    """The mbarriers are those of the kernel: each start of the partitions finds their parity as it was."""
    x = np.random.default_rng(0).integers(0, 99, (64, 32)).astype(np.float32)
    turned = hopper_device.to_device(np.zeros_like(x))
    sums = hopper_device.to_device(np.zeros(32, np.float32))
    repeated[(1,)](hopper_device.to_device(x), turned, sums, 3, 64, 32, num_ctas=2, num_warps=4)
    np.testing.assert_array_equal(hopper_device.to_host(turned), x + 1)
    np.testing.assert_array_equal(hopper_device.to_host(sums), x.sum(0))
