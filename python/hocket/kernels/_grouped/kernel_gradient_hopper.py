"""Grouped GEMM over the rows of groups, on Hopper: C[g] = A[:, rows of group g] x B[rows of group g], as for gradients
of weights.

The roles of the warps, the ring buffer of k-tiles and the barriers are those of the GEMM (`_matmul.kernel_hopper`).
Each tile of C[g] has its own K range, the rows of group g:

    k-tiles     the last k-tile of a group would contain rows of the next group. TMA reads these rows as 0, for A and
                for B (`limited_rows`), so NaN in other groups has no effect
    ring        tiles have different numbers of k-tiles. With ping-pong, each warpgroup also counts the k-tiles of the
                tiles of the other warpgroup
    no rows     if a group is empty, the tile is 0
"""

from __future__ import annotations

from ... import aggregate, jit
from ... import language as gl
from ...language.nvidia.hopper import mbarrier, tma
from .._matmul.epilogue_hopper import finish
from .._matmul.kernel_hopper import HopperConfig, Memory, make_ping_pong, multiply_stage, wait_for_mma
from .limited_rows import coordinates
from .tiles_of_groups import limited, position_of_work


@aggregate
class GradientOfGroups:
    """Offsets of the groups, number of rows of A^T and B, size of C[g], and number of tiles of all groups."""

    offsets: gl.tensor
    rows: gl.tensor
    M: gl.tensor
    N: gl.tensor
    works: gl.tensor


@jit
def rows_of_work(work, problem, cfg: gl.constexpr):
    """Returns the group of a tile, its first row and the index after its last row."""
    tiles = gl.cdiv(problem.M, cfg.block_m) * gl.cdiv(problem.N, cfg.block_n)
    group = work // tiles
    end = limited(gl.load(problem.offsets + group), problem.rows)
    start = limited(gl.load(problem.offsets + group - 1, mask=group > 0, other=0), end)
    return group, start, end


@jit
def position_in_group(work, problem, cfg: gl.constexpr):
    """Returns the first row and the first column of a tile of C[g]."""
    tiles_m = gl.cdiv(problem.M, cfg.block_m)
    tiles_n = gl.cdiv(problem.N, cfg.block_n)
    row, column = position_of_work(work % (tiles_m * tiles_n), tiles_m, tiles_n, cfg.group_rows)
    return row * cfg.block_m, column * cfg.block_n


@jit
def copy_tiles(a_desc, b_desc, memory, ring, problem, cfg: gl.constexpr):
    """The producer warp copies the k-tiles of all tiles of the CTA. `a_desc` describes A^T."""
    position = ring.position(0)
    for work in range(gl.program_id(0), problem.works, gl.num_programs(0)):
        _, start, end = rows_of_work(work, problem, cfg)
        row, column = position_in_group(work, problem, cfg)
        for k in range(start, end, cfg.block_k):
            slot = ring.acquire(position)
            for part in gl.static_range(cfg.parts):
                part_row = row + part * (cfg.block_m // cfg.parts)
                a_tile = memory.a_tile(slot.index, part, cfg)
                tma.async_load(a_desc, coordinates(k, end, part_row), slot.full, a_tile)
            for side in gl.static_range(cfg.accs):
                left = column + side * cfg.acc_n
                tma.async_load(b_desc, coordinates(k, end, left), slot.full, memory.b_tile(slot.index, side, cfg))
            position = position.next()


@jit
def multiply_tiles(warpgroup: gl.constexpr, memory, ring, ping_pong, c_desc, problem, cfg: gl.constexpr):
    """A consumer warpgroup computes its rows of every tile; with ping-pong, all rows of every second tile."""
    rows: gl.constexpr = cfg.block_m // cfg.parts
    part: gl.constexpr = warpgroup % cfg.parts
    alternating: gl.constexpr = 2 if cfg.ping_pong else 1
    first_buffer: gl.constexpr = 0 if cfg.ping_pong else warpgroup * cfg.staging_buffers
    number = warpgroup % alternating  # index of the tile among the tiles of this CTA
    first = gl.program_id(0)
    stride = gl.num_programs(0)
    count = 0  # number of k-tiles of the earlier tiles of this CTA
    accs = [gl.zeros([rows, cfg.acc_n], gl.float32, cfg.acc) for _ in range(cfg.accs)]
    for work in range(first + number * stride, problem.works, alternating * stride):
        group, start, end = rows_of_work(work, problem, cfg)
        row, column = position_in_group(work, problem, cfg)
        if cfg.ping_pong:
            if work != first:
                _, other_start, other_end = rows_of_work(work - stride, problem, cfg)
                count += gl.cdiv(other_end - other_start, cfg.block_k)
                ping_pong.wait_for_next_tile(warpgroup)
        steps = gl.cdiv(end - start, cfg.block_k)
        position = ring.position(count)
        previous = position
        for step in range(steps):
            ring.wait(position)
            accs = multiply_stage(memory, position.index, part, accs, step > 0, cfg)
            accs = wait_for_mma(cfg.accs, accs)
            ring.release(previous, pred=step > 0)
            previous = position
            position = position.next()
        if cfg.ping_pong:
            if work + stride < problem.works:
                ping_pong.start_other(warpgroup)
        accs = wait_for_mma(0, accs)
        ring.release(previous, pred=steps > 0)
        if steps == 0:
            accs = [gl.zeros([rows, cfg.acc_n], gl.float32, cfg.acc) for _ in range(cfg.accs)]
        if cfg.ping_pong:
            ping_pong.wait_for_staging(warpgroup, number)
        finish(accs, 0.0, memory.staging, first_buffer, c_desc, None, group, row + part * rows, column, None, cfg)
        if cfg.ping_pong:
            ping_pong.pass_staging(warpgroup)
        number += alternating
        count += steps
    tma.store_wait(0)


@jit
def grouped_gradient_by_partitions(
    a_desc, b_desc, c_desc, offsets, groups, rows, M, N, cfg: gl.constexpr[HopperConfig]
):  # fmt: skip
    """A kernel that computes C[g] = A x B over the rows of group g. The grid has at most one CTA per SM.

    offsets: pointer to the index after the last row of each group. Numbers that are not between 0 and `rows`, the
        number of rows of A^T and B, are replaced by the nearest one.
    """
    works = groups * gl.cdiv(M, cfg.block_m) * gl.cdiv(N, cfg.block_n)
    problem = GradientOfGroups(offsets, rows, M, N, works)
    a_tiles = gl.allocate_shared_memory(a_desc.dtype, [cfg.stages * cfg.parts, *a_desc.block_shape], a_desc.layout)
    b_tiles = gl.allocate_shared_memory(b_desc.dtype, [cfg.stages * cfg.accs, *b_desc.block_shape], b_desc.layout)
    subtiles: gl.constexpr = cfg.staging_buffers * (1 if cfg.ping_pong else cfg.consumers)
    staging = gl.allocate_shared_memory(c_desc.dtype, [subtiles, *c_desc.block_shape], c_desc.layout)
    memory = Memory(a_tiles, b_tiles, staging)
    ring = gl.RingBuffer(stages=cfg.stages, fill_bytes=cfg.stage_bytes, consumers=4 * cfg.parts, per_warp=True)
    ping_pong = make_ping_pong(cfg)
    multiplying = memory, ring.consumer(), ping_pong, c_desc, problem, cfg
    copying = copy_tiles, (a_desc, b_desc, memory, ring.producer(), problem, cfg)
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


__all__ = ["grouped_gradient_by_partitions"]
