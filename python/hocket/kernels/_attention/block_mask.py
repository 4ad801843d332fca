"""Block masks of attention: the kind of each block of 64 queries and 128 keys, i.e. whether a `mask_mod` masks all,
some or none of its scores.

Three kernels compute a block mask. Any number of launches of `attention` can use it.

    classify_blocks    evaluates `mask_mod` for each block; stores its kind (EMPTY, PARTIAL, FULL)
    list_blocks        lists the visible blocks of each tile; a tile has one row block, or two, one for each warpgroup
    sort_tiles         orders the tiles of a head by their number of blocks, so that long tiles start first

The list of a tile has three sections: partial blocks, full blocks, partial blocks. The attention kernel thus has three
loops without a branch on the kind of a block. Each section is in descending order of keys. The partial blocks after
the first full block are the third section: a sliding window has partial blocks at both ends. A warpgroup skips the
blocks at both ends of the list that only the other warpgroup sees.

A row of `headers` describes a tile by `HEADER` int32 values: index of the tile, end of the first section, end of the
second section, number of blocks, then for each warpgroup the first step in which it sees a key, and the end of such
steps.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ... import cdiv, jit
from ... import language as gl
from ...errors import LaunchError
from .._common.arrays import check_target, empty_like, target_of
from .._common.user_functions import check_function
from .mods import MASK_ARGUMENTS, seen_keys

TARGETS = ("sm_90a",)

EMPTY, PARTIAL, FULL = gl.constexpr(0), gl.constexpr(1), gl.constexpr(2)
ROWS, COLUMNS = gl.constexpr(64), gl.constexpr(128)
#: Number of values that describe a tile, and the position of those of the first warpgroup.
HEADER, FIRST_CONSUMER = gl.constexpr(16), gl.constexpr(4)
#: Number of consumer warpgroups of kernels with functions, if there are enough queries.
MOST_CONSUMERS = 2
#: Number of blocks of keys that a CTA classifies.
BLOCKS_PER_CTA = gl.constexpr(32)

TILE = gl.constexpr(gl.BlockedLayout([1, 4], [1, 32], [4, 1], [1, 0]))
LINE = gl.constexpr(gl.BlockedLayout([1], [32], [4], [0]))


@jit
def classify_blocks(kinds, heads, queries, keys, args, MASK_MOD: gl.constexpr):
    """Stores the kinds of up to `BLOCKS_PER_CTA` blocks of 64 queries. Grid: [row blocks, groups of blocks of keys,
    batches x heads]. `kinds`: int8 [batches x heads, row blocks, blocks of keys]."""
    blocks = gl.cdiv(keys, COLUMNS)
    batch, head = gl.program_id(2) // heads, gl.program_id(2) % heads
    query = gl.program_id(0) * ROWS + gl.arange(0, ROWS, layout=gl.SliceLayout(1, TILE))
    query = gl.minimum(query, queries - 1)[:, None]
    kinds += (gl.program_id(2) * gl.num_programs(0) + gl.program_id(0)).to(gl.int64) * blocks
    first = gl.program_id(1) * BLOCKS_PER_CTA
    for block in range(first, gl.minimum(first + BLOCKS_PER_CTA, blocks)):
        key = block * COLUMNS + gl.arange(0, COLUMNS, layout=gl.SliceLayout(0, TILE))
        is_inside = gl.full([ROWS, COLUMNS], True, gl.int1, TILE) & (key < keys)[None, :]
        seen = is_inside & seen_keys(batch, head, query, gl.minimum(key, keys - 1)[None, :], args, MASK_MOD)
        count = gl.sum(gl.sum(seen.to(gl.int32), axis=1), axis=0)
        kind = gl.where(count == 0, EMPTY, gl.where(count == ROWS * COLUMNS, FULL, PARTIAL))
        gl.store(kinds + block, kind.to(gl.int8))


@jit
def kinds_of_row(kinds, consumer, row_blocks, blocks, CONSUMERS: gl.constexpr, CAPACITY: gl.constexpr):
    """Returns the kinds of the blocks of a warpgroup of the tile, in descending order of keys, and True if the
    warpgroup has queries."""
    row = gl.program_id(0) * CONSUMERS + consumer
    distance = gl.arange(0, CAPACITY, layout=LINE)
    start = (gl.program_id(1) * row_blocks + row).to(gl.int64) * blocks
    is_inside = (distance < blocks) & (row < row_blocks)
    kind = gl.load(kinds + start + (blocks - 1 - distance), mask=is_inside, other=0)
    return kind.to(gl.int32), row < row_blocks


@jit
def list_blocks(kinds, headers, entries, row_blocks, blocks, CONSUMERS: gl.constexpr, CAPACITY: gl.constexpr):
    """Stores the header and the list of a tile of CONSUMERS row blocks. Grid: [tiles, batches x heads]. CAPACITY: a
    power of two, at least `blocks`.

    `entries`: int32 [batches x heads, tiles, blocks], indices of blocks of keys.
    """
    distance = gl.arange(0, CAPACITY, layout=LINE)
    is_seen = gl.full([CAPACITY], False, gl.int1, LINE)
    is_full = gl.full([CAPACITY], True, gl.int1, LINE)
    for consumer in gl.static_range(CONSUMERS):
        kind, has_queries = kinds_of_row(kinds, consumer, row_blocks, blocks, CONSUMERS, CAPACITY)
        is_seen = is_seen | (kind != EMPTY)
        is_full = is_full & ((kind == FULL) | ~has_queries)
    # The kernel computes at least one block of each tile. If all are empty, it computes the last one, fully masked.
    sees_none = gl.sum(is_seen.to(gl.int32), axis=0) == 0
    is_listed = is_seen | (sees_none & (distance == 0))
    is_full = is_full & is_seen
    first_full = gl.min(gl.where(is_full, distance, CAPACITY), axis=0)
    is_before = is_listed & ~is_full & (distance < first_full)
    is_after = is_listed & ~is_full & (distance > first_full)
    before, full, after = is_before.to(gl.int32), is_full.to(gl.int32), is_after.to(gl.int32)
    end_before = gl.sum(before, axis=0)
    end_full = end_before + gl.sum(full, axis=0)
    position = gl.where(is_before, gl.cumsum(before, axis=0), end_full + gl.cumsum(after, axis=0)) - 1
    position = gl.where(is_full, end_before + gl.cumsum(full, axis=0) - 1, position)
    tile = gl.program_id(1) * gl.num_programs(0) + gl.program_id(0)
    gl.store(entries + tile.to(gl.int64) * blocks + position, blocks - 1 - distance, mask=is_listed)
    header = headers + tile.to(gl.int64) * HEADER
    gl.store(header, gl.program_id(0))
    gl.store(header + 1, end_before)
    gl.store(header + 2, end_full)
    gl.store(header + 3, end_full + gl.sum(after, axis=0))
    for consumer in gl.static_range(CONSUMERS):
        kind, _ = kinds_of_row(kinds, consumer, row_blocks, blocks, CONSUMERS, CAPACITY)
        begin = gl.min(gl.where(kind != EMPTY, position, CAPACITY), axis=0)
        end = gl.max(gl.where(kind != EMPTY, position + 1, 0), axis=0)
        # A warpgroup that sees no block computes the first one, fully masked.
        gl.store(header + FIRST_CONSUMER + 2 * consumer, gl.where(end == 0, 0, begin))
        gl.store(header + FIRST_CONSUMER + 2 * consumer + 1, gl.maximum(end, 1))


@jit
def sort_tiles(unsorted, headers, CAPACITY: gl.constexpr):
    """Copies the header of a tile to its position in the order of rising numbers of blocks. Grid: [tiles, batches x
    heads]. CAPACITY: a power of two, at least the number of tiles."""
    tile, tiles = gl.program_id(0), gl.num_programs(0)
    first = gl.program_id(1) * tiles
    other = gl.arange(0, CAPACITY, layout=LINE)
    length = gl.load(unsorted + (first + tile).to(gl.int64) * HEADER + 3)
    lengths = gl.load(unsorted + (first + other).to(gl.int64) * HEADER + 3, mask=other < tiles, other=0)
    is_shorter = (lengths < length) | ((lengths == length) & (other < tile))
    rank = gl.sum((is_shorter & (other < tiles)).to(gl.int32), axis=0)
    field = gl.arange(0, HEADER, layout=LINE)
    values = gl.load(unsorted + (first + tile).to(gl.int64) * HEADER + field)
    gl.store(headers + (first + rank).to(gl.int64) * HEADER + field, values)


@dataclass(frozen=True)
class BlockMask:
    """A block mask of `attention`; `attention_block_mask` computes it.

    Fields:
        mask_mod: the function.
        batch, heads: number of batches and of heads of queries that have masks of their own; None if all share one.
        queries, keys: lengths.
        kinds: int8 [batch or 1, heads or 1, queries / 64, keys / 128], lengths rounded up: 0 where the queries of a
            block see none of its keys, 2 where they see all of them, 1 otherwise.
        headers, entries: headers and lists of the visible blocks of tiles.
    """

    mask_mod: Any
    batch: int | None
    heads: int | None
    queries: int
    keys: int
    kinds: Any
    headers: Any
    entries: Any

    def __repr__(self) -> str:
        batch, heads = (self.batch or "all"), (self.heads or "all")
        return f"BlockMask({self.mask_mod.fn.__name__}, batch={batch}, heads={heads}, {self.queries} x {self.keys})"

    def check(self, mask_mod: Any, sizes: tuple[int, int, int, int], causal: bool) -> None:
        """Raises a LaunchError if the mask is not the one of `mask_mod` for `sizes`: batch, heads, queries, keys."""
        if mask_mod is not self.mask_mod:
            name = None if mask_mod is None else mask_mod.fn.__name__
            raise LaunchError(
                f"attention: block_mask is the mask of {self.mask_mod.fn.__name__}, but mask_mod is {name}"
                f"\n  hint: pass mask_mod={self.mask_mod.fn.__name__}"
            )
        if causal:
            raise LaunchError(
                "attention: a block mask and causal=True exclude each other"
                "\n  hint: let mask_mod also return False for keys after query + keys - queries, and compute "
                "block_mask again"
            )
        own = self.batch, self.heads, self.queries, self.keys
        if any(mine not in (None, size) for mine, size in zip(own, sizes, strict=True)):
            raise LaunchError(
                f"attention: block_mask is for (batch, heads, queries, keys) = {own}, but those of q and k are {sizes}"
            )

    def arguments(self) -> tuple[Any, ...]:
        """Returns the values of the fields of `BlockLists`."""
        tiles, blocks = self.entries.shape[2:]
        per_batch = tiles * (self.heads or 1) if self.batch else 0
        return self.headers, self.entries, per_batch, tiles if self.heads else 0, blocks


def _power_of_two(number: int) -> int:
    return 1 << max(number - 1, 0).bit_length()


def _list_blocks(kinds: Any, consumers: int) -> tuple[Any, Any]:
    """Returns the headers, sorted by length, and the lists of tiles of `consumers` row blocks."""
    batch, heads, row_blocks, blocks = kinds.shape
    tiles = cdiv(row_blocks, consumers)
    unsorted, headers = (empty_like(kinds, (batch, heads, tiles, HEADER.value), "int32") for _ in range(2))
    entries = empty_like(kinds, (batch, heads, tiles, blocks), "int32")
    grid = tiles, batch * heads
    list_blocks[grid](kinds, unsorted, entries, row_blocks, blocks, CONSUMERS=consumers, CAPACITY=_power_of_two(blocks))
    sort_tiles[grid](unsorted, headers, CAPACITY=_power_of_two(tiles))
    return headers, entries


def attention_block_mask(
    mask_mod: Any,
    batch: int | None,
    heads: int | None,
    queries: int,
    keys: int,
    *,
    like: Any,
    mod_args: tuple = (),
) -> BlockMask:
    """Computes the block mask of a `mask_mod`, with which `attention` skips blocks that are wholly masked, and calls
    `mask_mod` only for blocks that are masked in part.

    Args:
        mask_mod: as in `attention`.
        batch, heads: number of batches, and of heads of queries; None if the mask is the same for all of them.
            `mask_mod` then gets the index 0.
        queries, keys: lengths.
        like: an array on the device of the attention, e.g. the queries.
        mod_args: as in `attention`. The block mask is valid as long as `mask_mod` returns the same.

    Returns: a `BlockMask`, the argument `block_mask` of `attention`.
    Raises: LaunchError for unsupported targets, for sizes that are not positive, and if `mask_mod` is not a jit
    function with these parameters.

    Example:
        >>> blocks = attention_block_mask(causal, None, None, queries, keys, like=q)
        >>> attention(q, k, v, mask_mod=causal, block_mask=blocks).shape == q.shape
        True
    """
    check_target("attention_block_mask", target_of(like), TARGETS)
    check_function("attention_block_mask", "mask_mod", mask_mod, MASK_ARGUMENTS, mod_args)
    for name, size in (("batch", batch), ("heads", heads), ("queries", queries), ("keys", keys)):
        is_size = isinstance(size, int) and size > 0
        if not is_size and not (size is None and name in ("batch", "heads")):
            raise LaunchError(f"attention_block_mask: {name} must be a positive number, not {size!r}")
    row_blocks, blocks = cdiv(queries, ROWS.value), cdiv(keys, COLUMNS.value)
    kinds = empty_like(like, (batch or 1, heads or 1, row_blocks, blocks), "int8")
    grid = row_blocks, cdiv(blocks, BLOCKS_PER_CTA.value), (batch or 1) * (heads or 1)
    classify_blocks[grid](kinds, heads or 1, queries, keys, tuple(mod_args), MASK_MOD=mask_mod)
    return BlockMask(
        mask_mod, batch, heads, queries, keys, kinds, *_list_blocks(kinds, min(row_blocks, MOST_CONSUMERS))
    )


__all__ = ["FIRST_CONSUMER", "HEADER", "MOST_CONSUMERS", "BlockMask", "attention_block_mask"]
