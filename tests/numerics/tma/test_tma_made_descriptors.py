"""Descriptors that kernels make (tma.make_tensor_descriptor): shapes known at run time, loops, workers, mistakes."""

import numpy as np
import pytest

import hocket
from hocket import emulator, errors
from hocket import language as gl
from hocket.language.nvidia.hopper import mbarrier, tma

READ = gl.constexpr(gl.BlockedLayout([1, 1], [1, 32], [4, 1], [1, 0]))


@hocket.jit
def load_tile(desc, row, column):
    tile = gl.allocate_shared_memory(desc.dtype, desc.block_shape, desc.layout)
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    mbarrier.expect(bar, desc.nbytes_per_cta)
    tma.async_load(desc, [row, column], bar, tile)
    mbarrier.wait(bar, 0)
    mbarrier.invalidate(bar)
    return tile


@hocket.jit
def copy_blocks(x, y, rows, columns, stride, BLOCK: gl.constexpr, LAYOUT: gl.constexpr, PADDING: gl.constexpr):
    """Each block copies the tile of its index in the grid."""
    source = tma.make_tensor_descriptor(x, [rows, columns], [stride, 1], BLOCK, LAYOUT, PADDING)
    target = tma.make_tensor_descriptor(y, [rows, columns], [stride, 1], BLOCK, LAYOUT)
    row, column = gl.program_id(0) * BLOCK[0], gl.program_id(1) * BLOCK[1]
    tile = load_tile(source, row, column)
    tma.async_store(target, [row, column], tile)
    tma.store_wait(0)


@pytest.mark.parametrize("width", [1, 2, 4, 8], ids="{}bytes".format)
@pytest.mark.parametrize("swizzle", [0, 32, 64, 128])
def test_copies(hopper_device, swizzle, width):
    dtype = {1: np.uint8, 2: np.float16, 4: np.float32, 8: np.float64}[width]
    columns = 2 * (swizzle or 32) // width
    x = np.random.default_rng(1).integers(1, 100, (21, 2 * columns + 32 // width)).astype(dtype)
    y = hopper_device.to_device(np.zeros_like(x))
    layout = gl.NVMMASharedLayout(swizzle, 8 * width, 2)
    grid = (3, 3)
    copy_blocks[grid](hopper_device.to_device(x), y, 21, x.shape[1], x.shape[1], (8, columns), layout, "zero")
    np.testing.assert_array_equal(hopper_device.to_host(y), x)


@pytest.mark.parametrize("seed, completion", [(1, "random"), (2, "random"), (3, "now"), (4, "late")])
def test_every_schedule_gives_the_same(seed, completion):
    x = np.random.default_rng(2).standard_normal((40, 128)).astype(np.float16)
    y = np.zeros_like(x)
    with emulator.target("sm_90a", seed=seed, completion=completion):
        copy_blocks[(3, 2)](x, y, 40, 128, 128, (16, 64), gl.NVMMASharedLayout(128, 16, 2), "zero")
    np.testing.assert_array_equal(y, x)


@hocket.jit
def read_corner(x, out, rows, columns, LAYOUT: gl.constexpr, PADDING: gl.constexpr):
    desc = tma.make_tensor_descriptor(x, [rows, columns], [64, 1], [8, 64], LAYOUT, PADDING)
    value = load_tile(desc, -2, 0).load(READ)
    row = gl.arange(0, 8, layout=gl.SliceLayout(1, READ))[:, None]
    gl.store(out + row * 64 + gl.arange(0, 64, layout=gl.SliceLayout(0, READ))[None, :], value)


@pytest.mark.parametrize("padding", ["zero", "nan"])
def test_what_lies_outside(hopper_device, padding):
    x = np.random.default_rng(3).standard_normal((8, 64)).astype(np.float16)
    out = hopper_device.to_device(np.zeros((8, 64), np.float16))
    read_corner[(1,)](hopper_device.to_device(x), out, 4, 40, gl.NVMMASharedLayout(128, 16, 2), padding)
    expected = np.full((8, 64), np.nan if padding == "nan" else 0, np.float16)
    expected[2:6, :40] = x[:4, :40]
    np.testing.assert_array_equal(hopper_device.to_host(out), expected)


@hocket.jit
def add_corner(
    x, y, SIZES: gl.constexpr, STRIDES: gl.constexpr, BLOCK: gl.constexpr, LAYOUT: gl.constexpr, START: gl.constexpr
):
    source = tma.make_tensor_descriptor(x, SIZES, STRIDES, BLOCK, LAYOUT)
    target = tma.make_tensor_descriptor(y, SIZES, STRIDES, BLOCK, LAYOUT)
    tile = gl.allocate_shared_memory(source.dtype, BLOCK, LAYOUT)
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    mbarrier.expect(bar, source.nbytes_per_cta)
    tma.async_load(source, START, bar, tile)
    mbarrier.wait(bar, 0)
    tma.async_atomic_add(target, START, tile)
    tma.store_wait(0)


@pytest.mark.parametrize("rank", [1, 2, 3, 4, 5])
def test_dimensions(hopper_device, rank):
    block = (*[2] * (rank - 1), 8)
    x = np.random.default_rng(rank).integers(-9, 9, [*[3] * (rank - 1), 8]).astype(np.int32)
    y = hopper_device.to_device(np.ones_like(x))
    strides = tuple(stride // 4 for stride in x.strides)
    layout = gl.NVMMASharedLayout(0, 32, rank)
    add_corner[(1,)](hopper_device.to_device(x), y, x.shape, strides, block, layout, (0,) * rank)
    part = (*[slice(0, 2)] * (rank - 1), slice(0, 8))
    expected = np.ones_like(x)
    expected[part] += x[part]
    np.testing.assert_array_equal(hopper_device.to_host(y), expected)


@hocket.jit
def copy_groups(x, y, first_rows, count, LAYOUT: gl.constexpr, WAIT: gl.constexpr):
    """Group i is the rows from first_rows[i] to first_rows[i + 1]: nothing of a tile beyond them may be written."""
    tile = gl.allocate_shared_memory(gl.float16, [8, 64], LAYOUT)
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    for i in range(count):
        first = gl.load(first_rows + i)
        rows = gl.load(first_rows + i + 1) - first
        source = tma.make_tensor_descriptor(x + first * 64, [rows, 64], [64, 1], [8, 64], LAYOUT)
        target = tma.make_tensor_descriptor(y + first * 64, [rows, 64], [64, 1], [8, 64], LAYOUT)
        mbarrier.expect(bar, source.nbytes_per_cta)
        tma.async_load(source, [0, 0], bar, tile)
        mbarrier.wait(bar, i & 1)
        tma.async_store(target, [0, 0], tile)
        if WAIT:
            tma.store_wait(0)
    tma.store_wait(0)


def groups():
    x = np.random.default_rng(5).standard_normal((32, 64)).astype(np.float16)
    return x, np.array([0, 5, 6, 14, 20], np.int32)


def test_groups_in_a_loop(hopper_device):
    x, first_rows = groups()
    y = hopper_device.to_device(np.zeros_like(x))
    layout = gl.NVMMASharedLayout(128, 16, 2)
    arrays = hopper_device.to_device(x), y, hopper_device.to_device(first_rows)
    copy_groups[(1,)](*arrays, 4, layout, True)
    expected = np.where(np.arange(32)[:, None] < 20, x, 0)
    np.testing.assert_array_equal(hopper_device.to_host(y), expected)


@hocket.jit
def store_by_turns(y, count, LAYOUT: gl.constexpr):
    tile = gl.allocate_shared_memory(gl.float16, [8, 64], LAYOUT, value=gl.full([8, 64], 1, gl.float16, READ))
    for i in range(count):
        target = tma.make_tensor_descriptor(y + i * 512, [8, 64], [64, 1], [8, 64], LAYOUT)
        tma.async_store(target, [0, 0], tile)
    tma.store_wait(0)


def test_a_descriptor_that_copies_still_use():
    y = np.zeros((16, 64), np.float16)
    message = "the descriptor is overwritten while a bulk store with the previous one is still in flight"
    with emulator.target("sm_90a"), pytest.raises(errors.EmulatorError, match=message):
        store_by_turns[(1,)](y, 2, gl.NVMMASharedLayout(128, 16, 2))


@hocket.jit
def store_partition(desc, tile, y, LAYOUT: gl.constexpr):
    tma.async_store(desc, [0, 0], tile)
    own = tma.make_tensor_descriptor(y, [8, 64], [64, 1], [8, 64], LAYOUT)
    tma.async_store(own, [0, 0], tile)
    tma.store_wait(0)


@hocket.jit
def idle_partition():
    pass


@hocket.jit
def store_in_a_worker(x, y, LAYOUT: gl.constexpr):
    """By a descriptor that the launch's warps made, and by one that the worker makes."""
    tile = gl.allocate_shared_memory(gl.float16, [8, 64], LAYOUT, value=gl.full([8, 64], 3, gl.float16, READ))
    desc = tma.make_tensor_descriptor(x, [8, 64], [64, 1], [8, 64], LAYOUT)
    gl.warp_specialize([(idle_partition, ()), (store_partition, (desc, tile, y, LAYOUT))], [1])


def test_workers_use_and_make_descriptors(hopper_device):
    x, y = (hopper_device.to_device(np.zeros((8, 64), np.float16)) for _ in range(2))
    store_in_a_worker[(1,)](x, y, gl.NVMMASharedLayout(128, 16, 2))
    np.testing.assert_array_equal(hopper_device.to_host(x), np.full((8, 64), 3, np.float16))
    np.testing.assert_array_equal(hopper_device.to_host(y), np.full((8, 64), 3, np.float16))


@hocket.jit
def choose(x, y, first, LAYOUT: gl.constexpr):
    a = tma.make_tensor_descriptor(x, [8, 64], [64, 1], [8, 64], LAYOUT)
    b = tma.make_tensor_descriptor(y, [8, 64], [64, 1], [8, 64], LAYOUT)
    tile = gl.allocate_shared_memory(gl.float16, [8, 64], LAYOUT, value=gl.full([8, 64], 3, gl.float16, READ))
    if first:
        desc = a
    else:
        desc = b
    tma.async_store(desc, [0, 0], tile)
    tma.store_wait(0)


@pytest.mark.parametrize("first", [False, True])
def test_descriptors_are_values(hopper_device, first):
    arrays = [hopper_device.to_device(np.zeros((8, 64), np.float16)) for _ in range(2)]
    choose[(1,)](*arrays, first, gl.NVMMASharedLayout(128, 16, 2))
    for array, value in zip(arrays, (3, 0) if first else (0, 3), strict=True):
        np.testing.assert_array_equal(hopper_device.to_host(array), np.full((8, 64), value, np.float16))


@pytest.mark.parametrize(
    "offset, rows, stride, message",
    [
        (1, 8, 64, "is not a multiple of 16 bytes"),
        (0, 0, 64, "a descriptor's tensor has size 0 in dimension 0"),
        (0, 8, 60, "a descriptor's tensor has a stride of 120 bytes in dimension 0"),
    ],
)
def test_what_no_descriptor_holds(offset, rows, stride, message):
    x = np.zeros((16, 64), np.float16)
    with emulator.target("sm_90a"), pytest.raises(errors.EmulatorError, match=message):
        misplaced[(1,)](x, offset, rows, stride, gl.NVMMASharedLayout(128, 16, 2))


@hocket.jit
def misplaced(x, offset, rows, stride, LAYOUT: gl.constexpr):
    load_tile(tma.make_tensor_descriptor(x + offset, [rows, 64], [stride, 1], [8, 64], LAYOUT), 0, 0)


def test_tiles_beyond_the_array_are_found():
    """The sizes say that there is more than there is."""
    x = np.zeros((8, 64), np.float16)
    with emulator.target("sm_90a"), pytest.raises(errors.EmulatorError, match="out-of-bounds read"):
        misplaced[(1,)](x, 128, 8, 64, gl.NVMMASharedLayout(128, 16, 2))
