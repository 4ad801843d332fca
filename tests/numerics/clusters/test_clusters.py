"""Clusters: tiles distributed over blocks, conversions and reductions between them, their barrier, and mistakes with
it."""

import inspect

import numpy as np
import pytest

import hocket
from hocket import emulator, errors
from hocket import language as gl
from hocket.language.nvidia.hopper import cluster, mbarrier

CLUSTERS = [2, 4, 8]


@gl.constexpr_function
def rows_of(num_ctas, dim, rank=2):
    """Deals a dimension to all blocks."""
    return [[1 << bit if d == dim else 0 for d in range(rank)] for bit in range(num_ctas.bit_length() - 1)]


@gl.constexpr_function
def dealt(num_ctas, dim, num_warps=4):
    return gl.BlockedLayout([1, 4], [4, 8], [num_warps, 1], [1, 0], rows_of(num_ctas, dim))


@hocket.jit
def offsets(R: gl.constexpr, C: gl.constexpr, LAYOUT: gl.constexpr):
    row = gl.arange(0, R, layout=gl.SliceLayout(1, LAYOUT))
    column = gl.arange(0, C, layout=gl.SliceLayout(0, LAYOUT))
    return row.expand_dims(1) * C + column.expand_dims(0)


# Tiles distributed over blocks ----------------------------------------------------------------------------------------


@hocket.jit
def scale(x, out, who, R: gl.constexpr, C: gl.constexpr, DIM: gl.constexpr):
    layout: gl.constexpr = dealt(gl.num_ctas(), DIM, gl.num_warps())
    at = gl.program_id(0) * R * C + offsets(R, C, layout)
    gl.store(out + at, gl.load(x + at) * 2 + gl.num_programs(0))
    gl.store(who + at, cluster.cta_rank() + gl.zeros([R, C], gl.int32, layout))


@pytest.mark.parametrize("dim", [0, 1])
@pytest.mark.parametrize("num_ctas", CLUSTERS)
def test_a_program_is_a_cluster(hopper_device, num_ctas, dim):
    x = np.random.default_rng(0).integers(0, 99, (3, 64, 128)).astype(np.float32)
    out, who = hopper_device.to_device(np.zeros_like(x)), hopper_device.to_device(np.full(x.shape, -1, np.int32))
    scale[(3,)](hopper_device.to_device(x), out, who, 64, 128, dim, num_ctas=num_ctas, num_warps=4)
    np.testing.assert_array_equal(hopper_device.to_host(out), x * 2 + 3)
    expected = np.arange(x.shape[1 + dim]) // (x.shape[1 + dim] // num_ctas)
    expected = expected[:, None] if dim == 0 else expected[None, :]
    np.testing.assert_array_equal(hopper_device.to_host(who), np.broadcast_to(expected, x.shape))


def test_sixteen_blocks(hopper_device):
    x = np.random.default_rng(0).integers(0, 99, (2, 64, 128)).astype(np.float32)
    out, who = hopper_device.to_device(np.zeros_like(x)), hopper_device.to_device(np.zeros(x.shape, np.int32))
    scale[(2,)](hopper_device.to_device(x), out, who, 64, 128, 0, num_ctas=16, num_warps=1)
    np.testing.assert_array_equal(hopper_device.to_host(out), x * 2 + 2)
    np.testing.assert_array_equal(hopper_device.to_host(who)[1, :, 5], np.arange(64) // 4)


@hocket.jit
def count(counts, R: gl.constexpr, C: gl.constexpr, LAYOUT: gl.constexpr):
    gl.atomic_add(counts + offsets(R, C, LAYOUT), 1)


@pytest.mark.parametrize("rows", [[], [[0, 0], [0, 0]], [[1, 0], [0, 0]], [[0, 0], [0, 1]], [[1, 0], [0, 1]]], ids=str)
def test_atomics_act_once(hopper_device, rows):
    """Returns True if blocks hold copies of an element, rather than parts of the tile."""
    layout = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0], rows)
    counts = hopper_device.to_device(np.zeros((32, 64), np.int32))
    count[(1,)](counts, 32, 64, layout, num_ctas=4)
    np.testing.assert_array_equal(hopper_device.to_host(counts), 1)


# Between blocks -------------------------------------------------------------------------------------------------------


@hocket.jit
def convert(x, out, R: gl.constexpr, C: gl.constexpr, FROM: gl.constexpr, TO: gl.constexpr):
    tile = gl.load(x + offsets(R, C, FROM))
    for _ in range(2):
        tile = gl.convert_layout(gl.convert_layout(tile, TO) + 1, FROM)
    gl.store(out + offsets(R, C, TO), gl.convert_layout(tile, TO))


CONVERSIONS = [
    ([[1, 0], [2, 0]], [[0, 1], [0, 2]]),
    ([[1, 0], [0, 1]], [[0, 1], [1, 0]]),
    ([[1, 0], [0, 0]], [[0, 0], [1, 0]]),
    ([[0, 0], [0, 0]], [[1, 0], [0, 1]]),
    ([[0, 1], [1, 0]], []),
    ([], [[2, 0], [1, 0]][::-1]),
]


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int8], ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize("src, dst", CONVERSIONS, ids=str)
def test_conversions(hopper_device, src, dst, dtype):
    x = np.random.default_rng(1).integers(0, 99, (32, 64)).astype(dtype)
    out = hopper_device.to_device(np.zeros_like(x))
    before = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0], src)
    after = gl.BlockedLayout([2, 2], [8, 4], [2, 2], [0, 1], dst)
    convert[(1,)](hopper_device.to_device(x), out, 32, 64, before, after, num_ctas=4)
    np.testing.assert_array_equal(hopper_device.to_host(out), x + dtype(2))


@pytest.mark.parametrize("num_warps", [4, 8])
def test_clusters_of_more_than_32_warps(hopper_device, num_warps):
    """With barriers of a block and of the cluster, and conversions between blocks."""
    x = np.random.default_rng(0).integers(0, 99, (64, 256)).astype(np.float32)
    out = hopper_device.to_device(np.zeros_like(x))
    before, after = (
        gl.BlockedLayout([1, 4], [4, 8], [num_warps, 1], [1, 0], rows)
        for rows in ([[1, 0], [2, 0], [0, 1], [0, 2]], [[0, 1], [0, 2], [0, 4], [0, 8]])
    )
    convert[(1,)](hopper_device.to_device(x), out, 64, 256, before, after, num_ctas=16, num_warps=num_warps)
    np.testing.assert_array_equal(hopper_device.to_host(out), x + 2)


@hocket.jit
def reduce_rows(x, total, most, R: gl.constexpr, C: gl.constexpr, LAYOUT: gl.constexpr, AXIS: gl.constexpr):
    tile = gl.load(x + offsets(R, C, LAYOUT))
    size: gl.constexpr = C if AXIS == 0 else R
    i = gl.arange(0, size, layout=gl.SliceLayout(AXIS, LAYOUT))
    gl.store(total + i, gl.sum(tile, AXIS))
    gl.store(most, gl.max(gl.max(tile, AXIS), 0))


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("rows", [[[1, 0], [2, 0]], [[0, 1], [0, 2]], [[1, 0], [0, 1]], [[0, 1], [0, 0]], []], ids=str)
def test_reductions(hopper_device, rows, axis):
    x = np.random.default_rng(2).integers(-99, 99, (32, 64)).astype(np.float32)
    layout = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0], rows)
    total = hopper_device.to_device(np.zeros(x.shape[1 - axis], np.float32))
    most = hopper_device.to_device(np.zeros(1, np.float32))
    reduce_rows[(1,)](hopper_device.to_device(x), total, most, 32, 64, layout, axis, num_ctas=4)
    np.testing.assert_array_equal(hopper_device.to_host(total), x.sum(axis))
    assert hopper_device.to_host(most)[0] == x.max()


@gl.constexpr_function
def shared_layout(kind, R, C, rows):
    if kind == "swizzled":
        return gl.SwizzledSharedLayout(4, 1, 4, [1, 0], rows)
    return gl.PaddedSharedLayout.with_identity_for([[16, 4], [64, 8]], [R, C], [1, 0], rows)


@hocket.jit
def through_shared(x, out, R: gl.constexpr, C: gl.constexpr, ROWS: gl.constexpr, KIND: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0], ROWS)
    other: gl.constexpr = gl.BlockedLayout([4, 1], [8, 4], [1, 4], [0, 1], ROWS)
    ring = gl.allocate_shared_memory(gl.float32, [2, R, C], shared_layout(KIND, R, C, ROWS))
    for i in range(0, 4):
        tile = ring.index(i % 2)
        tile.store(gl.load(x + i * R * C + offsets(R, C, layout)))
        gl.store(out + i * R * C + offsets(R, C, other), tile.load(other) + i)


@pytest.mark.parametrize("kind", ["swizzled", "padded"])
@pytest.mark.parametrize("rows", [((1, 0),), ((0, 1),), ((0, 0),), ((1, 0), (0, 1)), ((0, 0), (1, 0))], ids=str)
def test_tiles_in_shared_memory(hopper_device, rows, kind):
    x = np.random.default_rng(3).integers(0, 99, (4, 32, 64)).astype(np.float32)
    out = hopper_device.to_device(np.zeros_like(x))
    through_shared[(1,)](hopper_device.to_device(x), out, 32, 64, rows, kind, num_ctas=1 << len(rows))
    np.testing.assert_array_equal(hopper_device.to_host(out), x + np.arange(4, dtype=np.float32)[:, None, None])


@hocket.jit
def turn_padded(out, R: gl.constexpr, C: gl.constexpr, ROWS: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0], ROWS)
    shared: gl.constexpr = gl.PaddedSharedLayout.with_identity_for([[C, 4]], [R, C], [1, 0], ROWS)
    tile = gl.allocate_shared_memory(gl.float32, [R, C], shared)
    tile.store(offsets(R, C, layout).to(gl.float32))
    columns = tile.permute([1, 0]).load(gl.BlockedLayout([4, 1], [8, 4], [1, 4], [0, 1], [[0, 1]]))
    gl.static_assert(tile.nbytes_per_cta == (R // 2 * (C + 4) - 4) * 4)
    gl.store(out + offsets(C, R, gl.BlockedLayout([4, 1], [8, 4], [1, 4], [0, 1], [[0, 1]])), columns)


def test_a_padded_tile_is_permuted_and_counted(hopper_device):
    out = hopper_device.to_device(np.zeros((64, 32), np.float32))
    turn_padded[(1,)](out, 32, 64, ((1, 0),), num_ctas=2)
    np.testing.assert_array_equal(hopper_device.to_host(out), np.arange(32 * 64, dtype=np.float32).reshape(32, 64).T)


def line_of(kernel, code):
    lines, first = inspect.getsourcelines(kernel.fn)
    return first + next(i for i, line in enumerate(lines) if code in line)


# The barrier ----------------------------------------------------------------------------------------------------------


def exchanged(num_ctas, rounds):
    values = np.arange(num_ctas) + 1
    for _ in range(rounds):
        values = values + 1 + np.roll(values, -1)
    return np.repeat(values, 32)


@hocket.jit
def exchange(slots, out, rounds, SYNC: gl.constexpr):
    """Each block writes numbers, and reads those of the next."""
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [gl.num_warps()], [0], rows_of(gl.num_ctas(), 0, 1))
    SIZE: gl.constexpr = gl.num_ctas() * 32
    at = gl.arange(0, SIZE, layout=layout)
    value = at // 32 + 1
    for _ in range(0, rounds):
        gl.store(slots + at, value)
        if SYNC == "split":
            cluster.arrive()
            value += 1
            cluster.wait()
        elif SYNC == "barrier":
            cluster.barrier()
            value += 1
        elif SYNC == "gl.barrier":
            gl.barrier(cluster=True)
            value += 1
        elif SYNC == "relaxed":
            cluster.barrier(relaxed=True)
        value = value + gl.load(slots + (at + 32) % SIZE)
        cluster.barrier()
    gl.store(out + at, value)


@pytest.mark.parametrize("sync", ["split", "barrier", "gl.barrier"])
@pytest.mark.parametrize("num_ctas", CLUSTERS)
def test_blocks_wait_for_each_other(hopper_device, num_ctas, sync):
    slots = hopper_device.to_device(np.zeros(32 * num_ctas, np.int32))
    out = hopper_device.to_device(np.zeros(32 * num_ctas, np.int32))
    for seed in range(3):
        with emulator.schedule(seed=seed):
            exchange[(1,)](slots, out, 5, sync, num_ctas=num_ctas)
        np.testing.assert_array_equal(hopper_device.to_host(out), exchanged(num_ctas, 5))


@pytest.mark.parametrize("sync", ["none", "relaxed"])
def test_blocks_that_do_not_synchronize_race(sync):
    slots, out = np.zeros(128, np.int32), np.zeros(128, np.int32)
    with emulator.target("sm_90a"), pytest.raises(errors.RaceError, match="races with"):
        exchange[(1,)](slots, out, 2, sync, num_ctas=4)


@hocket.jit
def one_waits_elsewhere(out):
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    if cluster.cta_rank() == 1:
        mbarrier.wait(bar, 0)
    cluster.barrier()
    gl.store(out, 1)


def test_a_deadlock():
    with emulator.target("sm_90a"), pytest.raises(errors.DeadlockError) as raised:
        one_waits_elsewhere[(1,)](np.zeros(1, np.int32), num_ctas=2, num_warps=2)
    barrier = line_of(one_waits_elsewhere, "cluster.barrier()")
    wait = line_of(one_waits_elsewhere, "mbarrier.wait")
    told = str(raised.value)
    assert (
        f"warps 0-1 of block 0 at the cluster's barrier in line {barrier}, where 64 of 128 threads have arrived" in told
    )
    assert f"warps 0-1 of block 1 at the mbarrier `bar` of block 1 in line {wait}, whose phase 0 lacks 1 of 1" in told


@hocket.jit
def one_ends(out):
    if cluster.cta_rank() != 1:
        cluster.barrier()
    gl.store(out, 1)


def test_cluster_barriers_do_not_wait_for_ended_warps():
    out = np.zeros(1, np.int32)
    with emulator.target("sm_90a"):
        one_ends[(1,)](out, num_ctas=4)
    assert out[0] == 1


@hocket.jit
def wait_twice(out):
    cluster.arrive()
    cluster.wait()
    cluster.wait()
    gl.store(out, 1)


@hocket.jit
def arrive_twice(out):
    cluster.arrive()
    cluster.arrive()
    cluster.wait()
    gl.store(out, 1)


@pytest.mark.parametrize(
    "kernel, message",
    [(wait_twice, "waits at the cluster's barrier without an arrival"), (arrive_twice, "again before it has waited")],
)
def test_arrivals_and_waits_alternate(kernel, message):
    with emulator.target("sm_90a"), pytest.raises(errors.EmulatorError, match=message):
        kernel[(1,)](np.zeros(1, np.int32), num_ctas=2)


# CTAs whose elements interleave ---------------------------------------------------------------------------------------


@hocket.jit
def sum_along(x, out, R: gl.constexpr, C: gl.constexpr, AXIS: gl.constexpr, LAYOUT: gl.constexpr):
    total = gl.sum(gl.load(x + offsets(R, C, LAYOUT)), AXIS)
    size: gl.constexpr = C if AXIS == 0 else R
    gl.store(out + gl.arange(0, size, layout=gl.SliceLayout(AXIS, LAYOUT)), total)


INTERLEAVED = {
    "every other pair of rows": gl.DistributedLinearLayout(
        [], [[0, 1], [0, 4], [0, 2], [1, 0], [0, 0]], [[4, 0], [8, 0]], [[2, 0]], [16, 8]
    ),
    "the lowest rows": gl.DistributedLinearLayout(
        [[0, 1], [8, 0]], [[0, 2], [0, 4], [4, 0], [16, 0], [32, 0]], [[0, 0], [0, 8]], [[1, 0], [2, 0]], [64, 16]
    ),
    "rows at both ends": gl.DistributedLinearLayout(
        [[0, 1], [2, 0]], [[0, 2], [0, 4], [4, 0], [8, 0], [16, 0]], [[0, 0], [0, 8]], [[1, 0], [32, 0]], [64, 16]
    ),
    "rows here and there, and copies": gl.DistributedLinearLayout(
        [[4, 0]], [[0, 1], [0, 2], [1, 0], [16, 0], [0, 0]], [[0, 4], [64, 0]], [[2, 0], [8, 0], [0, 0], [32, 0]],
        [128, 8],
    ),
}  # fmt: skip


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("name", INTERLEAVED)
def test_reductions_over_interleaved_rows(hopper_device, name, axis):
    layout = INTERLEAVED[name]
    rows, columns = layout.shape
    x = np.random.default_rng(0).integers(-50, 50, (rows, columns)).astype(np.float32)
    out = hopper_device.to_device(np.zeros(x.shape[1 - axis], np.float32))
    num_ctas = 1 << len(layout.block_bases)
    sum_along[(1,)](hopper_device.to_device(x), out, rows, columns, axis, layout, num_ctas=num_ctas, num_warps=4)
    np.testing.assert_array_equal(hopper_device.to_host(out), x.sum(axis))
