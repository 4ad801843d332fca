"""Tile scheduler of attention on Hopper.

With a causal mask, tiles differ in their numbers of blocks of keys. Tiles are numbered by groups of heads whose keys
and values fit into the L2 cache. Within a group, the tiles with the most blocks come first. CTAs take the number of
their next tile from a work counter in global memory (`cfg.uses_work_counter`).

The tiles from number `whole` on may be divided (split-KV, `cfg.splits_keys`), because whole tiles would leave most SMs
idle at the end: `splits` CTAs each process a part of the keys of such a tile, and `split_kv` combines their results.
"""

from __future__ import annotations

from typing import Any

from ... import aggregate, jit
from ... import language as gl
from .block_mask import FIRST_CONSUMER, HEADER

#: Layouts of a tensor with one element, which every lane holds: the lanes of one warp, or of one warpgroup.
ONE_NUMBER = gl.constexpr(gl.BlockedLayout([1], [32], [1], [0]))
ONE_NUMBER_FOR_ALL = gl.constexpr(gl.BlockedLayout([1], [32], [4], [0]))


@aggregate
class AttentionSizes:
    """Sizes of the problem, and the number of tiles and splits of the launch.

    If `cfg.packs_heads`, `heads` counts heads of keys. The `queries` of a head of keys are then the queries of all
    heads that share these keys, one head after another.

    Fields:
        heads, heads_per_group: number of heads of queries per batch, and per head of keys.
        all_heads, heads_at_once: number of heads in all batches, and in a group whose keys and values fit into the L2
            cache.
        queries, queries_per_head, keys: lengths. `queries` and `queries_per_head` differ only if heads are packed.
        whole, splits: number of undivided tiles, and number of splits of each other tile.
        lists: lists of visible blocks of keys, or None without `cfg.has_block_mask`.
        sequences: the `PackedSequences` (`sequences_hopper`), or None without `cfg.is_varlen`. `queries` is then the
            number of queries of all sequences and, with `cfg.splits_keys`, `queries_per_head` the number of queries of
            a sequence after which no further queries are computed. `keys` and `whole` are not used.
        before, after: with `cfg.has_window`, numbers of keys before and after its position that a query sees.
    """

    heads: gl.tensor
    heads_per_group: gl.tensor
    all_heads: gl.tensor
    heads_at_once: gl.tensor
    queries: gl.tensor
    queries_per_head: gl.tensor
    keys: gl.tensor
    whole: gl.tensor
    splits: gl.tensor
    lists: Any
    sequences: Any = None
    before: Any = 0
    after: Any = 0


@aggregate
class BlockLists:
    """Lists of the visible blocks of keys of each tile, by `block_mask`.

    Fields:
        headers, entries: arrays of headers, and of lists.
        per_batch, per_head: number of headers of a batch and of a head; 0 if all share their lists.
        capacity: number of entries of a list.
    """

    headers: gl.tensor
    entries: gl.tensor
    per_batch: gl.tensor
    per_head: gl.tensor
    capacity: gl.tensor


@aggregate
class ListedBlocks:
    """The list of visible blocks of keys of a tile: its entries, its header, and the end of its second section, whose
    blocks need no mask."""

    entries: gl.tensor
    header: gl.tensor
    end_unmasked: gl.tensor


@aggregate
class TileWork:
    """Part of a tile that a CTA computes: its queries, and its blocks of keys.

    Fields:
        batch, head, group: index of the batch, and of the head of queries and the head of keys within this batch.
        row0: index of the tile's first query.
        end, blocks, masked: index after the last block of keys, number of blocks, and number of blocks that need a
            mask.
        queries, rows: number of queries of a head, and of rows of all tiles of the head, which is larger if heads are
            packed.
        keys: number of keys; 0 if all keys are masked because the split has no block.
        split: index of the split among the splits of all divided tiles, or -1 if the tile is not divided.
        listed: the `ListedBlocks`, or None without `cfg.has_block_mask`. `end` is not used then.
        first_query, first_key: with `cfg.is_varlen`, offsets of the sequence in the arrays of queries and of keys.
        end_unmasked: with `cfg.has_window`, index after the last of the blocks that need no mask; these follow the
            `masked` blocks, and further blocks that need a mask follow.
    """

    batch: gl.tensor
    head: gl.tensor
    group: gl.tensor
    row0: gl.tensor
    end: gl.tensor
    blocks: gl.tensor
    masked: gl.tensor
    queries: gl.tensor
    rows: gl.tensor
    keys: gl.tensor
    split: gl.tensor
    listed: Any
    first_query: Any = 0
    first_key: Any = 0
    end_unmasked: Any = 0


@aggregate
class Scheduler:
    """The tile scheduler: the number of tiles, the work counter, and a view of the ring buffer that passes tile numbers
    to the consumers. The counter and the ring buffer are None without `cfg.uses_work_counter`."""

    tiles: gl.tensor
    counter: Any
    ring: Any


@jit
def blocks_of_keys(row0, queries, keys, cfg: gl.constexpr):
    """Returns the number of blocks of keys that any row of the tile sees, and the number of blocks at the end that need
    a mask.

    `queries`: number of queries of one head.
    """
    end = keys
    whole = keys // cfg.block_n
    if cfg.is_causal:
        diagonal = keys - queries
        if cfg.packs_heads:
            # A tile may contain the first and the last query of a head, so the tile is treated as if it had all
            # queries.
            row0 = 0
        else:
            # Several rows of a tile may belong to one query, one for each head.
            end = gl.minimum(keys, (row0 + cfg.block_m - 1) // cfg.rows_per_query + 1 + diagonal)
            row0 = row0 // cfg.rows_per_query
        whole = gl.maximum(gl.minimum(keys, row0 + diagonal + 1), 0) // cfg.block_n
    # A tile whose queries see no key processes one fully masked block, so that the sums of exponentials are 0.
    blocks = gl.maximum((end + cfg.block_n - 1) // cfg.block_n, 1)
    masked = gl.maximum(blocks - whole, 1)
    if cfg.has_mask_mod:
        masked = blocks
    return blocks, masked


@jit
def blocks_of_window(row0, queries, keys, problem, cfg: gl.constexpr):
    """Returns, for a tile of queries that see a window of keys: begin and end of the blocks that any row sees, and
    begin and end of those that need no mask."""
    first_query, last_query = row0 // cfg.rows_per_query, (row0 + cfg.block_m - 1) // cfg.rows_per_query
    if cfg.packs_heads:
        # A tile may contain the first and the last query of a head.
        first_query, last_query = 0, queries - 1
    last_query = gl.minimum(last_query, queries - 1)
    diagonal = keys - queries
    begin = gl.maximum(first_query + diagonal - problem.before, 0) // cfg.block_n
    last_end = gl.maximum(gl.minimum(keys, last_query + diagonal + problem.after + 1), 0)
    # A tile whose queries see no key processes one fully masked block.
    end = gl.maximum(gl.cdiv(last_end, cfg.block_n), begin + 1)
    unmasked = gl.cdiv(gl.maximum(last_query + diagonal - problem.before, 0), cfg.block_n)
    first_end = gl.maximum(gl.minimum(keys, first_query + diagonal + problem.after + 1), 0)
    return begin, end, unmasked, first_end // cfg.block_n


@jit
def queries_of_tile(tile, all_heads, heads_at_once, queries, cfg: gl.constexpr):
    """Returns the index of the head of queries, counted over all batches, and the index of the block of queries."""
    tiles = gl.cdiv(queries, cfg.block_m)
    block = tile % tiles
    head = tile // tiles
    if cfg.is_causal or cfg.has_block_mask:
        first_head = tile // (tiles * heads_at_once) * heads_at_once
        at_once = gl.minimum(heads_at_once, all_heads - first_head)
        position = tile - first_head * tiles
        block = tiles - 1 - position // at_once
        head = first_head + position % at_once
    return head, block


@jit
def listed_work(head, rank, problem, cfg: gl.constexpr):
    """Returns the `TileWork` of a tile with a list of blocks. `rank`: position of the tile in the order of rising
    numbers of blocks."""
    batch, in_batch = head // problem.heads, head % problem.heads
    lists = problem.lists
    first = batch * lists.per_batch + in_batch * lists.per_head
    header = lists.headers + (first + rank).to(gl.int64) * HEADER
    tile = gl.load(header)
    listed = ListedBlocks(lists.entries + (first + tile).to(gl.int64) * lists.capacity, header, gl.load(header + 2))
    group = in_batch // problem.heads_per_group
    blocks, masked = gl.load(header + 3), gl.load(header + 1)
    return TileWork(
        batch, in_batch, group, tile * cfg.block_m, blocks, blocks, masked, problem.queries_per_head, problem.queries,
        problem.keys, -1, listed,
    )  # fmt: skip


@jit
def key_of_step(work, step, cfg: gl.constexpr):
    """Returns the index of the first key of a tile's block number `step`."""
    if cfg.has_block_mask:
        return gl.load(work.listed.entries + step) * cfg.block_n
    return (work.end - 1 - step) * cfg.block_n


@jit
def steps_of_consumer(work, CONSUMER: gl.constexpr):
    """Returns the begin and the end of the steps in which a warpgroup sees any key."""
    header = work.listed.header + FIRST_CONSUMER + 2 * CONSUMER
    return gl.load(header), gl.load(header + 1)


@jit
def blocks_of_split(row0, queries, keys, split, problem, cfg: gl.constexpr):
    """Returns the `end`, `blocks`, `masked`, `keys` and `end_unmasked` of the `TileWork` of a tile, or of a split of a
    tile."""
    splits = problem.splits
    first = 0
    unmasked = 0
    if cfg.has_window:
        first, end, unmasked, end_unmasked = blocks_of_window(row0, queries, keys, problem, cfg)
        blocks, masked = end - first, end - end_unmasked
    else:
        blocks, masked = blocks_of_keys(row0, queries, keys, cfg)
    end = first + blocks
    if cfg.splits_keys:
        if split >= 0:
            begin = first + split % splits * blocks // splits
            masked -= end
            end = first + (split % splits + 1) * blocks // splits
            masked += end
            blocks = end - begin
            if blocks == 0:
                # If a tile has fewer blocks than splits, some splits have no block. Such a split processes one fully
                # masked block.
                keys = 0
                end = begin + 1
                blocks = 1
    end_unmasked = blocks
    if cfg.splits_keys or cfg.has_window:
        masked = gl.minimum(gl.maximum(masked, 1), blocks)
        end_unmasked = gl.minimum(gl.maximum(end - unmasked, masked), blocks)
    return end, blocks, masked, keys, end_unmasked


@jit
def work_of_tile(number, problem, cfg: gl.constexpr):
    """Returns the `TileWork` of a tile."""
    tile = number
    split = -1
    if cfg.splits_keys:
        if number >= problem.whole:
            split = number - problem.whole
            tile = problem.whole + split // problem.splits
    head, block = queries_of_tile(tile, problem.all_heads, problem.heads_at_once, problem.queries, cfg)
    if cfg.has_block_mask:
        return listed_work(head, block, problem, cfg)
    row0 = block * cfg.block_m
    end, blocks, masked, keys, end_unmasked = blocks_of_split(
        row0, problem.queries_per_head, problem.keys, split, problem, cfg
    )
    batch, in_batch = head // problem.heads, head % problem.heads
    return TileWork(
        batch, in_batch, in_batch // problem.heads_per_group, row0, end, blocks, masked, problem.queries_per_head,
        problem.queries, keys, split, None, end_unmasked=end_unmasked,
    )  # fmt: skip


@jit
def schedule_tile(scheduler, tile, tile_count, cfg: gl.constexpr):
    """The producer warp takes the CTA's next tile from the work counter, and passes its number to the consumers."""
    tile += gl.num_programs(0)
    if cfg.uses_work_counter:
        scheduled_before = gl.atomic_add(scheduler.counter, 1)
        tile = gl.num_programs(0) + scheduled_before
        # Each CTA takes numbers until a number is past the last tile. The CTA that takes the last number of the launch
        # resets the counter to 0.
        if scheduled_before == scheduler.tiles - 1:
            gl.store(scheduler.counter, 0)
        slot = scheduler.ring.acquire(tile_count)
        slot.buffer.store(gl.full([1], tile, gl.int32, ONE_NUMBER))
        scheduler.ring.commit(tile_count)
    return tile


@jit
def read_scheduled_tile(scheduler, tile, tile_count, cfg: gl.constexpr):
    """Returns the number of the CTA's next tile to a consumer warpgroup. With a work counter, the producer warp has
    passed the number through the ring buffer."""
    tile += gl.num_programs(0)
    if cfg.uses_work_counter:
        slot = scheduler.ring.wait(tile_count)
        tile = gl.sum(slot.buffer.load(ONE_NUMBER_FOR_ALL), axis=0)
        scheduler.ring.release(tile_count)
    return tile


__all__ = [
    "AttentionSizes",
    "BlockLists",
    "Scheduler",
    "TileWork",
    "blocks_of_split",
    "key_of_step",
    "queries_of_tile",
    "read_scheduled_tile",
    "schedule_tile",
    "steps_of_consumer",
    "work_of_tile",
]
