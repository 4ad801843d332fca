"""GEMM on CDNA as a warp pipeline: half of the warps multiply while the other half reads operands.

All 8 warps copy, read and multiply, in two groups. One group is a pipeline stage ahead of the other:

    warps 0-3     load 0    compute 0   load 1      compute 1
    warps 4-7               load 0      compute 0   load 1      compute 1
    in flight     k-tiles 1 ...         k-tiles 2 ...           copies of the next `cfg.stages` - 2 k-tiles

    synchronization                  arrivals
    ring, `cfg.stages` stages        none: commit groups instead of mbarriers; program order releases the stages
    s_barrier between stages         all warps; separates reads from the copies that overwrite them

Compute stages contain only MFMAs: their operands are in registers at the preceding barrier. The MFMAs and their order
are those of `kernel_cdna`, so results are bitwise equal.
"""

from __future__ import annotations

from ... import jit
from ... import language as gl
from ...language import amd
from .._epilogue.outputs_cdna import epilogue_of
from .kernel_cdna import Output, fill_stage, k_tiles_of_a, k_tiles_of_b, make_ring, mma, multiply, tile_origin, work_of


@jit
def matmul_pipelined_ring(
    a, b, c, bias, a_strides, b_strides, c_strides, batch_strides, M, N, K, cfg: gl.constexpr,
    epilogue_args=(), EPILOGUE: gl.constexpr = None,
):  # fmt: skip
    """A kernel with a ring buffer in LDS: one stage is read while the others are filled.

    Warps wait for commit group k before the compute stage of k-tile k - 1, one pipeline stage before any warp reads
    k-tile k. Before a warp reads k-tile k, the other group of warps, which is one stage ahead or behind, has thus also
    waited for its copies of k-tile k.
    """
    a, b, c, K = work_of(a, b, c, a_strides, b_strides, batch_strides, K, cfg)
    row0, col0 = tile_origin(M, N, cfg)
    a_tiles = k_tiles_of_a(a, row0, M, a_strides, cfg)
    b_tiles = k_tiles_of_b(b, col0, N, b_strides, cfg)
    ring = make_ring(a.dtype.element_ty, cfg)
    acc = gl.zeros([cfg.block_m, cfg.block_n], gl.float32, cfg.acc)
    ahead: gl.constexpr = cfg.stages - 1
    for step in gl.static_range(ahead):
        fill_stage(ring.producer(), step, a_tiles, b_tiles, K - step * cfg.block_k, cfg)
        a_tiles, b_tiles = a_tiles.next(), b_tiles.next()
    # If the ring buffer has more stages than there are k-tiles, the copies past the end of K have filled the other
    # stages with zeros.
    steps = gl.maximum(gl.cdiv(K, cfg.block_k) - ahead, 0)
    amd.cdna4.async_copy.wait_group(ahead - 1)
    for step in range(steps):
        with amd.warp_pipeline_stage("load", priority=1):
            a_tile, b_tile = ring.slot(step).buffers
            a_operand = a_tile.load(cfg.operand_a)
            b_operand = b_tile.load(cfg.operand_b)
            fill_stage(ring.producer(), step + ahead, a_tiles, b_tiles, K - (step + ahead) * cfg.block_k, cfg)
            a_tiles, b_tiles = a_tiles.next(), b_tiles.next()
        amd.cdna4.async_copy.wait_group(ahead - 1)
        with amd.warp_pipeline_stage("compute", priority=0):
            acc = mma(a_operand, b_operand, acc, cfg)
    for last in gl.static_range(ahead):
        if last > 0:  # the loop has already waited for k-tile `steps`
            amd.cdna4.async_copy.wait_group(ahead - 1 - last)
        a_tile, b_tile = ring.slot(steps + last).buffers
        acc = multiply(a_tile, b_tile, acc, cfg)
    Output(c, bias, M, N, c_strides, epilogue_of(EPILOGUE, epilogue_args)).store(acc, row0, col0, cfg)


__all__ = ["matmul_pipelined_ring"]
