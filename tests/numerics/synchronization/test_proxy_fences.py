"""Proxy fences between generic stores and bulk copies or wgmma: where the compiler inserts them, and what the emulator
reports without. Random programs: tests/robustness/waits/proxy_programs.py."""

import contextlib
import inspect
import re

import lane_edits
import numpy as np
import pytest
from tiles import tile_offsets

import hocket
from hocket import emulator, errors
from hocket import language as gl
from hocket.language.nvidia.hopper import mbarrier, tma, warpgroup_mma, warpgroup_mma_wait
from hocket.nvidia.hopper import TensorDescriptor

F16, F32 = np.float16, np.float32
ROWS = gl.constexpr(gl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0]))
MMA = gl.constexpr(gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 16]))
TILE = gl.NVMMASharedLayout(128, 16, 2)
BYTES = gl.constexpr(64 * 64 * 2)

_FENCE = re.compile(r"\s*nvvm\.fence\.proxy\b")


@pytest.fixture(autouse=True)
def on_hopper():
    with emulator.target("sm_90a"):
        yield


@contextlib.contextmanager
def without_fence(kind, number, of):
    """Inside, kernels run without one of their `of` proxy fences of this kind."""

    def delete(lane):
        fences = [n for n, line in enumerate(lane.lines) if _FENCE.match(line) and kind in line]
        assert len(fences) == of
        del lane.lines[fences[number]]

    with lane_edits.edited(delete):
        yield


def line_of(kernel, comment):
    source, first = inspect.getsourcelines(kernel.fn)
    (found,) = [n for n, line in enumerate(source, first) if f"# {comment}" in line]
    return found


def fences_of(kernel, *arguments, **options):
    """(line, what) of each proxy fence that the compiler inserts."""
    compiled = kernel.warmup(*arguments, target="sm_90a", **options)
    return [(p.line, p.what) for p in compiled.sync_report() if "proxy fence" in p.what and not p.is_written]


def described(array):
    return TensorDescriptor.from_tensor(array, [64, 64], TILE)


# Partitions ----------------------------------------------------------------------------------------------------------


@hocket.jit
def use_and_store(ring, full, out, n):
    acc = gl.zeros([64, 64], gl.float32, MMA)
    mbarrier.wait(full, 0)
    for _ in range(n):
        acc = warpgroup_mma(ring.index(0), ring.index(1), acc, is_async=True)
        acc = warpgroup_mma_wait(0, deps=[acc])
        ring.index(1).store(gl.full([64, 64], 2, gl.float16, ROWS))  # second store
    gl.store(out + tile_offsets(64, 64, MMA), acc)


@hocket.jit
def fill(ring, full):
    for slot in gl.static_range(2):
        ring.index(slot).store(gl.full([64, 64], 1, gl.float16, ROWS))
    mbarrier.arrive(full, count=1)  # arrival


@hocket.jit
def worker_stores_too(out, n):
    """The launch's warps fill a ring from which a worker multiplies, and to which the worker stores itself."""
    ring = gl.allocate_shared_memory(gl.float16, [2, 64, 64], gl.NVMMASharedLayout(128, 16, 2))
    full = mbarrier.allocate_mbarrier()
    mbarrier.init(full, count=1)
    gl.warp_specialize([(fill, (ring, full)), (use_and_store, (ring, full, out, n))], [4], [168])


def run_worker_stores_too(kernel=worker_stores_too):
    out = np.zeros((64, 64), F32)
    kernel[(1,)](out, 3)
    np.testing.assert_array_equal(out, np.full((64, 64), 64 * (1 + 2 + 2), F32))


def test_each_partition_needs_fences_of_its_own():
    for seed in range(3):
        with emulator.schedule(seed=seed):
            run_worker_stores_too()
    lines = [line for line, _ in fences_of(worker_stores_too, np.zeros((64, 64), F32), 3)]
    assert len(lines) == 2
    assert line_of(fill, "arrival") in lines


@pytest.mark.parametrize("number", range(2))
def test_neither_partition_fences_for_the_other(number):
    with (
        without_fence("async.shared", number, of=2),
        pytest.raises(errors.RaceError, match="without a proxy fence after the write"),
    ):
        run_worker_stores_too(hocket.jit(worker_stores_too.fn))


# Global memory -------------------------------------------------------------------------------------------------------


@hocket.jit
def load_tile(desc, tile, arrival, phase):
    mbarrier.expect(arrival, BYTES)
    tma.async_load(desc, [0, 0], arrival, tile)
    mbarrier.wait(arrival, phase)
    return tile.load(ROWS)


@hocket.jit
def stored_then_loaded(x, x_desc, out, n):
    tile = gl.allocate_shared_memory(gl.float16, [64, 64], x_desc.layout)
    arrival = mbarrier.allocate_mbarrier()
    mbarrier.init(arrival, count=1)
    for t in range(n):
        gl.store(x + tile_offsets(64, 64, ROWS), gl.full([64, 64], 3, gl.float16, ROWS))
        gl.barrier()  # barrier
        gl.store(out + tile_offsets(64, 64, ROWS), load_tile(x_desc, tile, arrival, t & 1))


def run_stored_then_loaded(kernel, *options):
    x, out = np.zeros((64, 64), F16), np.zeros((64, 64), F16)
    kernel[(1,)](x, described(x), out, 2, *options)
    np.testing.assert_array_equal(out, 3)


def test_a_bulk_load_of_what_lanes_have_stored():
    run_stored_then_loaded(stored_then_loaded)
    x = np.zeros((64, 64), F16)
    fences = fences_of(stored_then_loaded, x, described(x), x, 2)
    assert (line_of(stored_then_loaded, "barrier"), "proxy fence for global memory") in fences
    assert "fence.proxy.async.global" in stored_then_loaded.warmup(x, described(x), x, 2, target="sm_90a").asm["ptx"]


def test_a_bulk_load_without_its_fence_is_reported():
    line = line_of(stored_then_loaded, "barrier") - 1
    match = (
        rf"read of `x_desc` by a bulk copy, without a proxy fence after the write of line {line}, which it may not see"
    )
    with without_fence("async.global", 0, of=1), pytest.raises(errors.RaceError, match=match):
        run_stored_then_loaded(hocket.jit(stored_then_loaded.fn))


@hocket.jit
def stored_before_a_loop(x, x_desc, out, n):
    tile = gl.allocate_shared_memory(gl.float16, [64, 64], x_desc.layout)
    arrival = mbarrier.allocate_mbarrier()
    mbarrier.init(arrival, count=1)
    gl.store(x + tile_offsets(64, 64, ROWS), gl.full([64, 64], 3, gl.float16, ROWS))
    total = gl.zeros([64, 64], gl.float16, ROWS)
    for t in range(n):
        gl.barrier()
        total += load_tile(x_desc, tile, arrival, t & 1)
    gl.store(out + tile_offsets(64, 64, ROWS), total)


def test_the_fence_of_a_store_before_a_loop_is_before_the_loop():
    x, out = np.zeros((64, 64), F16), np.zeros((64, 64), F16)
    stored_before_a_loop[(1,)](x, described(x), out, 2)
    np.testing.assert_array_equal(out, 6)
    ir = stored_before_a_loop.warmup(x, described(x), out, 2, target="sm_90a").asm["hk"]
    assert ir.count("hk.proxy_fence global") == 1
    assert ir.index("hk.store") < ir.index("hk.proxy_fence global") < ir.index("scf.for")


@hocket.jit
def handed_over(x, x_desc, flag, out):
    """One block stores, another loads."""
    if gl.program_id(0) == 0:
        gl.store(x + tile_offsets(64, 64, ROWS), gl.full([64, 64], 3, gl.float16, ROWS))
        gl.atomic_xchg(flag, 1, sem="release")
    else:
        tile = gl.allocate_shared_memory(gl.float16, [64, 64], x_desc.layout)
        arrival = mbarrier.allocate_mbarrier()
        mbarrier.init(arrival, count=1)
        gl.atomic_poll(flag, 1)
        gl.store(out + tile_offsets(64, 64, ROWS), load_tile(x_desc, tile, arrival, 0))


def run_handed_over(kernel):
    x, out = np.zeros((64, 64), F16), np.zeros((64, 64), F16)
    kernel[(2,)](x, described(x), np.zeros(1, np.int32), out)
    np.testing.assert_array_equal(out, 3)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_bulk_load_by_another_block(threads):
    with emulator.schedule(threads=threads):
        run_handed_over(handed_over)


def test_a_bulk_load_by_another_block_without_the_fence():
    with (
        without_fence("async.global", 0, of=1),
        pytest.raises(errors.RaceError, match="by a bulk copy, without a proxy fence after the write of line"),
    ):
        run_handed_over(hocket.jit(handed_over.fn))


@hocket.jit
def made_of_another_pointer(x, y, out):
    desc = tma.make_tensor_descriptor(y, [64, 64], [64, 1], [64, 64], gl.NVMMASharedLayout(128, 16, 2))
    tile = gl.allocate_shared_memory(gl.float16, [64, 64], desc.layout)
    arrival = mbarrier.allocate_mbarrier()
    mbarrier.init(arrival, count=1)
    gl.store(x + tile_offsets(64, 64, ROWS), gl.full([64, 64], 3, gl.float16, ROWS))
    gl.barrier()
    gl.store(out + tile_offsets(64, 64, ROWS), load_tile(desc, tile, arrival, 0))


def test_different_pointers_are_of_different_arrays():
    """The compiler takes them for that; the emulator reports where it is wrong."""
    x, y, out = (np.zeros((64, 64), F16) for _ in range(3))
    made_of_another_pointer[(1,)](x, y, out)
    assert not any("global" in what for _, what in fences_of(made_of_another_pointer, x, y, out))
    with pytest.raises(errors.RaceError, match="make the descriptor from the pointer that is stored through"):
        made_of_another_pointer[(1,)](x, x, out)


# Shared memory that a bulk load overwrites ---------------------------------------------------------------------------


@hocket.jit
def overwritten(x_desc, out):
    tile = gl.allocate_shared_memory(gl.float16, [64, 64], x_desc.layout)
    arrival = mbarrier.allocate_mbarrier()
    mbarrier.init(arrival, count=1)
    tile.store(gl.full([64, 64], 3, gl.float16, ROWS))
    before = tile.load(ROWS)
    gl.barrier()
    gl.store(out + tile_offsets(64, 64, ROWS), before + load_tile(x_desc, tile, arrival, 0))


def test_a_bulk_load_over_what_lanes_have_stored():
    out, x = np.zeros((64, 64), F16), np.ones((64, 64), F16)
    overwritten[(1,)](described(x), out)
    np.testing.assert_array_equal(out, 4)
    message = "bulk load to `tile` without a proxy fence after the write of line .*, which may take effect after it"
    with without_fence("async.shared", 0, of=1), pytest.raises(errors.RaceError, match=message):
        hocket.jit(overwritten.fn)[(1,)](described(x), out)


# Bulk stores that are still writing ----------------------------------------------------------------------------------


@hocket.jit
def loaded_back(x_desc, out, row, READS: gl.constexpr, KIND: gl.constexpr, x):
    tile = gl.allocate_shared_memory(gl.float16, [64, 64], x_desc.layout)
    arrival = mbarrier.allocate_mbarrier()
    mbarrier.init(arrival, count=1)
    tile.store(gl.full([64, 64], 3, gl.float16, ROWS))
    tma.async_store(x_desc, [row, 0], tile)  # store
    tma.store_wait(0, read_only=READS)
    gl.barrier()
    if KIND == "bulk":
        values = load_tile(x_desc, tile, arrival, 0)
    else:
        values = gl.load(x + tile_offsets(64, 64, ROWS))
    gl.store(out + tile_offsets(64, 64, ROWS), values)


def run_loaded_back(reads, kind):
    x, out = np.zeros((64, 64), F16), np.zeros((64, 64), F16)
    loaded_back[(1,)](described(x), out, 0, reads, kind, x)
    np.testing.assert_array_equal(out, 3)


@pytest.mark.parametrize("kind", ["bulk", "lanes"])
@pytest.mark.parametrize("completion", ["late", "random", "now"])
def test_what_a_bulk_store_still_writes_must_not_be_read(kind, completion):
    line = line_of(loaded_back, "store")
    with emulator.schedule(completion=completion):
        run_loaded_back(False, kind)
        with pytest.raises(
            errors.RaceError,
            match=rf"while the bulk store of line {line} may still write it(.|\n)*hint: +wait until the store has also",
        ):
            run_loaded_back(True, kind)


@hocket.jit
def passed_to_another_block(x_desc, flag, x, out, READS: gl.constexpr):
    if gl.program_id(0) == 0:
        tile = gl.allocate_shared_memory(gl.float16, [64, 64], x_desc.layout)
        tile.store(gl.full([64, 64], 3, gl.float16, ROWS))
        tma.async_store(x_desc, [0, 0], tile)
        tma.store_wait(0, read_only=READS)
        gl.atomic_xchg(flag, 1, sem="release")
    else:
        gl.atomic_poll(flag, 1)
        gl.store(out + tile_offsets(64, 64, ROWS), gl.load(x + tile_offsets(64, 64, ROWS)))


def run_passed_to_another_block(reads):
    x, out = np.zeros((64, 64), F16), np.zeros((64, 64), F16)
    passed_to_another_block[(2,)](described(x), np.zeros(1, np.int32), x, out, reads)
    return out


def test_a_bulk_store_that_another_block_reads_too_early():
    np.testing.assert_array_equal(run_passed_to_another_block(False), 3)
    with pytest.raises(errors.RaceError, match=r"`x(_desc)?` races with a (read|write) by another block"):
        run_passed_to_another_block(True)


@hocket.jit
def reduced_twice(x_desc):
    """Reductions in flight add to the same elements in any order."""
    tile = gl.allocate_shared_memory(gl.float16, [64, 64], x_desc.layout)
    tile.store(gl.full([64, 64], 3, gl.float16, ROWS))
    for _ in gl.static_range(2):
        tma.async_atomic_add(x_desc, [0, 0], tile)
    tma.store_wait(0)


def test_reductions_need_no_wait_in_between():
    x = np.zeros((64, 64), F16)
    reduced_twice[(1,)](described(x))
    np.testing.assert_array_equal(x, 6)
