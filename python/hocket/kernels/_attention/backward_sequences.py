"""Parts of attention backward on Hopper for sequences of different lengths that are packed one after another.

TMA descriptors cover the arrays of all sequences, so the last block of a sequence also holds rows of the next sequence,
or zeros past the end of the array. These rows may hold NaN, and 0 x NaN is NaN:

    rows of other sequences    are made harmless by
    K, V                       zeros, which the consumers write into the buffers before the first block of queries
    Q, dO                      zeros, which the consumers write into the buffers in the last block of queries
    S                          masked exponents: P is 0. S of the last block is computed before Q has zeros
    dK, dV                     masked stores from registers; other tiles are stored by TMA

lse, delta and the sums of dQ are in a workspace, in which each sequence begins with a block of its own. Sequence i
begins with block cu_seqlens_q[i] // block_m + i. This number needs no sum over the earlier sequences, and leaves enough
blocks to each sequence, because floor((a + b) / m) + 1 >= floor(a / m) + ceil(b / m).

The rows after the last sequence form one more sequence, without queries for its keys. Its gradients are 0.
"""

from __future__ import annotations

from ... import aggregate, jit
from ... import language as gl
from ...language.nvidia import hopper
from .backward_rows import layout_of_rows
from .backward_tiles import KeyTile, blocks_of_queries
from .sequences_hopper import LENGTHS, find_tile, pass_number, received_number


@aggregate
class PackedGradients:
    """The packed sequences, and the arrays of the gradients of keys.

    Fields:
        count: number of sequences, with the one that the rows after the last sequence form.
        query_starts, key_starts: `cu_seqlens` of queries and of keys, int32 of [count].
        dk, dv: pointers to contiguous arrays [keys, key heads, D].
    """

    count: gl.tensor
    query_starts: gl.tensor
    key_starts: gl.tensor
    dk: gl.tensor
    dv: gl.tensor


@jit
def key_tiles_of_chunk(chunk, sizes, cfg: gl.constexpr):
    """Returns the numbers of tiles of keys of 32 sequences, from number `chunk` on."""
    sequence = chunk + gl.arange(0, 32, layout=LENGTHS)
    count = sizes.sequences.count
    starts = sizes.sequences.key_starts + sequence
    ends = gl.load(starts + 1, mask=sequence + 1 < count, other=sizes.keys)
    lengths = ends - gl.load(starts, mask=sequence < count, other=sizes.keys)
    return gl.cdiv(gl.maximum(lengths, 0), cfg.block_n) * sizes.key_heads


@jit
def take_key_tile(counter, chunk, before, sizes, cfg: gl.constexpr):
    """The producer warp takes the number of the CTA's next tile from the work counter. Returns the number and the
    `FoundTile`; `chunk` and `before` are those of the CTA's previous tile."""
    number = gl.atomic_add(counter, 1)
    return number, find_tile(number, chunk, before, sizes, cfg, key_tiles_of_chunk)


@jit
def finish_scheduling(ring, tile_count, counter, number, found):
    """The producer warp passes on that the CTA has no further tile. The CTA that has taken the last number of the
    launch resets the counter, as in `backward_tiles.take_tile`."""
    if number == found.tiles + gl.num_programs(0) - 1:
        gl.store(counter, 0)
    slot = ring.acquire(tile_count)
    pass_number(slot, 0, 0)
    ring.commit(tile_count)


@jit
def tile_of_sequence(key_head, block, first_query, queries, first_key, keys, first_block, sizes, cfg: gl.constexpr):
    """Returns the `KeyTile` of a tile of keys of one sequence."""
    first, end = blocks_of_queries(block, queries, keys, gl.cdiv(queries, cfg.block_m), sizes, cfg)
    return KeyTile(
        0, key_head, block, first, end, queries, keys, first_query, first_key, first_block, sizes.before, sizes.after
    )


@jit
def found_key_tile(ring, tile_count, number, found, sizes, cfg: gl.constexpr):
    """The producer warp passes the description of a tile to the other warps. Returns the `KeyTile`."""
    sequences = sizes.sequences
    index = found.sequence
    has_end = index + 1 < sequences.count
    first_query = gl.load(sequences.query_starts + index)
    queries = gl.load(sequences.query_starts + index + 1, mask=has_end, other=first_query) - first_query
    first_key = gl.load(sequences.key_starts + index)
    keys = gl.load(sequences.key_starts + index + 1, mask=has_end, other=sizes.keys) - first_key
    blocks = gl.cdiv(keys, cfg.block_n)
    tile = number - found.first
    block = tile % blocks
    if cfg.is_descending:
        block = blocks - 1 - block
    first_block = first_query // cfg.block_m + index
    slot = ring.acquire(tile_count)
    pass_number(slot, 0, 1)
    pass_number(slot, 1, tile // blocks)
    pass_number(slot, 2, block)
    pass_number(slot, 3, first_query)
    pass_number(slot, 4, queries)
    pass_number(slot, 5, first_key)
    pass_number(slot, 6, keys)
    pass_number(slot, 7, first_block)
    ring.commit(tile_count)
    return tile_of_sequence(tile // blocks, block, first_query, queries, first_key, keys, first_block, sizes, cfg)


@jit
def received_key_tile(ring, tile_count, sizes, cfg: gl.constexpr):
    """Returns the `KeyTile` that the producer warp has passed. The consumers call this function again before they
    store, so that values that only the stores need take no registers in the loop over blocks of queries."""
    slot = ring.slot(tile_count)
    key_head, block = received_number(slot, 1), received_number(slot, 2)
    first_query, queries = received_number(slot, 3), received_number(slot, 4)
    first_key, keys = received_number(slot, 5), received_number(slot, 6)
    first_block = received_number(slot, 7)
    return tile_of_sequence(key_head, block, first_query, queries, first_key, keys, first_block, sizes, cfg)


@jit
def clear_rows(tiles, inside, cfg: gl.constexpr):
    """Writes zeros into the rows of tiles [rows, D] from row `inside` on."""
    layout: gl.constexpr = layout_of_rows(cfg.head_size, gl.num_warps())
    for tile in gl.static_range(len(tiles)):
        for part in gl.static_range(tiles[tile].shape[0] // 32):
            if inside < part * 32 + 32:
                rows = tiles[tile].slice(part * 32, 32, 0)
                row = part * 32 + gl.arange(0, 32, layout=gl.SliceLayout(1, layout))
                rows.store(gl.where((row < inside)[:, None], rows.load(layout), 0.0))
    hopper.fence_async_shared()


@jit
def store_keys(dk, dv, tile, sizes, cfg: gl.constexpr):
    """Stores the rows of dK and dV that belong to the sequence of the tile. dk, dv: float32 [keys, D]."""
    row = tile.block * cfg.block_n + gl.arange(0, cfg.block_n, layout=gl.SliceLayout(1, cfg.acc))
    column = gl.arange(0, cfg.head_size, layout=gl.SliceLayout(0, cfg.acc))
    first = (tile.first_key + row).to(gl.int64) * sizes.key_heads + tile.key_head
    offsets = first[:, None] * cfg.head_size + column[None, :]
    mask = (row < tile.keys)[:, None] & (column >= 0)[None, :]
    gl.store(sizes.sequences.dk + offsets, dk.to(sizes.sequences.dk.dtype.element_ty), mask=mask)
    gl.store(sizes.sequences.dv + offsets, dv.to(sizes.sequences.dv.dtype.element_ty), mask=mask)


__all__ = [
    "PackedGradients",
    "clear_rows",
    "finish_scheduling",
    "found_key_tile",
    "received_key_tile",
    "store_keys",
    "take_key_tile",
]
