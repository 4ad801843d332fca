"""The matrix product on Hopper: blocks that stay and take one tile of C after the other, with warps of three kinds.

    one warp copies         slices of A and B, by TMA, into a ring of slots in shared memory
    warpgroups multiply     what is in the ring (wgmma), and put what they have got into shared memory
    TMA                     takes it from there to C

The ring runs on from tile to tile: while the last results of a tile are converted and stored, slices of the next one
arrive. An mbarrier per slot tells when its slices are there (`ready`), another one when nobody reads them any more
(`empty`). What the warpgroups divide among themselves, `MatmulConfig.taking_turns` says:

    rows of the tile    each multiplies half of its rows; they share the slice of B
    tiles               each takes every second tile: one multiplies while the other one stores. They store through the
                        same buffers, in turns as well, which leaves room for another slot

A warpgroup that has 192 columns has them as three accumulators of 64: tiles are powers of two. The compiler makes one
product of the three, whose instructions have 192 columns, as their parts of B lie side by side in the ring.

Edges are TMA's: what lies outside of A and B is read as 0, and what lies outside of C is not written.
"""

from __future__ import annotations

from .. import language as gl
from ..language.nvidia import hopper
from ..language.nvidia.hopper import mbarrier, named_barrier, tma
from ..runtime.jit import jit
from .matmul_epilogue import bias_of, finish


@jit
def place_of_tile(tile, M, N, cfg: gl.constexpr):
    """Matrix, first row and first column of a tile. Those that are computed together share slices of A or B."""
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
    """Starts copying the block at (row, column) of a matrix, or of the transpose of what `desc` describes."""
    if transposed:
        row, column = column, row
    if len(desc.block_shape) == 3:
        tma.async_load(desc, [matrix, row, column], bar, result)
    else:
        tma.async_load(desc, [row, column], bar, result)


@jit
def as_matrix(tile, transposed: gl.constexpr):
    """A slot of a ring as [M, K] or [K, N]."""
    matrix = tile
    if len(tile.shape) == 3:
        matrix = tile.reshape([tile.shape[1], tile.shape[2]])
    if transposed:
        matrix = matrix.permute([1, 0])
    return matrix


@jit
def next_slot(slot, phase, cfg: gl.constexpr):
    """The slot after `slot`, and the phase of its mbarriers."""
    is_last = slot == cfg.slots - 1
    return gl.where(is_last, 0, slot + 1), phase ^ is_last.to(gl.int32)


@jit
def copy_tiles(a_desc, b_desc, memory, barriers, sizes, cfg: gl.constexpr):
    """The warp that copies: all slices of all tiles of the block, as far ahead as the ring is empty."""
    a_ring, b_ring, _ = memory
    ready, empty, _, _ = barriers
    M, N, K, tiles = sizes
    slot = 0
    phase = 0
    for tile in range(gl.program_id(0), tiles, gl.num_programs(0)):
        matrix, row, column = place_of_tile(tile, M, N, cfg)
        for step in range(gl.cdiv(K, cfg.block_k)):
            bar = ready.index(slot)
            mbarrier.wait(empty.index(slot), phase ^ 1)
            mbarrier.expect(bar, cfg.slot_bytes)
            k = step * cfg.block_k
            for part in gl.static_range(cfg.parts):
                part_row = row + part * (cfg.block_m // cfg.parts)
                load_block(a_desc, matrix, part_row, k, bar, a_ring.index(slot * cfg.parts + part), cfg.is_transposed_a)
            for side in gl.static_range(cfg.accs):
                left = column + side * cfg.acc_n
                load_block(b_desc, matrix, k, left, bar, b_ring.index(slot * cfg.accs + side), cfg.is_transposed_b)
            slot, phase = next_slot(slot, phase, cfg)


@jit
def multiply_slot(a, b_ring, slot, accs, use_acc, cfg: gl.constexpr):
    """Starts adding the products of `a` and what the slot has of B to the accumulators, side by side."""
    bs = [as_matrix(b_ring.index(slot * cfg.accs + side), cfg.is_transposed_b) for side in range(cfg.accs)]
    return [hopper.warpgroup_mma(a, bs[side], accs[side], use_acc=use_acc, is_async=True) for side in range(cfg.accs)]


@jit
def wait_for_products(outstanding: gl.constexpr, accs):
    """The accumulators, once at most so many products are unfinished."""
    done = hopper.warpgroup_mma_wait(outstanding, deps=accs)
    if len(accs) == 1:
        done = [done]
    return done


@jit
def pass_buffers_on(stores, worker: gl.constexpr):
    """Once TMA has read them, the other warpgroup may store through the buffers for pieces of the result."""
    tma.store_wait(0)
    mbarrier.arrive(stores.index(1 - worker))


@jit
def multiply_tiles(worker: gl.constexpr, memory, barriers, c_desc, bias, sizes, cfg: gl.constexpr):
    """A warpgroup that multiplies: its part of each tile of the block, or each of its tiles."""
    a_ring, b_ring, staging = memory
    ready, empty, turns, stores = barriers
    M, N, K, tiles = sizes
    rows: gl.constexpr = cfg.block_m // cfg.parts
    part: gl.constexpr = worker % cfg.parts
    in_turn: gl.constexpr = 2 if cfg.taking_turns else 1
    first_piece: gl.constexpr = 0 if cfg.taking_turns else worker * cfg.staged_pieces
    steps = gl.cdiv(K, cfg.block_k)
    number = worker % in_turn  # of the tile, among those of the block
    first = gl.program_id(0)
    stride = gl.num_programs(0)
    accs = [gl.zeros([rows, cfg.acc_n], gl.float32, cfg.acc) for _ in range(cfg.accs)]
    for tile in range(first + number * stride, tiles, in_turn * stride):
        if cfg.taking_turns:
            # Who waits for a slot that the other one has yet to use would take an older phase for its own.
            if tile != first:
                named_barrier.arrive_and_wait(turns[worker])
        matrix, row, column = place_of_tile(tile, M, N, cfg)
        slot = number * steps % cfg.slots
        phase = number * steps // cfg.slots & 1
        before = slot
        for step in range(steps):
            mbarrier.wait(ready.index(slot), phase)
            a = as_matrix(a_ring.index(slot * cfg.parts + part), cfg.is_transposed_a)
            accs = multiply_slot(a, b_ring, slot, accs, step > 0, cfg)
            accs = wait_for_products(cfg.accs, accs)
            mbarrier.arrive(empty.index(before), pred=step > 0, per_warp=True)
            before = slot
            slot, phase = next_slot(slot, phase, cfg)
        if cfg.taking_turns:
            if tile + stride < tiles:
                named_barrier.arrive(turns[1 - worker])
        first_bias = 0.0
        if cfg.has_bias:
            first_bias = bias_of(bias, column, N, cfg.piece, cfg.staged_columns)
        accs = wait_for_products(0, accs)
        mbarrier.arrive(empty.index(before), per_warp=True)
        if cfg.taking_turns:
            mbarrier.wait(stores.index(worker), number // 2 & 1 ^ worker ^ 1)
        finish(accs, first_bias, staging, first_piece, c_desc, bias, matrix, row + part * rows, column, N, cfg)
        if cfg.taking_turns:
            pass_buffers_on(stores, worker)
        number += in_turn
    tma.store_wait(0)


@jit
def matmul_by_partitions(a_desc, b_desc, c_desc, bias, M, N, K, batch, cfg: gl.constexpr):
    """C = epilogue(A x B): see the head of this module. One block per multiprocessor."""
    tiles = gl.cdiv(M, cfg.block_m) * gl.cdiv(N, cfg.block_n) * batch
    a_ring = gl.allocate_shared_memory(a_desc.dtype, [cfg.slots * cfg.parts, *a_desc.block_shape], a_desc.layout)
    b_ring = gl.allocate_shared_memory(b_desc.dtype, [cfg.slots * cfg.accs, *b_desc.block_shape], b_desc.layout)
    pieces: gl.constexpr = cfg.staged_pieces * (1 if cfg.taking_turns else cfg.workers)
    staging = gl.allocate_shared_memory(c_desc.dtype, [pieces, *c_desc.block_shape], c_desc.layout)
    ready = mbarrier.allocate_mbarrier(batch=cfg.slots)
    empty = mbarrier.allocate_mbarrier(batch=cfg.slots)
    turns = stores = ()
    if cfg.taking_turns:
        # Of both warpgroups: the one that waits, and the one that passes the turn on.
        turns = (named_barrier.allocate(num_warps=8), named_barrier.allocate(num_warps=8))
        stores = mbarrier.allocate_mbarrier(batch=2)
        for worker in gl.static_range(2):
            mbarrier.init(stores.index(worker), count=1)
    for slot in gl.static_range(cfg.slots):
        mbarrier.init(ready.index(slot), count=1)
        mbarrier.init(empty.index(slot), count=4 * cfg.parts)
    memory = a_ring, b_ring, staging
    barriers = ready, empty, turns, stores
    sizes = M, N, K, tiles
    multiplying = memory, barriers, c_desc, bias, sizes, cfg
    copying = a_desc, b_desc, memory, barriers, sizes, cfg
    # Registers: accumulators take up to 192, pieces of the result and addresses the others; copying takes few.
    if cfg.workers == 2:
        gl.warp_specialize(
            [(multiply_tiles, (0, *multiplying)), (multiply_tiles, (1, *multiplying)), (copy_tiles, copying)],
            [4, 1],
            [240, 24] if cfg.accs > 1 else [232, 40],
        )
    else:
        gl.warp_specialize([(multiply_tiles, (0, *multiplying)), (copy_tiles, copying)], [1], [40])
    for slot in gl.static_range(cfg.slots):
        mbarrier.invalidate(ready.index(slot))
        mbarrier.invalidate(empty.index(slot))
    if cfg.taking_turns:
        for worker in gl.static_range(2):
            mbarrier.invalidate(stores.index(worker))
