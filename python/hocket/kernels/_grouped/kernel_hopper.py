"""Grouped GEMM on Hopper: C[rows of group g] = A[rows of group g] x B[g], in one launch of a persistent kernel.

The roles of the warps, the ring buffer of k-tiles and the barriers are those of the GEMM (`_matmul.kernel_hopper`).
Three things differ:

    tiles       `tiles_of_groups` finds the group and the rows of a tile from the offsets in global memory, so the host
                does not wait for the offsets
    B           has a third dimension, the group
    store of C  TMA writes no row after the last row of the group, although C has further rows (`limited_rows`)
"""

from __future__ import annotations

from ... import jit
from ... import language as gl
from ...language.nvidia import hopper
from ...language.nvidia.hopper import mbarrier, tma
from .._matmul.epilogue_hopper import subtile_of
from .._matmul.kernel_hopper import (
    HopperConfig,
    Memory,
    load_block,
    make_ping_pong,
    multiply_stage,
    wait_for_mma,
)
from .limited_rows import coordinates
from .tiles_of_groups import find_groups, tile_of_work


@jit
def store_rows(subtile, buffer, c_desc, row, end, column):
    """Stores the rows of a subtile that are before row `end` of C. TMA may still read `buffer` when the function
    returns."""
    buffer.reshape([buffer.shape[2], buffer.shape[3]]).store(subtile)
    hopper.fence_async_shared()
    tma.async_store(c_desc, coordinates(row, end, column), buffer)


@jit
def scale(subtile, scales, group, row, end, column, N, layout: gl.constexpr):
    """Multiplies a subtile by the scales of its rows and by those of its columns. `scales`: pointers to one number per
    row of A, and to one number per group and column of B, or None."""
    of_rows, of_columns = scales
    if of_rows is not None:
        rows = row + gl.arange(0, subtile.shape[0], layout=gl.SliceLayout(1, layout))
        subtile *= gl.load(of_rows + rows, mask=rows < end, other=0.0)[:, None]
    if of_columns is not None:
        columns = column + gl.arange(0, subtile.shape[1], layout=gl.SliceLayout(0, layout))
        of_group = of_columns + group.to(gl.int64) * N
        subtile *= gl.load(of_group + columns, mask=columns < N, other=0.0)[None, :]
    return subtile


@jit
def store_tile(accs, staging, first_buffer, c_desc, scales, group, row, end, column, N, cfg: gl.constexpr):
    """Scales and stores the rows of a tile that are before row `end` of C, subtile by subtile through the buffers of
    `staging`. TMA may still read these buffers when the function returns."""
    height: gl.constexpr = cfg.staged_rows
    width: gl.constexpr = cfg.staged_columns
    down: gl.constexpr = accs[0].shape[0] // height
    along: gl.constexpr = cfg.acc_n // width
    for number in gl.static_range(down * along * cfg.accs):
        strip: gl.constexpr = number // down
        subtile = subtile_of(accs[strip // along], number % down, strip % along, cfg.subtile, (height, width))
        top, left = row + number % down * height, column + strip * width
        subtile = scale(subtile, scales, group, top, end, left, N, cfg.subtile)
        buffer = staging.index(first_buffer + number % cfg.staging_buffers)
        tma.store_wait(cfg.staging_buffers - 1 if number > 0 else 0)
        store_rows(subtile.to(staging.dtype), buffer, c_desc, top, end, left)


@jit
def copy_tiles(a_desc, b_desc, memory, ring, groups, N, K, cfg: gl.constexpr):
    """The producer warp copies the k-tiles of all tiles of the CTA."""
    position = ring.position(0)
    for work in range(gl.program_id(0), groups.tiles * gl.cdiv(N, cfg.block_n), gl.num_programs(0)):
        group, row, _, column = tile_of_work(work, groups, N, cfg)
        for k in range(0, K, cfg.block_k):
            slot = ring.acquire(position)
            for part in gl.static_range(cfg.parts):
                part_row = row + part * (cfg.block_m // cfg.parts)
                load_block(a_desc, 0, part_row, k, slot.full, memory.a_tile(slot.index, part, cfg), False)
            for side in gl.static_range(cfg.accs):
                left = column + side * cfg.acc_n
                b_tile = memory.b_tile(slot.index, side, cfg)
                load_block(b_desc, group, k, left, slot.full, b_tile, cfg.is_transposed_b)
            position = position.next()


@jit
def multiply_tile(memory, ring, ping_pong, position, steps, accs, warpgroup: gl.constexpr, has_next, cfg: gl.constexpr):
    """Multiplies the k-tiles of a tile from `position` of the ring buffer on. Returns the accumulators and the position
    after the tile. `has_next`: whether the CTA has another tile, which the other warpgroup may start (ping-pong)."""
    previous = position
    for step in range(steps):
        ring.wait(position)
        accs = multiply_stage(memory, position.index, warpgroup % cfg.parts, accs, step > 0, cfg)
        accs = wait_for_mma(cfg.accs, accs)
        ring.release(previous, pred=step > 0)
        previous = position
        position = position.next()
    if cfg.ping_pong:
        if has_next:
            ping_pong.start_other(warpgroup)
    accs = wait_for_mma(0, accs)
    ring.release(previous)
    return accs, position


@jit
def multiply_tiles(
    warpgroup: gl.constexpr, memory, ring, ping_pong, c_desc, scales, groups, N, K, cfg: gl.constexpr
):  # fmt: skip
    """A consumer warpgroup computes its rows of every tile; with ping-pong, all rows of every second tile.

    A warpgroup also multiplies if none of its rows belongs to the group, because a kernel that skips these MMAs was
    slower with a large K (docs/lab/hopper_kernels.md)."""
    rows: gl.constexpr = cfg.block_m // cfg.parts
    alternating: gl.constexpr = 2 if cfg.ping_pong else 1
    first_buffer: gl.constexpr = 0 if cfg.ping_pong else warpgroup * cfg.staging_buffers
    steps = gl.cdiv(K, cfg.block_k)
    works = groups.tiles * gl.cdiv(N, cfg.block_n)
    number = warpgroup % alternating  # index of the tile among the tiles of this CTA
    first = gl.program_id(0)
    stride = gl.num_programs(0)
    accs = [gl.zeros([rows, cfg.acc_n], gl.float32, cfg.acc) for _ in range(cfg.accs)]
    position = ring.position(0)
    for work in range(first + number * stride, works, alternating * stride):
        group, row, end, column = tile_of_work(work, groups, N, cfg)
        row += warpgroup % cfg.parts * rows
        if cfg.ping_pong:
            position = ring.position(number * steps)
            if work != first:
                ping_pong.wait_for_next_tile(warpgroup)
        has_next = work + stride < works
        accs, position = multiply_tile(memory, ring, ping_pong, position, steps, accs, warpgroup, has_next, cfg)
        if cfg.ping_pong:
            ping_pong.wait_for_staging(warpgroup, number)
        store_tile(accs, memory.staging, first_buffer, c_desc, scales, group, row, end, column, N, cfg)
        if cfg.ping_pong:
            ping_pong.pass_staging(warpgroup)
        number += alternating
    tma.store_wait(0)


@jit
def grouped_matmul_by_partitions(
    a_desc, b_desc, c_desc, offsets, scale_a, scale_b, group_count, M, N, K, pitch, size: gl.constexpr,
    cfg: gl.constexpr[HopperConfig],
):  # fmt: skip
    """A kernel that computes C = A x B[g] for each group g of rows. The grid has at most one CTA per SM.

    `tiles_of_groups.find_groups` describes `offsets`, `pitch` and `size`, and `scale` describes the scales. M: number
    of rows of A.
    """
    groups = find_groups(offsets, group_count, M, pitch, size, cfg.block_m)
    a_tiles = gl.allocate_shared_memory(a_desc.dtype, [cfg.stages * cfg.parts, *a_desc.block_shape], a_desc.layout)
    b_tiles = gl.allocate_shared_memory(b_desc.dtype, [cfg.stages * cfg.accs, *b_desc.block_shape], b_desc.layout)
    subtiles: gl.constexpr = cfg.staging_buffers * (1 if cfg.ping_pong else cfg.consumers)
    staging = gl.allocate_shared_memory(c_desc.dtype, [subtiles, *c_desc.block_shape], c_desc.layout)
    memory = Memory(a_tiles, b_tiles, staging)
    ring = gl.RingBuffer(stages=cfg.stages, fill_bytes=cfg.stage_bytes, consumers=4 * cfg.parts, per_warp=True)
    ping_pong = make_ping_pong(cfg)
    multiplying = memory, ring.consumer(), ping_pong, c_desc, (scale_a, scale_b), groups, N, K, cfg
    copying = copy_tiles, (a_desc, b_desc, memory, ring.producer(), groups, N, K, cfg)
    if cfg.consumers == 2:
        gl.warp_specialize(
            [(multiply_tiles, (0, *multiplying)), (multiply_tiles, (1, *multiplying)), copying],
            [4, 1],
            [240, 24] if cfg.accs > 1 else [232, 40],
        )
    else:
        gl.warp_specialize([(multiply_tiles, (0, *multiplying)), copying], [1], [40])
    ring.invalidate()
    if cfg.ping_pong:
        for warpgroup in gl.static_range(2):
            mbarrier.invalidate(ping_pong.staging.index(warpgroup))


__all__ = ["grouped_matmul_by_partitions"]
