"""Stores to the shared memory of other blocks of a cluster (`hopper.async_store`), and mistakes with them."""

import random
import re

import ml_dtypes
import numpy as np
import pytest
from lane_edits import edited

import hocket
from hocket import emulator, errors
from hocket import language as gl
from hocket.language.nvidia import hopper
from hocket.language.nvidia.hopper import cluster, mbarrier, tma
from hocket.nvidia.hopper import TensorDescriptor

SCHEDULES = [(0, "late"), (1, "random"), (2, "random"), (4, "late"), (3, "now")]


@hocket.jit
def offsets(R: gl.constexpr, C: gl.constexpr, LAYOUT: gl.constexpr):
    row = gl.arange(0, R, layout=gl.SliceLayout(1, LAYOUT))
    column = gl.arange(0, C, layout=gl.SliceLayout(0, LAYOUT))
    return row.expand_dims(1) * C + column.expand_dims(0)


@hocket.jit
def exchange(x, out, R: gl.constexpr, C: gl.constexpr, BYTES: gl.constexpr, GIVEN: gl.constexpr, SHARED: gl.constexpr,
             WANTED: gl.constexpr, rounds):  # fmt: skip
    """Each block stores its values in layout `GIVEN`, and loads the received values in layout `WANTED`; several
    times."""
    ring = gl.allocate_shared_memory(x.dtype.element_ty, [2, R, C], SHARED)
    bars = mbarrier.allocate_mbarrier(batch=2)
    for slot in gl.static_range(2):
        mbarrier.init(bars.index(slot), count=1)
    cluster.barrier()
    for i in range(0, rounds):
        slot = i % 2
        mbarrier.expect(bars.index(slot), BYTES)
        tile = gl.load(x + i * R * C + offsets(R, C, GIVEN))
        hopper.async_store(ring.index(slot), tile, bars.index(slot))
        mbarrier.wait(bars.index(slot), i // 2)
        gl.store(out + i * R * C + offsets(R, C, WANTED), ring.index(slot).load(WANTED))
        if i % 2:
            cluster.barrier()  # all have read both slots


# Distribution over the blocks' registers, and over their shared memory.
PLACES = [
    ([[1, 0], [2, 0]], [[0, 1], [0, 2]]),
    ([[1, 0], [0, 1]], [[0, 1], [1, 0]]),
    ([[1, 0], [2, 0]], [[1, 0], [2, 0]]),
    ([[1, 0], [2, 0]], [[0, 0], [0, 0]]),
    ([[1, 0], [0, 0]], [[0, 0], [0, 0]]),
    ([[0, 1], [1, 0]], [[0, 0], [0, 1]]),
]


def bytes_to_come(given, shared, tile_bytes):
    """Returns the bytes that each block receives: its part, once for each block that holds another copy of it."""
    dealt = sum(any(row) for row in shared)
    repeats = sum(any(there) and not any(here) for here, there in zip(given, shared, strict=True))
    return (tile_bytes >> dealt) << repeats


@pytest.mark.parametrize("seed, completion", SCHEDULES)
@pytest.mark.parametrize("given, shared", PLACES, ids=str)
def test_exchanges(hopper_device, given, shared, seed, completion):
    x = np.random.default_rng(0).integers(0, 99, (5, 64, 64)).astype(np.float32)
    out = hopper_device.to_device(np.zeros_like(x))
    layouts = (
        gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0], given),
        gl.SwizzledSharedLayout(4, 2, 4, [1, 0], shared),
        gl.BlockedLayout([4, 1], [8, 4], [1, 4], [0, 1], shared),
    )
    expected = bytes_to_come(given, shared, x[0].nbytes)
    with emulator.schedule(seed=seed, completion=completion):
        exchange[(1,)](hopper_device.to_device(x), out, 64, 64, expected, *layouts, 5, num_ctas=4)
    np.testing.assert_array_equal(hopper_device.to_host(out), x)


@pytest.mark.parametrize("dtype", ["int8", "float16", "bfloat16", "float32", "int64"])
@pytest.mark.parametrize("num_ctas", [2, 8])
def test_dtypes_and_sizes_of_clusters(hopper_device, dtype, num_ctas):
    """1, 2 and 4 words at a time; lanes that hold copies of what the first ones do."""
    num_warps = 32 // num_ctas
    kind = getattr(ml_dtypes, dtype, None) or np.dtype(dtype)
    x = np.random.default_rng(1).integers(0, 99, (1, 32, 64)).astype(kind)
    out = hopper_device.to_device(np.zeros_like(x))
    rows, columns = (
        [[1 << bit if d == dim else 0 for d in range(2)] for bit in range(num_ctas.bit_length() - 1)] for dim in (0, 1)
    )
    layouts = (
        gl.BlockedLayout([1, 4], [2, 16], [num_warps, 1], [1, 0], rows),
        gl.SwizzledSharedLayout(1, 1, 1, [1, 0], columns),
        gl.BlockedLayout([1, 1], [8, 4], [num_warps, 1], [1, 0], columns),
    )
    expected = x.nbytes // num_ctas
    exchange[(1,)](
        hopper_device.to_device(x), out, 32, 64, expected, *layouts, 1, num_ctas=num_ctas, num_warps=num_warps
    )
    np.testing.assert_array_equal(hopper_device.to_host(out), x)


def drawn_rows(draw, is_dealt):
    """Rows of a cga_layout; zeros where a bit of a block's number is not to deal anything."""
    rows, following = [], [1, 1]
    for is_free in is_dealt:
        row, dim = [0, 0], draw.randrange(3)
        if is_free and dim < 2:
            row[dim] = following[dim]
            following[dim] *= 2
        rows.append(row)
    return rows


@pytest.mark.parametrize("seed", range(40))
def test_drawn_layouts(hopper_device, unoptimized, seed):
    draw = random.Random(seed)
    given = drawn_rows(draw, [True] * draw.choice([1, 2]))
    # Every block with a copy of an element stores it to the block that needs it.
    shared = drawn_rows(draw, [any(row) for row in given])
    sizes = draw.choice([(32, 32), (16, 64), (64, 32)])
    threads, warps = draw.choice([[4, 8], [8, 4], [1, 32], [32, 1]]), draw.choice([[4, 1], [1, 4], [2, 2]])
    layouts = (
        gl.BlockedLayout(draw.choice([[1, 4], [4, 4], [2, 8]]), threads, warps, [1, 0], given),
        gl.SwizzledSharedLayout(*draw.choice([(1, 1, 1), (4, 2, 4), (8, 1, 4)]), [1, 0], shared),
        gl.BlockedLayout([1, 2], [8, 4], [4, 1], [1, 0], shared),
    )
    kind = draw.choice([np.int8, np.float16, np.float32, np.int64])
    x = np.random.default_rng(seed).integers(0, 99, (3, *sizes)).astype(kind)
    out = hopper_device.to_device(np.zeros_like(x))
    expected = bytes_to_come(given, shared, x[0].nbytes)
    with emulator.schedule(seed=seed, completion=draw.choice(["late", "random", "now"])):
        exchange[(1,)](hopper_device.to_device(x), out, *sizes, expected, *layouts, 3, num_ctas=1 << len(given))
    np.testing.assert_array_equal(hopper_device.to_host(out), x)


@hocket.jit
def deal(out, N: gl.constexpr, DEALT: gl.constexpr, COPIES: gl.constexpr, SHARED: gl.constexpr):
    """Block 0, which has all, gives each block its part."""
    smem = gl.allocate_shared_memory(gl.int32, [N], SHARED)
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    cluster.barrier()
    mbarrier.expect(bar, smem.nbytes_per_cta)
    values = gl.arange(0, N, layout=COPIES)
    if cluster.cta_rank() == 0:
        hopper.async_store(smem, values * 3, bar)
    mbarrier.wait(bar, 0, deps=[smem])
    gl.store(out + gl.arange(0, N, layout=DEALT), smem.load(DEALT))
    mbarrier.invalidate(bar)


@pytest.mark.parametrize("seed, completion", SCHEDULES)
def test_one_block_deals_to_all(hopper_device, seed, completion):
    out = hopper_device.to_device(np.zeros(512, np.int32))
    dealt = gl.BlockedLayout([1], [32], [4], [0], [[1], [2]])
    copies = gl.BlockedLayout([4], [32], [4], [0], [[0], [0]])
    with emulator.schedule(seed=seed, completion=completion):
        deal[(1,)](out, 512, dealt, copies, gl.SwizzledSharedLayout(1, 1, 1, [0], [[1], [2]]), num_ctas=4)
    np.testing.assert_array_equal(hopper_device.to_host(out), np.arange(512) * 3)


@hocket.jit
def sum_of_rows(x, out, R: gl.constexpr, C: gl.constexpr):
    """Sums of the columns of all blocks: each tells all of them its own, and adds up what has come."""
    NUM: gl.constexpr = gl.num_ctas()
    mine: gl.constexpr = gl.BlockedLayout([1, 4], [1, 32], [1, 4], [1, 0], [[1, 0], [2, 0]])
    all_: gl.constexpr = gl.BlockedLayout([4, 1], [1, 32], [1, 4], [0, 1], [[0, 0], [0, 0]])
    shared: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [1, 0], [[0, 0], [0, 0]])
    inbox = gl.allocate_shared_memory(gl.float32, [NUM, R], shared)
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    cluster.barrier()
    mbarrier.expect(bar, inbox.nbytes_per_cta)
    part = gl.load(x + cluster.cta_rank() * C + gl.arange(0, R, layout=gl.SliceLayout(0, mine)))
    hopper.async_store(inbox, part.expand_dims(0).broadcast_to([NUM, R]), bar)
    mbarrier.wait(bar, 0)
    total = gl.sum(inbox.load(all_), 0)
    gl.store(out + gl.arange(0, R, layout=gl.SliceLayout(0, all_)), total)


def test_every_block_tells_all(hopper_device):
    x = np.random.default_rng(2).integers(0, 99, (4, 128)).astype(np.float32)
    out = hopper_device.to_device(np.zeros(128, np.float32))
    sum_of_rows[(1,)](hopper_device.to_device(x), out, 128, 128, num_ctas=4)
    np.testing.assert_array_equal(hopper_device.to_host(out), x.sum(0))


@hocket.jit
def produce(smem, bar, x, R: gl.constexpr, C: gl.constexpr, GIVEN: gl.constexpr):
    mbarrier.expect(bar, smem.nbytes_per_cta)
    hopper.async_store(smem, gl.load(x + offsets(R, C, GIVEN)), bar)


@hocket.jit
def hand_on(desc, smem, bar):
    mbarrier.wait(bar, 0, deps=[smem])
    tma.async_store(desc, [0, 0], smem)
    tma.store_wait(0)


@hocket.jit
def through_tma(desc, x, GIVEN: gl.constexpr):
    """A worker takes what the other partition of another block has stored, and TMA reads it."""
    R: gl.constexpr = desc.block_shape[0]
    C: gl.constexpr = desc.block_shape[1]
    smem = gl.allocate_shared_memory(desc.dtype, [R, C], desc.layout)
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    cluster.barrier()
    gl.warp_specialize([(produce, (smem, bar, x, R, C, GIVEN)), (hand_on, (desc, smem, bar))], [1])
    cluster.barrier()


@pytest.mark.parametrize("seed, completion", SCHEDULES)
def test_between_partitions_and_to_tma(hopper_device, seed, completion):
    x = np.random.default_rng(3).integers(0, 99, (128, 64)).astype(np.float16)
    layout = gl.NVMMASharedLayout(128, 16, cga_layout=[[1, 0]])
    out = hopper_device.to_device(np.zeros_like(x))
    desc = TensorDescriptor.from_tensor(out, [128, 64], layout)
    given = gl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0], [[0, 1]])
    with emulator.schedule(seed=seed, completion=completion):
        through_tma[(1,)](desc, hopper_device.to_device(x), given, num_ctas=2)
    np.testing.assert_array_equal(hopper_device.to_host(out), x)


def test_reads_by_tma_come_after_a_fence():
    desc = TensorDescriptor.from_tensor(
        np.zeros((128, 64), np.float16), [128, 64], gl.NVMMASharedLayout(128, 16, cga_layout=[[1, 0]])
    )
    given = gl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0], [[0, 1]])
    kernel = through_tma.warmup(desc, gl.float16, given, target="sm_90a", num_ctas=2)
    ptx = kernel.asm["ptx"]
    assert ptx.count("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32") == 8
    fence, store = ptx.index("fence.proxy.async"), ptx.index("cp.async.bulk.tensor.2d.global.shared::cta")
    wait = max(match.start() for match in re.finditer("mbarrier.try_wait", ptx[:store]))
    assert wait < fence < store


def without_proxy_fences(lane):
    kept = [line for line in lane.lines if "fence.proxy" not in line]
    assert len(kept) == len(lane.lines) - 1
    lane.lines = kept


def test_the_emulator_sees_that_the_fence_is_missing():
    layout = gl.NVMMASharedLayout(128, 16, cga_layout=[[1, 0]])
    desc = TensorDescriptor.from_tensor(np.zeros((128, 64), np.float16), [128, 64], layout)
    given = gl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0], [[0, 1]])
    message = r"without a proxy fence after the asynchronous store of line \d+"
    with emulator.target("sm_90a"), edited(without_proxy_fences), pytest.raises(errors.EmulatorError, match=message):
        hocket.jit(through_tma.fn)[(1,)](desc, np.zeros((128, 64), np.float16), given, num_ctas=2)


# Mistakes -------------------------------------------------------------------------------------------------------------


@hocket.jit
def misuse(out, reads_early, EXPECTED: gl.constexpr, IS_READY: gl.constexpr):
    """`reads_early` is not known to the compiler."""
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0], [[1]])
    other: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [0], [[0]])
    smem = gl.allocate_shared_memory(gl.int32, [256], other)
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    if IS_READY:
        cluster.barrier()
    if EXPECTED:
        mbarrier.expect(bar, EXPECTED)
    else:
        mbarrier.arrive(bar)
    at = gl.arange(0, 256, layout=layout)
    hopper.async_store(smem, at, bar)
    mbarrier.wait(bar, 0, pred=reads_early == 0)
    gl.store(out + at, smem.load(layout))
    cluster.barrier()


def run_misuse(*arguments):
    with emulator.target("sm_90a"):
        misuse[(1,)](np.zeros(256, np.int32), *arguments, num_ctas=2)


def test_no_mistake():
    run_misuse(0, 1024, True)


def test_a_read_before_the_wait():
    message = r"read of `smem` of block [01] while the asynchronous store of line \d+ into it is still in flight"
    with pytest.raises(errors.EmulatorError, match=message) as raised:
        run_misuse(2, 1024, True)
    assert "mbarrier.wait(barrier, phase)" in str(raised.value)


@pytest.mark.parametrize("expected, missing", [(2048, 1024), (1028, 4)])
def test_too_many_bytes_expected(expected, missing):
    with pytest.raises(errors.DeadlockError, match=f"{missing} bytes"):
        run_misuse(0, expected, True)


def test_no_bytes_expected():
    with pytest.raises(errors.EmulatorError):
        run_misuse(0, 0, True)


def test_an_mbarrier_that_may_not_be_ready():
    message = "`bar` of block [01] may not be initialized yet"
    with (
        emulator.target("sm_90a"),
        edited(lambda lane: lane.delete_cluster_barriers(0, 1)),
        pytest.raises(errors.MbarrierError, match=message),
    ):
        hocket.jit(misuse.fn)[(1,)](np.zeros(256, np.int32), False, 1024, False, num_ctas=2)


def test_the_compiler_waits_for_initialized_mbarriers():
    run_misuse(0, 1024, False)
