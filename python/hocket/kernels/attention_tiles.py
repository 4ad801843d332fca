"""Which tile of queries a block of attention on Hopper takes, and which of its keys.

Causal tiles are of different lengths. They are numbered long ones first, over as many heads as the L2 cache holds keys
of, and blocks draw the number of their next tile from a counter (`cfg.draws`).

Tiles that would leave most blocks idle in the end are divided (`cfg.has_shares`): the tiles from number `whole` on are
of `shares` blocks each, which take as many of its keys, and leave the sums to `attention_shares`.
"""

from __future__ import annotations

from .. import language as gl
from ..language.nvidia.hopper import mbarrier
from ..runtime.jit import jit

#: A number in each lane of a warp, and of a warpgroup.
ONE_NUMBER = gl.constexpr(gl.BlockedLayout([1], [32], [1], [0]))
ONE_NUMBER_FOR_ALL = gl.constexpr(gl.BlockedLayout([1], [32], [4], [0]))


@jit
def blocks_of_keys(row0, queries, keys, cfg: gl.constexpr):
    """How many blocks of keys any row of the block sees, and how many of these, the last ones, need a mask."""
    end = keys
    whole = keys // cfg.block_n
    if cfg.is_causal:
        diagonal = keys - queries
        end = gl.minimum(keys, row0 + cfg.block_m + diagonal)
        whole = gl.maximum(gl.minimum(keys, row0 + diagonal + 1), 0) // cfg.block_n
    # A block that sees no key takes one that is masked as a whole: its sums are 0.
    blocks = gl.maximum((end + cfg.block_n - 1) // cfg.block_n, 1)
    return blocks, gl.maximum(blocks - whole, 1)


@jit
def queries_of_tile(tile, all_heads, heads_at_once, queries, cfg: gl.constexpr):
    """The head of queries, counted through all batches, and its block of queries."""
    tiles = gl.cdiv(queries, cfg.block_m)
    block = tile % tiles
    head = tile // tiles
    if cfg.is_causal:
        first_head = tile // (tiles * heads_at_once) * heads_at_once
        at_once = gl.minimum(heads_at_once, all_heads - first_head)
        place = tile - first_head * tiles
        block = tiles - 1 - place // at_once
        head = first_head + place % at_once
    return head, block


@jit
def place_of_tile(number, problem, cfg: gl.constexpr):
    """Where a block works: batch, head, head of keys and first row of its queries, the block of keys that it ends
    before, how many it takes, how many of these need a mask, and the end of keys. Then the number of its share, -1 if
    it has the tile for itself."""
    heads, heads_per_group, all_heads, heads_at_once, queries, keys, whole, shares = problem
    tile = number
    share = -1
    if cfg.has_shares:
        if number >= whole:
            share = number - whole
            tile = whole + share // shares
    head, block = queries_of_tile(tile, all_heads, heads_at_once, queries, cfg)
    row0 = block * cfg.block_m
    blocks, masked = blocks_of_keys(row0, queries, keys, cfg)
    end = blocks
    if cfg.has_shares:
        if share >= 0:
            begin = share % shares * blocks // shares
            end = (share % shares + 1) * blocks // shares
            masked -= blocks - end
            blocks = end - begin
            if blocks == 0:
                # A tile of fewer blocks than shares. This share takes a block of which it sees no key.
                keys = 0
                end = begin + 1
                blocks = 1
            masked = gl.minimum(gl.maximum(masked, 1), blocks)
    return head // heads, head % heads, head % heads // heads_per_group, row0, end, blocks, masked, keys, share


@jit
def draw_tile(drawn, barriers, tile, tiles, turn, counter, cfg: gl.constexpr):
    """The block's next tile, by the warp that copies, which tells the warpgroups."""
    tile += gl.num_programs(0)
    if cfg.draws:
        ready, free = barriers
        drawn_before = gl.atomic_add(counter, 1)
        tile = gl.num_programs(0) + drawn_before
        # Each block draws one number too many. The last of all leaves the counter as it was.
        if drawn_before == tiles - 1:
            gl.store(counter, 0)
        slot = turn % 2
        mbarrier.wait(free.index(slot), turn // 2 & 1 ^ 1)
        drawn.index(slot).store(gl.full([1], tile, gl.int32, ONE_NUMBER))
        mbarrier.arrive(ready.index(slot))
    return tile


@jit
def read_tile(drawn, barriers, tile, turn, cfg: gl.constexpr):
    """The same, by a warpgroup."""
    tile += gl.num_programs(0)
    if cfg.draws:
        ready, free = barriers
        slot = turn % 2
        mbarrier.wait(ready.index(slot), turn // 2 & 1)
        tile = gl.sum(drawn.index(slot).load(ONE_NUMBER_FOR_ALL), axis=0)
        mbarrier.arrive(free.index(slot), per_warp=True)
    return tile


__all__ = ["draw_tile", "place_of_tile", "queries_of_tile", "read_tile"]
