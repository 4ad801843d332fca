"""gl.RingBuffer: fills by TMA, cp.async, stores and AMD's copies into LDS, in one partition and between partitions."""

import numpy as np
import pytest

import hocket
from hocket import language as gl
from hocket.language.amd.cdna4 import async_copy as lds_copy
from hocket.language.nvidia.ampere import async_copy
from hocket.language.nvidia.hopper import tma
from hocket.nvidia.hopper import TensorDescriptor

SIZE = 256
TILES = 7
STAGES = pytest.mark.parametrize("stages", [1, 2, 3, 4])


def tiles_and_sum():
    x = np.random.default_rng(0).integers(-9, 9, (TILES, SIZE)).astype(np.int32)
    return x, x.cumsum(axis=0).astype(np.int32)


@hocket.jit
def allocate(STAGES: gl.constexpr, SIZE: gl.constexpr):
    return gl.allocate_shared_memory(gl.int32, [STAGES, SIZE], gl.SwizzledSharedLayout(1, 1, 1, [0]))


@hocket.jit
def add_tiles(ring, out, tiles):
    """Consumer: stores the sum of all tiles so far, for each tile."""
    SIZE: gl.constexpr = ring.buffers[0].shape[1]
    i = gl.arange(0, SIZE, gl.row_layout())
    total = gl.zeros([SIZE], gl.int32, gl.row_layout())
    for tile in range(tiles):
        total += ring.wait(tile).buffer.load(gl.row_layout())
        ring.release(tile)
        gl.store(out + tile * SIZE + i, total)


@hocket.jit
def fill_by_stores(ring, x, tiles):
    SIZE: gl.constexpr = ring.buffers[0].shape[1]
    i = gl.arange(0, SIZE, gl.row_layout())
    for tile in range(tiles):
        slot = ring.acquire(tile)
        slot.buffer.store(gl.load(x + tile * SIZE + i))
        ring.commit(tile)


@hocket.jit
def fill_by_copies(ring, x, tiles):
    SIZE: gl.constexpr = ring.buffers[0].shape[1]
    i = gl.arange(0, SIZE, gl.row_layout(4))
    for tile in range(tiles):
        slot = ring.acquire(tile)
        async_copy.async_load(slot.buffer, x + tile * SIZE + i)
        ring.commit(tile)


@hocket.jit
def fill_by_tma(ring, desc, tiles):
    position = ring.position(0)
    for tile in range(tiles):
        slot = ring.acquire(position)
        tma.async_load(desc, [tile, 0], slot.full, slot.buffer)
        position = position.next()


@hocket.jit
def between_partitions(
    x, out, tiles, FILL: gl.constexpr, STAGES: gl.constexpr, PER_WARP: gl.constexpr, SIZE: gl.constexpr
):  # fmt: skip
    consumers: gl.constexpr = 4 if PER_WARP else 1
    buffers = allocate(STAGES, SIZE)
    if FILL == "stores":
        ring = gl.RingBuffer(buffers, fill=FILL, consumers=consumers, per_warp=PER_WARP)
        work = fill_by_stores, (ring.producer(), x, tiles)
    else:
        ring = gl.RingBuffer(buffers, fill=FILL, consumers=consumers, producers=2, per_warp=PER_WARP)
        work = fill_by_copies, (ring.producer(), x, tiles)
    gl.warp_specialize([(add_tiles, (ring.consumer(), out, tiles)), work], [2])
    ring.invalidate()


@STAGES
@pytest.mark.parametrize("per_warp", [False, True], ids=["together", "per warp"])
@pytest.mark.parametrize("fill", ["stores", "cp.async"])
def test_between_partitions(nvidia_device, fill, per_warp, stages):
    x, expected = tiles_and_sum()
    out = nvidia_device.to_device(np.zeros_like(x))
    options = {"FILL": fill, "STAGES": stages, "PER_WARP": per_warp, "SIZE": SIZE}
    between_partitions[(1,)](nvidia_device.to_device(x), out, TILES, **options)
    assert np.array_equal(nvidia_device.to_host(out), expected)


def descriptor(x):
    return TensorDescriptor.from_tensor(x, [1, SIZE], gl.NVMMASharedLayout(0, 32))


@hocket.jit
def add_rows(ring, out, tiles, SIZE: gl.constexpr):
    """Consumer of tiles [1, SIZE], which carries its position. Releases each stage an iteration later."""
    i = gl.arange(0, SIZE, gl.row_layout())
    total = gl.zeros([SIZE], gl.int32, gl.row_layout())
    position = ring.position(0)
    before = position
    for tile in range(tiles):
        slot = ring.wait(position)
        total += slot.buffer.reshape([SIZE]).load(gl.row_layout())
        ring.release(before, pred=tile > 0)
        before = position
        position = position.next()
        gl.store(out + tile * SIZE + i, total)


@hocket.jit
def by_tma(desc, out, tiles, STAGES: gl.constexpr, PER_WARP: gl.constexpr):
    SIZE: gl.constexpr = desc.block_shape[1]
    buffers = gl.allocate_shared_memory(desc.dtype, [STAGES, *desc.block_shape], desc.layout)
    ring = gl.RingBuffer(buffers, consumers=4 if PER_WARP else 1, per_warp=PER_WARP)
    filling = fill_by_tma, (ring.producer(), desc, tiles)
    gl.warp_specialize([(add_rows, (ring.consumer(), out, tiles, SIZE)), filling], [1])
    ring.invalidate()


@pytest.mark.parametrize("stages", [2, 3, 4])
@pytest.mark.parametrize("per_warp", [False, True], ids=["together", "per warp"])
def test_by_tma(hopper_device, per_warp, stages):
    x, expected = tiles_and_sum()
    out = hopper_device.to_device(np.zeros_like(x))
    by_tma[(1,)](descriptor(hopper_device.to_device(x)), out, TILES, STAGES=stages, PER_WARP=per_warp)
    assert np.array_equal(hopper_device.to_host(out), expected)


def test_by_tma_in_every_schedule():
    x, expected = tiles_and_sum()

    def launch():
        out = np.zeros_like(x)
        by_tma[(1,)](descriptor(x), out, TILES, STAGES=3, PER_WARP=True)
        assert np.array_equal(out, expected)
        return out

    report = hocket.check(launch, target="sm_90a", schedules=20)
    assert report.ok, report


@hocket.jit
def one_partition(desc, out, tiles, STAGES: gl.constexpr):
    """One partition, whose warps start the copies, some tiles ahead, and read the tiles. A stage holds two tiles."""
    SIZE: gl.constexpr = desc.block_shape[1]
    i = gl.arange(0, SIZE, gl.row_layout())
    first = gl.allocate_shared_memory(desc.dtype, [STAGES, *desc.block_shape], desc.layout)
    second = gl.allocate_shared_memory(desc.dtype, [STAGES, *desc.block_shape], desc.layout)
    ring = gl.RingBuffer((first, second), consumers=0)
    for tile in gl.static_range(STAGES - 1):
        copy_two(ring.producer(), desc, tile, tiles)
    total = gl.zeros([SIZE], gl.int32, gl.row_layout())
    for tile in range(tiles):
        slot = ring.consumer().wait(tile)
        total += slot.buffers[0].reshape([SIZE]).load(gl.row_layout())
        gl.store(out + tile * SIZE + i, total + 0 * slot.buffers[1].reshape([SIZE]).load(gl.row_layout()))
        copy_two(ring.producer(), desc, tile + STAGES - 1, tiles)
    ring.invalidate()


@hocket.jit
def copy_two(ring, desc, tile, tiles):
    slot = ring.acquire(tile, tile < tiles)
    tma.async_load(desc, [tile, 0], slot.full, slot.buffers[0], tile < tiles)
    tma.async_load(desc, [tiles - 1 - tile, 0], slot.full, slot.buffers[1], tile < tiles)


@pytest.mark.parametrize("stages", [2, 3, 4])
def test_in_one_partition(hopper_device, stages):
    x, expected = tiles_and_sum()
    out = hopper_device.to_device(np.zeros_like(x))
    one_partition[(1,)](descriptor(hopper_device.to_device(x)), out, TILES, STAGES=stages)
    assert np.array_equal(hopper_device.to_host(out), expected)


@hocket.jit
def in_groups(x, out, tiles, STAGES: gl.constexpr, SIZE: gl.constexpr, WIDTH: gl.constexpr):
    """Commit groups: cp.async on NVIDIA GPUs, copies straight into LDS on CDNA."""
    i = gl.arange(0, SIZE, gl.row_layout())
    ring = gl.RingBuffer(allocate(STAGES, SIZE), fill="groups", consumers=0)
    for tile in gl.static_range(STAGES - 1):
        copy_group(ring.producer(), x, tile, tiles, SIZE, WIDTH)
    total = gl.zeros([SIZE], gl.int32, gl.row_layout())
    for tile in range(tiles):
        total += ring.consumer().wait(tile, STAGES - 2).buffer.load(gl.row_layout())
        gl.store(out + tile * SIZE + i, total)
        copy_group(ring.producer(), x, tile + STAGES - 1, tiles, SIZE, WIDTH)


@hocket.jit
def copy_group(ring, x, tile, tiles, SIZE: gl.constexpr, WIDTH: gl.constexpr):
    slot = ring.acquire(tile)
    offsets = gl.arange(0, SIZE, gl.row_layout(WIDTH))
    if gl.num_lanes() == 64:
        lds_copy.buffer_load_to_shared(slot.buffer, x + tile * SIZE, offsets, mask=(offsets >= 0) & (tile < tiles))
    else:
        async_copy.async_load(slot.buffer, x + tile * SIZE + offsets, mask=(offsets >= 0) & (tile < tiles))
    ring.commit()


@pytest.mark.parametrize("stages", [2, 3, 4])
def test_in_groups(every_device, stages):
    x, expected = tiles_and_sum()
    out = every_device.to_device(np.zeros_like(x))
    in_groups[(1,)](every_device.to_device(x), out, TILES, STAGES=stages, SIZE=SIZE, WIDTH=1)
    assert np.array_equal(every_device.to_host(out), expected)


@hocket.jit
def positions(out, count, STAGES: gl.constexpr):
    """Stores index and phase by count, and as a loop carries them."""
    ring = gl.RingBuffer(stages=STAGES, fill="stores")
    carried = ring.producer().position(0)
    for number in range(count):
        counted = ring.producer().position(number)
        gl.store(out + 4 * number, counted.index)
        gl.store(out + 4 * number + 1, counted.phase)
        gl.store(out + 4 * number + 2, carried.index)
        gl.store(out + 4 * number + 3, carried.phase)
        carried = carried.next()


@STAGES
def test_positions(nvidia_device, stages):
    out = nvidia_device.to_device(np.zeros((20, 4), np.int32))
    positions[(1,)](out, 20, STAGES=stages)
    expected = [(n % stages, n // stages % 2) * 2 for n in range(20)]
    assert np.array_equal(nvidia_device.to_host(out), expected)


@hocket.jit
def reads_without_a_wait(x, out, tiles, STAGES: gl.constexpr, SIZE: gl.constexpr):
    ring = gl.RingBuffer(allocate(STAGES, SIZE), fill="stores")
    gl.warp_specialize([(read_early, (ring.consumer(), out)), (fill_by_stores, (ring.producer(), x, tiles))], [1])


@hocket.jit
def read_early(ring, out):
    i = gl.arange(0, ring.buffers[0].shape[1], gl.row_layout())
    gl.store(out + i, ring.slot(0).buffer.load(gl.row_layout()))


def test_a_read_without_a_wait_is_a_race():
    x, _ = tiles_and_sum()
    with hocket.emulator.target("sm_90a"), pytest.raises(hocket.errors.RaceError, match="races with"):
        reads_without_a_wait[(1,)](x, np.zeros(SIZE, np.int32), 2, STAGES=2, SIZE=SIZE)
