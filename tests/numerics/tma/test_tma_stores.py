"""Bulk stores by TMA: every swizzle, width of elements and rank, with ragged edges; and what a missing wait does."""

import numpy as np
import pytest
from tma_cases import CASES, LANES, case_name, make_case, store_blocks

import hocket
from hocket import emulator, errors
from hocket import language as gl
from hocket.language.nvidia.hopper import tma
from hocket.nvidia.hopper import TensorDescriptor


@pytest.mark.parametrize("completion", ["late", "random", "now"])
@pytest.mark.parametrize("case", CASES, ids=case_name)
def test_blocks_arrive(hopper_device, case, completion):
    case = make_case(case, whole=True)
    values = case.values(seed=1)
    array = hopper_device.to_device(case.padded(0))
    desc = TensorDescriptor.from_tensor(case.view(array), case.block, case.layout)
    with emulator.schedule(completion=completion):
        store_blocks[(case.num_blocks,)](
            desc, hopper_device.to_device(values), tuple(case.counts), case.starts, case.block_elements
        )
    expected = case.padded(0)
    for number in range(case.num_blocks):
        tensor_part, block_part = case.overlap(number)
        case.view(expected)[tensor_part] = values[number][block_part]
    np.testing.assert_array_equal(hopper_device.to_host(array), expected)


@hocket.jit
def facts(desc, out):
    gl.static_assert(desc.block_shape == (8, 64))
    gl.static_assert(desc.dtype == gl.float16)
    gl.static_assert(desc.nbytes_per_cta == 1024)
    gl.static_assert(desc.layout == gl.NVMMASharedLayout(128, 16, 2))
    gl.static_assert(desc.block_type == gl.block_type(gl.float16, [8, 64]))
    gl.static_assert(desc.strides[1] == 1)
    gl.store(out, desc.shape[0])
    gl.store(out + 1, desc.shape[1])
    gl.store(out + 2, desc.strides[0])


def test_a_kernel_knows_what_it_was_passed(hopper_device):
    x = hopper_device.to_device(np.zeros((21, 80), np.float16))
    desc = TensorDescriptor(x, [20, 70], [80, 1], [8, 64], gl.NVMMASharedLayout(128, 16, 2))
    out = hopper_device.to_device(np.zeros(3, np.int64))
    facts[(1,)](desc, out)
    np.testing.assert_array_equal(hopper_device.to_host(out), [20, 70, 80])


@hocket.jit
def store_ring(desc, values, steps, SLOTS: gl.constexpr, WAIT: gl.constexpr, LANES: gl.constexpr):
    """Stores one tile after the other, some of them on their way."""
    ring = gl.allocate_shared_memory(desc.dtype, [SLOTS, 8, 64], desc.layout)
    i = gl.arange(0, 512, layout=LANES)
    for step in range(0, steps):
        tile = ring.index(step % SLOTS)
        tile.store(gl.load(values + step * 512 + i).reshape([8, 64]))
        tma.async_store(desc, [step * 8, 0], tile)
        tma.store_wait(WAIT)
    tma.store_wait(0)


@hocket.jit
def store_ring_of_known_length(
    desc, values, STEPS: gl.constexpr, SLOTS: gl.constexpr, WAIT: gl.constexpr, LANES: gl.constexpr
):
    store_ring(desc, values, STEPS, SLOTS, WAIT, LANES)


def launch_ring(device, slots, wait, warps=4, kernel=store_ring):
    values = np.random.default_rng(3).standard_normal((10 * 8, 64)).astype(np.float32)
    array = device.to_device(np.zeros((10 * 8, 64), np.float32))
    desc = TensorDescriptor.from_tensor(array, [8, 64], gl.NVMMASharedLayout(128, 32, 2))
    lanes = gl.BlockedLayout([1], [32], [warps], [0])
    kernel[(1,)](desc, device.to_device(values), 10, slots, wait, lanes, num_warps=warps)
    np.testing.assert_array_equal(device.to_host(array), values)


@pytest.mark.parametrize("kernel", [store_ring, store_ring_of_known_length], ids=["any length", "known length"])
@pytest.mark.parametrize("slots", [1, 2, 3, 4])
def test_a_ring_of_stores(hopper_device, slots, kernel):
    launch_ring(hopper_device, slots, wait=slots - 1, kernel=kernel)


@pytest.mark.parametrize("slots", [1, 2, 3])
def test_a_wait_that_leaves_a_store_too_many_is_an_error(slots):
    hint = (
        rf"while the store of line \d+ is still in flight(.|\n)*hint: write tma.store_wait\({slots - 1}\) before line"
    )
    with emulator.target("sm_90a"), pytest.raises(errors.CompileError, match=hint):
        launch_ring(
            hocket.devices.EmulatedDevice("sm_90a"), slots, wait=slots, warps=1, kernel=store_ring_of_known_length
        )


@pytest.mark.parametrize("slots", [2, 3])
def test_a_ring_of_any_length_is_checked_when_it_runs(slots):
    """The loop may run no more often than the ring has slots, so the compiler cannot refuse the wait."""
    with emulator.target("sm_90a"), pytest.raises(errors.RaceError, match="while the bulk store of line"):
        launch_ring(hocket.devices.EmulatedDevice("sm_90a"), slots, wait=slots, warps=1)


@hocket.jit
def overwrite_without_waiting(desc, values, waits, LANES: gl.constexpr):
    """A run-time condition determines whether the kernel waits."""
    tile = gl.allocate_shared_memory(desc.dtype, [8, 64], desc.layout)
    i = gl.arange(0, 512, layout=LANES)
    for step in gl.static_range(2):
        tile.store(gl.load(values + step * 512 + i).reshape([8, 64]))
        tma.async_store(desc, [step * 8, 0], tile)
        if waits:
            tma.store_wait(0)


@pytest.mark.parametrize("completion", ["late", "random", "now"])
def test_a_store_that_is_not_waited_for_is_found(completion):
    values = np.random.default_rng(3).standard_normal((16, 64)).astype(np.float32)
    desc = TensorDescriptor.from_tensor(np.zeros_like(values), [8, 64], gl.NVMMASharedLayout(128, 32, 2))
    with (
        emulator.target("sm_90a"),
        emulator.schedule(completion=completion),
        pytest.raises(errors.RaceError, match=r"write to `tile` while the bulk store of line .* still reads it"),
    ):
        overwrite_without_waiting[(1,)](desc, values, 0, gl.BlockedLayout([1], [32], [1], [0]), num_warps=1)


@hocket.jit
def store_and_read(desc, x, out, READ_ONLY: gl.constexpr):
    tile = gl.allocate_shared_memory(gl.float32, [8, 32], desc.layout)
    i = gl.arange(0, 256, layout=LANES)
    tile.store(gl.load(x + i).reshape([8, 32]) + 1)
    tma.async_store(desc, [0, 0], tile)
    tma.store_wait(0, read_only=READ_ONLY)
    gl.barrier()
    gl.store(out + i, gl.load(x + i))


def test_what_is_stored_is_visible_after_a_full_wait():
    """A wait for reads of shared memory promises nothing about global memory, and the emulator writes it late."""
    seen = {}
    for read_only in (False, True):
        x, out = np.zeros((8, 32), np.float32), np.zeros((8, 32), np.float32)
        desc = TensorDescriptor.from_tensor(x, [8, 32], gl.NVMMASharedLayout(128, 32, 2))
        with emulator.target("sm_90a"), emulator.schedule(races=False):
            store_and_read[(1,)](desc, x, out, read_only)
        assert (x == 1).all()
        seen[read_only] = out.max()
    assert seen == {False: 1, True: 0}


@hocket.jit
def store_without_wait(desc):
    tile = gl.allocate_shared_memory(gl.float32, [8, 32], desc.layout)
    tile.store(gl.full([8, 32], 1, gl.float32, gl.BlockedLayout([1, 1], [1, 32], [4, 1], [1, 0])))
    tma.async_store(desc, [0, 0], tile)


def test_a_block_that_ends_too_early():
    x = np.zeros((8, 32), np.float32)
    desc = TensorDescriptor.from_tensor(x, [8, 32], gl.NVMMASharedLayout(128, 32, 2))
    with (
        emulator.target("sm_90a"),
        pytest.raises(errors.EmulatorError, match="the block ends while a bulk store still reads `tile`"),
    ):
        store_without_wait[(1,)](desc)


@hocket.jit
def store_same_block(desc):
    tile = gl.allocate_shared_memory(gl.float32, [8, 32], desc.layout)
    value = gl.program_id(0).to(gl.float32)
    tile.store(gl.full([8, 32], value, gl.float32, gl.BlockedLayout([1, 1], [1, 32], [4, 1], [1, 0])))
    tma.async_store(desc, [gl.program_id(0) * 4, 0], tile)
    tma.store_wait(0)


def test_two_blocks_that_store_the_same_elements_race():
    x = np.zeros((16, 32), np.float32)
    desc = TensorDescriptor.from_tensor(x, [8, 32], gl.NVMMASharedLayout(128, 32, 2))
    with emulator.target("sm_90a"), pytest.raises(errors.RaceError, match="`desc`"):
        store_same_block[(2,)](desc)


def test_a_read_only_array_is_not_stored_to():
    x = np.zeros((16, 32), np.float32)
    x.flags.writeable = False
    desc = TensorDescriptor.from_tensor(x, [8, 32], gl.NVMMASharedLayout(128, 32, 2))
    with emulator.target("sm_90a"), pytest.raises(errors.ReadOnlyArrayError):
        store_same_block[(1,)](desc)


REDUCTIONS = {
    "add": (tma.async_atomic_add, np.add, ["int32", "uint32", "uint64", "float16", "float32"]),
    "max": (tma.async_atomic_max, np.maximum, ["int32", "uint32", "int64", "float16"]),
    "min": (tma.async_atomic_min, np.minimum, ["int32", "uint32", "uint64", "float16"]),
    "and": (tma.async_atomic_and, np.bitwise_and, ["int32", "uint64"]),
    "or": (tma.async_atomic_or, np.bitwise_or, ["uint32", "uint64"]),
    "xor": (tma.async_atomic_xor, np.bitwise_xor, ["int32", "uint64"]),
}


@hocket.jit
def reduce_blocks(desc, values, REDUCE: gl.constexpr, SIZE: gl.constexpr):
    """All programs reduce into the same block."""
    tile = gl.allocate_shared_memory(desc.dtype, desc.block_shape, desc.layout)
    i = gl.arange(0, SIZE, layout=LANES)
    tile.store(gl.load(values + gl.program_id(0) * SIZE + i).reshape(desc.block_shape))
    REDUCE(desc, [0, 8], tile)
    tma.store_wait(0)


@pytest.mark.parametrize("name, dtype", [(name, dtype) for name in REDUCTIONS for dtype in REDUCTIONS[name][2]])
def test_reductions(hopper_device, name, dtype):
    reduce, function, _ = REDUCTIONS[name]
    random, low = np.random.default_rng(7), 0 if dtype.startswith("u") else -60
    values = random.integers(low, 60, (3, 8, 32)).astype(dtype)
    x = random.integers(low, 60, (7, 32)).astype(dtype)
    array = hopper_device.to_device(x)
    desc = TensorDescriptor.from_tensor(array, [8, 32], gl.NVMMASharedLayout(64, x.itemsize * 8))
    reduce_blocks[(3,)](desc, hopper_device.to_device(values), reduce, 256)
    for value in values:
        x[:, 8:] = function(x[:, 8:], value[:7, :24])
    np.testing.assert_array_equal(hopper_device.to_host(array), x)


@hocket.jit
def store_row(desc):
    tile = gl.allocate_shared_memory(gl.float16, [8, 64], desc.layout)
    tile.store(gl.full([8, 64], 1, gl.float16, gl.BlockedLayout([1, 1], [1, 32], [4, 1], [1, 0])))
    tma.async_store(desc, [0, 0], tile)
    tma.store_wait(0)


def test_stores_write_whole_pieces(hopper_device):
    """All of the last 16 bytes that contain an element of the tensor are written."""
    array = hopper_device.to_device(np.zeros((8, 48), np.float16))
    desc = TensorDescriptor(array, [8, 33], [48, 1], [8, 64], gl.NVMMASharedLayout(128, 16, 2))
    store_row[(1,)](desc)
    expected = np.zeros((8, 48), np.float16)
    expected[:, :40] = 1
    np.testing.assert_array_equal(hopper_device.to_host(array), expected)


@hocket.jit
def store_at(desc, row, column):
    tile = gl.allocate_shared_memory(gl.float16, [8, 64], desc.layout)
    tile.store(gl.full([8, 64], 1, gl.float16, gl.BlockedLayout([1, 1], [1, 32], [4, 1], [1, 0])))
    tma.async_store(desc, [row, column], tile)
    tma.store_wait(0)


@pytest.mark.parametrize(
    "row, column, message",
    [
        (0, 4, "a bulk store begins at 4 in dimension 1, which is not a multiple of 8 elements"),
        (-1, 0, "a bulk store begins at -1 in dimension 0, before the tensor"),
        (0, -8, "a bulk store begins at -8 in dimension 1, before the tensor"),
    ],
)
def test_where_blocks_cannot_begin(row, column, message):
    """A GPU ends the program with an illegal instruction there."""
    desc = TensorDescriptor.from_tensor(np.zeros((32, 128), np.float16), [8, 64], gl.NVMMASharedLayout(128, 16, 2))
    with emulator.target("sm_90a"), pytest.raises(errors.EmulatorError, match=message):
        store_at[(1,)](desc, row, column)
