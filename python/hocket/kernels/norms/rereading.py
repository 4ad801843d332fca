"""Sums along rows in kernels that read each row twice, because registers cannot hold a row and the sums over rows.

A first pass reads a row in parts and computes the sums along the row. A second pass computes dx. Rows come from a ring
buffer in shared memory, or from global memory, where the second pass hits the L1.
"""

from __future__ import annotations

from ... import jit
from ... import language as gl
from .rows import add_pairs, load_rows, load_vector, normal_and_gradient, rows_from


@jit
def columns_of_piece(first, cfg: gl.constexpr):
    """Returns the column indices of the part of a row that begins at column `first`."""
    return first + gl.arange(0, cfg.piece, layout=gl.SliceLayout(0, cfg.tile))


@jit
def add_piece(sums, dy, x, weight, statistics, column, columns, cfg: gl.constexpr):
    """Adds g n and g of a part of a row to the element-wise sums of the previous parts. Returns both sums."""
    weights = 0.0
    if cfg.has_weight:
        weights = load_vector(weight, column, columns, cfg)
    normal, gradient = normal_and_gradient(dy, x, weights, statistics[0], statistics[1], cfg)
    return sums[0] + gradient * normal, sums[1] + gradient


@jit
def no_piece(cfg: gl.constexpr):
    """Returns the initial element-wise sums of g n and g: zeros."""
    zeros = gl.zeros([cfg.rows_per_tile, cfg.piece], gl.float32, cfg.tile)
    return zeros, zeros


@jit
def reduce_piece(sums, cfg: gl.constexpr):
    """Reduces the element-wise sums of g n and g along rows. For RMSNorm, only the sum of g n is reduced."""
    along = 0.0
    shift = 0.0
    if cfg.is_centered:
        along, shift = gl.reduce(sums, 1, add_pairs)
    else:
        along = gl.sum(sums[0], axis=1)
    return along, shift


@jit
def sums_of_slot(dy_slot, x_slot, weight, statistics, columns, cfg: gl.constexpr):
    """Returns sum(g n) and sum(g) of a row that is in shared memory."""
    sums = no_piece(cfg)
    pieces: gl.constexpr = cfg.block // cfg.piece
    dy_row = dy_slot.reshape([1, cfg.block])
    x_row = x_slot.reshape([1, cfg.block])
    for piece in gl.static_range(pieces):
        dy = dy_row.slice(piece * cfg.piece, cfg.piece, dim=1).load(cfg.tile)
        x = x_row.slice(piece * cfg.piece, cfg.piece, dim=1).load(cfg.tile)
        column = columns_of_piece(piece * cfg.piece, cfg)
        sums = add_piece(sums, dy, x, weight, statistics, column, columns, cfg)
    return reduce_piece(sums, cfg)


@jit
def sums_of_rows_in_memory(inputs, strides, weight, statistics, first, rows, columns, cfg: gl.constexpr):
    """Returns sum(g n) and sum(g) of rows in global memory. The loop is not unrolled completely, so the compiler does
    not merge both passes."""
    row = rows_from(first, cfg)
    products, gradients = no_piece(cfg)
    for first_column in gl.range(0, columns, cfg.piece, loop_unroll_factor=2):
        column = columns_of_piece(first_column, cfg)
        dy = load_rows(inputs.dy, row, column, strides.dy, rows, columns, cfg)
        x = load_rows(inputs.x, row, column, strides.x, rows, columns, cfg)
        products, gradients = add_piece((products, gradients), dy, x, weight, statistics, column, columns, cfg)
    return reduce_piece((products, gradients), cfg)
