"""Small launches of the warp-pipelined kernels of `hocket.kernels`, for tests that run them many times."""

import numpy as np
import scaled_cases

from hocket.kernels import attention, matmul
from hocket.kernels._matmul.plan_cdna import CdnaPlan, Tile

#: Eight warps, each with one tile of the matrix cores per operand or two.
TILE = Tile(128, 64, 4, 2)

#: Eight warps for each quadrant of a tile, each with the same tiles as in TILE.
QUADRANTS_TILE = Tile(256, 128, 4, 2)


QUADRANTS = CdnaPlan(QUADRANTS_TILE, 128, True, 2, True)


def random(*shape):
    return np.random.default_rng(0).standard_normal(shape).astype(np.float16)


def product(is_direct, stages, tile):
    """Two blocks, one of them mostly outside of the result; four k-tiles more than stages, the last one ragged."""
    k = 64 * (stages + 4) - 16
    a, b = random(tile.m + 16, k), random(k, tile.n)
    plan = CdnaPlan(tile, 64, is_direct, stages, is_pipelined=True)
    return matmul(a, b, out_dtype="float32", plan=plan), a.astype(np.float32) @ b.astype(np.float32)


def shared_product(is_direct, stages, tile):
    """A split-K tile of two blocks, each with k-tiles that fill all stages at least twice; the last one is ragged."""
    k = 2 * 64 * max(2 * stages, stages + 2) - 16
    a, b = random(tile.m, k), random(k, tile.n)
    plan = CdnaPlan(tile, 64, is_direct, stages, is_pipelined=True, splits=2)
    return matmul(a, b, out_dtype="float32", plan=plan), a.astype(np.float32) @ b.astype(np.float32)


def attend(keys, size=64):
    """Two heads, a block each; the blocks of keys fill the ring buffers twice in each loop, the last one is ragged."""
    q, k, v = random(1, 2, 256, size), random(1, 2, keys, size), random(1, 2, keys, size)
    scores = q.astype(np.float32) @ k.astype(np.float32).swapaxes(2, 3) / size**0.5
    weights = np.exp(scores - scores.max(axis=3, keepdims=True))
    return attention(q, k, v, pipelined=True), weights / weights.sum(axis=3, keepdims=True) @ v.astype(np.float32)


#: The target, and a function that returns the result and what it should be.
LAUNCHES = {
    "matmul_through_registers_gfx942": ("gfx942", lambda: product(False, 1, QUADRANTS_TILE)),
    "matmul_through_registers_gfx950": ("gfx950", lambda: product(False, 1, QUADRANTS_TILE)),
    "matmul_quadrants": ("gfx950", lambda: product(True, 2, QUADRANTS_TILE)),
    "matmul_ring": ("gfx950", lambda: product(True, 3, TILE)),
    "matmul_scaled": ("gfx950", lambda: scaled_cases.product("uint8", 272, 128, 1440, QUADRANTS)),
    "attention_through_registers": ("gfx942", lambda: attend(300)),
    "attention_direct_to_shared": ("gfx950", lambda: attend(684, size=128)),
    "attention_narrow": ("gfx950", lambda: attend(684)),
}

#: Pipelines for other elements, or for split-K, with a second kernel that sums.
VARIANTS = {
    "matmul_scaled_mxfp8": ("gfx950", lambda: scaled_cases.product("float8_e4m3fn", 256, 128, 480, QUADRANTS)),
    "matmul_splits_through_registers": ("gfx942", lambda: shared_product(False, 1, QUADRANTS_TILE)),
    "matmul_splits_quadrants": ("gfx950", lambda: shared_product(True, 2, QUADRANTS_TILE)),
    "matmul_splits_ring": ("gfx950", lambda: shared_product(True, 3, TILE)),
}


def is_right(launch):
    result, expected = launch()
    return np.allclose(result, expected, rtol=2e-2, atol=2e-2)
