"""Attention as warp pipelines: half of the warps compute while the other half reads keys or values.

    warps 0-3     read K      weigh       read V      sum up      read K ..
    warps 4-7                 read K      weigh       read V      sum up ..

`weigh` makes probabilities of scores, `sum up` multiplies them with V. K and V have their own slots, copies and waits,
which are half an iteration apart. The arithmetic is that of `attention_kernels`, in the same order.
"""

from __future__ import annotations

from .. import language as gl
from ..language import amd
from ..runtime.jit import jit
from .attention_kernels import (
    empty_sums,
    end_of_keys,
    head_base,
    key_offsets,
    load_queries,
    place_of_block,
    store_output,
    value_offsets,
    weigh,
    whole_blocks,
)


@jit
def copy_block(tile, base, offsets, rows, left, is_whole: gl.constexpr = False):
    """Starts copying a block of keys or values as one group; 0 beyond the last one, if there may be an end in it."""
    if is_whole:
        amd.cdna4.async_copy.buffer_load_to_shared(tile, base, offsets)
    else:
        amd.cdna4.async_copy.buffer_load_to_shared(tile, base, offsets, mask=rows < left)
    amd.cdna4.async_copy.commit_group()


@jit
def attend_to_blocks(
    first, last, queries_tile, sums, places, k_smem, v_smem, k_offsets, v_offsets, k_rows, v_rows,
    k_step, v_step, row0, keys, diagonal, scale, is_whole: gl.constexpr, cfg: gl.constexpr,
):  # fmt: skip
    """The pipeline over blocks `first` to `last - 1`, of which the first two are on their way into slots 0 and 1. If
    they are whole, nothing is compared with the end of keys."""
    acc, row_max, row_sum = sums
    k_base, v_base = places
    # Rotating numbers, not `i % 3`: LLVM would keep an address of every read in a register of its own, and add to each.
    slot = 0
    next_slot = 1
    filled = 2
    for i in range(first, last):
        left = keys - (i + 2) * cfg.block_n
        with amd.warp_pipeline_stage("read K", priority=1):
            k_operand = k_smem.index(slot).load(cfg.operand_k)
            copy_block(k_smem.index(filled), k_base, k_offsets, k_rows, left, is_whole)
            k_base += k_step
        amd.cdna4.async_copy.wait_group(3)
        with amd.warp_pipeline_stage("weigh", priority=0):
            p, correction, row_max, row_sum = weigh(
                queries_tile, k_operand, row_max, row_sum, row0, i * cfg.block_n, keys, diagonal, scale, cfg, is_whole
            )
        with amd.warp_pipeline_stage("read V", priority=1):
            v_operand = v_smem.index(slot).load(cfg.operand_v)
            copy_block(v_smem.index(filled), v_base, v_offsets, v_rows, left, is_whole)
            v_base += v_step
        amd.cdna4.async_copy.wait_group(3)
        with amd.warp_pipeline_stage("sum up", priority=0):
            acc = amd.cdna3.mfma(p, v_operand, acc * correction[:, None])
        slot, next_slot, filled = next_slot, filled, slot
    return (acc, row_max, row_sum), (k_base, v_base)


@jit
def attention_pipelined_direct(
    q, k, v, out, q_strides, k_strides, v_strides, out_strides, heads, heads_per_group, queries, keys, scale,
    cfg: gl.constexpr,
):  # fmt: skip
    """Rings of three slots, filled two blocks ahead. Groups of copies are K 0, V 0, K 1, V 1, ..

    K 0 has arrived when the loop begins. From then on, each wait is for what the other half of the iteration reads, so
    a stage separates the two (`matmul_pipelined`). Blocks that all rows see, and are copied whole, have a loop of their
    own.
    """
    row0, batch, head, group = place_of_block(heads, heads_per_group, cfg)
    diagonal = keys - queries
    k_base = head_base(k, batch, group, k_strides)
    v_base = head_base(v, batch, group, v_strides)
    k_offsets, k_rows = key_offsets(k_strides, cfg)
    v_offsets, v_rows = value_offsets(v_strides, cfg)
    k_smem = gl.allocate_shared_memory(k.dtype.element_ty, [3, cfg.head_size, cfg.block_n], cfg.shared_k)
    v_smem = gl.allocate_shared_memory(v.dtype.element_ty, [3, cfg.block_n, cfg.head_size], cfg.shared_v)

    queries_tile = load_queries(head_base(q, batch, head, q_strides), row0, queries, q_strides, cfg)
    k_step, v_step = cfg.block_n * k_strides[2], cfg.block_n * v_strides[2]
    for i in gl.static_range(2):
        left = keys - i * cfg.block_n
        copy_block(k_smem.index(i), k_base, k_offsets, k_rows, left)
        copy_block(v_smem.index(i), v_base, v_offsets, v_rows, left)
        k_base += k_step
        v_base += v_step
    amd.cdna4.async_copy.wait_group(3)
    sums, places = empty_sums(cfg), (k_base, v_base)
    # Times around the ring, so that the second loop begins at slot 0, too.
    whole = whole_blocks(row0, keys, diagonal, 2, cfg) // 3 * 3
    blocks = gl.cdiv(end_of_keys(row0, keys, diagonal, cfg), cfg.block_n)
    sums, places = attend_to_blocks(
        0, whole, queries_tile, sums, places, k_smem, v_smem, k_offsets, v_offsets, k_rows, v_rows,
        k_step, v_step, row0, keys, diagonal, scale, True, cfg,
    )  # fmt: skip
    amd.cdna4.async_copy.wait_group(0)
    sums, places = attend_to_blocks(
        whole, blocks, queries_tile, sums, places, k_smem, v_smem, k_offsets, v_offsets, k_rows, v_rows,
        k_step, v_step, row0, keys, diagonal, scale, False, cfg,
    )  # fmt: skip
    acc, _, row_sum = sums
    store_output(acc, row_sum, head_base(out, batch, head, out_strides), row0, queries, out_strides, cfg)


@jit
def attend_through_registers(
    first, last, queries_tile, sums, places, tiles, k_smem, v_smem, k_offsets, v_offsets, k_rows, v_rows,
    k_step, v_step, row0, keys, diagonal, scale, is_whole: gl.constexpr, cfg: gl.constexpr,
):  # fmt: skip
    """The pipeline over blocks `first` to `last - 1`, as `attend_to_blocks`; `tiles` wait in registers."""
    acc, row_max, row_sum = sums
    k_base, v_base = places
    k_next, v_next = tiles
    for i in range(first, last):
        with amd.warp_pipeline_stage("read K", priority=1):
            k_operand = k_smem.load(cfg.operand_k)
            v_smem.store(v_next)
            v_base += v_step
            v_next = load_block(v_base, v_offsets, v_rows, keys - (i + 1) * cfg.block_n, is_whole)
        with amd.warp_pipeline_stage("weigh", priority=0):
            p, correction, row_max, row_sum = weigh(
                queries_tile, k_operand, row_max, row_sum, row0, i * cfg.block_n, keys, diagonal, scale, cfg, is_whole
            )
        with amd.warp_pipeline_stage("read V", priority=1):
            v_operand = v_smem.load(cfg.operand_v)
            k_smem.store(k_next)
            k_base += k_step
            k_next = load_block(k_base, k_offsets, k_rows, keys - (i + 2) * cfg.block_n, is_whole)
        with amd.warp_pipeline_stage("sum up", priority=0):
            acc = amd.cdna3.mfma(p, v_operand, acc * correction[:, None])
    return (acc, row_max, row_sum), (k_base, v_base), (k_next, v_next)


@jit
def load_block(base, offsets, rows, left, is_whole: gl.constexpr):
    """A block of keys or values in registers; 0 beyond the last one, if there may be an end in it."""
    if is_whole:
        return amd.cdna3.buffer_load(base, offsets)
    return amd.cdna3.buffer_load(base, offsets, mask=rows < left)


@jit
def attention_pipelined_registers(
    q, k, v, out, q_strides, k_strides, v_strides, out_strides, heads, heads_per_group, queries, keys, scale,
    cfg: gl.constexpr,
):  # fmt: skip
    """One slot for K and one for V: while one is read, the other is filled with what has waited in registers."""
    row0, batch, head, group = place_of_block(heads, heads_per_group, cfg)
    diagonal = keys - queries
    k_base = head_base(k, batch, group, k_strides)
    v_base = head_base(v, batch, group, v_strides)
    k_offsets, k_rows = key_offsets(k_strides, cfg)
    v_offsets, v_rows = value_offsets(v_strides, cfg)
    k_smem = gl.allocate_shared_memory(k.dtype.element_ty, [cfg.head_size, cfg.block_n], cfg.shared_k)
    v_smem = gl.allocate_shared_memory(v.dtype.element_ty, [cfg.block_n, cfg.head_size], cfg.shared_v)

    queries_tile = load_queries(head_base(q, batch, head, q_strides), row0, queries, q_strides, cfg)
    k_step, v_step = cfg.block_n * k_strides[2], cfg.block_n * v_strides[2]
    k_smem.store(load_block(k_base, k_offsets, k_rows, keys, False))
    k_base += k_step
    # In the order of the loop, which waits for V first and leaves K under way.
    v_next = load_block(v_base, v_offsets, v_rows, keys, False)
    tiles = load_block(k_base, k_offsets, k_rows, keys - cfg.block_n, False), v_next
    sums, places = empty_sums(cfg), (k_base, v_base)
    whole = whole_blocks(row0, keys, diagonal, 2, cfg)
    blocks = gl.cdiv(end_of_keys(row0, keys, diagonal, cfg), cfg.block_n)
    sums, places, tiles = attend_through_registers(
        0, whole, queries_tile, sums, places, tiles, k_smem, v_smem, k_offsets, v_offsets, k_rows, v_rows,
        k_step, v_step, row0, keys, diagonal, scale, True, cfg,
    )  # fmt: skip
    sums, places, tiles = attend_through_registers(
        whole, blocks, queries_tile, sums, places, tiles, k_smem, v_smem, k_offsets, v_offsets, k_rows, v_rows,
        k_step, v_step, row0, keys, diagonal, scale, False, cfg,
    )  # fmt: skip
    acc, _, row_sum = sums
    store_output(acc, row_sum, head_base(out, batch, head, out_strides), row0, queries, out_strides, cfg)


__all__ = ["attention_pipelined_direct", "attention_pipelined_registers"]
