"""Tile scheduler of the grouped GEMM: maps the number of a row of tiles to a group and its rows, on the device.

Groups are adjacent ranges of rows, and a group with r rows has ceil(r / block_m) rows of tiles. The kernel first stores
two numbers per group to shared memory:

    ends        index after the last row of the group
    tiles       number of rows of tiles of this group and all earlier groups (an inclusive scan)

The group of a row of tiles is the first one whose `tiles` is larger than the number of the row of tiles. Every warp
finds this group itself: each lane holds a few groups, and reductions across the lanes of the warp combine them.

If block_m does not divide r, the last tile of the group is partial. TMA loads all its rows of A. Those after the group
belong to the next group or, after the last row of A, are read as 0. They change only rows of the result that are not
stored.
"""

from __future__ import annotations

from ... import aggregate, jit
from ... import language as gl


@aggregate
class Groups:
    """Groups of rows. `tables`: `tiles` and `ends` of each group. `pitch`: number of rows of the array per group if
    groups are masked, or None if groups are adjacent. `tiles`: number of rows of tiles of all groups."""

    tables: gl.shared_memory_descriptor
    tiles: gl.tensor
    pitch: gl.tensor | None


@jit
def layout_of_groups(size: gl.constexpr):
    """Returns the layout of a tensor of `size` groups. All warps hold the same elements."""
    return gl.BlockedLayout([max(size // 32, 1)], [32], [gl.num_warps()], [0])


@jit
def limited(numbers, most):
    """Returns int32 or int64 numbers as int32. Numbers that are not between 0 and `most` are replaced by the nearest
    one, before their upper bits are cut off."""
    return gl.minimum(gl.maximum(numbers, 0), most).to(gl.int32)


@jit
def find_groups(offsets, groups, rows, pitch, size: gl.constexpr, block_m: gl.constexpr):
    """Returns the Groups.

    offsets: pointer to the index after the last row of each group or, if `pitch` is not None, to the number of valid
        rows of each group.
    groups, rows: number of groups, and of rows of A. Numbers in `offsets` that are not between 0 and `rows` are
        replaced by the nearest one, so no launch writes outside the result.
    size: a power of two that is not less than `groups`.
    """
    index = gl.arange(0, size, layout=layout_of_groups(size))
    if pitch is None:
        ends = limited(gl.load(offsets + index, mask=index < groups, other=rows), rows)
        starts = limited(gl.load(offsets + index - 1, mask=(index > 0) & (index < groups), other=0), rows)
        counts = gl.where(index < groups, gl.maximum(ends - starts, 0), 0)
    else:
        counts = limited(gl.load(offsets + index, mask=index < groups, other=0), pitch)
        ends = gl.where(index < groups, index * pitch + counts, rows)
    tiles = gl.cumsum((counts + (block_m - 1)) // block_m, 0)
    tables = gl.allocate_shared_memory(gl.int32, [2, size], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    tables.index(0).store(tiles)
    tables.index(1).store(ends)
    return Groups(tables, gl.max(tiles), pitch)


@jit
def rows_of_tile(tile, groups):
    """Returns the group of the row of tiles `tile`, the group's first row, the index after its last row, and the number
    of rows of tiles of all earlier groups."""
    layout: gl.constexpr = layout_of_groups(groups.tables.shape[1])
    tiles = groups.tables.index(0).load(layout)
    ends = groups.tables.index(1).load(layout)
    is_earlier = tiles <= tile
    group = gl.sum(is_earlier.to(gl.int32))
    earlier_tiles = gl.max(gl.where(is_earlier, tiles, 0))
    end = gl.min(gl.where(is_earlier, 0x7FFFFFFF, ends))
    if groups.pitch is None:
        start = gl.max(gl.where(is_earlier, ends, 0))
    else:
        start = group * groups.pitch
    return group, start, end, earlier_tiles


@jit
def position_of_work(work, tiles_m, tiles_n, group_rows: gl.constexpr):
    """Returns the row and the column of tiles of a work number. Tiles that run at the same time share k-tiles of A or
    B."""
    per_strip = group_rows * tiles_n
    first = work // per_strip * group_rows
    height = gl.minimum(tiles_m - first, group_rows)
    in_strip = work % per_strip
    return first + in_strip % height, in_strip // height


@jit
def tile_of_work(work, groups, N, cfg: gl.constexpr):
    """Returns the group of a tile, the tile's first row, the index after the last row of the group, and the tile's
    first column."""
    tile, strip = position_of_work(work, groups.tiles, gl.cdiv(N, cfg.block_n), cfg.group_rows)
    group, start, end, earlier_tiles = rows_of_tile(tile, groups)
    return group, start + (tile - earlier_tiles) * cfg.block_m, end, strip * cfg.block_n


__all__ = ["Groups", "find_groups", "limited", "position_of_work", "rows_of_tile", "tile_of_work"]
