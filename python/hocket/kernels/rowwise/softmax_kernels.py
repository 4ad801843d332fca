"""Kernels of softmax and log-softmax, forward and backward.

    softmax        y = exp(x - max) / sum                 dx = y (dy - sum(dy y))
    log-softmax    y = x - max - log(sum)                 dx = dy - exp(y) sum(dy)

with the row's max = max(x) and sum = sum(exp(x - max)). All warps of a block have the same role. The only barriers, of
all warps of the block, are in reductions of rows that several warps share. Timelines of a block:

    resident                  load 0 | compute 0, store 0
    resident, prefetching     load 0 | load 1 | compute 0, store 0 | load 2 | compute 1, store 1 | ...
    staged                    copy 0 into shared memory | sums, part by part | each part again: result, store
    streaming                 max and sum, part by part, by the online softmax | each part again: result, store

The online softmax (Milakov and Gimelshein, arXiv 1805.02867) keeps a maximum and a sum for a few elements of a lane,
so its loop has no shuffles and no barriers.
"""

from __future__ import annotations

from ... import jit
from ... import language as gl
from ..norms.rows import columns_from, keep_loads_in_flight, load_rows, rows_from, store_rows
from ..norms.staged import allocate_stages, copy_tile, read_piece
from .tiles import (
    LN_2,
    LOG2_E,
    add_exponentials,
    exponentials_of_rows,
    exponents,
    load_part,
    load_tiles,
    no_exponentials,
    scores,
)


@jit
def from_exponents(powers, total, is_log: gl.constexpr):
    """Returns the softmax or log-softmax of a tile. `powers`: base-2 exponents relative to the row's maximum. `total`:
    sum of exp2(powers) of each row."""
    if is_log:
        return (powers - gl.log2(total)[:, None]) * LN_2
    return gl.exp2(powers) * (1.0 / total)[:, None]


@jit
def finish_softmax(loaded, first, y, rows, columns, is_log: gl.constexpr, cfg: gl.constexpr):
    """Computes and stores the softmax of rows that have been loaded."""
    row = rows_from(first, cfg)
    values = (scores(loaded[0], columns_from(0, cfg), columns, cfg),)
    largest = values[0]
    for piece in gl.static_range(1, cfg.pieces):
        values += (scores(loaded[piece], columns_from(piece * cfg.block, cfg), columns, cfg),)
        largest = gl.maximum(largest, values[piece])
    maximum = gl.max(largest, axis=1) * LOG2_E
    powers = (exponents(values[0], maximum[:, None]),)
    totals = gl.exp2(powers[0])
    for piece in gl.static_range(1, cfg.pieces):
        powers += (exponents(values[piece], maximum[:, None]),)
        totals += gl.exp2(powers[piece])
    total = gl.sum(totals, axis=1)
    for piece in gl.static_range(cfg.pieces):
        result = from_exponents(powers[piece], total, is_log)
        store_rows(y.data, row, columns_from(piece * cfg.block, cfg), y.stride, rows, columns, result, cfg)


@jit
def softmax_resident(x, y, rows, columns, is_log: gl.constexpr, cfg: gl.constexpr):
    """The kernel takes x and y as MatrixPointer. With cfg.prefetches, blocks are persistent."""
    step = gl.num_programs(0) * cfg.rows_per_tile
    start = gl.program_id(0) * cfg.rows_per_tile
    if cfg.prefetches:
        loaded = load_tiles(x, start, rows, columns, cfg)
        for first in range(start, rows, step):
            following = load_tiles(x, first + step, rows, columns, cfg)
            keep_loads_in_flight(first, cfg)
            finish_softmax(loaded, first, y, rows, columns, is_log, cfg)
            keep_loads_in_flight(first, cfg)
            loaded = following
    else:
        for first in range(start, rows, step):
            finish_softmax(load_tiles(x, first, rows, columns, cfg), first, y, rows, columns, is_log, cfg)


@jit
def row_exponentials(x, row, rows, columns, cfg: gl.constexpr):
    """Returns the maximum (times log2(e)) and sum of exponentials of rows that are read part by part."""
    maximum, total = no_exponentials(cfg)
    loaded = load_part(x, row, 0, rows, columns, cfg)
    for first_column in range(0, columns, cfg.block):
        following = load_part(x, row, first_column + cfg.block, rows, columns, cfg)
        values = scores(loaded, columns_from(first_column, cfg), columns, cfg)
        maximum, total = add_exponentials(maximum, total, values, cfg)
        loaded = following
    return exponentials_of_rows(maximum, total, cfg)


@jit
def softmax_streaming(x, y, rows, columns, is_log: gl.constexpr, cfg: gl.constexpr):
    """Works like `softmax_resident`, for rows that do not fit into registers."""
    for first in range(gl.program_id(0) * cfg.rows_per_tile, rows, gl.num_programs(0) * cfg.rows_per_tile):
        row = rows_from(first, cfg)
        maximum, total = row_exponentials(x, row, rows, columns, cfg)
        for first_column in range(0, columns, cfg.block):
            column = columns_from(first_column, cfg)
            values = load_rows(x.data, row, column, x.stride, rows, columns, cfg).to(gl.float32)
            result = from_exponents(exponents(values, maximum[:, None]), total, is_log)
            store_rows(y.data, row, column, y.stride, rows, columns, result, cfg)


@jit
def softmax_staged(x, y, rows, columns, is_log: gl.constexpr, cfg: gl.constexpr):
    """Works like `softmax_resident`, for rows that fit into shared memory, where they are read twice. While one block
    computes, other blocks on the same SM copy their rows. Each lane reads only elements that it has copied itself."""
    staged = allocate_stages(x.data.dtype.element_ty, 1, cfg)
    first = gl.program_id(0) * cfg.rows_per_tile
    copy_tile(staged, 0, (x.data,), (x.stride,), first, rows, columns, cfg)
    stage = staged.wait(0)
    maximum, total = no_exponentials(cfg)
    # This loop is not unrolled completely. Otherwise the compiler would keep the row in registers for the second pass.
    for piece in gl.range(0, gl.cdiv(columns, cfg.block), loop_unroll_factor=2):
        values = scores(stage.tile(0, piece, cfg).load(cfg.tile), columns_from(piece * cfg.block, cfg), columns, cfg)
        maximum, total = add_exponentials(maximum, total, values, cfg)
    maximum, total = exponentials_of_rows(maximum, total, cfg)
    row = rows_from(first, cfg)
    for piece in gl.static_range(cfg.pieces):
        values = stage.tile(0, piece, cfg).load(cfg.tile).to(gl.float32)
        result = from_exponents(exponents(values, maximum[:, None]), total, is_log)
        store_rows(y.data, row, columns_from(piece * cfg.block, cfg), y.stride, rows, columns, result, cfg)


@jit
def softmax_gradient(dy, y, along, is_log: gl.constexpr):
    """Returns dx of a tile. `along` is the sum along each row: sum(dy) for log-softmax, and sum(dy y) for softmax."""
    dy = dy.to(gl.float32)
    y = y.to(gl.float32)
    if is_log:
        return dy - gl.exp2(y * LOG2_E) * along[:, None]
    return y * (dy - along[:, None])


@jit
def summand(dy, y, is_log: gl.constexpr):
    """Returns the values whose sum along the row is `along` in `softmax_gradient`. Elements outside the matrix are
    0."""
    dy = dy.to(gl.float32)
    if not is_log:
        dy = dy * y.to(gl.float32)
    return dy


@jit
def finish_gradient(dy_tiles, y_tiles, first, dx, rows, columns, is_log: gl.constexpr, cfg: gl.constexpr):
    """Computes and stores dx of rows that have been loaded."""
    row = rows_from(first, cfg)
    total = summand(dy_tiles[0], y_tiles[0], is_log)
    for piece in gl.static_range(1, cfg.pieces):
        total += summand(dy_tiles[piece], y_tiles[piece], is_log)
    along = gl.sum(total, axis=1)
    for piece in gl.static_range(cfg.pieces):
        result = softmax_gradient(dy_tiles[piece], y_tiles[piece], along, is_log)
        store_rows(dx.data, row, columns_from(piece * cfg.block, cfg), dx.stride, rows, columns, result, cfg)


@jit
def softmax_backward_resident(dy, y, dx, rows, columns, is_log: gl.constexpr, cfg: gl.constexpr):
    """The kernel takes dy, y and dx as MatrixPointer. With cfg.prefetches, blocks are persistent."""
    step = gl.num_programs(0) * cfg.rows_per_tile
    start = gl.program_id(0) * cfg.rows_per_tile
    if cfg.prefetches:
        loaded = load_tiles(dy, start, rows, columns, cfg), load_tiles(y, start, rows, columns, cfg)
        for first in range(start, rows, step):
            following = (
                load_tiles(dy, first + step, rows, columns, cfg),
                load_tiles(y, first + step, rows, columns, cfg),
            )
            keep_loads_in_flight(first, cfg)
            finish_gradient(loaded[0], loaded[1], first, dx, rows, columns, is_log, cfg)
            keep_loads_in_flight(first, cfg)
            loaded = following
    else:
        for first in range(start, rows, step):
            dy_tiles = load_tiles(dy, first, rows, columns, cfg)
            y_tiles = load_tiles(y, first, rows, columns, cfg)
            finish_gradient(dy_tiles, y_tiles, first, dx, rows, columns, is_log, cfg)


@jit
def softmax_backward_streaming(dy, y, dx, rows, columns, is_log: gl.constexpr, cfg: gl.constexpr):
    """Works like `softmax_backward_resident`, for rows that do not fit into registers. For log-softmax, the first pass
    reads only dy."""
    for first in range(gl.program_id(0) * cfg.rows_per_tile, rows, gl.num_programs(0) * cfg.rows_per_tile):
        row = rows_from(first, cfg)
        total = gl.zeros([cfg.rows_per_tile, cfg.block], gl.float32, cfg.tile)
        for first_column in range(0, columns, cfg.block):
            column = columns_from(first_column, cfg)
            dy_tile = load_rows(dy.data, row, column, dy.stride, rows, columns, cfg)
            y_tile = dy_tile
            if not is_log:
                y_tile = load_rows(y.data, row, column, y.stride, rows, columns, cfg)
            total += summand(dy_tile, y_tile, is_log)
        along = gl.sum(total, axis=1)
        for first_column in range(0, columns, cfg.block):
            column = columns_from(first_column, cfg)
            dy_tile = load_rows(dy.data, row, column, dy.stride, rows, columns, cfg)
            y_tile = load_rows(y.data, row, column, y.stride, rows, columns, cfg)
            result = softmax_gradient(dy_tile, y_tile, along, is_log)
            store_rows(dx.data, row, column, dx.stride, rows, columns, result, cfg)


@jit
def softmax_backward_staged(dy, y, dx, rows, columns, is_log: gl.constexpr, cfg: gl.constexpr):
    """Works like `softmax_staged`, with dy and y in shared memory."""
    staged = allocate_stages(y.data.dtype.element_ty, 2, cfg)
    first = gl.program_id(0) * cfg.rows_per_tile
    copy_tile(staged, 0, (dy.data, y.data), (dy.stride, y.stride), first, rows, columns, cfg)
    stage = staged.wait(0)
    total = gl.zeros([cfg.rows_per_tile, cfg.block], gl.float32, cfg.tile)
    # This loop is not unrolled completely, for the reason given in `softmax_staged`.
    for piece in gl.range(0, gl.cdiv(columns, cfg.block), loop_unroll_factor=2):
        dy_tile, y_tile = read_piece(stage, piece, cfg)
        total += summand(dy_tile, y_tile, is_log)
    along = gl.sum(total, axis=1)
    row = rows_from(first, cfg)
    for piece in gl.static_range(cfg.pieces):
        dy_tile, y_tile = read_piece(stage, piece, cfg)
        result = softmax_gradient(dy_tile, y_tile, along, is_log)
        store_rows(dx.data, row, columns_from(piece * cfg.block, cfg), dx.stride, rows, columns, result, cfg)
