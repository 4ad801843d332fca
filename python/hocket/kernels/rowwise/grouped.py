"""Kernels of group norm, forward. A row holds the channels of one group, with all their elements.

    resident                  load 0 | sum, differences from the mean, store 0
    resident, prefetching     load 0 | load 1 | sum, differences from the mean, store 0 | load 2 | ...
    split                     first launch: mean and sum of squared differences of each part of a row
                              second launch: statistics of the row from those of its parts (Chan), store a part

All warps of a block have the same role. The only barriers, of all warps of the block, are in reductions of rows or
parts that several warps share. The second launch of the split variant begins when the first one has ended.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ... import jit
from ... import language as gl
from ..norms.forward import center, center_pieces, store_statistics, sum_of_pieces, sum_of_squares
from ..norms.rows import columns_from, keep_loads_in_flight, load_rows, rows_from, store_rows
from .tiles import load_tiles, tile_of_block


class GroupedOutputs(NamedTuple):
    """The result, as MatrixPointer, and pointers to the mean and rstd of each row."""

    y: Any
    mean: Any
    rstd: Any


class Channels(NamedTuple):
    """Properties of channels. `weight`, `bias`: one element per channel, or None. `groups`: number of groups.
    `per_group`: number of channels per group. `elements`: number of elements per channel."""

    weight: Any
    bias: Any
    groups: Any
    per_group: Any
    elements: Any


@jit
def scale_channels(normal, channels, row, column, rows, columns):
    """Multiplies each element by the weight of its channel, and adds the channel's bias. `normal` is [rows, columns],
    or [rows, accesses, elements of an access]. `row` and `column` are the indices along the first two dimensions."""
    index = ((row % channels.groups) * channels.per_group)[:, None] + (column // channels.elements)[None, :]
    inside = (row < rows)[:, None] & (column < columns)[None, :]
    if channels.weight is not None:
        weight = gl.load(channels.weight + index, mask=inside, other=0.0).to(gl.float32)
        normal = normal * (weight[:, :, None] if len(normal.shape) == 3 else weight)
    if channels.bias is not None:
        bias = gl.load(channels.bias + index, mask=inside, other=0.0).to(gl.float32)
        normal = normal + (bias[:, :, None] if len(normal.shape) == 3 else bias)
    return normal


@jit
def store_normal(
    normal, channels, y, row, first_column, rows, columns, by_access: gl.constexpr, cfg: gl.constexpr
):  # fmt: skip
    """Applies weight and bias to a tile, and stores the tile. `by_access`: True if all elements of an access belong to
    one channel."""
    column = columns_from(first_column, cfg)
    if channels.weight is not None or channels.bias is not None:
        if by_access:
            accesses = normal.reshape([cfg.rows_per_tile, cfg.block // cfg.vector, cfg.vector])
            layout: gl.constexpr = gl.SliceLayout(2, accesses.layout)
            of_access = gl.arange(0, cfg.block // cfg.vector, layout=gl.SliceLayout(0, layout)) * cfg.vector
            of_row = gl.convert_layout(row, gl.SliceLayout(1, layout))
            scaled = scale_channels(accesses, channels, of_row, first_column + of_access, rows, columns)
            normal = gl.convert_layout(scaled.reshape([cfg.rows_per_tile, cfg.block]), cfg.tile)
        else:
            normal = scale_channels(normal, channels, row, column, rows, columns)
    store_rows(y.data, row, column, y.stride, rows, columns, normal, cfg)


@jit
def finish_groups(
    loaded, first, channels, outputs, rows, columns, eps, by_access: gl.constexpr, cfg: gl.constexpr
):  # fmt: skip
    """Normalizes and stores rows that have been loaded."""
    row = rows_from(first, cfg)
    share = 1.0 / columns
    values = (loaded[0].to(gl.float32),)
    for piece in gl.static_range(1, cfg.pieces):
        values += (loaded[piece].to(gl.float32),)
    mean = sum_of_pieces(values, 0.0, 0, cfg) * share
    values = center_pieces(values, mean, columns, cfg)
    rstd = gl.rsqrt(sum_of_squares(values, 0.0, 0, cfg) * share + eps)
    for piece in gl.static_range(cfg.pieces):
        normal = values[piece] * rstd[:, None]
        store_normal(normal, channels, outputs.y, row, piece * cfg.block, rows, columns, by_access, cfg)
    store_statistics(mean, rstd, outputs, row, rows, cfg)


@jit
def group_norm_resident(
    x, channels, outputs, rows, columns, eps, by_access: gl.constexpr, cfg: gl.constexpr
):  # fmt: skip
    """The kernel takes x as MatrixPointer, `channels` as Channels, and `outputs` as GroupedOutputs. With
    cfg.prefetches, blocks are persistent."""
    step = gl.num_programs(0) * cfg.rows_per_tile
    start = gl.program_id(0) * cfg.rows_per_tile
    if cfg.prefetches:
        loaded = load_tiles(x, start, rows, columns, cfg)
        for first in range(start, rows, step):
            following = load_tiles(x, first + step, rows, columns, cfg)
            keep_loads_in_flight(first, cfg)
            finish_groups(loaded, first, channels, outputs, rows, columns, eps, by_access, cfg)
            keep_loads_in_flight(first, cfg)
            loaded = following
    else:
        for first in range(start, rows, step):
            loaded = load_tiles(x, first, rows, columns, cfg)
            finish_groups(loaded, first, channels, outputs, rows, columns, eps, by_access, cfg)


@jit
def statistics_of_parts(x, partials, rows, columns, parts, cfg: gl.constexpr):
    """Stores the mean, and the sum of squared differences from the mean, of each part of each row to `partials`, [2,
    rows, parts]."""
    row, column = tile_of_block(parts, cfg)
    part = gl.program_id(0) % parts
    count = gl.minimum(columns - part * cfg.block, cfg.block)
    values = load_rows(x.data, row, column, x.stride, rows, columns, cfg).to(gl.float32)
    mean = gl.sum(values, axis=1) * (1.0 / count)
    values = center(values, mean, column, columns, cfg)
    pointers = partials + row.to(gl.int64) * parts + part
    gl.store(pointers, mean, mask=row < rows)
    gl.store(pointers + rows * parts, gl.sum(values * values, axis=1), mask=row < rows)


@jit
def normalize_parts(
    x, channels, partials, outputs, rows, columns, parts, eps,
    MOST_PARTS: gl.constexpr, by_access: gl.constexpr, cfg: gl.constexpr,
):  # fmt: skip
    """Combines the statistics of the parts of a row, then normalizes and stores one part."""
    row, column = tile_of_block(parts, cfg)
    values = load_rows(x.data, row, column, x.stride, rows, columns, cfg).to(gl.float32)
    layout: gl.constexpr = gl.BlockedLayout([1, 1], [1, gl.num_lanes()], [1, gl.num_warps()], [1, 0])
    part = gl.arange(0, MOST_PARTS, layout=gl.SliceLayout(0, layout))
    of_row = gl.convert_layout(row, gl.SliceLayout(1, layout))
    inside = (of_row < rows)[:, None] & (part < parts)[None, :]
    pointers = partials + (of_row.to(gl.int64) * parts)[:, None] + part[None, :]
    means = gl.load(pointers, mask=inside, other=0.0)
    squares = gl.load(pointers + rows * parts, mask=inside, other=0.0)
    counts = gl.minimum(columns - part * cfg.block, cfg.block).to(gl.float32)
    counts = gl.where(part < parts, counts, 0.0)
    share = 1.0 / columns
    mean = gl.sum(means * counts[None, :], axis=1) * share
    differences = means - mean[:, None]
    variance = gl.sum(squares + differences * differences * counts[None, :], axis=1) * share
    mean = gl.convert_layout(mean, gl.SliceLayout(1, cfg.tile))
    rstd = gl.rsqrt(gl.convert_layout(variance, gl.SliceLayout(1, cfg.tile)) + eps)
    normal = center(values, mean, column, columns, cfg) * rstd[:, None]
    first_column = gl.program_id(0) % parts * cfg.block
    store_normal(normal, channels, outputs.y, row, first_column, rows, columns, by_access, cfg)
    if gl.program_id(0) % parts == 0:
        store_statistics(mean, rstd, outputs, row, rows, cfg)
