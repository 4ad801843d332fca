"""Tiles of keys of attention backward on Hopper: their order, and the order of the additions to dQ.

CTAs take numbers of tiles from a work counter. The tiles of a head have consecutive numbers. Without a causal mask, a
head begins with its first tile of keys, and with a causal mask, with its last one, which has the fewest queries. Blocks
of dQ are added in the order of the numbers.
"""

from __future__ import annotations

from ... import aggregate, jit
from ... import language as gl


@aggregate
class BackwardSizes:
    """Sizes of the problem.

    Fields:
        key_heads, heads_per_group: number of key heads per batch, and of heads of queries per key head.
        queries, keys: lengths.
        row_blocks, key_blocks, tiles: number of blocks of queries and of tiles of keys of a head, and of all tiles.
    """

    key_heads: gl.tensor
    heads_per_group: gl.tensor
    queries: gl.tensor
    keys: gl.tensor
    row_blocks: gl.tensor
    key_blocks: gl.tensor
    tiles: gl.tensor


@aggregate
class KeyTile:
    """A tile of keys.

    Fields:
        batch, key_head: index of the batch, and of the key head within the batch.
        block: index of the tile among the tiles of its head.
        first: index of the first block of queries that see a key of the tile.
    """

    batch: gl.tensor
    key_head: gl.tensor
    block: gl.tensor
    first: gl.tensor


@jit
def key_tile(number, sizes, cfg: gl.constexpr):
    """Returns the `KeyTile` of a tile number."""
    head = number // sizes.key_blocks
    block = number % sizes.key_blocks
    first = 0
    if cfg.is_causal:
        block = sizes.key_blocks - 1 - block
        first = gl.maximum(block * cfg.block_n - (sizes.keys - sizes.queries), 0) // cfg.block_m
    return KeyTile(head // sizes.key_heads, head % sizes.key_heads, block, first)


@jit
def additions_before(tile, row_block, sizes, cfg: gl.constexpr):
    """Returns the number of tiles of keys that are added to a block of dQ before `tile`."""
    if cfg.is_causal:
        last_key = gl.minimum((row_block + 1) * cfg.block_m - 1 + sizes.keys - sizes.queries, sizes.keys - 1)
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


__all__ = ["BackwardSizes", "KeyTile", "additions_before", "key_tile", "read_tile", "take_tile"]
