"""Bulk loads by TMA: every swizzle, width of elements and rank, and what lies outside; rings; missing waits."""

import numpy as np
import pytest
from tma_cases import CASES, case_name, load_blocks, make_case, tile_layout

import hocket
from hocket import emulator, errors
from hocket import language as gl
from hocket.language.nvidia.hopper import mbarrier, tma
from hocket.nvidia.hopper import TensorDescriptor

ROWS = gl.constexpr(gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0]))


def check_blocks(device, case, padding, completion):
    x = np.random.default_rng(1).integers(1, 100, case.padded(0).shape).astype(case.dtype)
    desc = TensorDescriptor.from_tensor(case.view(device.to_device(x)), case.block, case.layout, padding)
    outside = np.nan if padding == "nan" else 0
    expected = np.full((case.num_blocks, *case.block), outside, case.dtype)
    out = device.to_device(np.full_like(expected, 77))
    with emulator.schedule(completion=completion):
        load_blocks[(case.num_blocks,)](
            desc, out, tuple(case.counts), case.starts, case.block_elements, tile_layout(len(case.block))
        )
    for number in range(case.num_blocks):
        tensor_part, block_part = case.overlap(number)
        expected[number][block_part] = case.view(x)[tensor_part]
    np.testing.assert_array_equal(device.to_host(out), expected)


@pytest.mark.parametrize("completion", ["late", "random", "now"])
@pytest.mark.parametrize("case", CASES, ids=case_name)
def test_blocks_arrive(hopper_device, case, completion):
    check_blocks(hopper_device, make_case(case, before=True), "zero", completion)


@pytest.mark.parametrize("case", [case for case in CASES if case[1] > 1 and case[2] in (1, 3)], ids=case_name)
def test_nan_outside_of_the_tensor(hopper_device, case):
    check_blocks(hopper_device, make_case(case, before=True), "nan", "late")


@hocket.jit
def copy_through_ring(src, dst, steps, SLOTS: gl.constexpr):
    """Each slot is loaded, stored as soon as it is there, and loaded again as soon as it was read."""
    ring = gl.allocate_shared_memory(src.dtype, [SLOTS, 8, 64], src.layout)
    bars = gl.allocate_shared_memory(gl.int64, [SLOTS, 1], mbarrier.MBarrierLayout())
    for slot in gl.static_range(SLOTS):
        mbarrier.init(bars.index(slot), count=1)
    for slot in gl.static_range(SLOTS):
        mbarrier.expect(bars.index(slot), src.nbytes_per_cta, pred=slot < steps)
        tma.async_load(src, [slot * 8, 0], bars.index(slot), ring.index(slot), pred=slot < steps)
    for step in range(0, steps):
        slot = step % SLOTS
        mbarrier.wait(bars.index(slot), step // SLOTS)
        tma.async_store(dst, [step * 8, 0], ring.index(slot))
        tma.store_wait(0)
        ahead = step + SLOTS
        mbarrier.expect(bars.index(slot), src.nbytes_per_cta, pred=ahead < steps)
        tma.async_load(src, [ahead * 8, 0], bars.index(slot), ring.index(slot), pred=ahead < steps)


@pytest.mark.parametrize("seed, completion", [(0, "late"), (1, "random"), (2, "random"), (3, "now")])
@pytest.mark.parametrize("slots", [1, 2, 3])
def test_a_copy_through_a_ring(hopper_device, slots, seed, completion):
    x = np.random.default_rng(4).standard_normal((83, 64)).astype(np.float32)
    out = hopper_device.to_device(np.zeros_like(x))
    layout = gl.NVMMASharedLayout(128, 32, 2)
    src = TensorDescriptor.from_tensor(hopper_device.to_device(x), [8, 64], layout)
    dst = TensorDescriptor.from_tensor(out, [8, 64], layout)
    with emulator.schedule(seed=seed, completion=completion):
        copy_through_ring[(1,)](src, dst, 11, slots)
    np.testing.assert_array_equal(hopper_device.to_host(out), x)


@hocket.jit
def sum_tiles(src, out, steps, SLOTS: gl.constexpr, READ: gl.constexpr):
    ring = gl.allocate_shared_memory(gl.float32, [SLOTS, 16, 32], src.layout)
    bars = gl.allocate_shared_memory(gl.int64, [SLOTS, 1], mbarrier.MBarrierLayout())
    for slot in gl.static_range(SLOTS):
        mbarrier.init(bars.index(slot), count=1)
    for slot in gl.static_range(SLOTS - 1):
        mbarrier.expect(bars.index(slot), src.nbytes_per_cta)
        tma.async_load(src, [slot * 16, 0], bars.index(slot), ring.index(slot))
    total = gl.zeros([16, 32], gl.float32, READ)
    for step in range(0, steps):
        mbarrier.wait(bars.index(step % SLOTS), step // SLOTS)
        total += ring.index(step % SLOTS).load(READ)
        ahead = step + SLOTS - 1
        mbarrier.expect(bars.index(ahead % SLOTS), src.nbytes_per_cta, pred=ahead < steps)
        tma.async_load(src, [ahead * 16, 0], bars.index(ahead % SLOTS), ring.index(ahead % SLOTS), pred=ahead < steps)
    row = gl.arange(0, 16, layout=gl.SliceLayout(1, READ))[:, None]
    gl.store(out + row * 32 + gl.arange(0, 32, layout=gl.SliceLayout(0, READ))[None, :], total)


@pytest.mark.parametrize("seed, completion", [(0, "late"), (1, "random"), (2, "random"), (3, "now")])
def test_tiles_are_summed_while_others_are_on_their_way(hopper_device, seed, completion):
    x = np.random.default_rng(5).integers(-50, 50, (9 * 16, 32)).astype(np.float32)
    out = hopper_device.to_device(np.zeros((16, 32), np.float32))
    src = TensorDescriptor.from_tensor(hopper_device.to_device(x), [16, 32], gl.NVMMASharedLayout(128, 32, 2))
    with emulator.schedule(seed=seed, completion=completion):
        sum_tiles[(1,)](src, out, 9, 3, ROWS.value)
    np.testing.assert_array_equal(hopper_device.to_host(out), x.reshape(9, 16, 32).sum(0))


# Mistakes -------------------------------------------------------------------------------------------------------------


@hocket.jit
def one_load(desc, out, waits, BYTES: gl.constexpr, WAIT: gl.constexpr):
    """`waits` is not known to the compiler."""
    tile = gl.allocate_shared_memory(gl.float32, [8, 32], desc.layout)
    bar = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(bar, count=1)
    mbarrier.expect(bar, BYTES)
    tma.async_load(desc, [0, 0], bar, tile)
    if WAIT == "before":
        mbarrier.wait(bar, 0, pred=waits != 0)
    row = gl.arange(0, 8, layout=gl.SliceLayout(1, ROWS))[:, None]
    column = gl.arange(0, 32, layout=gl.SliceLayout(0, ROWS))[None, :]
    if WAIT != "never":
        gl.store(out + row * 32 + column, tile.load(ROWS))
    if WAIT == "after":
        mbarrier.wait(bar, 0)


def launch_one_load(byte_count, wait, completion="late", waits=2):
    x, out = np.ones((8, 32), np.float32), np.zeros((8, 32), np.float32)
    desc = TensorDescriptor.from_tensor(x, [8, 32], gl.NVMMASharedLayout(128, 32, 2))
    with emulator.target("sm_90a"), emulator.schedule(completion=completion):
        one_load[(1,)](desc, out, waits, byte_count, wait)
    return out


def test_one_load():
    assert (launch_one_load(1024, "before") == 1).all()


def test_a_read_before_the_wait():
    with pytest.raises(errors.CompileError, match=r"reads `tile` before the load of line \d+ is complete"):
        launch_one_load(1024, "after")


@pytest.mark.parametrize("completion", ["late", "random"])
def test_a_read_without_the_wait(completion):
    with pytest.raises(errors.RaceError, match=r"read of `tile` while the bulk load of line \d+ into it"):
        launch_one_load(1024, "before", completion, waits=0)


def test_more_bytes_expected_than_come():
    with pytest.raises(errors.DeadlockError):
        launch_one_load(2048, "before")


def test_expecting_too_few_bytes_is_an_error():
    with pytest.raises(errors.EmulatorError):
        launch_one_load(512, "before")


def test_a_block_that_ends_before_its_load():
    with pytest.raises(errors.EmulatorError, match="the block ends while a bulk load still writes `tile`"):
        launch_one_load(1024, "never")


@hocket.jit
def four_tiles_in_turn(desc, out, tiles, SIZE: gl.constexpr):
    """Each iteration sums four tiles up, of which one is in use at a time. All are brought by one mbarrier."""
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [1, 32], [4, 1], [1, 0])
    bar = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(bar, count=1)
    phase = 0
    for tile in range(gl.program_id(0), tiles, gl.num_programs(0)):
        total = gl.zeros([SIZE, SIZE], gl.float32, layout)
        for part in gl.static_range(4):
            buffer = gl.allocate_shared_memory(desc.dtype, desc.block_shape, desc.layout)
            mbarrier.expect(bar, desc.nbytes_per_cta)
            tma.async_load(desc, [tile * 4 * SIZE + part * SIZE, 0], bar, buffer)
            mbarrier.wait(bar, phase)
            phase ^= 1
            total = total * 2 + buffer.load(layout)
        rows = gl.arange(0, SIZE, layout=gl.SliceLayout(1, layout))[:, None]
        gl.store(
            out + (tile * SIZE + rows) * SIZE + gl.arange(0, SIZE, layout=gl.SliceLayout(0, layout))[None, :], total
        )


@pytest.mark.parametrize("completion", ["late", "random", "now"])
def test_tiles_that_are_read_share_memory(hopper_device, completion):
    """Though their mbarrier is in use for longer: what has been read has come."""
    x = np.random.default_rng(0).integers(0, 100, (10 * 4 * 32, 32)).astype(np.float32)
    desc = TensorDescriptor.from_tensor(hopper_device.to_device(x), [32, 32], gl.NVMMASharedLayout(128, 32, 2))
    out = hopper_device.to_device(np.zeros((10, 32, 32), np.float32))
    with emulator.schedule(completion=completion):
        compiled = four_tiles_in_turn[(2,)](desc, out, 10, SIZE=32)
    parts = x.reshape(10, 4, 32, 32)
    expected = ((parts[:, 0] * 2 + parts[:, 1]) * 2 + parts[:, 2]) * 2 + parts[:, 3]
    np.testing.assert_array_equal(hopper_device.to_host(out), expected)
    assert compiled.metadata.shared < 2 * 32 * 32 * 4
