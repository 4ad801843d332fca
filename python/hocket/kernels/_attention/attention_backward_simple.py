"""Attention backward on Hopper, in a plain version without communication between CTAs. `backward_hopper` is the tuned
version.

Two kernels compute P and dS twice: one for dK and dV, and one for dQ. Each CTA computes the gradients of 128 keys, or
of 128 queries, of one head. With S = scale x Q K^T, and delta = row sums of dO x O:

    P = exp(S - lse)    dP = dO V^T    dS = P (dP - delta)    dV = P^T dO    dK = scale x dS^T Q    dQ = scale x dS K

    warps                              work
    2 warpgroups, with the same role   start the TMA copies; execute the wgmmas of 64 rows each; store the results

    ring      stages    full, arrivals               empty, arrivals
    own       1         1, and the bytes of TMA      none: copied once
    other     2         1, and the bytes of TMA      none: program order releases the stages

Timeline of dK and dV (dQ exchanges the roles of keys and queries):

    copy K, V, block 0 | copy block 1; S, dP, P, dS, dV, dK of block 0 | copy block 2; S ... of block 1 | ...

The compiler places the waits for wgmma. `backward_hopper` computes P and dS once, and adds dQ in a fixed order.
"""

from __future__ import annotations

import math
from typing import Any

from ... import cdiv, jit
from ... import language as gl
from ...errors import LaunchError
from ...language.nvidia import hopper
from ...language.nvidia.hopper import tma
from .._common.arrays import empty_like, facts_of, target_of
from .._common.checks import checked_scale
from .attention_simple import as_matrix, describe
from .backward_rows import prepare_rows
from .operands import ELEMENTS, Attention, check_attention

#: Number of rows of a CTA, and of the blocks over which it loops.
ROWS, BLOCK, STAGES = 128, 64, 2


@jit
def copy_pair(first_desc, second_desc, ring, count, head, row, pred=True):
    """Starts the copies of one block of two arrays into a stage of a ring buffer."""
    slot = ring.acquire(count, pred)
    tma.async_load(first_desc, [head, row, 0], slot.full, slot.buffers[0], pred)
    tma.async_load(second_desc, [head, row, 0], slot.full, slot.buffers[1], pred)


@jit
def make_ring(first_desc, second_desc, STAGES: gl.constexpr):
    """Returns a ring buffer of blocks of two arrays, which the warps that fill it also read."""
    descs = first_desc, second_desc
    tiles = [gl.allocate_shared_memory(desc.dtype, [STAGES, *desc.block_shape], desc.layout) for desc in descs]
    return gl.RingBuffer(tiles, consumers=0)


@jit
def pair_of(slot):
    """Returns both tiles of a stage as matrices."""
    return as_matrix(slot.buffers[0]), as_matrix(slot.buffers[1])


@jit
def multiply(a, b, layout: gl.constexpr):
    """Returns a b^T."""
    zeros = gl.zeros([a.shape[0], b.shape[0]], gl.float32, layout)
    return hopper.warpgroup_mma(a, b.permute([1, 0]), zeros, use_acc=False)


@jit
def differentiate(scores, dp, lse, delta, is_visible, log2_scale):
    """Returns P and dS from the scores and dP, all [keys, queries] or all [queries, keys]."""
    p = gl.exp2(gl.where(is_visible, scores * log2_scale - lse, float("-inf")))
    return p, p * (dp - delta)


@jit
def key_gradients(
    q_desc, do_desc, k_desc, v_desc, dk_desc, dv_desc, lse, delta, queries, keys, scale, log2_scale,
    CAUSAL: gl.constexpr, STAGES: gl.constexpr,
):  # fmt: skip
    """Computes dK and dV of a tile of keys of a head. `lse` and `delta` have a whole number of blocks for each head."""
    rows: gl.constexpr = k_desc.block_shape[1]
    block: gl.constexpr = q_desc.block_shape[1]
    size: gl.constexpr = q_desc.block_shape[2]
    layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [gl.num_warps(), 1], [16, block, 16])
    acc_layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [gl.num_warps(), 1], [16, size, 16])
    operand: gl.constexpr = gl.DotOperandLayout(0, acc_layout, k_width=2)
    key0, head = gl.program_id(0) * rows, gl.program_id(1)
    own, other = make_ring(k_desc, v_desc, 1), make_ring(q_desc, do_desc, STAGES)
    blocks = gl.cdiv(queries, block)
    first = 0
    if CAUSAL:
        first = gl.maximum(key0 - (keys - queries), 0) // block
    copy_pair(k_desc, v_desc, own.producer(), 0, head, key0)
    copy_pair(q_desc, do_desc, other.producer(), 0, head, first * block)
    k_tile, v_tile = pair_of(own.consumer().wait(0))
    key = key0 + gl.arange(0, rows, layout=gl.SliceLayout(1, layout))
    dk = gl.zeros([rows, size], gl.float32, acc_layout)
    dv = gl.zeros([rows, size], gl.float32, acc_layout)
    for step in range(blocks - first):
        row0 = (first + step) * block
        copy_pair(q_desc, do_desc, other.producer(), step + 1, head, row0 + block, step + 1 < blocks - first)
        q_tile, do_tile = pair_of(other.consumer().wait(step))
        scores, dp = multiply(k_tile, q_tile, layout), multiply(v_tile, do_tile, layout)
        query = row0 + gl.arange(0, block, layout=gl.SliceLayout(0, layout))
        last_key = gl.minimum(query + (keys - queries), keys - 1) if CAUSAL else query * 0 + (keys - 1)
        per_query = head.to(gl.int64) * (blocks * block) + query
        p, ds = differentiate(
            scores, dp, gl.load(lse + per_query)[None, :], gl.load(delta + per_query)[None, :],
            key[:, None] <= last_key[None, :], log2_scale,
        )  # fmt: skip
        dv = hopper.warpgroup_mma(gl.convert_layout(p.to(q_desc.dtype), operand), do_tile, dv)
        dk = hopper.warpgroup_mma(gl.convert_layout(ds.to(q_desc.dtype), operand), q_tile, dk)
    k_tile.store((dk * scale).to(dk_desc.dtype))
    v_tile.store(dv.to(dv_desc.dtype))
    tma.async_store(dk_desc, [head, key0, 0], own.slot(0).buffers[0])
    tma.async_store(dv_desc, [head, key0, 0], own.slot(0).buffers[1])
    tma.store_wait(0)


@jit
def query_gradients(
    q_desc, do_desc, k_desc, v_desc, dq_desc, lse, delta, queries, keys, scale, log2_scale, padded,
    CAUSAL: gl.constexpr, STAGES: gl.constexpr,
):  # fmt: skip
    """Computes dQ of a tile of queries of a head. `padded`: number of elements of `lse` and `delta` for each head."""
    rows: gl.constexpr = q_desc.block_shape[1]
    block: gl.constexpr = k_desc.block_shape[1]
    size: gl.constexpr = q_desc.block_shape[2]
    layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [gl.num_warps(), 1], [16, block, 16])
    acc_layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [gl.num_warps(), 1], [16, size, 16])
    row0, head = gl.program_id(0) * rows, gl.program_id(1)
    own, other = make_ring(q_desc, do_desc, 1), make_ring(k_desc, v_desc, STAGES)
    end = keys
    if CAUSAL:
        end = gl.minimum(keys, gl.maximum(row0 + rows + keys - queries, 0))
    blocks = gl.cdiv(end, block)
    copy_pair(q_desc, do_desc, own.producer(), 0, head, row0)
    copy_pair(k_desc, v_desc, other.producer(), 0, head, 0, blocks > 0)
    q_tile, do_tile = pair_of(own.consumer().wait(0))
    query = row0 + gl.arange(0, rows, layout=gl.SliceLayout(1, layout))
    last_key = gl.minimum(query + (keys - queries), keys - 1) if CAUSAL else query * 0 + (keys - 1)
    per_query = head.to(gl.int64) * padded + query
    row_lse = gl.load(lse + per_query, mask=query < queries, other=float("inf"))[:, None]
    row_delta = gl.load(delta + per_query, mask=query < queries, other=0.0)[:, None]
    dq = gl.zeros([rows, size], gl.float32, acc_layout)
    for step in range(blocks):
        key0 = step * block
        copy_pair(k_desc, v_desc, other.producer(), step + 1, head, key0 + block, step + 1 < blocks)
        k_tile, v_tile = pair_of(other.consumer().wait(step))
        scores, dp = multiply(q_tile, k_tile, layout), multiply(do_tile, v_tile, layout)
        key = key0 + gl.arange(0, block, layout=gl.SliceLayout(0, layout))
        is_visible = key[None, :] <= last_key[:, None]
        _, ds = differentiate(scores, dp, row_lse, row_delta, is_visible, log2_scale)
        ds = gl.convert_layout(ds.to(k_desc.dtype), gl.DotOperandLayout(0, acc_layout, k_width=2))
        dq = hopper.warpgroup_mma(ds, k_tile, dq)
    q_tile.store((dq * scale).to(dq_desc.dtype))
    tma.async_store(dq_desc, [head, row0, 0], own.slot(0).buffers[0])
    tma.store_wait(0)


def attention_backward_simple(
    do: Any, q: Any, k: Any, v: Any, out: Any, lse: Any, *, causal: bool = False, scale: float | None = None
) -> tuple[Any, Any, Any]:
    """Returns (dq, dk, dv), the gradients of `attention`, on Hopper GPUs. With NumPy arrays, it runs in the emulator.

    Args:
        do, q, out: [batch, heads, queries, D], contiguous, of float16 or bfloat16; D is 64 or 128.
        k, v: [batch, heads, keys, D] of the same dtype.
        lse: float32 [batch, heads, queries], from `attention(..., return_lse=True)`.
        causal, scale: as in `attention_simple`.

    Returns: new arrays with the shapes and the dtype of q, k and v.
    Raises: LaunchError for unsupported targets, dtypes and shapes.
    """
    name = "attention_backward_simple"
    if target_of(q) != "sm_90a":
        raise LaunchError(f"{name} runs on sm_90a, not on {target_of(q)}")
    facts = [facts_of(array, f"{name}: {key}") for key, array in zip("qkv", (q, k, v), strict=True)]
    check_attention(Attention(*facts, facts[0], causal), name)
    (batch, heads, queries, size), keys = facts[0].shape, facts[1].shape[2]
    if facts[1].shape[1] != heads:
        raise LaunchError(f"{name}: q has {heads} heads and k has {facts[1].shape[1]}; they must be equal")
    for key, array in (("do", do), ("out", out)):
        if array.shape != q.shape or array.dtype != q.dtype:
            raise LaunchError(f"{name}: {key} must have the shape and the dtype of q")
    dtype = ELEMENTS[facts[0].dtype]
    log2_scale = (natural := checked_scale(name, scale, size)) * math.log2(math.e)
    row_blocks = cdiv(queries, BLOCK)
    programs = batch * heads * row_blocks
    lse2, delta = (empty_like(q, (programs * BLOCK,), "float32") for _ in range(2))
    strides = [(heads * queries * size, queries * size, size)] * 2
    prepare_rows[(programs,)](
        do, out, lse, None, lse2, delta, empty_like(q, (programs,), "int32"), *strides,
        (heads * queries, queries, 1), None, heads, queries, row_blocks, None, ROWS=BLOCK, SIZE=size, num_warps=4,
    )  # fmt: skip
    dq, dk, dv = (empty_like(q, array.shape, array.dtype) for array in facts)
    options = {"CAUSAL": causal, "STAGES": STAGES, "num_warps": 8}
    descriptors = [
        describe(array, rows, dtype)
        for array, rows in ((q, BLOCK), (do, BLOCK), (k, ROWS), (v, ROWS), (dk, ROWS), (dv, ROWS))
    ]
    key_gradients[cdiv(keys, ROWS), batch * heads](
        *descriptors, lse2, delta, queries, keys, natural, log2_scale, **options
    )
    descriptors = [
        describe(array, rows, dtype) for array, rows in ((q, ROWS), (do, ROWS), (k, BLOCK), (v, BLOCK), (dq, ROWS))
    ]
    query_gradients[cdiv(queries, ROWS), batch * heads](
        *descriptors, lse2, delta, queries, keys, natural, log2_scale, row_blocks * BLOCK, **options
    )
    return dq, dk, dv
