"""Copies straight into LDS: the data, masks, rings of buffers, and what a missing wait does."""

import matrix_cases as cases
import numpy as np
import pytest

import hocket
from hocket import emulator, errors
from hocket import language as gl
from hocket.language.amd import cdna3
from hocket.language.amd.cdna4 import async_copy

# Bytes that a lane copies at once.
WIDTHS = [("gfx942", 4), ("gfx950", 4), ("gfx950", 16)]
DTYPES = {"i8": np.int8, "f16": np.float16, "f32": np.float32}
PLAIN = gl.constexpr(gl.SwizzledSharedLayout(1, 1, 1, [1, 0]))


def copy_layout(width, dtype, columns=64):
    """The lanes of a warp side by side along the rows of a tile."""
    elements = width // np.dtype(dtype).itemsize
    lanes = min(columns // elements, 64)
    return gl.BlockedLayout([1, elements], [64 // lanes, lanes], [4, 1], [1, 0])


def padded_layout(width, dtype, pad):
    """`pad` unused elements after what a warp copies at once."""
    interval = 64 * width // np.dtype(dtype).itemsize
    return gl.PaddedSharedLayout.with_identity_for([[interval, pad]], [64, 64], [1, 0])


@hocket.jit
def through_lds(x, out, COPY: gl.constexpr, SHARED: gl.constexpr, READ: gl.constexpr, BUFFER: gl.constexpr):
    tile = gl.allocate_shared_memory(x.dtype.element_ty, [64, 64], SHARED)
    offsets = cases.tile_offsets(64, 64, COPY)
    if BUFFER:
        async_copy.buffer_load_to_shared(tile, x, offsets)
    else:
        async_copy.global_load_to_shared(tile, x + offsets)
    async_copy.commit_group()
    async_copy.wait_group(0)
    gl.store(out + cases.tile_offsets(64, 64, READ), tile.load(READ))


READS = {
    "rows": gl.BlockedLayout([1, 4], [4, 16], [4, 1], [1, 0]),
    "columns": gl.BlockedLayout([4, 1], [16, 4], [1, 4], [0, 1]),
}


@pytest.mark.parametrize("completion", ["late", "random", "now"])
@pytest.mark.parametrize("buffer", [True, False], ids=["buffer", "pointers"])
@pytest.mark.parametrize("read", READS)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("target, width", WIDTHS)
def test_tiles_arrive(target, width, dtype, read, buffer, completion):
    x = np.random.default_rng(0).integers(0, 100, (64, 64)).astype(DTYPES[dtype])
    for shared in (PLAIN.value, padded_layout(width, DTYPES[dtype], 16)):
        out = np.zeros_like(x)
        with emulator.target(target, completion=completion):
            through_lds[(1,)](x, out, copy_layout(width, DTYPES[dtype]), shared, READS[read], buffer)
        np.testing.assert_array_equal(out, x)


@hocket.jit
def masked(x, out, rows, COPY: gl.constexpr, OTHER: gl.constexpr, BUFFER: gl.constexpr):
    tile = gl.allocate_shared_memory(x.dtype.element_ty, [64, 64], PLAIN)
    offsets = cases.tile_offsets(64, 64, COPY)
    inside = gl.arange(0, 64, layout=gl.SliceLayout(1, COPY))[:, None] < rows
    if BUFFER:
        async_copy.buffer_load_to_shared(tile, x, offsets, mask=inside, other=OTHER)
    else:
        async_copy.global_load_to_shared(tile, x + offsets, mask=inside, other=OTHER)
    async_copy.commit_group()
    async_copy.wait_group()
    read: gl.constexpr = gl.BlockedLayout([1, 4], [4, 16], [4, 1], [1, 0])
    gl.store(out + cases.tile_offsets(64, 64, read), tile.load(read))


@pytest.mark.parametrize("buffer", [True, False], ids=["buffer", "pointers"])
@pytest.mark.parametrize("other", [None, 0.0, 3.0])
@pytest.mark.parametrize("target, width", WIDTHS)
def test_masked_elements_are_other_or_zero(target, width, other, buffer):
    """The array ends where the mask does: nothing after it may be touched."""
    x = np.random.default_rng(1).standard_normal((37, 64)).astype(np.float16)
    out = np.full((64, 64), -1, np.float16)
    with emulator.target(target):
        masked[(1,)](x, out, 37, copy_layout(width, np.float16), other, buffer)
    np.testing.assert_array_equal(out[:37], x)
    np.testing.assert_array_equal(out[37:], other or 0.0)


@hocket.jit
def pipelined(x, out, steps, SLOTS: gl.constexpr, COPY: gl.constexpr, WAIT: gl.constexpr, RELAXED: gl.constexpr):
    """Sums `steps` tiles, SLOTS - 1 of them on their way."""
    read: gl.constexpr = gl.BlockedLayout([1, 4], [4, 16], [4, 1], [1, 0])
    ring = gl.allocate_shared_memory(gl.float32, [SLOTS, 64, 64], PLAIN)
    offsets = cases.tile_offsets(64, 64, COPY)
    for slot in gl.static_range(SLOTS - 1):
        async_copy.buffer_load_to_shared(ring.index(slot), x, offsets + slot * 4096)
        async_copy.commit_group()
    total = gl.zeros([64, 64], gl.float32, read)
    for step in range(0, steps):
        async_copy.wait_group(WAIT)
        gl.barrier()
        if RELAXED:
            total += async_copy.load_shared_relaxed(ring.index(step % SLOTS), read)
        else:
            total += ring.index(step % SLOTS).load(read)
        ahead = step + SLOTS - 1
        async_copy.buffer_load_to_shared(ring.index(ahead % SLOTS), x, offsets + ahead * 4096, mask=ahead < steps)
        async_copy.commit_group()
    gl.store(out + cases.tile_offsets(64, 64, read), total)


@pytest.mark.parametrize("relaxed", [False, True])
@pytest.mark.parametrize("slots", [2, 3])
@pytest.mark.parametrize("target, width", WIDTHS)
def test_rings_of_buffers(target, width, slots, relaxed):
    x = np.random.default_rng(2).integers(0, 50, (7, 64, 64)).astype(np.float32)
    for seed, completion in ((0, "late"), (1, "random"), (2, "random"), (3, "now")):
        out = np.zeros((64, 64), np.float32)
        with emulator.target(target, seed=seed, completion=completion):
            pipelined[(1,)](x, out, 7, slots, copy_layout(width, np.float32), slots - 2, relaxed)
        np.testing.assert_array_equal(out, x.sum(0))


@pytest.mark.parametrize("target, width", WIDTHS)
def test_waiting_for_too_few_groups_is_an_error(target, width):
    """With one more group in flight than the ring allows, the tile that is read has not arrived."""
    x, out = np.ones((7, 64, 64), np.float32), np.zeros((64, 64), np.float32)
    hint = r"while the copy of line \d+ is still in flight(.|\n)*hint: write async_copy.wait_group\(1\) before line"
    with emulator.target(target), pytest.raises(errors.CompileError, match=hint):
        pipelined[(1,)](x, out, 7, 3, copy_layout(width, np.float32), 2, True)


@hocket.jit
def multiply(
    a, b, out, L: gl.constexpr, W: gl.constexpr, COPY: gl.constexpr, A_TILE: gl.constexpr, B_TILE: gl.constexpr
):
    """Both operands go to LDS without touching a register on their way."""
    a_tile = gl.allocate_shared_memory(gl.float16, [64, 64], A_TILE)
    b_tile = gl.allocate_shared_memory(gl.float16, [64, 64], B_TILE)
    async_copy.buffer_load_to_shared(a_tile, a, cases.tile_offsets(64, 64, COPY))
    async_copy.buffer_load_to_shared(b_tile, b, cases.tile_offsets(64, 64, COPY))
    async_copy.commit_group()
    async_copy.wait_group(0)
    left, right = a_tile.load(gl.DotOperandLayout(0, L, W)), b_tile.load(gl.DotOperandLayout(1, L, W))
    acc = cdna3.mfma(left, right, gl.zeros([64, 64], gl.float32, L))
    cdna3.buffer_store(acc, out, cases.tile_offsets(64, 64, L))


@pytest.mark.parametrize("shape", [(32, 32, 8), (16, 16, 16), (32, 32, 16), (16, 16, 32)])
@pytest.mark.parametrize("target, width", WIDTHS)
def test_operands_through_lds(target, width, shape):
    if (target, shape) in (("gfx942", (32, 32, 16)), ("gfx942", (16, 16, 32))):
        pytest.skip("an instruction of CDNA4")
    rng = np.random.default_rng(3)
    a, b = (cases.small_integers(rng, (64, 64), np.float16) for _ in range(2))
    layout = cases.mfma_layout(target, np.float16, shape)
    for shared in (PLAIN.value, padded_layout(width, np.float16, 16)):
        out = np.zeros((64, 64), np.float32)
        with emulator.target(target):
            multiply[(1,)](a, b, out, layout, 8, copy_layout(width, np.float16), shared, shared)
        np.testing.assert_array_equal(out, a.astype(np.float32) @ b.astype(np.float32))
