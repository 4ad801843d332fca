"""Tiles of keys of attention backward on Hopper: their order, and the order of the additions to dQ.

CTAs take numbers of tiles from a work counter. The tiles of a head have consecutive numbers. Without a causal mask, a
head begins with its first tile of keys, and with a causal mask or a window, with its last one. With a causal mask, this
tile has the fewest queries. Blocks of dQ are added in the order of the numbers. `backward_sequences` has the tiles of
packed sequences.
"""

from __future__ import annotations

from typing import Any

from ... import aggregate, jit
from ... import language as gl


@aggregate
class BackwardSizes:
    """Sizes of the problem.

    Fields:
        key_heads, heads_per_group: number of key heads per batch, and of heads of queries per key head.
        queries, keys: lengths; with packed sequences, those of all sequences together.
        row_blocks: number of blocks of queries of a head in the workspace.
        key_blocks, tiles: number of tiles of keys of a head, and of all tiles; not used with packed sequences.
        sequences: the `PackedGradients` (`backward_sequences`), or None without `cfg.is_varlen`.
        before, after: with `cfg.has_window`, numbers of keys before and after its position that a query sees.
    """

    key_heads: gl.tensor
    heads_per_group: gl.tensor
    queries: gl.tensor
    keys: gl.tensor
    row_blocks: gl.tensor
    key_blocks: gl.tensor
    tiles: gl.tensor
    sequences: Any = None
    before: Any = 0
    after: Any = 0


@aggregate
class KeyTile:
    """A tile of keys.

    Fields:
        batch, key_head: index of the batch, and of the key head within the batch.
        block: index of the tile among the tiles of its head.
        first, end: index of the first block of queries that see a key of the tile, and after the last such block.
        queries, keys: lengths of the tile's sequence.
        first_query, first_key, first_block: with packed sequences, offsets of the tile's sequence in the arrays of
            queries and of keys, and index of its first block of queries in the workspace; otherwise 0.
        before, after: those of `BackwardSizes`.
    """

    batch: Any
    key_head: gl.tensor
    block: gl.tensor
    first: Any
    end: gl.tensor
    queries: gl.tensor
    keys: gl.tensor
    first_query: Any = 0
    first_key: Any = 0
    first_block: Any = 0
    before: Any = 0
    after: Any = 0


@jit
def blocks_of_queries(block, queries, keys, row_blocks, sizes, cfg: gl.constexpr):
    """Returns the index of the first block of queries that see a key of tile `block` of a head, and the index after the
    last such block. `row_blocks`: number of blocks of queries of the head."""
    first = 0
    end = row_blocks
    key0, diagonal = block * cfg.block_n, keys - queries
    if cfg.is_causal:
        first = gl.maximum(key0 - diagonal, 0) // cfg.block_m
    if cfg.has_window:
        first = gl.maximum(key0 - sizes.after - diagonal, 0) // cfg.block_m
        last_query = gl.minimum(key0 + cfg.block_n, keys) - 1 + sizes.before - diagonal
        end = gl.minimum(row_blocks, gl.maximum(last_query + cfg.block_m, 0) // cfg.block_m)
    return first, end


@jit
def key_tile(number, sizes, cfg: gl.constexpr):
    """Returns the `KeyTile` of a tile number."""
    head = number // sizes.key_blocks
    block = number % sizes.key_blocks
    if cfg.is_descending:
        block = sizes.key_blocks - 1 - block
    first, end = blocks_of_queries(block, sizes.queries, sizes.keys, sizes.row_blocks, sizes, cfg)
    batch, key_head = head // sizes.key_heads, head % sizes.key_heads
    return KeyTile(
        batch, key_head, block, first, end, sizes.queries, sizes.keys, before=sizes.before, after=sizes.after
    )


@jit
def additions_before(tile, row_block, cfg: gl.constexpr):
    """Returns the number of tiles of keys that are added to a block of dQ before `tile`."""
    if cfg.is_descending:
        last_query = (row_block + 1) * cfg.block_m - 1
        last_key = gl.minimum(last_query + tile.after + tile.keys - tile.queries, tile.keys - 1)
        return last_key // cfg.block_n - tile.block
    return tile.block


@jit
def take_tile(counter, ring, tile_count, sizes):
    """The producer warp takes the number of the CTA's next tile from the work counter, and passes it to the other
    warps. Returns the number."""
    one: gl.constexpr = gl.BlockedLayout([1], [32], [1], [0])
    number = gl.atomic_add(counter, 1)
    # Each CTA takes numbers until a number is past the last tile. The CTA that takes the last number of the launch
    # resets the counter.
    if number == sizes.tiles + gl.num_programs(0) - 1:
        gl.store(counter, 0)
    slot = ring.acquire(tile_count)
    slot.buffer.store(gl.full([1], number, gl.int32, one))
    ring.commit(tile_count)
    return number


@jit
def read_tile(ring, tile_count):
    """Returns the number of the CTA's next tile."""
    everywhere: gl.constexpr = gl.BlockedLayout([1], [32], [gl.num_warps()], [0])
    number = gl.sum(ring.wait(tile_count).buffer.load(everywhere), axis=0)
    ring.release(tile_count)
    return number


__all__ = [
    "BackwardSizes",
    "KeyTile",
    "additions_before",
    "blocks_of_queries",
    "key_tile",
    "read_tile",
    "take_tile",
]
