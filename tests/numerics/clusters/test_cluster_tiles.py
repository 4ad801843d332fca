"""Tiles in shared memory that are split among the CTAs of a cluster: views, accesses of other CTAs, their barriers."""

import numpy as np
import pytest
from lane_edits import edited

import hocket
from hocket import errors
from hocket import language as gl
from hocket.language.nvidia.ampere import async_copy
from hocket.language.nvidia.hopper import cluster, tma
from hocket.nvidia.hopper import TensorDescriptor

ROWS = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0], [[1, 0]])
COLUMNS = gl.BlockedLayout([4, 1], [8, 4], [1, 4], [0, 1], [[0, 1]])
COPIES = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0], [[0, 0]])


@hocket.jit
def offsets(R: gl.constexpr, C: gl.constexpr, LAYOUT: gl.constexpr):
    row = gl.arange(0, R, layout=gl.SliceLayout(1, LAYOUT))
    column = gl.arange(0, C, layout=gl.SliceLayout(0, LAYOUT))
    return row.expand_dims(1) * C + column.expand_dims(0)


def numbers(shape=(64, 32)):
    return np.random.default_rng(0).permutation(np.prod(shape)).reshape(shape).astype(np.float32)


@hocket.jit
def transpose(x, out, FROM: gl.constexpr, SHARED: gl.constexpr, TO: gl.constexpr):
    """Each CTA reads its part of the transposed tile, which other CTAs have loaded."""
    tile = gl.allocate_shared_memory(gl.float32, [64, 32], SHARED)
    tile.store(gl.load(x + offsets(64, 32, FROM)))
    gl.store(out + offsets(32, 64, TO), tile.permute([1, 0]).load(TO))


SHARED = {
    "rows": gl.SwizzledSharedLayout(4, 1, 4, [1, 0], [[1, 0]]),
    "columns": gl.SwizzledSharedLayout(1, 1, 1, [1, 0], [[0, 1]]),
    "copies": gl.SwizzledSharedLayout(1, 1, 1, [1, 0], [[0, 0]]),
    "padded": gl.PaddedSharedLayout.with_identity_for([[16, 4]], [64, 32], [1, 0], [[0, 1]]),
    "every other row": gl.SharedLinearLayout(
        [[0, 1 << bit] for bit in range(5)] + [[2 << bit, 0] for bit in range(5)], [[1, 0]]
    ),
    "linear copies": gl.SharedLinearLayout(
        [[0, 1 << bit] for bit in range(5)] + [[1 << bit, 0] for bit in range(6)], [[0, 0]]
    ),
}


@pytest.mark.parametrize("shared", list(SHARED))
@pytest.mark.parametrize("source", [ROWS, COLUMNS, COPIES], ids=["rows", "columns", "copies"])
@pytest.mark.parametrize("target", [ROWS, COLUMNS], ids=["rows", "columns"])
def test_stores_and_loads_between_ctas(hopper_device, source, shared, target):
    x = numbers()
    out = hopper_device.to_device(np.zeros((32, 64), np.float32))
    transpose[(1,)](hopper_device.to_device(x), out, source, SHARED[shared], target, num_ctas=2)
    np.testing.assert_array_equal(hopper_device.to_host(out), x.T)


def test_own_memory_needs_no_other(hopper_device):
    """Accesses of the own memory need neither barriers of the cluster nor distributed shared memory."""
    x = numbers()
    out = hopper_device.to_device(np.zeros((32, 64), np.float32))
    compiled = transpose[(1,)](hopper_device.to_device(x), out, ROWS, SHARED["rows"], COLUMNS, num_ctas=2)
    np.testing.assert_array_equal(hopper_device.to_host(out), x.T)
    assert "mapa" not in compiled.asm["ptx"] and "barrier.cluster" not in compiled.asm["ptx"]


@hocket.jit
def through_slices(x, out, SHARED: gl.constexpr, LAYOUT: gl.constexpr, DIM: gl.constexpr):
    """Swaps the halves of a tile, one slice after the other."""
    R: gl.constexpr = 32 if DIM == 0 else 64
    C: gl.constexpr = 16 if DIM == 1 else 32
    tile = gl.allocate_shared_memory(gl.float32, [64, 32], SHARED, gl.load(x + offsets(64, 32, LAYOUT)))
    first = tile.slice(0, R if DIM == 0 else C, DIM)
    second = tile.slice(R if DIM == 0 else C, R if DIM == 0 else C, DIM)
    ours = first.load(LAYOUT)
    theirs = second.load(LAYOUT)
    first.store(theirs)
    second.store(ours)
    gl.store(out + offsets(64, 32, LAYOUT), tile.load(LAYOUT))


@pytest.mark.parametrize("dim", [0, 1])
@pytest.mark.parametrize("registers", [ROWS, COLUMNS, COPIES], ids=["rows", "columns", "copies"])
@pytest.mark.parametrize("shared", list(SHARED))
def test_slices(hopper_device, shared, registers, dim):
    """A slice along the split dimension lies in the memory of one CTA, or half of it in each."""
    x = numbers()
    out = hopper_device.to_device(np.zeros_like(x))
    through_slices[(1,)](hopper_device.to_device(x), out, SHARED[shared], registers, dim, num_ctas=2)
    np.testing.assert_array_equal(hopper_device.to_host(out), np.roll(x, x.shape[dim] // 2, dim))


def without_the_barriers(lane):
    lane.delete_cluster_barriers(1, 2)  # after the one at the start


@pytest.mark.parametrize("shared", ["columns", "copies"])
def test_the_barriers_between_accesses_are_needed(shared):
    x = numbers()
    with hocket.emulator.target("sm_90a"), edited(without_the_barriers), pytest.raises(errors.RaceError):
        hocket.jit(transpose.fn)[(1,)](x, np.zeros((32, 64), np.float32), ROWS, SHARED[shared], ROWS, num_ctas=2)


def test_the_barrier_at_the_end_is_needed():
    with (
        hocket.emulator.target("sm_90a"),
        edited(lambda lane: lane.delete_cluster_barriers(-1)),
        pytest.raises(errors.EmulatorError, match="may have ended"),
    ):
        hocket.jit(transpose.fn)[(1,)](
            numbers(), np.zeros((32, 64), np.float32), ROWS, SHARED["columns"], COLUMNS, num_ctas=2
        )


@hocket.jit
def reuse(x, out, SHARED: gl.constexpr, FROM: gl.constexpr, TO: gl.constexpr, rounds):
    """Every iteration reads what all CTAs have stored in it, and overwrites what all have read in the one before."""
    tile = gl.allocate_shared_memory(gl.float32, [64, 32], SHARED)
    total = gl.zeros([64, 32], gl.float32, TO)
    for i in range(0, rounds):
        tile.store(gl.load(x + offsets(64, 32, FROM)) + i)
        total += tile.load(TO)
    gl.store(out + offsets(64, 32, TO), total)


@pytest.mark.parametrize("seed", range(3))
def test_loops(hopper_device, seed):
    x = numbers()
    out = hopper_device.to_device(np.zeros_like(x))
    with hocket.emulator.schedule(seed=seed):
        reuse[(1,)](hopper_device.to_device(x), out, SHARED["rows"], COLUMNS, COPIES, 4, num_ctas=2)
    np.testing.assert_array_equal(hopper_device.to_host(out), x * 4 + 6)


@hocket.jit
def select(x, out, old, SHARED: gl.constexpr, LAYOUT: gl.constexpr):
    """Reverses the rows by a gather, adds to every second row of all columns, and scatters by another order."""
    tile = gl.allocate_shared_memory(gl.int32, [64, 32], SHARED, gl.load(x + offsets(64, 32, LAYOUT)))
    row = offsets(64, 32, LAYOUT) // 32
    reversed_rows = tile.gather(63 - row, 0)
    tile.scatter(reversed_rows, (row * 5 + 3) % 64, 0)
    before = tile.atomic_scatter_add(row * 0 + 1000, row // 2 * 2, 0, mask=row % 4 == 0)
    gl.store(old + offsets(64, 32, LAYOUT), before, mask=row % 4 == 0)
    gl.store(out + offsets(64, 32, LAYOUT), tile.load(LAYOUT))


@pytest.mark.parametrize("registers", [ROWS, COLUMNS], ids=["rows", "columns"])
@pytest.mark.parametrize("shared", [name for name in SHARED if "copies" not in name])
def test_selected_elements_of_other_ctas(hopper_device, shared, registers):
    x = np.random.default_rng(0).integers(0, 999, (64, 32)).astype(np.int32)
    out, old = (hopper_device.to_device(np.zeros_like(x)) for _ in range(2))
    select[(1,)](hopper_device.to_device(x), out, old, SHARED[shared], registers, num_ctas=2)
    row = np.arange(64)
    scattered = np.zeros_like(x)
    scattered[(row * 5 + 3) % 64] = x[::-1]
    expected = scattered + 1000 * (row % 4 == 0)[:, None]
    np.testing.assert_array_equal(hopper_device.to_host(out), expected)
    np.testing.assert_array_equal(hopper_device.to_host(old)[::4], scattered[::4])


@hocket.jit
def copy(x, out, SHARED: gl.constexpr, FROM: gl.constexpr, TO: gl.constexpr):
    tile = gl.allocate_shared_memory(gl.float32, [64, 32], SHARED)
    async_copy.async_copy_global_to_shared(tile, x + offsets(64, 32, FROM))
    async_copy.commit_group()
    async_copy.wait_group(0)
    gl.store(out + offsets(64, 32, TO), tile.load(TO))


@pytest.mark.parametrize("shared, registers", [("rows", ROWS), ("copies", COPIES)], ids=["rows", "copies"])
def test_asynchronous_copies(hopper_device, shared, registers):
    """Each CTA that has a copy writes its own."""
    x = numbers()
    out = hopper_device.to_device(np.zeros_like(x))
    copy[(1,)](hopper_device.to_device(x), out, SHARED[shared], registers, COLUMNS, num_ctas=2)
    np.testing.assert_array_equal(hopper_device.to_host(out), x)


@hocket.jit
def store_by_tma(x, desc, FROM: gl.constexpr, HAS_BARRIER: gl.constexpr):
    """TMA reads what lanes of the own CTA, or of another one, have stored."""
    tile = gl.allocate_shared_memory(gl.float32, [64, 32], desc.layout)
    tile.store(gl.load(x + offsets(64, 32, FROM)))
    if HAS_BARRIER:
        cluster.barrier()
    tma.async_store(desc, [0, 0], tile)
    tma.store_wait(0)


@pytest.mark.parametrize("has_barrier", [True, False])
@pytest.mark.parametrize("registers", [ROWS, COLUMNS], ids=["own", "other"])
def test_stores_are_shown_to_the_async_proxy(hopper_device, registers, has_barrier):
    """The fence comes before the barrier of the cluster."""
    x = numbers()
    out = hopper_device.to_device(np.zeros_like(x))
    desc = TensorDescriptor.from_tensor(out, [64, 32], gl.NVMMASharedLayout(128, 32, cga_layout=[[1, 0]]))
    compiled = store_by_tma[(1,)](hopper_device.to_device(x), desc, registers, has_barrier, num_ctas=2)
    np.testing.assert_array_equal(hopper_device.to_host(out), x)
    space = "cta" if registers == ROWS else "cluster"
    assert f"fence.proxy.async.shared::{space}" in compiled.asm["ptx"]
    if has_barrier:
        text = compiled.asm["hk"]
        assert text.index("hk.proxy_fence") < text.rindex("hk.cluster_barrier")
