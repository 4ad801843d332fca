"""Functions that the kernels of `rowwise` share: loads of whole rows, and sums and maxima of parts of rows, in float32.

`cfg` is a `NormConfig`. Tiles are loaded and stored by the functions of `norms/rows.py`.
"""

from __future__ import annotations

from ... import jit
from ... import language as gl
from ..norms.rows import columns_from, load_rows, rows_from

#: log2(e): exp(x) is computed as exp2(x log2(e)).
LOG2_E: gl.constexpr = 1.4426950408889634
#: Natural logarithm of 2.
LN_2: gl.constexpr = 0.6931471805599453
#: Initial value of a running maximum. The value is finite, because the difference of two infinite values would be NaN.
LEAST: gl.constexpr = -1e38


@jit
def load_tiles(matrix, first, rows, columns, cfg: gl.constexpr):
    """Loads all tiles of some rows of a matrix. `matrix` is a MatrixPointer."""
    row = rows_from(first, cfg)
    tiles = (load_rows(matrix.data, row, columns_from(0, cfg), matrix.stride, rows, columns, cfg),)
    for piece in gl.static_range(1, cfg.pieces):
        column = columns_from(piece * cfg.block, cfg)
        tiles += (load_rows(matrix.data, row, column, matrix.stride, rows, columns, cfg),)
    return tiles


@jit
def load_part(matrix, row, first_column, rows, columns, cfg: gl.constexpr):
    """Loads a tile of a matrix that begins at column `first_column`. If this column is past the end of the row, the
    result is zeros. The mask of `load_rows` does not exclude such a tile if the number of columns is a multiple of the
    tile's."""
    rows = gl.where(first_column < columns, rows, 0)
    return load_rows(matrix.data, row, columns_from(first_column, cfg), matrix.stride, rows, columns, cfg)


@jit
def tile_of_block(parts, cfg: gl.constexpr):
    """Returns the row indices and the column indices of the block's tile. Each row is divided into `parts` tiles."""
    row = rows_from(gl.program_id(0) // parts * cfg.rows_per_tile, cfg)
    return row, columns_from(gl.program_id(0) % parts * cfg.block, cfg)


@jit
def outside_becomes(values, other, column, columns, cfg: gl.constexpr):
    """Returns `values` with `other` in the columns past the end of the row."""
    if not cfg.is_whole:
        # One comparison per `cfg.together` adjacent columns suffices, because either all of these columns are inside
        # the row, or none of them.
        values = gl.where(((column & -cfg.together) < columns)[None, :], values, other)
    return values


@jit
def scores(values, column, columns, cfg: gl.constexpr):
    """Returns `values` in float32, with -inf in the columns past the end of the row."""
    return outside_becomes(values.to(gl.float32), float("-inf"), column, columns, cfg)


@jit
def by_group(values, cfg: gl.constexpr):
    """Returns a tile as [rows, groups, elements]: all elements of a group are in one lane. A group is an access or, if
    accesses have one element, all elements of a lane."""
    if cfg.vector > 1:
        return values.reshape([cfg.rows_per_tile, cfg.block // cfg.vector, cfg.vector])
    across: gl.constexpr = cfg.tile.threads_per_warp[1] * cfg.tile.warps_per_cta[1]
    return values.reshape([cfg.rows_per_tile, cfg.block // across, across]).permute((0, 2, 1))


@jit
def exponents(values, maximum):
    """Returns values * log2(e) - maximum, computed by one FMA. `maximum` is the maximum of a row or of a group, times
    log2(e)."""
    return gl.fma(values, LOG2_E, -maximum)


@jit
def join_exponentials(maximum, total, other_maximum, other_total):
    """Combines two pairs of a maximum and a sum of powers of 2 relative to this maximum, as in the online softmax."""
    largest = gl.maximum(maximum, other_maximum)
    return largest, total * gl.exp2(maximum - largest) + other_total * gl.exp2(other_maximum - largest)


@jit
def no_exponentials(cfg: gl.constexpr):
    """Returns the initial running maximum and sum of exponentials of each group, before the first part of a row."""
    zeros = gl.sum(by_group(gl.zeros([cfg.rows_per_tile, cfg.block], gl.float32, cfg.tile), cfg), axis=2)
    return zeros + LEAST, zeros


@jit
def add_exponentials(maximum, total, values, cfg: gl.constexpr):
    """Returns the running maximum (times log2(e)) and sum of exponentials of each group, after another part of a row.

    All exponents are relative to the same rounded value of maximum * log2(e), so the error of this rounding cancels.
    """
    values = by_group(values, cfg)
    largest = gl.maximum(maximum, gl.max(values, axis=2) * LOG2_E)
    powers = gl.exp2(exponents(values, largest[:, :, None]))
    return largest, total * gl.exp2(maximum - largest) + gl.sum(powers, axis=2)


@jit
def exponentials_of_rows(maximum, total, cfg: gl.constexpr):
    """Returns the maximum (times log2(e)) and the sum of exponentials of whole rows, from the maxima and sums of the
    groups of a row."""
    maximum, total = gl.reduce((maximum, total), 1, join_exponentials)
    layout: gl.constexpr = gl.SliceLayout(1, cfg.tile)
    return gl.convert_layout(maximum, layout), gl.convert_layout(total, layout)
