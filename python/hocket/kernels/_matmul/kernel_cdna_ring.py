"""GEMM on CDNA as a warp pipeline: half of the warps multiply while the other half reads operands.

    warps 0-3     load 0    compute 0   load 1      compute 1
    warps 4-7               load 0      compute 0   load 1      compute 1

All warps copy, read and multiply: the ring buffer has commit groups instead of mbarriers, and program order releases
its stages. The pipeline's barriers separate reads from the copies that overwrite them.

Compute stages contain only MFMAs: their operands are in registers at the barrier before. MFMAs are the same as in
`kernel_cdna`, in the same order, so results are bitwise equal.
"""

from __future__ import annotations

from ... import jit
from ... import language as gl
from ...language import amd
from .kernel_cdna import copy_k_tile, k_tiles_of_a, k_tiles_of_b, mma, multiply, store_result, tile_origin, work_of


@jit
def matmul_pipelined_ring(
    a, b, c, bias, a_strides, b_strides, c_strides, batch_strides, M, N, K, cfg: gl.constexpr
):  # fmt: skip
    """Kernel with a ring buffer in LDS: one stage is read while the others are filled.

    Commit group k is waited for before the compute stage of k-tile k - 1, one pipeline stage before any warp reads it.
    By then, the other group of warps, which is one stage ahead or behind, has also waited for its part of the copies.
    """
    a, b, c, K = work_of(a, b, c, a_strides, b_strides, batch_strides, K, cfg)
    row0, col0 = tile_origin(M, N, cfg)
    a_base, a_offsets, a_inside, k_a = k_tiles_of_a(a, row0, M, a_strides, cfg)
    b_base, b_offsets, b_inside, k_b = k_tiles_of_b(b, col0, N, b_strides, cfg)
    a_smem = gl.allocate_shared_memory(a.dtype.element_ty, [cfg.slots, cfg.block_m, cfg.block_k], cfg.shared_a)
    b_smem = gl.allocate_shared_memory(b.dtype.element_ty, [cfg.slots, cfg.block_k, cfg.block_n], cfg.shared_b)
    ring = gl.RingBuffer((a_smem, b_smem), fill="groups", consumers=0)
    acc = gl.zeros([cfg.block_m, cfg.block_n], gl.float32, cfg.acc)
    ahead: gl.constexpr = cfg.slots - 1
    for step in gl.static_range(ahead):
        k_left = K - step * cfg.block_k
        filled = ring.producer().acquire(step)
        copy_k_tile(filled.buffers[0], a_base, a_offsets, a_inside, k_a, k_left, cfg)
        copy_k_tile(filled.buffers[1], b_base, b_offsets, b_inside, k_b, k_left, cfg)
        ring.producer().commit()
        a_base += cfg.block_k * a_strides[1]
        b_base += cfg.block_k * b_strides[0]
    # With fewer k-tiles than buffers, the copies past K have filled their buffers with zeros.
    steps = gl.maximum(gl.cdiv(K, cfg.block_k) - ahead, 0)
    amd.cdna4.async_copy.wait_group(ahead - 1)
    for step in range(steps):
        with amd.warp_pipeline_stage("load", priority=1):
            read = ring.slot(step)
            a_operand = read.buffers[0].load(cfg.operand_a)
            b_operand = read.buffers[1].load(cfg.operand_b)
            k_left = K - (step + ahead) * cfg.block_k
            filled = ring.producer().acquire(step + ahead)
            copy_k_tile(filled.buffers[0], a_base, a_offsets, a_inside, k_a, k_left, cfg)
            copy_k_tile(filled.buffers[1], b_base, b_offsets, b_inside, k_b, k_left, cfg)
            ring.producer().commit()
            a_base += cfg.block_k * a_strides[1]
            b_base += cfg.block_k * b_strides[0]
        amd.cdna4.async_copy.wait_group(ahead - 1)
        with amd.warp_pipeline_stage("compute", priority=0):
            acc = mma(a_operand, b_operand, acc, cfg)
    for last in gl.static_range(ahead):
        if last > 0:  # the loop has waited for the first
            amd.cdna4.async_copy.wait_group(ahead - 1 - last)
        read = ring.slot(steps + last)
        acc = multiply(read.buffers[0], read.buffers[1], acc, cfg)
    store_result(acc, c, bias, row0, col0, M, N, c_strides, cfg)


__all__ = ["matmul_pipelined_ring"]
