"""The matrix product as warp pipelines: half of the warps multiply while the other half reads operands.

    warps 0-3     load 0    compute 0   load 1      compute 1
    warps 4-7               load 0      compute 0   load 1      compute 1

Compute stages contain nothing but MFMA: the operands have arrived in registers at the barrier before them, or are
waited for once, after it. Both kernels add the same products in the same order as those of `matmul_kernels`, so results
are equal in every bit.
"""

from __future__ import annotations

from .. import language as gl
from ..language import amd
from ..runtime.jit import jit
from .matmul_kernels import copy_slice, load_slice, multiply, slices_of_a, slices_of_b, store_result, tile_origin


@jit
def matmul_pipelined_direct(a, b, c, a_strides, b_strides, c_strides, M, N, K, cfg: gl.constexpr):
    """A ring of slots in LDS: one is read, the others are being filled.

    Group k of copies is waited for before the compute stage of step k - 1, one stage before any warp reads it: by then
    the other group of warps, which reads a stage earlier or later, has waited for its part of the copies too.
    """
    row0, col0 = tile_origin(M, N, cfg)
    a_base, a_offsets, a_inside, k_a = slices_of_a(a, row0, M, a_strides, cfg)
    b_base, b_offsets, b_inside, k_b = slices_of_b(b, col0, N, b_strides, cfg)
    a_smem = gl.allocate_shared_memory(a.dtype.element_ty, [cfg.slots, cfg.block_m, cfg.block_k], cfg.shared_a)
    b_smem = gl.allocate_shared_memory(b.dtype.element_ty, [cfg.slots, cfg.block_k, cfg.block_n], cfg.shared_b)
    acc = gl.zeros([cfg.block_m, cfg.block_n], gl.float32, cfg.acc)
    ahead: gl.constexpr = cfg.slots - 1
    for step in gl.static_range(ahead):
        k_left = K - step * cfg.block_k
        copy_slice(a_smem.index(step), a_base, a_offsets, a_inside, k_a, k_left, cfg)
        copy_slice(b_smem.index(step), b_base, b_offsets, b_inside, k_b, k_left, cfg)
        amd.cdna4.async_copy.commit_group()
        a_base += cfg.block_k * a_strides[1]
        b_base += cfg.block_k * b_strides[0]
    # With fewer steps than slots, the copies beyond K have filled their slots with zeros.
    steps = gl.maximum(gl.cdiv(K, cfg.block_k) - ahead, 0)
    amd.cdna4.async_copy.wait_group(ahead - 1)
    for step in range(steps):
        with amd.warp_pipeline_stage("load", priority=1):
            a_operand = a_smem.index(step % cfg.slots).load(cfg.operand_a)
            b_operand = b_smem.index(step % cfg.slots).load(cfg.operand_b)
            k_left = K - (step + ahead) * cfg.block_k
            copy_slice(a_smem.index((step + ahead) % cfg.slots), a_base, a_offsets, a_inside, k_a, k_left, cfg)
            copy_slice(b_smem.index((step + ahead) % cfg.slots), b_base, b_offsets, b_inside, k_b, k_left, cfg)
            amd.cdna4.async_copy.commit_group()
            a_base += cfg.block_k * a_strides[1]
            b_base += cfg.block_k * b_strides[0]
        amd.cdna4.async_copy.wait_group(ahead - 1)
        with amd.warp_pipeline_stage("compute", priority=0):
            acc = amd.cdna3.mfma(a_operand, b_operand, acc)
    for last in gl.static_range(ahead):
        if last > 0:  # the loop has waited for the first
            amd.cdna4.async_copy.wait_group(ahead - 1 - last)
        slot = (steps + last) % cfg.slots
        acc = multiply(a_smem.index(slot), b_smem.index(slot), acc, cfg)
    store_result(acc, c, row0, col0, M, N, c_strides, cfg)


@jit
def read_part(a_smem, b_smem, part: gl.constexpr, cfg: gl.constexpr):
    """The operands for a quarter of the slice."""
    size: gl.constexpr = cfg.block_k // 4
    a = a_smem.slice(part * size, size, dim=1).load(cfg.operand_a)
    b = b_smem.slice(part * size, size, dim=0).load(cfg.operand_b)
    return a, b


@jit
def matmul_pipelined_registers(a, b, c, a_strides, b_strides, c_strides, M, N, K, cfg: gl.constexpr):
    """One slot of LDS, read in four parts; the next slice waits in registers until the last part has been read.

    No warp may write the slot while the other group of warps, a stage behind, reads it: one compute stage separates
    the last reads from the writes, and another one separates these from the first reads of the next slice.
    """
    row0, col0 = tile_origin(M, N, cfg)
    a_base, a_offsets, a_inside, k_a = slices_of_a(a, row0, M, a_strides, cfg)
    b_base, b_offsets, b_inside, k_b = slices_of_b(b, col0, N, b_strides, cfg)
    a_smem = gl.allocate_shared_memory(a.dtype.element_ty, [cfg.block_m, cfg.block_k], cfg.shared_a)
    b_smem = gl.allocate_shared_memory(b.dtype.element_ty, [cfg.block_k, cfg.block_n], cfg.shared_b)
    acc = gl.zeros([cfg.block_m, cfg.block_n], gl.float32, cfg.acc)
    a_smem.store(load_slice(a_base, a_offsets, a_inside, k_a, K, cfg))
    b_smem.store(load_slice(b_base, b_offsets, b_inside, k_b, K, cfg))
    for step in range(1, gl.cdiv(K, cfg.block_k)):
        with amd.warp_pipeline_stage("read 0 and fetch", priority=1):
            a0, b0 = read_part(a_smem, b_smem, 0, cfg)
            a_base += cfg.block_k * a_strides[1]
            b_base += cfg.block_k * b_strides[0]
            k_left = K - step * cfg.block_k
            a_next = load_slice(a_base, a_offsets, a_inside, k_a, k_left, cfg)
            b_next = load_slice(b_base, b_offsets, b_inside, k_b, k_left, cfg)
        with amd.warp_pipeline_stage("multiply 0", priority=0):
            acc = amd.cdna3.mfma(a0, b0, acc)
        with amd.warp_pipeline_stage("read 1", priority=1):
            a1, b1 = read_part(a_smem, b_smem, 1, cfg)
        with amd.warp_pipeline_stage("multiply 1", priority=0):
            acc = amd.cdna3.mfma(a1, b1, acc)
        with amd.warp_pipeline_stage("read 2 and 3", priority=1):
            a2, b2 = read_part(a_smem, b_smem, 2, cfg)
            a3, b3 = read_part(a_smem, b_smem, 3, cfg)
        with amd.warp_pipeline_stage("multiply 2", priority=0):
            acc = amd.cdna3.mfma(a2, b2, acc)
        with amd.warp_pipeline_stage("store", priority=1):
            a_smem.store(a_next)
            b_smem.store(b_next)
        with amd.warp_pipeline_stage("multiply 3", priority=0):
            acc = amd.cdna3.mfma(a3, b3, acc)
    acc = multiply(a_smem, b_smem, acc, cfg)
    store_result(acc, c, row0, col0, M, N, c_strides, cfg)


__all__ = ["matmul_pipelined_direct", "matmul_pipelined_registers"]
