"""Grouped GEMM of float8 on Hopper with float32 scales of blocks.

The tiles, the ring buffer and the store of C are those of `kernel_hopper`, and the scales and the promotion of sums are
those of the GEMM (`_matmul.kernel_block_scaled_hopper`). The scales of B have a further dimension, the group.
"""

from __future__ import annotations

from ... import jit
from ... import language as gl
from ...language.nvidia.hopper import tma
from .._matmul.kernel_block_scaled_hopper import BlockScales, ScaledTile, multiply_scaled_tile, specialize_scaled
from .._matmul.kernel_hopper import HopperConfig, Memory
from .kernel_hopper import copy_tiles, store_tile
from .tiles_of_groups import find_groups, tile_of_work


@jit
def multiply_scaled_tiles(
    warpgroup: gl.constexpr, memory, ring, c_desc, scales, group_stride, groups, N, K, cfg: gl.constexpr
):  # fmt: skip
    """A consumer warpgroup computes its rows of every tile. `group_stride`: elements from the scales of B of one group
    to those of the next group."""
    height: gl.constexpr = cfg.block_m // cfg.parts
    part: gl.constexpr = warpgroup % cfg.parts
    first_buffer: gl.constexpr = warpgroup * cfg.staging_buffers
    steps = K // cfg.block_k
    works = groups.tiles * gl.cdiv(N, cfg.block_n)
    sums = [gl.zeros([height, cfg.acc_n], gl.float32, cfg.acc) for _ in range(cfg.accs)]
    others = [gl.zeros([height, cfg.acc_n], gl.float32, cfg.acc) for _ in range(cfg.accs)]
    position = ring.position(0)
    for work in range(gl.program_id(0), works, gl.num_programs(0)):
        group, row, end, column = tile_of_work(work, groups, N, cfg)
        row += part * height
        rows = row + gl.arange(0, height, layout=gl.SliceLayout(1, cfg.acc))
        of_b = scales.of_b + group.to(gl.int64) * group_stride
        of_group = BlockScales(scales.of_a, of_b, scales.a_strides, scales.b_strides)
        scaled = ScaledTile(of_group, rows, end, column, N)
        totals, sums, others, position = multiply_scaled_tile(
            memory, ring, position, scaled, 0, steps, sums, others, part, cfg
        )  # fmt: skip
        store_tile(totals, memory.staging, first_buffer, c_desc, (None, None), group, row, end, column, N, cfg)
    tma.store_wait(0)


@jit
def grouped_matmul_block_scaled(
    a_desc, b_desc, c_desc, offsets, scale_a, scale_b, a_scale_strides, b_scale_strides, group_stride, group_count, M,
    N, K, pitch, size: gl.constexpr, cfg: gl.constexpr[HopperConfig],
):  # fmt: skip
    """A kernel that computes C = (A * scales of A) x (B[g] * scales of B[g]) for each group g of rows, for K that is a
    multiple of 128. The grid has at most one CTA per SM.

    `tiles_of_groups.find_groups` describes `offsets`, `pitch` and `size`. M: number of rows of A.
    """
    groups = find_groups(offsets, group_count, M, pitch, size, cfg.block_m)
    a_tiles = gl.allocate_shared_memory(a_desc.dtype, [cfg.stages * cfg.parts, *a_desc.block_shape], a_desc.layout)
    b_tiles = gl.allocate_shared_memory(b_desc.dtype, [cfg.stages * cfg.accs, *b_desc.block_shape], b_desc.layout)
    subtiles: gl.constexpr = cfg.staging_buffers * cfg.consumers
    staging = gl.allocate_shared_memory(c_desc.dtype, [subtiles, *c_desc.block_shape], c_desc.layout)
    memory = Memory(a_tiles, b_tiles, staging)
    ring = gl.RingBuffer(stages=cfg.stages, fill_bytes=cfg.stage_bytes, consumers=4 * cfg.parts, per_warp=True)
    scales = BlockScales(scale_a, scale_b, a_scale_strides, b_scale_strides)
    multiplying = memory, ring.consumer(), c_desc, scales, group_stride, groups, N, K, cfg
    copying = copy_tiles, (a_desc, b_desc, memory, ring.producer(), groups, N, K, cfg)
    specialize_scaled(multiply_scaled_tiles, multiplying, copying, cfg)
    ring.invalidate()


__all__ = ["grouped_matmul_block_scaled"]
