"""GEMM kernels for microscaled matrices on CDNA4: 32 consecutive elements along K share a scale, a power of two.

    kernel                        warps                               LDS, `gl.RingBuffer`s of commit groups
    scaled_direct_to_shared       4, all with the same role           2 stages of whole k-tiles
    scaled_pipelined_quadrants    8, in two groups that alternate     2 stages of each half of a k-tile

    kernel                        s_barriers per k-tile, of all warps
    scaled_direct_to_shared       2: before the copies into the stage that has been read, and before the reads
    scaled_pipelined_quadrants    8: between pipeline stages

The copies of elements and their timelines are those of `kernel_cdna` and `kernel_cdna_quadrants`. Scales are loaded
straight into registers, in the order in which lanes need them (`shuffle_scales`): a lane loads the scales of its row
for a whole k-tile at once. Timeline of the loads of scales in `scaled_pipelined_quadrants`, with the iteration that
uses them:

    read b0    | a0 b0   | read b1       | a0 b1   | read a1       | a1 b1   | read the next a0  | a1 b0   | ...
    a1, of i   |         | b0, of i + 1  |         | a0, of i + 1  |         | b1, of i + 1      |         | ...
"""

from __future__ import annotations

from ... import aggregate, aggregate_replace, jit
from ... import language as gl
from ...language import amd
from .kernel_cdna import Output, fill_stage, k_tiles_of_a, k_tiles_of_b, make_ring, tile_origin
from .kernel_cdna_quadrants import (
    IN_FLIGHT,
    Quadrants,
    empty_quadrant,
    end_quadrant,
    fill_rings,
    halves_of_a,
    halves_of_b,
)


@aggregate
class Scales:
    """The scales of a tile's rows of A or columns of B, or of half of them."""

    #: Pointer to the scales of the tile's first row of A or first column of B.
    base: gl.tensor
    #: Distance in elements (bytes) from the scales of 32 rows or columns to the scales of the next 32.
    pitch: gl.tensor
    #: `size`: number of rows or columns. `loaded`: layout in which scales are loaded. `taken`: layout of scales as an
    #: operand of the MFMA.
    size: gl.constexpr
    loaded: gl.constexpr
    taken: gl.constexpr

    @jit
    def load(self, step, cfg: gl.constexpr):
        """Loads the scales of k-tile `step`, [size, k_elements / 32], in the layout of an MFMA operand."""
        return aggregate_replace(self, base=self.base + offset_of_scales(step, cfg)).load_at(0, cfg)

    @jit
    def load_at(self, offset, cfg: gl.constexpr):
        """Loads the scales that begin `offset` elements (bytes) after `base`, like `load`. The offset takes a VALU
        instruction for each load, where a pointer to the scales takes scalar instructions."""
        per_lane: gl.constexpr = cfg.k_elements // 64
        along_rows: gl.constexpr = gl.SliceLayout(1, gl.SliceLayout(2, self.loaded))
        along_lanes: gl.constexpr = gl.SliceLayout(0, gl.SliceLayout(2, self.loaded))
        along_bytes: gl.constexpr = gl.SliceLayout(0, gl.SliceLayout(1, self.loaded))
        rows = gl.arange(0, self.size // 32, layout=along_rows)[:, None, None]
        lanes = gl.arange(0, 64, layout=along_lanes)[None, :, None]
        bytes = gl.arange(0, per_lane, layout=along_bytes)[None, None, :]
        offsets = rows * self.pitch + lanes * 4 + bytes + offset
        scales = amd.cdna4.buffer_load(self.base, offsets)
        scales = scales.reshape([self.size // 32, 2, 32, per_lane]).permute([0, 2, 3, 1])
        return gl.convert_layout(scales.reshape([self.size, 2 * per_lane]), self.taken, assert_trivial=True)


@jit
def offset_of_scales(step, cfg: gl.constexpr):
    """Returns the distance in elements (bytes) from the first scales of a row or column to those of k-tile `step`."""
    k = step * cfg.k_elements
    return k // 256 * 256 + k % 256 // 64


@jit
def scales_from(pointer, first, k_tiles, cfg: gl.constexpr):
    """Returns the pointer to the scales of the rows (of A) or columns (of B) from `first` on, and the distance in
    elements from the scales of 32 rows or columns to the scales of the next 32. A block of 256 scales belongs to 32
    rows or columns, and to 256 elements along K."""
    pitch = gl.cdiv(k_tiles * cfg.k_elements, 256) * 256
    return pointer + (first // 32).to(gl.int64) * pitch, pitch


@jit
def scales_of_a(pointer, row, k_tiles, cfg: gl.constexpr):
    """Returns the Scales of `cfg.part_m` rows of A, which begin at row `row`."""
    return Scales(*scales_from(pointer, row, k_tiles, cfg), cfg.part_m, cfg.load_scales_a, cfg.scales_a)


@jit
def scales_of_b(pointer, column, k_tiles, cfg: gl.constexpr):
    """Returns the Scales of `cfg.part_n` columns of B, which begin at column `column`."""
    return Scales(*scales_from(pointer, column, k_tiles, cfg), cfg.part_n, cfg.load_scales_b, cfg.scales_b)


@jit
def scaled_mma(a, a_scales, b, b_scales, acc, cfg: gl.constexpr):
    """Returns acc + (A * scales of A) x (B * scales of B)."""
    return amd.cdna4.mfma_scaled(a, a_scales, cfg.wide_format, b, b_scales, cfg.wide_format, acc)


@jit
def multiply_scaled_k_tile(a, b, scales, step, acc, cfg: gl.constexpr):
    """Returns `acc` plus A x B of k-tile `step`. The quadrants are multiplied without pipeline stages, in the order a0
    b0, a0 b1, a1 b1, a1 b0. `scales`: Scales of a0, a1, b0 and b1."""
    of_a0, of_a1, of_b0, of_b1 = scales
    a0, b0 = a.buffer(0, step).load(cfg.operand_a), b.buffer(0, step).load(cfg.operand_b)
    a0_scales, b0_scales = of_a0.load(step, cfg), of_b0.load(step, cfg)
    acc00 = scaled_mma(a0, a0_scales, b0, b0_scales, acc.acc00, cfg)
    end_quadrant(cfg)
    b1, b1_scales = b.buffer(1, step).load(cfg.operand_b), of_b1.load(step, cfg)
    acc01 = scaled_mma(a0, a0_scales, b1, b1_scales, acc.acc01, cfg)
    end_quadrant(cfg)
    a1, a1_scales = a.buffer(1, step).load(cfg.operand_a), of_a1.load(step, cfg)
    acc11 = scaled_mma(a1, a1_scales, b1, b1_scales, acc.acc11, cfg)
    end_quadrant(cfg)
    return Quadrants(acc00, acc01, scaled_mma(a1, a1_scales, b0, b0_scales, acc.acc10, cfg), acc11)


@jit
def scaled_direct_to_shared(
    a, b, c, bias, a_scales, b_scales, a_strides, b_strides, c_strides, M, N, K, cfg: gl.constexpr
):  # fmt: skip
    """A kernel with a ring buffer of two stages: the next k-tile is copied into one stage while the other
    stage is multiplied. K is the number of stored elements (bytes)."""
    row0, col0 = tile_origin(M, N, cfg)
    a_tiles = k_tiles_of_a(a, row0, M, a_strides, cfg)
    b_tiles = k_tiles_of_b(b, col0, N, b_strides, cfg)
    ring = make_ring(a.dtype.element_ty, cfg)
    k_tiles = gl.cdiv(K, cfg.block_k)
    of_a, of_b = scales_of_a(a_scales, row0, k_tiles, cfg), scales_of_b(b_scales, col0, k_tiles, cfg)
    acc = gl.zeros([cfg.block_m, cfg.block_n], gl.float32, cfg.acc)
    fill_stage(ring.producer(), 0, a_tiles, b_tiles, K, cfg)
    for step in range(k_tiles):
        a_tile, b_tile = ring.consumer().wait(step).buffers
        a_tiles, b_tiles = a_tiles.next(), b_tiles.next()
        left_scales, right_scales = of_a.load(step, cfg), of_b.load(step, cfg)
        if step + 1 < k_tiles:
            fill_stage(ring.producer(), step + 1, a_tiles, b_tiles, K - (step + 1) * cfg.block_k, cfg)
        left, right = a_tile.load(cfg.operand_a), b_tile.load(cfg.operand_b)
        acc = scaled_mma(left, left_scales, right, right_scales, acc, cfg)
    Output(c, bias, M, N, c_strides).store(acc, row0, col0, cfg)


@jit
def scaled_pipelined_quadrants(
    a, b, c, bias, a_scales, b_scales, a_strides, b_strides, c_strides, M, N, K, cfg: gl.constexpr
):  # fmt: skip
    """Works like `matmul_pipelined_quadrants`, for two k-tiles or more.

    The scales of a half of a k-tile are loaded at least two compute stages before their use. Except for the scales of
    b0, they overwrite registers whose scales are no longer needed. The scales of a half of A take several loads, and
    the scheduling barriers make the kernel wait once for all of them, rather than between MFMAs.
    """
    row0, col0 = tile_origin(M, N, cfg)
    a, b = halves_of_a(a, row0, M, a_strides, 2, cfg), halves_of_b(b, col0, N, b_strides, 2, cfg)
    k_tiles = gl.cdiv(K, cfg.block_k)
    of_a0 = scales_of_a(a_scales, row0, k_tiles, cfg)
    of_a1 = scales_of_a(a_scales, row0 + cfg.part_m, k_tiles, cfg)
    of_b0 = scales_of_b(b_scales, col0, k_tiles, cfg)
    of_b1 = scales_of_b(b_scales, col0 + cfg.part_n, k_tiles, cfg)
    acc00, acc01, acc11, acc10 = empty_quadrant(cfg), empty_quadrant(cfg), empty_quadrant(cfg), empty_quadrant(cfg)
    a0_scales = of_a0.load(0, cfg)
    b0_scales, b1_scales = of_b0.load(0, cfg), of_b1.load(0, cfg)
    a, b = fill_rings(a, b, K, cfg)
    amd.cdna4.async_copy.wait_group(IN_FLIGHT)
    a0 = a.buffer(0, 0).load(cfg.operand_a)
    for step in range(k_tiles - 2):
        with amd.warp_pipeline_stage("read b0", priority=1):
            k_left = K - (step + 2) * cfg.block_k
            b0 = b.buffer(0, step).load(cfg.operand_b)
            a1_scales = of_a1.load(step, cfg)
            a.copy(0, step + 2, k_left, cfg)
        amd.cdna4.async_copy.wait_group(IN_FLIGHT)
        with amd.warp_pipeline_stage("multiply a0 b0", priority=0):
            gl.sched_barrier(computed=[a0_scales])
            acc00 = scaled_mma(a0, a0_scales, b0, b0_scales, acc00, cfg)
        with amd.warp_pipeline_stage("read b1", priority=1):
            b1 = b.buffer(1, step).load(cfg.operand_b)
            b0_next = of_b0.load(step + 1, cfg)
            b.copy(0, step + 2, k_left, cfg)
        amd.cdna4.async_copy.wait_group(IN_FLIGHT)
        with amd.warp_pipeline_stage("multiply a0 b1", priority=0):
            acc01 = scaled_mma(a0, a0_scales, b1, b1_scales, acc01, cfg)
        with amd.warp_pipeline_stage("read a1", priority=1):
            a1 = a.buffer(1, step).load(cfg.operand_a)
            a0_scales = of_a0.load(step + 1, cfg)
            b.copy(1, step + 2, k_left, cfg)
        amd.cdna4.async_copy.wait_group(IN_FLIGHT)
        with amd.warp_pipeline_stage("multiply a1 b1", priority=0):
            gl.sched_barrier(computed=[a1_scales])
            acc11 = scaled_mma(a1, a1_scales, b1, b1_scales, acc11, cfg)
        with amd.warp_pipeline_stage("read the next a0", priority=1):
            a0 = a.buffer(0, step + 1).load(cfg.operand_a)
            b1_scales = of_b1.load(step + 1, cfg)
            a.copy(1, step + 2, k_left, cfg)
            a, b = a.next(), b.next()
        amd.cdna4.async_copy.wait_group(IN_FLIGHT)
        with amd.warp_pipeline_stage("multiply a1 b0", priority=0):
            acc10 = scaled_mma(a1, a1_scales, b0, b0_scales, acc10, cfg)
        b0_scales = b0_next
    amd.cdna4.async_copy.wait_group(0)
    acc = Quadrants(acc00, acc01, acc10, acc11)
    for last in range(2):
        acc = multiply_scaled_k_tile(a, b, (of_a0, of_a1, of_b0, of_b1), k_tiles - 2 + last, acc, cfg)
    acc.store(Output(c, bias, M, N, c_strides), row0, col0, cfg)


__all__ = ["scaled_direct_to_shared", "scaled_pipelined_quadrants"]
