"""GEMM on CDNA as a warp pipeline over the quadrants of a tile, for k-tiles of which LDS holds only one or two.

    a0 b0 > a0 b1        a0, a1: upper and lower half of a k-tile of A; b0, b1: left and right half of a k-tile of B.
                v        Each compute stage multiplies one quadrant, in the order of the arrows, so each one needs a
    a1 b0 < a1 b1        single half that the previous one did not.

The stages in between read that half from LDS, and refill the buffer of a half that all warps have read. Because halves
are refilled rather than whole k-tiles, k-tiles with whole cache lines fit, where a ring buffer (`kernel_cdna_ring`)
only has room for half of each line. Reads and copies are spread over all stages.

Compute stages contain only MFMAs: their operands are in registers at the barrier before, or are waited for once, after
it. MFMAs are the same as in `kernel_cdna`, in the same order, so results are bitwise equal.
"""

from __future__ import annotations

from ... import jit
from ... import language as gl
from ...language import amd
from .kernel_cdna import (
    copy_k_tile,
    k_tiles_of_a,
    k_tiles_of_b,
    load_k_tile,
    mma,
    store_result,
    tile_origin,
    work_of,
)

#: Number of halves of k-tiles whose direct copies may be in flight while the half before them is waited for.
IN_FLIGHT = gl.constexpr(6)


@jit
def allocate_halves(dtype: gl.constexpr, slots: gl.constexpr, cfg: gl.constexpr):
    """Allocates LDS for a0, a1, b0 and b1."""
    a0 = gl.allocate_shared_memory(dtype, [slots, cfg.part_m, cfg.block_k], cfg.shared_a)
    a1 = gl.allocate_shared_memory(dtype, [slots, cfg.part_m, cfg.block_k], cfg.shared_a)
    b0 = gl.allocate_shared_memory(dtype, [slots, cfg.block_k, cfg.part_n], cfg.shared_b)
    b1 = gl.allocate_shared_memory(dtype, [slots, cfg.block_k, cfg.part_n], cfg.shared_b)
    return a0, a1, b0, b1


@jit
def empty_quadrant(cfg: gl.constexpr):
    """The initial accumulator of a quadrant."""
    return gl.zeros([cfg.part_m, cfg.part_n], gl.float32, cfg.acc)


@jit
def multiply_k_tile(a0_tile, a1_tile, b0_tile, b1_tile, acc, cfg: gl.constexpr):
    """Multiplies all four quadrants without pipeline stages: a0 b0, a0 b1, a1 b1, a1 b0."""
    a0 = a0_tile.load(cfg.operand_a)
    b0 = b0_tile.load(cfg.operand_b)
    acc00 = mma(a0, b0, acc[0], cfg)
    b1 = b1_tile.load(cfg.operand_b)
    acc01 = mma(a0, b1, acc[1], cfg)
    a1 = a1_tile.load(cfg.operand_a)
    acc11 = mma(a1, b1, acc[2], cfg)
    return acc00, acc01, acc11, mma(a1, b0, acc[3], cfg)


@jit
def store_quadrants(acc, c, bias, row0, col0, M, N, strides, cfg: gl.constexpr):
    """Stores the quadrants. Elements outside C are masked."""
    row1, col1 = row0 + cfg.part_m, col0 + cfg.part_n
    store_result(acc[0], c, bias, row0, col0, M, N, strides, cfg)
    store_result(acc[1], c, bias, row0, col1, M, N, strides, cfg)
    store_result(acc[2], c, bias, row1, col1, M, N, strides, cfg)
    store_result(acc[3], c, bias, row1, col0, M, N, strides, cfg)


@jit
def copy_half(tile, base, offsets, is_inside, along_k, k_left, cfg: gl.constexpr):
    """Starts copying half of a k-tile straight into LDS, as one commit group."""
    copy_k_tile(tile, base, offsets, is_inside, along_k, k_left, cfg)
    amd.cdna4.async_copy.commit_group()


@jit
def matmul_pipelined_quadrants(
    a, b, c, bias, a_strides, b_strides, c_strides, batch_strides, M, N, K, cfg: gl.constexpr
):  # fmt: skip
    """Kernel with two buffers per half. Each load stage reads one half, and starts copying into the buffer of the half
    that the previous load stage has read: the same half of the k-tile after the next.

    The last load stage reads a0 for the next k-tile. Each wait is for the half that the next load stage reads. A
    compute stage lies between the two; before it, the other group of warps has also waited for its part of the copies.
    """
    a, b, c, K = work_of(a, b, c, a_strides, b_strides, batch_strides, K, cfg)
    row0, col0 = tile_origin(M, N, cfg)
    a_base, a0_offsets, a0_inside, k_a = k_tiles_of_a(a, row0, M, a_strides, cfg)
    _, a1_offsets, a1_inside, _ = k_tiles_of_a(a, row0, M, a_strides, cfg, cfg.part_m)
    b_base, b0_offsets, b0_inside, k_b = k_tiles_of_b(b, col0, N, b_strides, cfg)
    _, b1_offsets, b1_inside, _ = k_tiles_of_b(b, col0, N, b_strides, cfg, cfg.part_n)
    a0_smem, a1_smem, b0_smem, b1_smem = allocate_halves(a.dtype.element_ty, 2, cfg)
    acc00, acc01, acc11, acc10 = empty_quadrant(cfg), empty_quadrant(cfg), empty_quadrant(cfg), empty_quadrant(cfg)
    for step in gl.static_range(2):
        k_left = K - step * cfg.block_k
        copy_half(a0_smem.index(step), a_base, a0_offsets, a0_inside, k_a, k_left, cfg)
        copy_half(b0_smem.index(step), b_base, b0_offsets, b0_inside, k_b, k_left, cfg)
        copy_half(b1_smem.index(step), b_base, b1_offsets, b1_inside, k_b, k_left, cfg)
        copy_half(a1_smem.index(step), a_base, a1_offsets, a1_inside, k_a, k_left, cfg)
        a_base += cfg.block_k * a_strides[1]
        b_base += cfg.block_k * b_strides[0]
    # With fewer than two k-tiles, the copies past K have filled the buffers with zeros.
    steps = gl.maximum(gl.cdiv(K, cfg.block_k) - 2, 0)
    amd.cdna4.async_copy.wait_group(IN_FLIGHT)
    a0 = a0_smem.index(0).load(cfg.operand_a)
    for step in range(steps):
        with amd.warp_pipeline_stage("read b0", priority=1):
            buffer = step % 2
            k_left = K - (step + 2) * cfg.block_k
            b0 = b0_smem.index(buffer).load(cfg.operand_b)
            copy_half(a0_smem.index(buffer), a_base, a0_offsets, a0_inside, k_a, k_left, cfg)
        amd.cdna4.async_copy.wait_group(IN_FLIGHT)
        with amd.warp_pipeline_stage("multiply a0 b0", priority=0):
            acc00 = mma(a0, b0, acc00, cfg)
        with amd.warp_pipeline_stage("read b1", priority=1):
            b1 = b1_smem.index(buffer).load(cfg.operand_b)
            copy_half(b0_smem.index(buffer), b_base, b0_offsets, b0_inside, k_b, k_left, cfg)
        amd.cdna4.async_copy.wait_group(IN_FLIGHT)
        with amd.warp_pipeline_stage("multiply a0 b1", priority=0):
            acc01 = mma(a0, b1, acc01, cfg)
        with amd.warp_pipeline_stage("read a1", priority=1):
            a1 = a1_smem.index(buffer).load(cfg.operand_a)
            copy_half(b1_smem.index(buffer), b_base, b1_offsets, b1_inside, k_b, k_left, cfg)
        amd.cdna4.async_copy.wait_group(IN_FLIGHT)
        with amd.warp_pipeline_stage("multiply a1 b1", priority=0):
            acc11 = mma(a1, b1, acc11, cfg)
        with amd.warp_pipeline_stage("read the next a0", priority=1):
            a0 = a0_smem.index(1 - buffer).load(cfg.operand_a)
            copy_half(a1_smem.index(buffer), a_base, a1_offsets, a1_inside, k_a, k_left, cfg)
            a_base += cfg.block_k * a_strides[1]
            b_base += cfg.block_k * b_strides[0]
        amd.cdna4.async_copy.wait_group(IN_FLIGHT)
        with amd.warp_pipeline_stage("multiply a1 b0", priority=0):
            acc10 = mma(a1, b0, acc10, cfg)
    amd.cdna4.async_copy.wait_group(0)
    acc = acc00, acc01, acc11, acc10
    for last in range(2):
        buffer = (steps + last) % 2
        tiles = a0_smem.index(buffer), a1_smem.index(buffer), b0_smem.index(buffer), b1_smem.index(buffer)
        acc = multiply_k_tile(*tiles, acc, cfg)
    store_quadrants(acc, c, bias, row0, col0, M, N, c_strides, cfg)


@jit
def matmul_pipelined_registers(
    a, b, c, bias, a_strides, b_strides, c_strides, batch_strides, M, N, K, cfg: gl.constexpr
):  # fmt: skip
    """Kernel with one buffer per half, filled through registers. Each load stage stores one half to LDS, and loads
    another half of the next k-tile into registers, which the next load stage but one stores. So half of a k-tile is in
    flight: 32 KiB of the largest tiles.

    b1 and a1 are stored in the iteration that needs them. There is at least one stage between the stores of a half and
    the reads of the other group of warps, which runs one stage behind, both before and after.
    """
    a, b, c, K = work_of(a, b, c, a_strides, b_strides, batch_strides, K, cfg)
    row0, col0 = tile_origin(M, N, cfg)
    a_base, a0_offsets, a0_inside, k_a = k_tiles_of_a(a, row0, M, a_strides, cfg)
    _, a1_offsets, a1_inside, _ = k_tiles_of_a(a, row0, M, a_strides, cfg, cfg.part_m)
    b_base, b0_offsets, b0_inside, k_b = k_tiles_of_b(b, col0, N, b_strides, cfg)
    _, b1_offsets, b1_inside, _ = k_tiles_of_b(b, col0, N, b_strides, cfg, cfg.part_n)
    a0_smem, a1_smem, b0_smem, b1_smem = allocate_halves(a.dtype.element_ty, 1, cfg)
    a0_tile, a1_tile, b0_tile, b1_tile = a0_smem.index(0), a1_smem.index(0), b0_smem.index(0), b1_smem.index(0)
    acc00, acc01, acc11, acc10 = empty_quadrant(cfg), empty_quadrant(cfg), empty_quadrant(cfg), empty_quadrant(cfg)
    a0_tile.store(load_k_tile(a_base, a0_offsets, a0_inside, k_a, K, cfg))
    b0_tile.store(load_k_tile(b_base, b0_offsets, b0_inside, k_b, K, cfg))
    # In the order of the loop, which waits for b1 first while a1 is in flight.
    b1_next = load_k_tile(b_base, b1_offsets, b1_inside, k_b, K, cfg)
    gl.sched_barrier()
    a1_next = load_k_tile(a_base, a1_offsets, a1_inside, k_a, K, cfg)
    for step in range(1, gl.cdiv(K, cfg.block_k)):
        with amd.warp_pipeline_stage("read a0 and b0", priority=1):
            a0 = a0_tile.load(cfg.operand_a)
            b0 = b0_tile.load(cfg.operand_b)
            b1_tile.store(b1_next)
            a_base += cfg.block_k * a_strides[1]
            b_base += cfg.block_k * b_strides[0]
            k_left = K - step * cfg.block_k
            a0_next = load_k_tile(a_base, a0_offsets, a0_inside, k_a, k_left, cfg)
        with amd.warp_pipeline_stage("multiply a0 b0", priority=0):
            acc00 = mma(a0, b0, acc00, cfg)
        with amd.warp_pipeline_stage("read b1", priority=1):
            b1 = b1_tile.load(cfg.operand_b)
            a1_tile.store(a1_next)
            b0_next = load_k_tile(b_base, b0_offsets, b0_inside, k_b, k_left, cfg)
        with amd.warp_pipeline_stage("multiply a0 b1", priority=0):
            acc01 = mma(a0, b1, acc01, cfg)
        with amd.warp_pipeline_stage("read a1", priority=1):
            a1 = a1_tile.load(cfg.operand_a)
            a0_tile.store(a0_next)
            b1_next = load_k_tile(b_base, b1_offsets, b1_inside, k_b, k_left, cfg)
        with amd.warp_pipeline_stage("multiply a1 b1", priority=0):
            acc11 = mma(a1, b1, acc11, cfg)
        with amd.warp_pipeline_stage("store b0", priority=1):
            b0_tile.store(b0_next)
            a1_next = load_k_tile(a_base, a1_offsets, a1_inside, k_a, k_left, cfg)
        with amd.warp_pipeline_stage("multiply a1 b0", priority=0):
            acc10 = mma(a1, b0, acc10, cfg)
    b1_tile.store(b1_next)
    a1_tile.store(a1_next)
    acc = multiply_k_tile(a0_tile, a1_tile, b0_tile, b1_tile, (acc00, acc01, acc11, acc10), cfg)
    store_quadrants(acc, c, bias, row0, col0, M, N, c_strides, cfg)


__all__ = ["matmul_pipelined_quadrants", "matmul_pipelined_registers"]
