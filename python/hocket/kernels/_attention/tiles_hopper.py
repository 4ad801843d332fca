"""Tile scheduler of attention on Hopper.

Causal tiles differ in length. They are numbered with the longest first, over groups of heads whose keys and values fit
into the L2 cache, and CTAs take the number of their next tile from a work counter in global memory (`cfg.draws`).

The tiles from number `whole` on may be divided (split-KV, `cfg.splits_keys`), because whole tiles would leave most SMs
idle at the end: `shares` CTAs process parts of the keys of such a tile, and `split_kv` combines their results.
"""

from __future__ import annotations

from ... import jit
from ... import language as gl
from ...language.nvidia.hopper import mbarrier

#: Layouts of one number, replicated in each lane of a warp, or of a warpgroup.
ONE_NUMBER = gl.constexpr(gl.BlockedLayout([1], [32], [1], [0]))
ONE_NUMBER_FOR_ALL = gl.constexpr(gl.BlockedLayout([1], [32], [4], [0]))


@jit
def blocks_of_keys(row0, queries, keys, cfg: gl.constexpr):
    """Number of blocks of keys that any row of the tile sees, and how many of them, the last ones, need a mask.

    `queries`: of one head.
    """
    end = keys
    whole = keys // cfg.block_n
    if cfg.is_causal:
        diagonal = keys - queries
        if cfg.packs_heads:
            # Every tile may have the first and the last query of a head.
            row0 = 0
        else:
            end = gl.minimum(keys, row0 + cfg.block_m + diagonal)
        whole = gl.maximum(gl.minimum(keys, row0 + diagonal + 1), 0) // cfg.block_n
    # A tile that sees no key processes one fully masked block: its sums are 0.
    blocks = gl.maximum((end + cfg.block_n - 1) // cfg.block_n, 1)
    return blocks, gl.maximum(blocks - whole, 1)


@jit
def queries_of_tile(tile, all_heads, heads_at_once, queries, cfg: gl.constexpr):
    """The head of queries, counted over all batches, and the number of the block of queries."""
    tiles = gl.cdiv(queries, cfg.block_m)
    block = tile % tiles
    head = tile // tiles
    if cfg.is_causal:
        first_head = tile // (tiles * heads_at_once) * heads_at_once
        at_once = gl.minimum(heads_at_once, all_heads - first_head)
        position = tile - first_head * tiles
        block = tiles - 1 - position // at_once
        head = first_head + position % at_once
    return head, block


@jit
def work_of_tile(number, problem, cfg: gl.constexpr):
    """The work of a tile: batch, head, head of keys, first row of its queries, end of its blocks of keys, number of
    blocks, number of masked blocks, end of the keys, and the number of its split, or -1 if the tile is not divided."""
    heads, heads_per_group, all_heads, heads_at_once, queries, queries_per_head, keys, whole, shares = problem
    tile = number
    split = -1
    if cfg.splits_keys:
        if number >= whole:
            split = number - whole
            tile = whole + split // shares
    head, block = queries_of_tile(tile, all_heads, heads_at_once, queries, cfg)
    row0 = block * cfg.block_m
    blocks, masked = blocks_of_keys(row0, queries_per_head, keys, cfg)
    end = blocks
    if cfg.splits_keys:
        if split >= 0:
            begin = split % shares * blocks // shares
            end = (split % shares + 1) * blocks // shares
            masked -= blocks - end
            blocks = end - begin
            if blocks == 0:
                # The tile has fewer blocks than splits. This split processes one fully masked block.
                keys = 0
                end = begin + 1
                blocks = 1
            masked = gl.minimum(gl.maximum(masked, 1), blocks)
    return head // heads, head % heads, head % heads // heads_per_group, row0, end, blocks, masked, keys, split


@jit
def schedule_tile(scheduled, barriers, tile, tiles, tile_count, counter, cfg: gl.constexpr):
    """Producer warp: takes the CTA's next tile from the work counter, and passes its number to the consumers."""
    tile += gl.num_programs(0)
    if cfg.draws:
        ready, free = barriers
        scheduled_before = gl.atomic_add(counter, 1)
        tile = gl.num_programs(0) + scheduled_before
        # Each CTA takes one number too many. The CTA that takes the very last one resets the counter.
        if scheduled_before == tiles - 1:
            gl.store(counter, 0)
        buffer = tile_count % 2
        mbarrier.wait(free.index(buffer), tile_count // 2 & 1 ^ 1)
        scheduled.index(buffer).store(gl.full([1], tile, gl.int32, ONE_NUMBER))
        mbarrier.arrive(ready.index(buffer))
    return tile


@jit
def read_scheduled_tile(scheduled, barriers, tile, tile_count, cfg: gl.constexpr):
    """Consumer warpgroup: the CTA's next tile, as the producer warp has published it."""
    tile += gl.num_programs(0)
    if cfg.draws:
        ready, free = barriers
        buffer = tile_count % 2
        mbarrier.wait(ready.index(buffer), tile_count // 2 & 1)
        tile = gl.sum(scheduled.index(buffer).load(ONE_NUMBER_FOR_ALL), axis=0)
        mbarrier.arrive(free.index(buffer), per_warp=True)
    return tile


__all__ = ["queries_of_tile", "read_scheduled_tile", "schedule_tile", "work_of_tile"]
