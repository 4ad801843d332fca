"""GEMM on Hopper: a persistent, warp-specialized kernel with TMA, wgmma and a ring buffer of k-tiles.

Roles of the warps of a CTA, which processes tiles of C, one after another:

    producer warp           copies k-tiles of A and B into the stages of a ring buffer in shared memory (TMA)
    consumer warpgroups     multiply the k-tiles (wgmma), and store the result tile through shared memory (TMA)

Barriers, and the number of arrivals that complete a phase:

    ready[stage]            the k-tiles of a stage have arrived      1, plus the bytes of the TMA copies
    empty[stage]            all warps have read the stage             1 per warp that reads it
    ping_pong[warpgroup]    named barrier: this warpgroup may start its next tile (ping-pong only)
    stores[warpgroup]       this warpgroup may write the staging buffers (ping-pong only)    1

The ring buffer continues from tile to tile: k-tiles of the next tile arrive while the last results of a tile are
converted and stored. `HopperConfig.taking_turns` selects how two warpgroups divide the work:

    False (cooperative)     each multiplies half of the rows of every tile; both read the k-tile of B
    True (ping-pong)        each takes every second tile: one multiplies while the other one stores. They share the
                            staging buffers, which saves shared memory for another stage

Tile sizes are powers of two, so a warpgroup with 192 columns has three accumulators of 64. The compiler merges their
wgmmas into one of 192 columns, because their parts of B are adjacent in the ring buffer.

TMA handles edges: elements outside A and B are read as 0, and elements outside C are not written.
"""

from __future__ import annotations

from ... import jit
from ... import language as gl
from ...language.nvidia import hopper
from ...language.nvidia.hopper import mbarrier, named_barrier, tma
from .epilogue_hopper import bias_of, finish


@jit
def position_of_tile(tile, M, N, cfg: gl.constexpr):
    """Batch index, first row and first column of a tile. Tiles that run at the same time share k-tiles of A or B."""
    tiles_m = gl.cdiv(M, cfg.block_m)
    tiles_n = gl.cdiv(N, cfg.block_n)
    matrix = tile // (tiles_m * tiles_n)
    in_matrix = tile % (tiles_m * tiles_n)
    tiles_per_group = cfg.group_rows * tiles_n
    first_row = in_matrix // tiles_per_group * cfg.group_rows
    rows = gl.minimum(tiles_m - first_row, cfg.group_rows)
    in_group = in_matrix % tiles_per_group
    return matrix, (first_row + in_group % rows) * cfg.block_m, in_group // rows * cfg.block_n


@jit
def load_block(desc, matrix, row, column, bar, result, transposed: gl.constexpr):
    """Starts the TMA copy of the block at (row, column) of a matrix, or of its transpose."""
    if transposed:
        row, column = column, row
    if len(desc.block_shape) == 3:
        tma.async_load(desc, [matrix, row, column], bar, result)
    else:
        tma.async_load(desc, [row, column], bar, result)


@jit
def as_matrix(tile, transposed: gl.constexpr):
    """A buffer of the ring as [M, K] or [K, N]."""
    matrix = tile
    if len(tile.shape) == 3:
        matrix = tile.reshape([tile.shape[1], tile.shape[2]])
    if transposed:
        matrix = matrix.permute([1, 0])
    return matrix


@jit
def next_stage(stage, phase, cfg: gl.constexpr):
    """The stage after `slot`, and its phase bit."""
    is_last = stage == cfg.slots - 1
    return gl.where(is_last, 0, stage + 1), phase ^ is_last.to(gl.int32)


@jit
def copy_tiles(a_desc, b_desc, memory, barriers, sizes, cfg: gl.constexpr):
    """Producer warp: copies the k-tiles of all tiles of the CTA, and runs ahead while stages are empty."""
    a_ring, b_ring, _ = memory
    ready, empty, _, _ = barriers
    M, N, K, tiles = sizes
    stage = 0
    phase = 0
    for tile in range(gl.program_id(0), tiles, gl.num_programs(0)):
        matrix, row, column = position_of_tile(tile, M, N, cfg)
        for step in range(gl.cdiv(K, cfg.block_k)):
            bar = ready.index(stage)
            mbarrier.wait(empty.index(stage), phase ^ 1)
            mbarrier.expect(bar, cfg.slot_bytes)
            k = step * cfg.block_k
            for part in gl.static_range(cfg.parts):
                part_row = row + part * (cfg.block_m // cfg.parts)
                a_buffer = a_ring.index(stage * cfg.parts + part)
                load_block(a_desc, matrix, part_row, k, bar, a_buffer, cfg.is_transposed_a)
            for side in gl.static_range(cfg.accs):
                left = column + side * cfg.acc_n
                b_buffer = b_ring.index(stage * cfg.accs + side)
                load_block(b_desc, matrix, k, left, bar, b_buffer, cfg.is_transposed_b)
            stage, phase = next_stage(stage, phase, cfg)


@jit
def multiply_stage(a, b_ring, stage, accs, use_acc, cfg: gl.constexpr):
    """Starts the wgmmas of `a` with each part of B in a stage, one per accumulator."""
    bs = [as_matrix(b_ring.index(stage * cfg.accs + side), cfg.is_transposed_b) for side in range(cfg.accs)]
    return [hopper.warpgroup_mma(a, bs[side], accs[side], use_acc=use_acc, is_async=True) for side in range(cfg.accs)]


@jit
def wait_for_products(outstanding: gl.constexpr, accs):
    """Waits until at most `outstanding` wgmmas are pending, and returns the accumulators."""
    done = hopper.warpgroup_mma_wait(outstanding, deps=accs)
    if len(accs) == 1:
        done = [done]
    return done


@jit
def pass_buffers_on(stores, worker: gl.constexpr):
    """Waits until TMA has read the staging buffers, then lets the other warpgroup store through them."""
    tma.store_wait(0)
    mbarrier.arrive(stores.index(1 - worker))


@jit
def multiply_tiles(worker: gl.constexpr, memory, barriers, c_desc, bias, sizes, cfg: gl.constexpr):
    """Consumer warpgroup: computes its rows of every tile, or (ping-pong) all rows of every second tile."""
    a_ring, b_ring, staging = memory
    ready, empty, ping_pong, stores = barriers
    M, N, K, tiles = sizes
    rows: gl.constexpr = cfg.block_m // cfg.parts
    part: gl.constexpr = worker % cfg.parts
    alternating: gl.constexpr = 2 if cfg.taking_turns else 1
    first_subtile: gl.constexpr = 0 if cfg.taking_turns else worker * cfg.staged_pieces
    steps = gl.cdiv(K, cfg.block_k)
    number = worker % alternating  # index of the tile among the tiles of this CTA
    first = gl.program_id(0)
    stride = gl.num_programs(0)
    accs = [gl.zeros([rows, cfg.acc_n], gl.float32, cfg.acc) for _ in range(cfg.accs)]
    for tile in range(first + number * stride, tiles, alternating * stride):
        if cfg.taking_turns:
            # A warpgroup must not run ahead of the other one in the ring: it could mistake an older phase for its own.
            if tile != first:
                named_barrier.arrive_and_wait(ping_pong[worker])
        matrix, row, column = position_of_tile(tile, M, N, cfg)
        stage = number * steps % cfg.slots
        phase = number * steps // cfg.slots & 1
        previous = stage
        for step in range(steps):
            mbarrier.wait(ready.index(stage), phase)
            a = as_matrix(a_ring.index(stage * cfg.parts + part), cfg.is_transposed_a)
            accs = multiply_stage(a, b_ring, stage, accs, step > 0, cfg)
            accs = wait_for_products(cfg.accs, accs)
            mbarrier.arrive(empty.index(previous), pred=step > 0, per_warp=True)
            previous = stage
            stage, phase = next_stage(stage, phase, cfg)
        if cfg.taking_turns:
            if tile + stride < tiles:
                named_barrier.arrive(ping_pong[1 - worker])
        first_bias = 0.0
        if cfg.has_bias:
            first_bias = bias_of(bias, column, N, cfg.piece, cfg.staged_columns)
        accs = wait_for_products(0, accs)
        mbarrier.arrive(empty.index(previous), per_warp=True)
        if cfg.taking_turns:
            mbarrier.wait(stores.index(worker), number // 2 & 1 ^ worker ^ 1)
        finish(accs, first_bias, staging, first_subtile, c_desc, bias, matrix, row + part * rows, column, N, cfg)
        if cfg.taking_turns:
            pass_buffers_on(stores, worker)
        number += alternating
    tma.store_wait(0)


@jit
def matmul_by_partitions(a_desc, b_desc, c_desc, bias, M, N, K, batch, cfg: gl.constexpr):
    """Computes C = epilogue(A x B). The grid has one CTA per SM."""
    tiles = gl.cdiv(M, cfg.block_m) * gl.cdiv(N, cfg.block_n) * batch
    a_ring = gl.allocate_shared_memory(a_desc.dtype, [cfg.slots * cfg.parts, *a_desc.block_shape], a_desc.layout)
    b_ring = gl.allocate_shared_memory(b_desc.dtype, [cfg.slots * cfg.accs, *b_desc.block_shape], b_desc.layout)
    subtiles: gl.constexpr = cfg.staged_pieces * (1 if cfg.taking_turns else cfg.workers)
    staging = gl.allocate_shared_memory(c_desc.dtype, [subtiles, *c_desc.block_shape], c_desc.layout)
    ready = mbarrier.allocate_mbarrier(batch=cfg.slots)
    empty = mbarrier.allocate_mbarrier(batch=cfg.slots)
    ping_pong = stores = ()
    if cfg.taking_turns:
        # Two warpgroups meet at each barrier: the one that waits, and the one that lets it start.
        ping_pong = (named_barrier.allocate(num_warps=8), named_barrier.allocate(num_warps=8))
        stores = mbarrier.allocate_mbarrier(batch=2)
        for worker in gl.static_range(2):
            mbarrier.init(stores.index(worker), count=1)
    for stage in gl.static_range(cfg.slots):
        mbarrier.init(ready.index(stage), count=1)
        mbarrier.init(empty.index(stage), count=4 * cfg.parts)
    memory = a_ring, b_ring, staging
    barriers = ready, empty, ping_pong, stores
    sizes = M, N, K, tiles
    multiplying = memory, barriers, c_desc, bias, sizes, cfg
    copying = a_desc, b_desc, memory, barriers, sizes, cfg
    # Registers per thread: consumers need up to 192 for accumulators; the producer needs few.
    if cfg.workers == 2:
        gl.warp_specialize(
            [(multiply_tiles, (0, *multiplying)), (multiply_tiles, (1, *multiplying)), (copy_tiles, copying)],
            [4, 1],
            [240, 24] if cfg.accs > 1 else [232, 40],
        )
    else:
        gl.warp_specialize([(multiply_tiles, (0, *multiplying)), (copy_tiles, copying)], [1], [40])
    for stage in gl.static_range(cfg.slots):
        mbarrier.invalidate(ready.index(stage))
        mbarrier.invalidate(empty.index(stage))
    if cfg.taking_turns:
        for worker in gl.static_range(2):
            mbarrier.invalidate(stores.index(worker))
