"""warp_specialize: functions at the same time on warps of their own, what they take and return, and how they wait."""

import numpy as np
import pytest
from partition_launches import integers, launch

import hocket
from hocket import language as gl


@gl.constexpr_function
def rows(warps):
    return gl.BlockedLayout([1, 1], [1, 32], [warps, 1], [1, 0])


FLAT = gl.constexpr(gl.SwizzledSharedLayout(1, 1, 1, [0]))
SQUARE = gl.constexpr(gl.SwizzledSharedLayout(1, 1, 1, [1, 0]))


# Partitions that have nothing to do with each other ------------------------------------------------------------------


@hocket.jit
def negate(x, out, N: gl.constexpr):
    i = gl.arange(0, N, layout=gl.row_layout())
    gl.store(out + i, -gl.load(x + i))


@hocket.jit
def double(x, out, N: gl.constexpr):
    i = gl.arange(0, N, layout=gl.row_layout())
    gl.store(out + i, 2 * gl.load(x + i))


@hocket.jit
def negate_and_double(x, negated, doubled, N: gl.constexpr, WARPS: gl.constexpr):
    gl.warp_specialize([(negate, (x, negated, N)), (double, (x, doubled, N))], [WARPS])


@pytest.mark.parametrize("launched", [1, 2, 4, 8])
@pytest.mark.parametrize("worker", [1, 2, 4, 8])
def test_two_partitions(nvidia_device, launched, worker):
    x, empty = integers(1024), np.zeros(1024, np.int32)
    _, negated, doubled = launch(nvidia_device, negate_and_double, x, empty, empty, 1024, worker, num_warps=launched)
    np.testing.assert_array_equal(negated, -x)
    np.testing.assert_array_equal(doubled, 2 * x)


@hocket.jit
def add_at(x, out, place, n, N: gl.constexpr):
    i = gl.arange(0, N, layout=gl.row_layout())
    gl.store(out + place * N + i, gl.load(x + i) + n * gl.num_warps())


@hocket.jit
def many_workers(x, out, WARPS: gl.constexpr, REGISTERS: gl.constexpr):
    gl.warp_specialize(
        [
            (add_at, (x, out, 0, 100, 256)),
            (add_at, (x, out, 1, 200, 256)),
            (add_at, (x, out, 2, 300, 256)),
            (add_at, (x, out, 3, 400, 256)),
        ],
        WARPS,
        REGISTERS,
    )


@pytest.mark.parametrize("registers", [None, (24, 32, 40)])
@pytest.mark.parametrize("warps", [(1, 1, 1), (1, 4, 2), (2, 1, 8), (4, 4, 4)])
def test_workers_of_different_sizes(nvidia_device, warps, registers):
    x = integers(256)
    _, out = launch(nvidia_device, many_workers, x, np.zeros((4, 256), np.int32), warps, registers)
    for place, count in enumerate((4, *warps)):
        np.testing.assert_array_equal(out[place], x + 100 * (place + 1) * count)


def test_a_block_has_the_warps_of_all_partitions():
    arrays = gl.int32, gl.int32
    assert many_workers.warmup(*arrays, (1, 2, 1), None, target="sm_90a").metadata.worker_warps == 4
    # The worker of 4 warps begins at a warpgroup of its own.
    assert many_workers.warmup(*arrays, (1, 4, 1), None, target="sm_90a", num_warps=1).metadata.worker_warps == 7
    # Budgets are for whole warpgroups.
    assert many_workers.warmup(*arrays, (1, 1, 1), (24, 24, 24), target="sm_90a").metadata.worker_warps == 4


@hocket.jit
def nothing():
    pass


# Before and after ----------------------------------------------------------------------------------------------------


@hocket.jit
def plus(tile, n):
    layout: gl.constexpr = gl.row_layout()
    tile.store(tile.load(layout) + n)


@hocket.jit
def shared_memory_in_and_out(x, out):
    layout: gl.constexpr = gl.row_layout()
    i = gl.arange(0, 256, layout=layout)
    tiles = gl.allocate_shared_memory(gl.int32, [2, 256], FLAT)
    tiles.index(0).store(gl.load(x + i))
    tiles.index(1).store(gl.load(x + i) * 10)
    gl.warp_specialize([(plus, (tiles.index(0), 1)), (plus, (tiles.index(1), 2))], [2])
    gl.store(out + i, tiles.index(0).load(layout) + tiles.index(1).load(layout))


def test_all_see_what_was_written_before(nvidia_device):
    x = integers(256)
    _, out = launch(nvidia_device, shared_memory_in_and_out, x, np.zeros(256, np.int32))
    np.testing.assert_array_equal(out, 11 * x + 3)


@hocket.jit
def global_memory_in_and_out(x, between, out):
    double(x, between, 256)
    gl.warp_specialize([(nothing, ()), (negate, (between, between + 256, 256))], [8])
    i = 255 - gl.arange(0, 256, layout=gl.row_layout())
    gl.store(out + i, gl.load(between + 256 + i))


def test_global_memory_too(nvidia_device):
    x = integers(256)
    _, _, out = launch(nvidia_device, global_memory_in_and_out, x, np.zeros(512, np.int32), np.zeros(256, np.int32))
    np.testing.assert_array_equal(out, -2 * x)


@hocket.jit
def some_of_all(x, tile):
    i = gl.arange(0, 256, layout=gl.row_layout())
    values = gl.load(x + i)
    return gl.sum(values, axis=0), (values + tile, 7)


@hocket.jit
def results(x, out, other):
    i = gl.arange(0, 256, layout=gl.row_layout())
    tile = gl.load(x + i) * 2
    total, (sums, seven) = gl.warp_specialize([(some_of_all, (x, tile)), (negate, (x, other, 256))], [1])
    gl.store(out + i, sums + total + seven)


def test_what_the_default_partition_returns(nvidia_device):
    x = integers(256)
    _, out, other = launch(nvidia_device, results, x, np.zeros(256, np.int32), np.zeros(256, np.int32))
    np.testing.assert_array_equal(out, 3 * x + x.sum() + 7)
    np.testing.assert_array_equal(other, -x)


# More than once ------------------------------------------------------------------------------------------------------


@hocket.jit
def next_of(n):
    return n + 1


@hocket.jit
def in_a_loop(x, out, rounds):
    state = 0
    for k in range(rounds):
        state = gl.warp_specialize([(next_of, (state,)), (add_at, (x, out, k, state, 128))], [2])
        if k % 2 == 1:
            state = gl.warp_specialize([(next_of, (state * 2,)), (add_at, (x, out, rounds + k, k, 128))], [4])
    gl.store(out + 2 * rounds * 128, state)


@pytest.mark.parametrize("rounds", [0, 1, 5])
def test_in_loops_and_branches(nvidia_device, rounds):
    x = integers(128)
    _, out = launch(nvidia_device, in_a_loop, x, np.zeros(2 * rounds * 128 + 1, np.int32), rounds)
    expected, state = np.zeros((2 * rounds, 128), np.int32), 0
    for k in range(rounds):
        expected[k] = x + 2 * state
        state += 1
        if k % 2 == 1:
            expected[rounds + k] = x + 4 * k
            state = 2 * state + 1
    np.testing.assert_array_equal(out[:-1].reshape(-1, 128), expected)
    assert out[-1] == state


@hocket.jit
def two_in_a_row(x, first, second):
    gl.warp_specialize([(negate, (x, first, 256)), (double, (x, first + 256, 256))], [4])
    gl.warp_specialize(
        [(double, (first, second, 256)), (negate, (first + 256, second + 256, 256)), (nothing, ())], [2, 1]
    )


def test_one_after_the_other(nvidia_device):
    x = integers(256)
    _, first, second = launch(nvidia_device, two_in_a_row, x, np.zeros(512, np.int32), np.zeros(512, np.int32))
    np.testing.assert_array_equal(first, np.concatenate([-x, 2 * x]))
    np.testing.assert_array_equal(second, np.concatenate([-2 * x, -2 * x]))


@hocket.jit
def only_in_some_blocks(x, out):
    block = gl.program_id(0)
    if block % 2 == 0:
        gl.warp_specialize([(nothing, ()), (add_at, (x, out, block, block, 128))], [4])


def test_blocks_that_start_no_worker(nvidia_device):
    x = integers(128)
    _, out = launch(nvidia_device, only_in_some_blocks, x, np.zeros((4, 128), np.int32), grid=4)
    np.testing.assert_array_equal(out, [x, 0 * x, x + 8, 0 * x])


# Captured values -----------------------------------------------------------------------------------------------------


@hocket.jit
def store_all(out, whole, small, half, flag, pair, address):
    number, (text, wide) = pair
    gl.static_assert(text == "text")
    gl.store(out, whole)
    gl.store(out + 1, small.to(gl.int32))
    gl.store(out + 2, (half * 4).to(gl.int32))
    gl.store(out + 3, flag.to(gl.int32))
    gl.store(out + 4, number)
    gl.store(out + 5, (wide // 1000000007).to(gl.int32))
    gl.store(out + 6, gl.load(address))


@hocket.jit
def captures_of_all_kinds(x, y, out, n):
    """Values that each thread can make for itself, and values that only the launch's warps have."""
    loaded = gl.load(x + 3)
    small = loaded.to(gl.int8)
    half = loaded.to(gl.float16) / 4
    wide = loaded.to(gl.int64) * 1000000007
    address = x + n
    if loaded > 0:
        address = y + loaded
    arguments = out, loaded + n, small, half, loaded > 0, (n * 3, ("text", wide)), address
    gl.warp_specialize([(nothing, ()), (store_all, arguments)], [1])


@pytest.mark.parametrize("loaded", [5, -5])
def test_captured_values(nvidia_device, loaded):
    x, y = integers(16), integers(16, seed=1)
    x[3] = loaded
    _, _, out = launch(nvidia_device, captures_of_all_kinds, x, y, np.zeros(7, np.int32), 11)
    expected = [loaded + 11, loaded, loaded, loaded > 0, 33, loaded, y[loaded] if loaded > 0 else x[11]]
    np.testing.assert_array_equal(out, np.array(expected, np.int32))


@hocket.jit
def slot_of_a_ring(x, out):
    layout: gl.constexpr = rows(gl.num_warps())
    i = gl.arange(0, 32, layout=gl.SliceLayout(1, layout))[:, None]
    j = gl.arange(0, 32, layout=gl.SliceLayout(0, layout))[None, :]
    ring = gl.allocate_shared_memory(gl.int32, [3, 32, 32], SQUARE)
    for k in gl.static_range(3):
        ring.index(k).store(gl.load(x + 32 * i + j) + k)
    slot = gl.load(x) & 1
    gl.warp_specialize([(nothing, ()), (store_half, (ring.index(slot + 1), out))], [2])


@hocket.jit
def store_half(tile, out):
    layout: gl.constexpr = rows(gl.num_warps())
    i = gl.arange(0, 16, layout=gl.SliceLayout(1, layout))[:, None]
    j = gl.arange(0, 32, layout=gl.SliceLayout(0, layout))[None, :]
    gl.store(out + 32 * i + j, tile.slice(16, 16, 0).load(layout))


@pytest.mark.parametrize("first", [0, 1])
def test_captured_handles(nvidia_device, first):
    x = integers(32, 32)
    x[0, 0] = first
    _, out = launch(nvidia_device, slot_of_a_ring, x, np.zeros((16, 32), np.int32))
    np.testing.assert_array_equal(out, x[16:] + first + 1)


# Mistakes that show when they run ------------------------------------------------------------------------------------


@hocket.jit
def write_tile(tile):
    tile.store(gl.full([256], 1, gl.int32, gl.row_layout()))


@hocket.jit
def read_tile(tile, out):
    layout: gl.constexpr = gl.row_layout()
    gl.store(out + gl.arange(0, 256, layout=layout), tile.load(layout))


@hocket.jit
def unordered_partitions(out):
    tile = gl.allocate_shared_memory(gl.int32, [256], FLAT)
    tile.store(gl.full([256], 0, gl.int32, gl.row_layout()))
    gl.warp_specialize([(read_tile, (tile, out)), (write_tile, (tile,))], [4])


@pytest.mark.parametrize("seed", range(4))
def test_races_between_partitions_are_found(seed):
    with hocket.emulator.target("sm_90a", seed=seed), pytest.raises(hocket.errors.RaceError) as raised:
        unordered_partitions[(1,)](np.zeros(256, np.int32))
    text = str(raised.value)
    assert "`tile` races with" in text and "by another warp" in text
