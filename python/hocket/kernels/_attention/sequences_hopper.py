"""Parts of attention on Hopper for sequences of different lengths that are packed one after another.

TMA descriptors cover the arrays of all sequences. Blocks of queries and keys are copied at the offset of their
sequence, so the last block of a sequence also holds rows of the next sequence, or zeros past the end of the array:

    rows of other sequences    are made harmless by
    Q                          masked stores of O: tiles with 64 queries are stored by TMA, others by lanes
    K                          masked scores
    V                          `clear_values`: the last consumer warpgroup writes zeros into the buffer, because
                               0 x NaN would be NaN

The producer warp finds the sequence of each tile. It passes a description of the tile to the consumers through the ring
buffer `tiles`, ahead of time. The host knows no lengths: `cu_seqlens` are in global memory. No CTA
processes an empty tile.
"""

from __future__ import annotations

from typing import Any

from ... import aggregate, jit
from ... import language as gl
from ...language.nvidia import hopper
from ...language.nvidia.hopper import mbarrier, tma
from .tiles_hopper import ONE_NUMBER, TileWork, blocks_of_split, key_of_step, queries_of_tile

#: Layout of the lengths of 32 sequences, one per lane of the producer warp.
LENGTHS = gl.constexpr(gl.BlockedLayout([1], [32], [1], [0]))


@aggregate
class PackedSequences:
    """The packed sequences, and the array of results.

    Fields:
        count: number of sequences.
        per_sequence, pages: with `cfg.page_size`, number of entries of the block table per sequence, and of pages.
        query_starts, key_starts: `cu_seqlens` of queries and of keys, int32 of [sequences + 1].
        out: pointer to the array of results.
        per_query, per_head: strides of this array, in elements.
        table: with `cfg.page_size`, the block table, int32 of [sequences, per_sequence]. `key_starts` is then the
            number of keys of each sequence.
        k, v, k_strides, v_strides: with `cfg.copies_rows`, pointers to the pages of keys and of values, and distances
            between pages, between rows of a page, and between heads, in elements.
    """

    count: gl.tensor
    per_sequence: Any
    pages: Any
    query_starts: gl.tensor
    key_starts: gl.tensor
    out: gl.tensor
    per_query: gl.tensor
    per_head: gl.tensor
    table: Any = None
    k: Any = None
    v: Any = None
    k_strides: Any = ()
    v_strides: Any = ()


@aggregate
class FoundTile:
    """Result of the search for a tile.

    Fields:
        chunk: number of the first of the 32 sequences among which the tile was found, or of the last ones.
        before: number of tiles of all earlier sequences.
        tiles: number of tiles up to the end of the chunk.
        sequence: number of the tile's sequence; at least the number of sequences if there is no such tile.
        first: number of the first tile of this sequence.
    """

    chunk: gl.tensor
    before: gl.tensor
    tiles: gl.tensor
    sequence: gl.tensor
    first: gl.tensor


@jit
def tiles_of_chunk(chunk, problem, cfg: gl.constexpr):
    """Returns the numbers of tiles of 32 sequences, from number `chunk` on. Each split of a tile counts as a tile."""
    sequence = chunk + gl.arange(0, 32, layout=LENGTHS)
    is_inside = sequence < problem.sequences.count
    starts = problem.sequences.query_starts + sequence
    lengths = gl.load(starts + 1, mask=is_inside, other=0) - gl.load(starts, mask=is_inside, other=0)
    if cfg.splits_keys:
        # The workspace has no space for the tiles of further queries.
        lengths = gl.minimum(lengths, problem.queries_per_head)
    return gl.cdiv(lengths * cfg.rows_per_query, cfg.block_m) * problem.heads * problem.splits


@jit
def find_tile(number, chunk, before, problem, cfg: gl.constexpr, COUNT_TILES: gl.constexpr = tiles_of_chunk):
    """Returns the `FoundTile` of a tile. The search begins at sequence `chunk`; `before`: number of tiles of the
    sequences before `chunk`, at most `number`. `COUNT_TILES`: a function like `tiles_of_chunk`."""
    tiles = COUNT_TILES(chunk, problem, cfg)
    end = before + gl.sum(tiles, axis=0)
    while (end <= number) & (chunk + 32 < problem.sequences.count):
        chunk += 32
        before = end
        tiles = COUNT_TILES(chunk, problem, cfg)
        end = before + gl.sum(tiles, axis=0)
    is_before = before + gl.cumsum(tiles, axis=0) <= number
    sequence = chunk + gl.sum(is_before.to(gl.int32), axis=0)
    if end <= number:
        sequence = problem.sequences.count
    first = before + gl.sum(gl.where(is_before, tiles, 0), axis=0)
    return FoundTile(chunk, before, end, sequence, first)


@jit
def work_of_sequence(head, block, first_query, queries, first_key, keys, split, problem, cfg: gl.constexpr):
    """Returns the `TileWork` of a block of queries of one sequence."""
    row0 = block * cfg.block_m
    end, blocks, masked, keys, end_unmasked = blocks_of_split(row0, queries, keys, split, problem, cfg)
    rows = queries * cfg.rows_per_query
    group = head // problem.heads_per_group
    return TileWork(
        0,
        head,
        group,
        row0,
        end,
        blocks,
        masked,
        queries,
        rows,
        keys,
        split,
        None,
        first_query,
        first_key,
        end_unmasked,
    )


@jit
def pass_number(slot, FIELD: gl.constexpr, number):
    """Stores one number of the description of a tile."""
    slot.buffer.slice(FIELD, 1).store(gl.full([1], number, gl.int32, ONE_NUMBER))


@jit
def received_number(slot, FIELD: gl.constexpr):
    """Returns one number of the description of a tile."""
    everywhere: gl.constexpr = gl.BlockedLayout([1], [32], [gl.num_warps()], [0])
    return gl.sum(slot.buffer.slice(FIELD, 1).load(everywhere), axis=0)


@jit
def pass_tile(ring, tile_count, number, found, problem, cfg: gl.constexpr):
    """The producer warp passes the description of a tile to the consumers, and returns the `TileWork`."""
    sequences = problem.sequences
    first_query = gl.load(sequences.query_starts + found.sequence)
    queries = gl.load(sequences.query_starts + found.sequence + 1) - first_query
    if cfg.page_size > 0:
        first_key = found.sequence.to(gl.int64) * sequences.per_sequence
        keys = gl.load(sequences.key_starts + found.sequence)
    else:
        first_key = gl.load(sequences.key_starts + found.sequence)
        keys = gl.load(sequences.key_starts + found.sequence + 1) - first_key
    tile = (number - found.first) // problem.splits
    rows = (gl.minimum(queries, problem.queries_per_head) if cfg.splits_keys else queries) * cfg.rows_per_query
    head, block = queries_of_tile(tile, problem.heads, problem.heads_at_once, rows, cfg)
    # The splits of a tile have consecutive numbers, because the number of tiles of each sequence is a multiple of the
    # number of splits.
    split = number
    slot = ring.acquire(tile_count)
    pass_number(slot, 0, 1)
    pass_number(slot, 1, head)
    pass_number(slot, 2, block)
    pass_number(slot, 3, first_query)
    pass_number(slot, 4, queries)
    pass_number(slot, 5, keys)
    pass_number(slot, 6, split)
    if cfg.copies_rows:
        pass_number(slot, 7, found.sequence)
    ring.commit(tile_count)
    return work_of_sequence(head, block, first_query, queries, first_key, keys, split, problem, cfg)


@jit
def has_tile(ring, tile_count):
    """Waits for the description of tile `tile_count` of the CTA. Returns False if the CTA has no such tile."""
    return received_number(ring.wait(tile_count), 0) != 0


@jit
def received_tile(ring, tile_count, problem, cfg: gl.constexpr):
    """Returns to a consumer warpgroup the `TileWork` that the producer warp has passed. `first_key` is 0, because only
    the producer warp needs it.

    A consumer calls this function before the loop over keys, and again before it stores, so that values that only the
    store needs take no registers in the loop. Then the consumer releases the description.
    """
    slot = ring.slot(tile_count)
    head, block = received_number(slot, 1), received_number(slot, 2)
    first_query, queries = received_number(slot, 3), received_number(slot, 4)
    keys, split = received_number(slot, 5), received_number(slot, 6)
    return work_of_sequence(head, block, first_query, queries, 0, keys, split, problem, cfg)


@jit
def copy_block(desc, slot, work, key0, sequences, cfg: gl.constexpr):
    """Copies the block of keys or values that begins at key `key0` of the sequence: with pages, in boxes of a page or
    of a part of a page."""
    if cfg.page_size == 0:
        tma.async_load(desc, [0, work.group, work.first_key + key0, 0], slot.full, slot.buffer)
    else:
        rows: gl.constexpr = desc.block_shape[2]
        for part in gl.static_range(cfg.block_n // rows):
            key = key0 + part * rows
            # Past the end of the sequence, entries of the table have no meaning. The page with the number `pages` does
            # not exist, so TMA fills the box with zeros.
            entry = sequences.table + work.first_key + key // cfg.page_size
            page = gl.load(entry, mask=key < work.keys, other=sequences.pages)
            box = slot.buffer.slice(part * rows, rows, 2)
            tma.async_load(desc, [page, work.group, key % cfg.page_size, 0], slot.full, box)


@jit
def copy_tiles_of_sequences(q_desc, k_desc, v_desc, rings, problem, scheduler, cfg: gl.constexpr):
    """Does for packed sequences what `kernel_hopper.copy_tiles` does for sequences of one length."""
    count = 0
    tile_count = 0
    number = gl.program_id(0)
    found = find_tile(number, 0, 0, problem, cfg)
    while found.sequence < problem.sequences.count:
        work = pass_tile(scheduler.ring, tile_count, number, found, problem, cfg)
        query0 = work.first_query + work.row0 // cfg.rows_per_query
        for consumer in gl.static_range(cfg.consumers):
            q = rings.q[consumer].acquire(tile_count)
            first = query0 + consumer * (64 // cfg.rows_per_query)
            tma.async_load(q_desc, [work.head, first, 0, 0], q.full, q.buffer)
        if not cfg.copies_rows:
            for step in range(work.blocks):
                key0 = key_of_step(work, step, cfg)
                copy_block(k_desc, rings.k.acquire(count), work, key0, problem.sequences, cfg)
                copy_block(v_desc, rings.v.acquire(count), work, key0, problem.sequences, cfg)
                count += 1
        tile_count += 1
        number += gl.num_programs(0)
        if cfg.uses_work_counter:
            scheduled_before = gl.atomic_add(scheduler.counter, 1)
            number = gl.num_programs(0) + scheduled_before
        found = find_tile(number, found.chunk, found.before, problem, cfg)
        if cfg.uses_work_counter:
            # A CTA that finds no tile knows the number of all tiles. The CTA that takes the last number resets the
            # counter, as in `tiles_hopper.schedule_tile`.
            if (found.sequence >= problem.sequences.count) & (scheduled_before == found.tiles - 1):
                gl.store(scheduler.counter, 0)
    slot = scheduler.ring.acquire(tile_count)
    pass_number(slot, 0, 0)
    scheduler.ring.commit(tile_count)


@jit
def clear_values(values, ready, work, cfg: gl.constexpr):
    """Writes zeros into the rows of a tile's first block of values that lie past the end of the sequence, and arrives
    at the mbarrier `ready`, at which all consumers wait before their first P V of the tile."""
    layout: gl.constexpr = gl.BlockedLayout([1, 8], [256 // cfg.head_size, cfg.head_size // 8], [4, 1], [1, 0])
    inside = work.keys - (work.end - 1) * cfg.block_n
    for part in gl.static_range(cfg.block_n // 32):
        if inside < part * 32 + 32:
            rows = values.slice(part * 32, 32, 0)
            row = part * 32 + gl.arange(0, 32, layout=gl.SliceLayout(1, layout))
            rows.store(gl.where((row < inside)[:, None], rows.load(layout), 0.0))
    hopper.fence_async_shared()
    mbarrier.arrive(ready, per_warp=True)


@jit
def store_rows(acc, log2, outputs, q_buffer, problem, work, row0, cfg: gl.constexpr):
    """Stores the rows of O that belong to the sequence, and the natural logarithm of each row's sum of exponentials.

    outputs.lse: float32 [heads, queries of all sequences].
    """
    row = row0 + gl.arange(0, 64, layout=gl.SliceLayout(1, cfg.acc))
    query = work.first_query + row // cfg.rows_per_query
    head = work.head * cfg.rows_per_query + row % cfg.rows_per_query
    is_inside = row < work.rows
    if row0 + 64 <= work.rows:
        q_buffer.reshape([64, cfg.head_size]).store(acc.to(outputs.o_desc.dtype))
        first = work.first_query + row0 // cfg.rows_per_query
        tma.async_store(outputs.o_desc, [work.head, first, 0, 0], q_buffer)
    else:
        sequences = problem.sequences
        column = gl.arange(0, cfg.head_size, layout=gl.SliceLayout(0, cfg.acc))
        offset = query.to(gl.int64) * sequences.per_query + head.to(gl.int64) * sequences.per_head
        offsets = offset[:, None] + column[None, :]
        mask = is_inside[:, None] & (column >= 0)[None, :]
        gl.store(sequences.out + offsets, acc.to(outputs.o_desc.dtype), mask=mask)
    if cfg.stores_lse:
        offset = head.to(gl.int64) * problem.queries + query
        gl.store(outputs.lse + offset, log2 * 0.6931471805599453, mask=is_inside)


__all__ = [
    "LENGTHS",
    "PackedSequences",
    "clear_values",
    "copy_tiles_of_sequences",
    "find_tile",
    "has_tile",
    "pass_number",
    "received_number",
    "received_tile",
    "store_rows",
]
