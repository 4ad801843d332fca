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
)


@jit
def copy_block(tile, base, offsets, rows, left):
    """Starts copying a block of keys or values as one group; 0 beyond the last one."""
    amd.cdna4.async_copy.buffer_load_to_shared(tile, base, offsets, mask=rows < left)
    amd.cdna4.async_copy.commit_group()


@jit
def attention_pipelined_direct(
    q, k, v, out, q_strides, k_strides, v_strides, out_strides, heads, heads_per_group, queries, keys, scale,
    cfg: gl.constexpr,
):  # fmt: skip
    """Rings of three slots, filled two blocks ahead. Groups of copies are K 0, V 0, K 1, V 1, ..

    K 0 has arrived when the loop begins. From then on, each wait is for what the other half of the iteration reads, so
    a stage separates the two (`matmul_pipelined`).
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
    acc, row_max, row_sum = empty_sums(cfg)
    for i in gl.static_range(2):
        left = keys - i * cfg.block_n
        copy_block(k_smem.index(i), k_base, k_offsets, k_rows, left)
        copy_block(v_smem.index(i), v_base, v_offsets, v_rows, left)
        k_base += cfg.block_n * k_strides[2]
        v_base += cfg.block_n * v_strides[2]
    amd.cdna4.async_copy.wait_group(3)
    # Rotating numbers, not `i % 3`: LLVM would keep an address of every read in a register of its own, and add to each.
    slot = 0
    next_slot = 1
    filled = 2
    for i in range(gl.cdiv(end_of_keys(row0, keys, diagonal, cfg), cfg.block_n)):
        with amd.warp_pipeline_stage("read K", priority=1):
            k_operand = k_smem.index(slot).load(cfg.operand_k)
            left = keys - (i + 2) * cfg.block_n
            copy_block(k_smem.index(filled), k_base, k_offsets, k_rows, left)
            k_base += cfg.block_n * k_strides[2]
        amd.cdna4.async_copy.wait_group(3)
        with amd.warp_pipeline_stage("weigh", priority=0):
            p, correction, row_max, row_sum = weigh(
                queries_tile, k_operand, row_max, row_sum, row0, i * cfg.block_n, keys, diagonal, scale, cfg
            )
        with amd.warp_pipeline_stage("read V", priority=1):
            v_operand = v_smem.index(slot).load(cfg.operand_v)
            left = keys - (i + 2) * cfg.block_n
            copy_block(v_smem.index(filled), v_base, v_offsets, v_rows, left)
            v_base += cfg.block_n * v_strides[2]
        amd.cdna4.async_copy.wait_group(3)
        with amd.warp_pipeline_stage("sum up", priority=0):
            acc = amd.cdna3.mfma(p, v_operand, acc * correction[:, None])
        slot, next_slot, filled = next_slot, filled, slot
    store_output(acc, row_sum, head_base(out, batch, head, out_strides), row0, queries, out_strides, cfg)


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
    acc, row_max, row_sum = empty_sums(cfg)
    k_smem.store(amd.cdna3.buffer_load(k_base, k_offsets, mask=k_rows < keys))
    k_base += cfg.block_n * k_strides[2]
    k_next = amd.cdna3.buffer_load(k_base, k_offsets, mask=k_rows < keys - cfg.block_n)
    v_next = amd.cdna3.buffer_load(v_base, v_offsets, mask=v_rows < keys)
    for i in range(gl.cdiv(end_of_keys(row0, keys, diagonal, cfg), cfg.block_n)):
        with amd.warp_pipeline_stage("read K", priority=1):
            k_operand = k_smem.load(cfg.operand_k)
            v_smem.store(v_next)
            v_base += cfg.block_n * v_strides[2]
            v_next = amd.cdna3.buffer_load(v_base, v_offsets, mask=v_rows < keys - (i + 1) * cfg.block_n)
        with amd.warp_pipeline_stage("weigh", priority=0):
            p, correction, row_max, row_sum = weigh(
                queries_tile, k_operand, row_max, row_sum, row0, i * cfg.block_n, keys, diagonal, scale, cfg
            )
        with amd.warp_pipeline_stage("read V", priority=1):
            v_operand = v_smem.load(cfg.operand_v)
            k_smem.store(k_next)
            k_base += cfg.block_n * k_strides[2]
            k_next = amd.cdna3.buffer_load(k_base, k_offsets, mask=k_rows < keys - (i + 2) * cfg.block_n)
        with amd.warp_pipeline_stage("sum up", priority=0):
            acc = amd.cdna3.mfma(p, v_operand, acc * correction[:, None])
    store_output(acc, row_sum, head_base(out, batch, head, out_strides), row0, queries, out_strides, cfg)


__all__ = ["attention_pipelined_direct", "attention_pipelined_registers"]
