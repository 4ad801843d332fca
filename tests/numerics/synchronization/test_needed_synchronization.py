"""Every barrier, fence and wait that the compiler emits is needed, and the emulator notices when one is missing.

Each kernel is compiled to lane IR. Then each synchronization operation in turn is deleted from that text and the kernel
runs again: the emulator must report a race, or the result must be wrong.
"""

import lane_edits
import numpy as np
import pytest
import scaled_cases

import hocket
from hocket import language as gl
from hocket.errors import RaceError
from hocket.kernels import attention, matmul
from hocket.kernels._matmul.plan_cdna import CdnaPlan, Tile
from hocket.language import amd

pytestmark = pytest.mark.slow

#: Two warps along each dimension, several k-tiles.
SMALL_TILE = Tile(64, 64, 2, 2)


def random(*shape):
    return np.random.default_rng(0).standard_normal(shape).astype(np.float16)


@hocket.jit
def transpose_rows_kernel(x, out, tiles, N: gl.constexpr):
    """Tiles pass through one buffer of shared memory and leave it transposed."""
    rows: gl.constexpr = gl.BlockedLayout([1, 8], [8, 8], [gl.num_warps(), 1], [1, 0])
    columns: gl.constexpr = gl.BlockedLayout([8, 1], [8, 8], [1, gl.num_warps()], [0, 1])
    smem = gl.allocate_shared_memory(gl.float16, [N, N], gl.SwizzledSharedLayout(1, 1, 1, [1, 0]))
    read = gl.arange(0, N, layout=gl.SliceLayout(1, rows))[:, None] * N
    read = read + gl.arange(0, N, layout=gl.SliceLayout(0, rows))[None, :]
    write = gl.arange(0, N, layout=gl.SliceLayout(1, columns))[:, None]
    write = write + gl.arange(0, N, layout=gl.SliceLayout(0, columns))[None, :] * N
    for tile in range(0, tiles):
        smem.store(amd.cdna3.buffer_load(x + tile * N * N, read))
        amd.cdna3.buffer_store(smem.load(columns), out + tile * N * N, write)


def transpose_rows():
    x = random(3, 64, 64)
    out = np.zeros_like(x)
    transpose_rows_kernel[(1,)](x, out, 3, N=64, num_warps=4)
    return out, x.swapaxes(1, 2)


@hocket.jit
def ring_kernel(x, out, tiles, N: gl.constexpr):
    """Three slots of LDS: two copies are in flight while a third tile is read, its rows in reverse order of warps."""
    copy_layout: gl.constexpr = gl.BlockedLayout([1, 8], [8, 8], [gl.num_warps(), 1], [1, 0])
    read_layout: gl.constexpr = gl.BlockedLayout([1, 8], [8, 8], [1, gl.num_warps()], [1, 0])
    smem = gl.allocate_shared_memory(gl.float16, [3, N, N], gl.SwizzledSharedLayout(1, 1, 1, [1, 0]))
    offsets = gl.arange(0, N, layout=gl.SliceLayout(1, copy_layout))[:, None] * N
    offsets = offsets + gl.arange(0, N, layout=gl.SliceLayout(0, copy_layout))[None, :]
    acc = gl.zeros([N, N], gl.float32, read_layout)
    for tile in gl.static_range(2):
        amd.cdna4.async_copy.buffer_load_to_shared(smem.index(tile), x + tile * N * N, offsets)
        amd.cdna4.async_copy.commit_group()
    for tile in range(0, tiles - 2):
        amd.cdna4.async_copy.wait_group(1)
        following = x + (tile + 2) * N * N
        amd.cdna4.async_copy.buffer_load_to_shared(smem.index((tile + 2) % 3), following, offsets)
        amd.cdna4.async_copy.commit_group()
        acc += smem.index(tile % 3).load(read_layout).to(gl.float32)
    amd.cdna4.async_copy.wait_group(0)
    acc += smem.index((tiles - 2) % 3).load(read_layout).to(gl.float32)
    acc += smem.index((tiles - 1) % 3).load(read_layout).to(gl.float32)
    result = gl.arange(0, N, layout=gl.SliceLayout(1, read_layout))[:, None] * N
    result = result + gl.arange(0, N, layout=gl.SliceLayout(0, read_layout))[None, :]
    amd.cdna3.buffer_store(acc, out, result)


def ring():
    x = random(5, 64, 64)
    out = np.zeros((64, 64), np.float32)
    ring_kernel[(1,)](x, out, 5, N=64, num_warps=4)
    return out, x.astype(np.float32).sum(axis=0)


def product(is_direct, splits=1):
    """Five k-tiles for each block of a split-K tile."""
    k = 320 * splits
    a, b = random(64, k), random(k, 64)
    plan = CdnaPlan(SMALL_TILE, 64, is_direct, 2 if is_direct else 1, is_pipelined=False, splits=splits)
    return matmul(a, b, out_dtype="float32", plan=plan), a.astype(np.float32) @ b.astype(np.float32)


def scaled_product(dtype, steps):
    """`steps` of k, of which the last ones fill a part of the fifth slice."""
    return scaled_cases.product(dtype, 64, 64, steps, CdnaPlan(SMALL_TILE, 128, True, 2, is_pipelined=False))


def interleaved_product(is_direct):
    """Five k-tiles, with MFMAs that are interleaved with the copies."""
    a, b = random(128, 320), random(128, 320).T
    plan = CdnaPlan(Tile(128, 128, 2, 2), 64, is_direct, 2 if is_direct else 1, False, is_interleaved=True)
    return matmul(a, b, out_dtype="float32", plan=plan), a.astype(np.float32) @ b.astype(np.float32)


def attention_forward():
    q, k, v = random(1, 1, 128, 64), random(1, 1, 256, 64), random(1, 1, 256, 64)
    scores = q.astype(np.float32) @ k.astype(np.float32).swapaxes(2, 3) / 8
    weights = np.exp(scores - scores.max(axis=3, keepdims=True))
    return attention(q, k, v), weights / weights.sum(axis=3, keepdims=True) @ v.astype(np.float32)


CASES = {
    "transpose": ("gfx942", transpose_rows),
    "ring": ("gfx950", ring),
    "matmul_through_registers": ("gfx942", lambda: product(False)),
    "matmul_direct_to_shared": ("gfx950", lambda: product(True)),
    "matmul_splits_through_registers": ("gfx942", lambda: product(False, splits=2)),
    "matmul_splits_direct_to_shared": ("gfx950", lambda: product(True, splits=2)),
    "matmul_interleaved_through_registers": ("gfx942", lambda: interleaved_product(False)),
    "matmul_interleaved_direct_to_shared": ("gfx950", lambda: interleaved_product(True)),
    "matmul_scaled_mxfp8": ("gfx950", lambda: scaled_product("float8_e4m3fn", 608)),
    "matmul_scaled_mxfp4": ("gfx950", lambda: scaled_product(scaled_cases.FLOAT4, 1248)),
    "attention": ("gfx950", attention_forward),
}


def is_right(run):
    result, expected = run()
    return np.allclose(result, expected, rtol=2e-2, atol=2e-2)


def is_noticed(run):
    """Returns True if the emulator reports a race or the result is wrong."""
    try:
        return not is_right(run)
    except RaceError:
        return True


@pytest.mark.parametrize("name", CASES)
def test_each_removal_is_noticed(name):
    target, run = CASES[name]
    with hocket.emulator.target(target), lane_edits.editable() as kernels:
        assert is_right(run)
        kernel, *second = kernels
        assert not any(adding.lane().synchronizations() for adding in second), "what adds shares up has none"
        candidates = kernel.lane().synchronizations()
        assert len(candidates) >= 3, "at least a barrier between its two fences"
        unnoticed = []
        for number in candidates:
            lane = kernel.lane()
            removed = lane.delete(number)
            kernel.use(lane)
            if not is_noticed(run):
                unnoticed.append(removed)
        assert not unnoticed
