"""GEMM kernels for microscaled matrices on CDNA4: 32 neighbors along K share a scale, a power of two.

Elements are copied as in `kernel_cdna` and `kernel_cdna_quadrants`. Scales are loaded straight into registers, in the
order in which lanes need them (`shuffle_scales`): a lane loads the scales of its row for a whole k-tile at once.
"""

from __future__ import annotations

from ... import jit
from ... import language as gl
from ...language import amd
from .kernel_cdna import copy_k_tile, k_tiles_of_a, k_tiles_of_b, store_result, tile_origin
from .kernel_cdna_quadrants import IN_FLIGHT, allocate_halves, copy_half, empty_quadrant, store_quadrants


@jit
def scales_at(scales, first, k_tiles, cfg: gl.constexpr):
    """Pointer to the scales of rows (of A) or columns (of B) from `first` on. A block has 32 of these, and 256
    elements along K."""
    blocks = gl.cdiv(k_tiles * cfg.slice_k, 256)
    return scales + (first // 32).to(gl.int64) * (blocks * 256)


@jit
def load_scales(base, step, k_tiles, size: gl.constexpr, layout: gl.constexpr, taken: gl.constexpr, cfg: gl.constexpr):
    """Loads the scales of k-tile `step`, [size, slice_k / 32], in `layout`, and converts them to the layout `taken`."""
    per_lane: gl.constexpr = cfg.slice_k // 64
    along_rows: gl.constexpr = gl.SliceLayout(1, gl.SliceLayout(2, layout))
    along_lanes: gl.constexpr = gl.SliceLayout(0, gl.SliceLayout(2, layout))
    along_bytes: gl.constexpr = gl.SliceLayout(0, gl.SliceLayout(1, layout))
    rows = gl.arange(0, size // 32, layout=along_rows)[:, None, None]
    lanes = gl.arange(0, 64, layout=along_lanes)[None, :, None]
    bytes = gl.arange(0, per_lane, layout=along_bytes)[None, None, :]
    offsets = rows * (gl.cdiv(k_tiles * cfg.slice_k, 256) * 256) + lanes * 4 + bytes
    k = step * cfg.slice_k
    scales = amd.cdna4.buffer_load(base + k // 256 * 256 + k % 256 // 64, offsets)
    scales = scales.reshape([size // 32, 2, 32, per_lane]).permute([0, 2, 3, 1]).reshape([size, 2 * per_lane])
    return gl.convert_layout(scales, taken, assert_trivial=True)


@jit
def scales_of_a(base, step, k_tiles, cfg: gl.constexpr):
    """The scales of a part of A for k-tile `step`."""
    return load_scales(base, step, k_tiles, cfg.part_m, cfg.load_scales_a, cfg.scales_a, cfg)


@jit
def scales_of_b(base, step, k_tiles, cfg: gl.constexpr):
    """The scales of a part of B for k-tile `step`."""
    return load_scales(base, step, k_tiles, cfg.part_n, cfg.load_scales_b, cfg.scales_b, cfg)


@jit
def scaled_mma(a, a_scales, b, b_scales, acc, cfg: gl.constexpr):
    """acc + (A * scales of A) x (B * scales of B)."""
    return amd.cdna4.mfma_scaled(a, a_scales, cfg.wide_format, b, b_scales, cfg.wide_format, acc)


@jit
def scaled_in_step(
    a, b, c, bias, a_scales, b_scales, a_strides, b_strides, c_strides, M, N, K, cfg: gl.constexpr
):  # fmt: skip
    """Kernel with two LDS buffers: the next k-tile is copied into one while the other is multiplied. K counts stored
    elements."""
    row0, col0 = tile_origin(M, N, cfg)
    a_base, a_offsets, a_inside, k_a = k_tiles_of_a(a, row0, M, a_strides, cfg)
    b_base, b_offsets, b_inside, k_b = k_tiles_of_b(b, col0, N, b_strides, cfg)
    a_smem = gl.allocate_shared_memory(a.dtype.element_ty, [2, cfg.block_m, cfg.block_k], cfg.shared_a)
    b_smem = gl.allocate_shared_memory(b.dtype.element_ty, [2, cfg.block_k, cfg.block_n], cfg.shared_b)
    k_tiles = gl.cdiv(K, cfg.block_k)
    a_scales, b_scales = scales_at(a_scales, row0, k_tiles, cfg), scales_at(b_scales, col0, k_tiles, cfg)
    acc = gl.zeros([cfg.block_m, cfg.block_n], gl.float32, cfg.acc)
    copy_k_tile(a_smem.index(0), a_base, a_offsets, a_inside, k_a, K, cfg)
    copy_k_tile(b_smem.index(0), b_base, b_offsets, b_inside, k_b, K, cfg)
    amd.cdna4.async_copy.commit_group()
    for step in range(k_tiles):
        amd.cdna4.async_copy.wait_group(0)
        a_base += cfg.block_k * a_strides[1]
        b_base += cfg.block_k * b_strides[0]
        left_scales, right_scales = scales_of_a(a_scales, step, k_tiles, cfg), scales_of_b(b_scales, step, k_tiles, cfg)
        if step + 1 < k_tiles:
            k_left = K - (step + 1) * cfg.block_k
            copy_k_tile(a_smem.index((step + 1) % 2), a_base, a_offsets, a_inside, k_a, k_left, cfg)
            copy_k_tile(b_smem.index((step + 1) % 2), b_base, b_offsets, b_inside, k_b, k_left, cfg)
        amd.cdna4.async_copy.commit_group()
        left, right = a_smem.index(step % 2).load(cfg.operand_a), b_smem.index(step % 2).load(cfg.operand_b)
        acc = scaled_mma(left, left_scales, right, right_scales, acc, cfg)
    store_result(acc, c, bias, row0, col0, M, N, c_strides, cfg)


@jit
def scaled_pipelined_quadrants(
    a, b, c, bias, a_scales, b_scales, a_strides, b_strides, c_strides, M, N, K, cfg: gl.constexpr
):  # fmt: skip
    """Like `matmul_pipelined_quadrants`, for two k-tiles or more.

    The scales of a half are loaded at least two compute stages before their use, mostly into the registers of scales
    that are no longer needed. The scales of A, which take several loads, are waited for once, rather than between
    MFMAs.
    """
    row0, col0 = tile_origin(M, N, cfg)
    a_base, a0_offsets, a0_inside, k_a = k_tiles_of_a(a, row0, M, a_strides, cfg)
    _, a1_offsets, a1_inside, _ = k_tiles_of_a(a, row0, M, a_strides, cfg, cfg.part_m)
    b_base, b0_offsets, b0_inside, k_b = k_tiles_of_b(b, col0, N, b_strides, cfg)
    _, b1_offsets, b1_inside, _ = k_tiles_of_b(b, col0, N, b_strides, cfg, cfg.part_n)
    a0_smem, a1_smem, b0_smem, b1_smem = allocate_halves(a.dtype.element_ty, 2, cfg)
    k_tiles = gl.cdiv(K, cfg.block_k)
    a0_at, a1_at = scales_at(a_scales, row0, k_tiles, cfg), scales_at(a_scales, row0 + cfg.part_m, k_tiles, cfg)
    b0_at, b1_at = scales_at(b_scales, col0, k_tiles, cfg), scales_at(b_scales, col0 + cfg.part_n, k_tiles, cfg)
    acc00, acc01, acc11, acc10 = empty_quadrant(cfg), empty_quadrant(cfg), empty_quadrant(cfg), empty_quadrant(cfg)
    a0_scales = scales_of_a(a0_at, 0, k_tiles, cfg)
    b0_scales, b1_scales = scales_of_b(b0_at, 0, k_tiles, cfg), scales_of_b(b1_at, 0, k_tiles, cfg)
    for step in gl.static_range(2):
        k_left = K - step * cfg.block_k
        copy_half(a0_smem.index(step), a_base, a0_offsets, a0_inside, k_a, k_left, cfg)
        copy_half(b0_smem.index(step), b_base, b0_offsets, b0_inside, k_b, k_left, cfg)
        copy_half(b1_smem.index(step), b_base, b1_offsets, b1_inside, k_b, k_left, cfg)
        copy_half(a1_smem.index(step), a_base, a1_offsets, a1_inside, k_a, k_left, cfg)
        a_base += cfg.block_k * a_strides[1]
        b_base += cfg.block_k * b_strides[0]
    amd.cdna4.async_copy.wait_group(IN_FLIGHT)
    a0 = a0_smem.index(0).load(cfg.operand_a)
    for step in range(k_tiles - 2):
        with amd.warp_pipeline_stage("read b0", priority=1):
            buffer = step % 2
            k_left = K - (step + 2) * cfg.block_k
            b0 = b0_smem.index(buffer).load(cfg.operand_b)
            a1_scales = scales_of_a(a1_at, step, k_tiles, cfg)
            copy_half(a0_smem.index(buffer), a_base, a0_offsets, a0_inside, k_a, k_left, cfg)
        amd.cdna4.async_copy.wait_group(IN_FLIGHT)
        with amd.warp_pipeline_stage("multiply a0 b0", priority=0):
            gl.sched_barrier(computed=[a0_scales])
            acc00 = scaled_mma(a0, a0_scales, b0, b0_scales, acc00, cfg)
        with amd.warp_pipeline_stage("read b1", priority=1):
            b1 = b1_smem.index(buffer).load(cfg.operand_b)
            b0_next = scales_of_b(b0_at, step + 1, k_tiles, cfg)
            copy_half(b0_smem.index(buffer), b_base, b0_offsets, b0_inside, k_b, k_left, cfg)
        amd.cdna4.async_copy.wait_group(IN_FLIGHT)
        with amd.warp_pipeline_stage("multiply a0 b1", priority=0):
            acc01 = scaled_mma(a0, a0_scales, b1, b1_scales, acc01, cfg)
        with amd.warp_pipeline_stage("read a1", priority=1):
            a1 = a1_smem.index(buffer).load(cfg.operand_a)
            a0_scales = scales_of_a(a0_at, step + 1, k_tiles, cfg)
            copy_half(b1_smem.index(buffer), b_base, b1_offsets, b1_inside, k_b, k_left, cfg)
        amd.cdna4.async_copy.wait_group(IN_FLIGHT)
        with amd.warp_pipeline_stage("multiply a1 b1", priority=0):
            gl.sched_barrier(computed=[a1_scales])
            acc11 = scaled_mma(a1, a1_scales, b1, b1_scales, acc11, cfg)
        with amd.warp_pipeline_stage("read the next a0", priority=1):
            a0 = a0_smem.index(1 - buffer).load(cfg.operand_a)
            b1_scales = scales_of_b(b1_at, step + 1, k_tiles, cfg)
            copy_half(a1_smem.index(buffer), a_base, a1_offsets, a1_inside, k_a, k_left, cfg)
            a_base += cfg.block_k * a_strides[1]
            b_base += cfg.block_k * b_strides[0]
        amd.cdna4.async_copy.wait_group(IN_FLIGHT)
        with amd.warp_pipeline_stage("multiply a1 b0", priority=0):
            acc10 = scaled_mma(a1, a1_scales, b0, b0_scales, acc10, cfg)
        b0_scales = b0_next
    amd.cdna4.async_copy.wait_group(0)
    for last in range(2):
        step = k_tiles - 2 + last
        a0, b0 = a0_smem.index(step % 2).load(cfg.operand_a), b0_smem.index(step % 2).load(cfg.operand_b)
        a0_scales, b0_scales = scales_of_a(a0_at, step, k_tiles, cfg), scales_of_b(b0_at, step, k_tiles, cfg)
        acc00 = scaled_mma(a0, a0_scales, b0, b0_scales, acc00, cfg)
        b1, b1_scales = b1_smem.index(step % 2).load(cfg.operand_b), scales_of_b(b1_at, step, k_tiles, cfg)
        acc01 = scaled_mma(a0, a0_scales, b1, b1_scales, acc01, cfg)
        a1, a1_scales = a1_smem.index(step % 2).load(cfg.operand_a), scales_of_a(a1_at, step, k_tiles, cfg)
        acc11 = scaled_mma(a1, a1_scales, b1, b1_scales, acc11, cfg)
        acc10 = scaled_mma(a1, a1_scales, b0, b0_scales, acc10, cfg)
    store_quadrants((acc00, acc01, acc11, acc10), c, bias, row0, col0, M, N, c_strides, cfg)


__all__ = ["scaled_in_step", "scaled_pipelined_quadrants"]
