"""Attention forward on Hopper, in a plain version with the most important techniques. `kernel_hopper` is the tuned
version.

Each CTA computes 128 queries of one head, in blocks of 128 keys, with two kinds of warps:

    warps                    count    work
    producer warp            1        copies Q once, then K and V block by block into two ring buffers, by TMA
    consumer warpgroups      2        S = Q K^T by wgmma, online softmax, O += P V by wgmma; each processes 64 queries

    ring      stages         full, arrivals                 empty, arrivals
    q         1              1, and the bytes of TMA        none: Q is copied once
    k, v      2 each         1, and the bytes of TMA        1 (all consumer warps arrive together)

Timeline:

    producer     Q, K 0 | V 0 | K 1 | V 1 | wait for the release of K 0 | K 2 | ...
    consumers    Q K^T 0 | softmax 0 | P V 0 | Q K^T 1 | softmax 1 | P V 1 | ...       store O

The softmax is computed online (Milakov and Gimelshein, 2018): P = exp2(scale S - scale m), where m is the row max so
far. When m grows from m0 to m, O and the row sums l are rescaled by exp2(scale (m0 - m)). At the end, O is divided by
l.

`kernel_hopper` overlaps the softmax of one block with the wgmmas of others, rescales lazily, and has persistent CTAs, a
dynamic tile scheduler, split-KV and grouped queries.
"""

from __future__ import annotations

import math
from typing import Any

from ... import cdiv, jit
from ... import language as gl
from ...errors import LaunchError
from ...language.nvidia import hopper
from ...language.nvidia.hopper import tma
from ...nvidia.hopper import TensorDescriptor
from .._common.arrays import empty_like, facts_of, target_of
from .._common.checks import checked_scale
from .operands import ELEMENTS, Attention, check_attention

BLOCK_M, BLOCK_N, STAGES = 128, 128, 2


@jit
def copy_blocks(q_desc, k_desc, v_desc, q_ring, k_ring, v_ring, head, row, blocks):
    """The producer warp copies Q, then K and V block by block."""
    q = q_ring.acquire(0)
    tma.async_load(q_desc, [head, row, 0], q.full, q.buffer)
    for block in range(blocks):
        key = block * k_desc.block_shape[1]
        k = k_ring.acquire(block)
        tma.async_load(k_desc, [head, key, 0], k.full, k.buffer)
        v = v_ring.acquire(block)
        tma.async_load(v_desc, [head, key, 0], v.full, v.buffer)


@jit
def as_matrix(tile):
    """Views a tile [1, rows, D] as [rows, D]."""
    return tile.reshape([tile.shape[1], tile.shape[2]])


@jit
def attend(q_ring, k_ring, v_ring, row, blocks, queries, keys, scale, CAUSAL: gl.constexpr):
    """Returns O of the tile's queries, in the registers of the consumer warpgroups."""
    q = as_matrix(q_ring.wait(0).buffer)
    rows: gl.constexpr = q.shape[0]
    block_n: gl.constexpr = k_ring.buffers[0].shape[2]
    size: gl.constexpr = q.shape[1]
    score_layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [gl.num_warps(), 1], [16, block_n, 16])
    acc_layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [gl.num_warps(), 1], [16, size, 16])
    row_layout: gl.constexpr = gl.SliceLayout(1, score_layout)
    # Index of the last key that each query sees. With a causal mask, the last query sees the last key.
    query = row + gl.arange(0, rows, layout=row_layout)
    last_key = gl.minimum(keys - 1, query + (keys - queries)) if CAUSAL else query * 0 + (keys - 1)
    column = gl.arange(0, block_n, layout=gl.SliceLayout(0, score_layout))
    acc = gl.zeros([rows, size], gl.float32, acc_layout)
    row_max = gl.full([rows], float("-inf"), gl.float32, row_layout)
    row_sum = gl.zeros([rows], gl.float32, row_layout)
    for block in range(blocks):
        k = as_matrix(k_ring.wait(block).buffer)
        scores = hopper.warpgroup_mma(q, k.permute([1, 0]), gl.zeros([rows, block_n], gl.float32, score_layout))
        k_ring.release(block)
        key = block * block_n + column
        scores = gl.where(key[None, :] <= last_key[:, None], scores, float("-inf"))
        new_max = gl.maximum(row_max, gl.max(scores, axis=1))
        # A query that has seen no key has the row max -inf. Replacing this row max by 0 avoids inf - inf.
        shift = gl.where(new_max == float("-inf"), 0.0, new_max) * scale
        p = gl.exp2(scores * scale - shift[:, None])
        correction = gl.exp2(row_max * scale - shift)
        row_sum = row_sum * correction + gl.sum(p, axis=1)
        row_max = new_max
        acc = acc * gl.convert_layout(correction, gl.SliceLayout(1, acc_layout))[:, None]
        v = as_matrix(v_ring.wait(block).buffer)
        p_operand = gl.convert_layout(p.to(v.dtype), gl.DotOperandLayout(0, acc_layout, k_width=2))
        acc = hopper.warpgroup_mma(p_operand, v, acc)
        v_ring.release(block)
    total = gl.where(row_sum == 0.0, 1.0, row_sum)
    return acc / gl.convert_layout(total, gl.SliceLayout(1, acc_layout))[:, None]


@jit
def attention_kernel(q_desc, k_desc, v_desc, o_desc, queries, keys, scale, CAUSAL: gl.constexpr, STAGES: gl.constexpr):
    """A kernel with one CTA per tile of queries of a head."""
    row = gl.program_id(0) * q_desc.block_shape[1]
    head = gl.program_id(1)
    last = keys
    if CAUSAL:
        last = gl.minimum(keys, gl.maximum(row + q_desc.block_shape[1] + keys - queries, 1))
    blocks = gl.cdiv(last, k_desc.block_shape[1])
    q_tile = gl.allocate_shared_memory(q_desc.dtype, [1, *q_desc.block_shape], q_desc.layout)
    k_tiles = gl.allocate_shared_memory(k_desc.dtype, [STAGES, *k_desc.block_shape], k_desc.layout)
    v_tiles = gl.allocate_shared_memory(v_desc.dtype, [STAGES, *v_desc.block_shape], v_desc.layout)
    rings = gl.RingBuffer(q_tile, consumers=0), gl.RingBuffer(k_tiles), gl.RingBuffer(v_tiles)
    consuming = *[ring.consumer() for ring in rings], row, blocks, queries, keys, scale
    producing = q_desc, k_desc, v_desc, *[ring.producer() for ring in rings], head, row, blocks
    acc = gl.warp_specialize([(attend, (*consuming, CAUSAL)), (copy_blocks, producing)], [1], [24])
    # All warps have read Q from shared memory, so O can overwrite Q.
    o_tile = q_tile.index(0)
    as_matrix(o_tile).store(acc.to(o_desc.dtype))
    tma.async_store(o_desc, [head, row, 0], o_tile)
    tma.store_wait(0)


def describe(array: Any, rows: int, dtype: Any) -> TensorDescriptor:
    """Returns a TMA descriptor that views an array [batch, heads, sequence, D] as [batch x heads, sequence, D]; a TMA
    block has `rows` rows."""
    *_, sequence, size = array.shape
    flat, block = array.reshape(-1, sequence, size), [1, rows, size]
    return TensorDescriptor.from_tensor(flat, block, gl.NVMMASharedLayout.get_default_for(block, dtype))


def attention_simple(q: Any, k: Any, v: Any, *, causal: bool = False, scale: float | None = None) -> Any:
    """Returns softmax(scale x Q K^T) V per head, on Hopper GPUs. With NumPy arrays, it runs in the emulator.

    Args:
        q: [batch, heads, queries, D], contiguous, of float16 or bfloat16; D is 64 or 128.
        k, v: [batch, heads, keys, D] of the same dtype.
        causal: if True, query i sees only keys 0 ... i + keys - queries. The result of a query that sees no key is 0.
        scale: factor of the scores, not negative; 1 / sqrt(D) if None.

    Returns: a new array with the shape and the dtype of q.
    Raises: LaunchError for unsupported targets, dtypes and shapes.
    """
    if target_of(q) != "sm_90a":
        raise LaunchError(
            f"attention_simple runs on sm_90a, not on {target_of(q)}\n  hint: call hocket.kernels.attention"
        )
    facts = [facts_of(array, f"attention_simple: {name}") for name, array in zip("qkv", (q, k, v), strict=True)]
    check_attention(Attention(*facts, facts[0], causal))
    batch, heads, queries, size = facts[0].shape
    if facts[1].shape[1] != heads:
        raise LaunchError(f"attention_simple: q has {heads} heads and k has {facts[1].shape[1]}; they must be equal")
    out, keys, dtype = empty_like(q, facts[0].shape, facts[0].dtype), facts[1].shape[2], ELEMENTS[facts[0].dtype]
    rows = BLOCK_M, BLOCK_N, BLOCK_N, BLOCK_M
    descriptors = [describe(array, count, dtype) for array, count in zip((q, k, v, out), rows, strict=True)]
    log2_scale = checked_scale("attention_simple", scale, size) * math.log2(math.e)
    grid = cdiv(queries, BLOCK_M), batch * heads
    attention_kernel[grid](*descriptors, queries, keys, log2_scale, CAUSAL=causal, STAGES=STAGES, num_warps=8)
    return out
