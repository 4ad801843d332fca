"""Warps of attention on Hopper that copy the rows of small pages of keys and values by cp.async.

TMA copies a block of 128 keys in at most 8 boxes of pages of 16 or more keys. Pages whose size does not divide a block,
and smaller pages, are copied row by row: each lane loads the entries of the block table for its rows, and copies 16
bytes at a time.

    warps              work
    producer warp      finds and describes tiles, copies queries by TMA (`sequences_hopper`)
    row warps          receive the descriptions as the consumers do; copy the blocks of keys and values

    ring     full                                                         empty
    k, v     1 per lane of the row warps, when its copies are complete    1 per consumer warp

cp.async writes shared memory through the generic proxy and wgmma reads it through the async proxy, so consumers execute
a proxy fence after they have waited (`rings_hopper.wait_for_block`).
"""

from __future__ import annotations

from ... import jit
from ... import language as gl
from ...language.nvidia.ampere import async_copy
from .rings_hopper import ROW_WARPS
from .sequences_hopper import has_tile, received_number, received_tile
from .tiles_hopper import key_of_step


@jit
def copy_rows(tile, pages, strides, entries, in_page, is_inside, head, cfg: gl.constexpr):
    """Starts the copies of one block. `entries`, `in_page`: page of each row of the block, and index in this page."""
    vector: gl.constexpr = 8
    columns = gl.arange(0, cfg.head_size, layout=gl.SliceLayout(0, entries.type.layout.parent))
    rows = entries.to(gl.int64) * strides[0] + in_page * strides[1] + head * strides[2]
    # Addresses and strides are multiples of 16 bytes.
    pointers = gl.max_contiguous(pages + (rows[:, None] + columns[None, :]), [1, vector])
    mask = gl.max_constancy(is_inside[:, None] & (columns >= 0)[None, :], [1, vector])
    async_copy.async_load(tile.reshape([cfg.block_n, cfg.head_size]), gl.multiple_of(pointers, [1, 16]), mask=mask)


@jit
def copy_blocks_of_rows(rings, problem, tiles, cfg: gl.constexpr):
    """The row warps copy the keys and values of all tiles of the CTA. `tiles`: the ring buffer of descriptions."""
    lanes: gl.constexpr = cfg.head_size // 8  # lanes side by side along a row
    layout: gl.constexpr = gl.BlockedLayout([1, 8], [32 // lanes, lanes], [ROW_WARPS, 1], [1, 0])
    sequences = problem.sequences
    row = gl.arange(0, cfg.block_n, layout=gl.SliceLayout(1, layout))
    count = 0
    tile_count = 0
    while has_tile(tiles, tile_count):
        work = received_tile(tiles, tile_count, problem, cfg)
        table = sequences.table + received_number(tiles.slot(tile_count), 7).to(gl.int64) * sequences.per_sequence
        tiles.release(tile_count)
        for step in range(work.blocks):
            key = key_of_step(work, step, cfg) + row
            is_inside = key < work.keys
            entries = gl.load(table + key // cfg.page_size, mask=is_inside, other=0)
            in_page = key % cfg.page_size
            k = rings.k.acquire(count)
            copy_rows(k.buffer, sequences.k, sequences.k_strides, entries, in_page, is_inside, work.group, cfg)
            rings.k.commit(count)
            v = rings.v.acquire(count)
            copy_rows(v.buffer, sequences.v, sequences.v_strides, entries, in_page, is_inside, work.group, cfg)
            rings.v.commit(count)
            count += 1
        tile_count += 1


__all__ = ["copy_blocks_of_rows"]
