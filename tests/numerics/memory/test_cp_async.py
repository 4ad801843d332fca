"""cp.async: the data, masks, widths, rings of buffers, and what a missing wait does."""

import ml_dtypes
import numpy as np
import pytest
from tiles import tile_offsets

import hocket
from hocket import emulator, errors
from hocket import language as gl
from hocket.language.nvidia.ampere import async_copy

SHARED = {
    "plain": gl.SwizzledSharedLayout(1, 1, 1, [1, 0]),
    "swizzled": gl.SwizzledSharedLayout(8, 1, 8, [1, 0]),
    "padded": gl.PaddedSharedLayout.with_identity_for([[64, 8]], [64, 64], [1, 0]),
    "nvmma": None,  # of the dtype
}
DTYPES = {"i8": np.int8, "f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64}
READ = gl.constexpr(gl.BlockedLayout([1, 4], [4, 8], [1, 4], [1, 0]))


def copy_layout(width, dtype, columns=64):
    """Each lane copies `width` consecutive bytes of a row."""
    elements = width // np.dtype(dtype).itemsize
    lanes = min(columns // elements, 32)
    return gl.BlockedLayout([1, elements], [32 // lanes, lanes], [4, 1], [1, 0])


@hocket.jit
def through_shared(x, out, COPY: gl.constexpr, SHARED: gl.constexpr):
    tile = gl.allocate_shared_memory(x.dtype.element_ty, [64, 64], SHARED)
    async_copy.async_load(tile, x + tile_offsets(64, 64, COPY))
    async_copy.commit_group()
    async_copy.wait_group(0)
    gl.store(out + tile_offsets(64, 64, READ), tile.load(READ))


@pytest.mark.parametrize("shared", SHARED)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("width", [4, 8, 16])
def test_tiles_arrive(nvidia_device, width, dtype, shared):
    if np.dtype(DTYPES[dtype]).itemsize > width:
        pytest.skip("an element is wider than that")
    x = np.random.default_rng(0).integers(-100, 100, (64, 64)).astype(DTYPES[dtype])
    shared_layout = SHARED[shared] or gl.NVMMASharedLayout(32, x.itemsize * 8)
    out = nvidia_device.to_device(np.zeros_like(x))
    through_shared[(1,)](nvidia_device.to_device(x), out, copy_layout(width, DTYPES[dtype]), shared_layout)
    np.testing.assert_array_equal(nvidia_device.to_host(out), x)


@hocket.jit
def copied_twice(x, out, VOLATILE: gl.constexpr, COPY: gl.constexpr):
    """The second copy brings what another block may have written since."""
    tile = gl.allocate_shared_memory(x.dtype.element_ty, [64, 64], gl.SwizzledSharedLayout(1, 1, 1, [1, 0]))
    async_copy.async_load(tile, x + tile_offsets(64, 64, COPY), volatile=VOLATILE)
    async_copy.async_load(tile, x + tile_offsets(64, 64, COPY), volatile=VOLATILE)
    gl.store(out + tile_offsets(64, 64, READ), tile.load(READ))


@pytest.mark.parametrize("is_volatile", [False, True])
def test_volatile_copies_stay(is_volatile):
    x = np.arange(64 * 64, dtype=np.float32).reshape(64, 64)
    out = np.zeros_like(x)
    layout = copy_layout(16, np.float32)
    with emulator.target("sm_90a"):
        copied_twice[(1,)](x, out, is_volatile, layout)
    np.testing.assert_array_equal(out, x)
    ptx = copied_twice.warmup(x, out, is_volatile, layout, target="sm_90a").asm["ptx"]
    # 64 * 64 floats by 128 lanes, 4 at a time, twice
    assert ptx.count("cp.async.cg.shared.global") == 2 * 8


@hocket.jit
def masked(x, out, rows, columns, COPY: gl.constexpr):
    tile = gl.allocate_shared_memory(x.dtype.element_ty, [64, 64], gl.SwizzledSharedLayout(1, 1, 1, [1, 0]))
    row = gl.arange(0, 64, layout=gl.SliceLayout(1, COPY))[:, None]
    column = gl.arange(0, 64, layout=gl.SliceLayout(0, COPY))[None, :]
    async_copy.async_copy_global_to_shared(tile, x + row * columns + column, mask=(row < rows) & (column < columns))
    async_copy.commit_group()
    async_copy.wait_group()
    gl.store(out + tile_offsets(64, 64, READ), tile.load(READ))


@pytest.mark.parametrize("rows, columns", [(37, 64), (64, 48), (1, 16), (0, 32)])
def test_masked_elements_are_zero(nvidia_device, rows, columns):
    """The array ends where the mask does: nothing after it may be touched."""
    x = np.random.default_rng(1).standard_normal((rows, columns)).astype(np.float16)
    out = nvidia_device.to_device(np.full((64, 64), -1, np.float16))
    masked[(1,)](nvidia_device.to_device(x), out, rows, columns, copy_layout(16, np.float16))
    expected = np.zeros((64, 64), np.float16)
    expected[:rows, :columns] = x
    np.testing.assert_array_equal(nvidia_device.to_host(out), expected)


@hocket.jit
def replicated(x, out, COPY: gl.constexpr):
    tile = gl.allocate_shared_memory(gl.float32, [64], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    async_copy.async_load(tile, x + gl.arange(0, 64, layout=COPY))
    async_copy.commit_group()
    async_copy.wait_group(0)
    gl.store(out + gl.arange(0, 64, layout=COPY), tile.load(COPY))


@pytest.mark.parametrize("elements", [1, 2, 4])
def test_tiles_smaller_than_the_block(nvidia_device, elements):
    """Several lanes and warps hold each element; only one of them copies it, so there is no race."""
    x = np.random.default_rng(2).standard_normal(64).astype(np.float32)
    out = nvidia_device.to_device(np.zeros_like(x))
    replicated[(1,)](nvidia_device.to_device(x), out, gl.BlockedLayout([elements], [32], [4], [0]))
    np.testing.assert_array_equal(nvidia_device.to_host(out), x)


@hocket.jit
def pipelined(x, out, steps, SLOTS: gl.constexpr, COPY: gl.constexpr, WAIT: gl.constexpr):
    """Sums `steps` tiles, SLOTS - 1 of them on their way."""
    ring = gl.allocate_shared_memory(gl.float32, [SLOTS, 64, 64], gl.SwizzledSharedLayout(4, 1, 8, [1, 0]))
    offsets = tile_offsets(64, 64, COPY)
    for slot in gl.static_range(SLOTS - 1):
        async_copy.async_load(ring.index(slot), x + offsets + slot * 4096)
        async_copy.commit_group()
    total = gl.zeros([64, 64], gl.float32, READ)
    for step in range(0, steps):
        async_copy.wait_group(WAIT)
        total += ring.index(step % SLOTS).load(READ)
        ahead = step + SLOTS - 1
        async_copy.async_load(ring.index(ahead % SLOTS), x + offsets + ahead * 4096, mask=ahead < steps)
        async_copy.commit_group()
    gl.store(out + tile_offsets(64, 64, READ), total)


@pytest.mark.parametrize("slots", [2, 3, 4])
def test_rings_of_buffers(nvidia_device, slots):
    x = np.random.default_rng(3).integers(0, 50, (7, 64, 64)).astype(np.float32)
    out = nvidia_device.to_device(np.zeros((64, 64), np.float32))
    pipelined[(1,)](nvidia_device.to_device(x), out, 7, slots, copy_layout(16, np.float32), slots - 2)
    np.testing.assert_array_equal(nvidia_device.to_host(out), x.sum(0))


@pytest.mark.parametrize("target", ["sm_80", "sm_90a"])
@pytest.mark.parametrize("seed, completion", [(0, "late"), (1, "random"), (2, "random"), (3, "now")])
def test_rings_whenever_copies_arrive(target, seed, completion):
    x = np.random.default_rng(4).integers(0, 50, (7, 64, 64)).astype(np.float32)
    out = np.zeros((64, 64), np.float32)
    with emulator.target(target, seed=seed, completion=completion):
        pipelined[(1,)](x, out, 7, 3, copy_layout(16, np.float32), 1)
    np.testing.assert_array_equal(out, x.sum(0))


@pytest.mark.parametrize("target", ["sm_80", "sm_90a"])
def test_waiting_for_too_few_groups_is_an_error(target):
    """With one more group in flight than the ring allows, the tile that is read has not arrived."""
    x, out = np.ones((7, 64, 64), np.float32), np.zeros((64, 64), np.float32)
    hint = r"while the copy of line \d+ is still in flight(.|\n)*hint: write async_copy.wait_group\(1\) before line"
    with emulator.target(target), pytest.raises(errors.CompileError, match=hint):
        pipelined[(1,)](x, out, 7, 3, copy_layout(16, np.float32), 2)


@hocket.jit
def prefetched(x, out, steps, COPY: gl.constexpr, STAGES: gl.constexpr):
    """The plain loop, which the compiler overlaps."""
    tile = gl.allocate_shared_memory(gl.float32, [64, 64], gl.SwizzledSharedLayout(4, 1, 8, [1, 0]))
    total = gl.zeros([64, 64], gl.float32, READ)
    for step in gl.range(0, steps, num_stages=STAGES):
        async_copy.async_load(tile, x + tile_offsets(64, 64, COPY) + step * 4096)
        async_copy.commit_group()
        async_copy.wait_group(0)
        total += tile.load(READ)
    gl.store(out + tile_offsets(64, 64, READ), total)


@pytest.mark.parametrize("stages", [1, 2, 3])
def test_prefetched_loops(nvidia_device, stages):
    x = np.random.default_rng(5).integers(0, 50, (7, 64, 64)).astype(np.float32)
    out = nvidia_device.to_device(np.zeros((64, 64), np.float32))
    prefetched[(1,)](nvidia_device.to_device(x), out, 7, copy_layout(16, np.float32), stages)
    np.testing.assert_array_equal(nvidia_device.to_host(out), x.sum(0))


@hocket.jit
def without_commits_and_waits(x, out, steps, SLOTS: gl.constexpr, COPY: gl.constexpr):
    """`pipelined`, with the groups and waits left to the compiler."""
    ring = gl.allocate_shared_memory(gl.float32, [SLOTS, 64, 64], gl.SwizzledSharedLayout(4, 1, 8, [1, 0]))
    offsets = tile_offsets(64, 64, COPY)
    for slot in gl.static_range(SLOTS - 1):
        async_copy.async_load(ring.index(slot), x + offsets + slot * 4096)
    total = gl.zeros([64, 64], gl.float32, READ)
    for step in range(0, steps):
        total += ring.index(step % SLOTS).load(READ)
        ahead = step + SLOTS - 1
        async_copy.async_load(ring.index(ahead % SLOTS), x + offsets + ahead * 4096, mask=ahead < steps)
    gl.store(out + tile_offsets(64, 64, READ), total)


@pytest.mark.parametrize("slots", [2, 3, 4])
def test_commits_and_waits_are_placed(nvidia_device, slots):
    x = np.random.default_rng(3).integers(0, 50, (7, 64, 64)).astype(np.float32)
    out = nvidia_device.to_device(np.zeros((64, 64), np.float32))
    without_commits_and_waits[(1,)](nvidia_device.to_device(x), out, 7, slots, copy_layout(16, np.float32))
    np.testing.assert_array_equal(nvidia_device.to_host(out), x.sum(0))


@pytest.mark.parametrize("slots", [2, 3, 4])
def test_inserted_waits_are_minimal(slots):
    """There is one wait in the loop, which leaves the maximum number of groups in flight, and one at the end."""
    layout = copy_layout(16, np.float32)
    kernel = without_commits_and_waits.warmup(gl.float32, gl.float32, 7, slots, layout, target="sm_90a")
    waits = [line.split()[1] for line in kernel.asm["ptx"].splitlines() if "cp.async.wait_group" in line]
    assert waits == [f"{slots - 2};", "0;"]
