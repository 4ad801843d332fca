"""GEMM of microscaled matrices on CDNA4 with one wave per SIMD.

The copies, reads, MFMAs and s_barriers are those of `kernel_cdna_interleaved`. Scales are loaded straight into
registers, as in `kernel_scaled`. In iteration i, the scales of k-tile i + 1 are loaded, three or four quadrants before
their use. These loads are older than the copies that the next wait for copies leaves in flight, so no MFMA waits for
scales:

    multiplied         a0 b0    | a1 b0      a1 b1    | a0 b1
    scales, of i + 1   b0       | a0         a1       | b1
    s_barrier                   ^                     ^
"""

from __future__ import annotations

from ... import jit
from ... import language as gl
from ...language import amd
from .kernel_cdna import Output, tile_origin
from .kernel_cdna_interleaved import IN_FLIGHT, read_first, read_last
from .kernel_cdna_quadrants import Quadrants, empty_quadrant, fill_rings, halves_of_a, halves_of_b
from .kernel_scaled import multiply_scaled_k_tile, offset_of_scales, scaled_mma, scales_of_a, scales_of_b


@jit
def scaled_interleaved_quadrants(
    a, b, c, bias, a_scales, b_scales, a_strides, b_strides, c_strides, M, N, K, cfg: gl.constexpr
):  # fmt: skip
    """Works like `matmul_interleaved_quadrants`, for two k-tiles or more. K is the number of stored elements
    (bytes)."""
    row0, col0 = tile_origin(M, N, cfg)
    a, b = halves_of_a(a, row0, M, a_strides, 2, cfg), halves_of_b(b, col0, N, b_strides, 2, cfg)
    k_tiles = gl.cdiv(K, cfg.block_k)
    scales = (
        scales_of_a(a_scales, row0, k_tiles, cfg),
        scales_of_a(a_scales, row0 + cfg.part_m, k_tiles, cfg),
        scales_of_b(b_scales, col0, k_tiles, cfg),
        scales_of_b(b_scales, col0 + cfg.part_n, k_tiles, cfg),
    )
    acc00, acc01, acc11, acc10 = empty_quadrant(cfg), empty_quadrant(cfg), empty_quadrant(cfg), empty_quadrant(cfg)
    counts: gl.constexpr = cfg.interleaving
    a0_scales, a1_scales = scales[0].load(0, cfg), scales[1].load(0, cfg)
    b0_scales, b1_scales = scales[2].load(0, cfg), scales[3].load(0, cfg)
    b, a = fill_rings(b, a, K, cfg)  # with A and B exchanged, in the order b0, a0, a1, b1
    amd.cdna4.async_copy.wait_group(IN_FLIGHT)
    a0 = a.buffer(0, 0).load(cfg.operand_a)
    b0 = b.buffer(0, 0).load(cfg.operand_b)
    gl.barrier()  # all warps have read b0 before the first iteration refills it
    offset = offset_of_scales(1, cfg)
    for step in range(k_tiles - 2):
        k_left = K - (step + 2) * cfg.block_k
        b0_next = scales[2].load_at(offset, cfg)
        a1 = a.buffer(1, step).load(cfg.operand_a)
        b.copy(0, step + 2, k_left, cfg)
        acc00 = scaled_mma(a0, a0_scales, b0, b0_scales, acc00, cfg)
        read_first(counts.reads[0], counts.fills[1], cfg)
        amd.cdna4.async_copy.wait_group(IN_FLIGHT)
        a0_next = scales[0].load_at(offset, cfg)
        b1 = b.buffer(1, step).load(cfg.operand_b)
        a.copy(0, step + 2, k_left, cfg)
        acc10 = scaled_mma(a1, a1_scales, b0, b0_scales, acc10, cfg)
        read_first(counts.reads[1], counts.fills[0], cfg)
        a1_next = scales[1].load_at(offset, cfg)
        b0 = b.buffer(0, step + 1).load(cfg.operand_b)
        offset_next = offset_of_scales(step + 2, cfg)
        a.copy(1, step + 2, k_left, cfg)
        a = a.next()
        acc11 = scaled_mma(a1, a1_scales, b1, b1_scales, acc11, cfg)
        read_first(counts.reads[1], counts.fills[0], cfg)
        amd.cdna4.async_copy.wait_group(IN_FLIGHT)
        b1_next = scales[3].load_at(offset, cfg)
        b.copy(1, step + 2, k_left, cfg)
        b = b.next()
        acc01 = scaled_mma(a0, a0_scales, b1, b1_scales, acc01, cfg)
        a0 = a.buffer(0, step + 1).load(cfg.operand_a)
        read_last(counts.reads[0], counts.fills[1], cfg)
        offset = offset_next
        a0_scales, a1_scales, b0_scales, b1_scales = a0_next, a1_next, b0_next, b1_next
    amd.cdna4.async_copy.wait_group(0)
    acc = Quadrants(acc00, acc01, acc10, acc11)
    for last in range(2):
        acc = multiply_scaled_k_tile(a, b, scales, k_tiles - 2 + last, acc, cfg)
    acc.store(Output(c, bias, M, N, c_strides), row0, col0, cfg)


__all__ = ["scaled_interleaved_quadrants"]
