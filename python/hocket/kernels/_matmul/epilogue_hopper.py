"""Epilogue of the GEMM on Hopper: bias, activation, conversion, and the store of C, one subtile at a time, by TMA or by
lanes."""

from __future__ import annotations

from ... import jit
from ... import language as gl
from ...language.nvidia import hopper
from ...language.nvidia.hopper import tma
from .activation import activate, bias_of

#: Number of rows of a subtile that lanes store at once or, if the columns of C are contiguous, of columns.
STRIP = gl.constexpr(8)


@jit
def subtile_of(tile, row: gl.constexpr, column: gl.constexpr, layout: gl.constexpr, shape: gl.constexpr):
    """Returns the subtile (row, column) of a tile that is divided into subtiles of `shape`. Each lane holds a part of
    every subtile, so the division moves no data between lanes."""
    rows: gl.constexpr = tile.shape[0] // shape[0]
    columns: gl.constexpr = tile.shape[1] // shape[1]
    subtiles = tile.to(gl.int32, bitcast=True).reshape([rows, shape[0], columns, shape[1]])
    down = gl.arange(0, rows)[:, None, None, None] == row
    along = gl.arange(0, columns)[None, None, :, None] == column
    subtile = gl.reduce_or(gl.reduce_or(gl.where(down & along, subtiles, 0), axis=2), axis=0)
    return gl.convert_layout(subtile.to(gl.float32, bitcast=True), layout, assert_trivial=True)


@jit
def store_by_tma(subtile, buffer, c_desc, matrix, row, column):
    """Stores a subtile of C through `buffer`. TMA may still read the buffer when the function returns."""
    if len(buffer.shape) == 3:
        buffer.reshape([buffer.shape[1], buffer.shape[2]]).store(subtile)
        hopper.fence_async_shared()
        tma.async_store(c_desc, [matrix, row, column], buffer)
    else:
        buffer.store(subtile)
        hopper.fence_async_shared()
        tma.async_store(c_desc, [row, column], buffer)


@jit
def store_by_lanes(subtile, buffer, c, matrix, row, column, sizes, layout: gl.constexpr):
    """Stores a subtile of C through `buffer`, which exchanges its elements between lanes, so that neighboring lanes
    store neighboring elements. Accumulators take most of the registers, so a lane loads few elements at once."""
    buffer.store(subtile)
    across: gl.constexpr = layout.order[1]  # the dimension that is not contiguous in C
    shape: gl.constexpr = [STRIP, buffer.shape[1]] if across == 0 else [buffer.shape[0], STRIP]
    rows = gl.arange(0, shape[0], layout=gl.SliceLayout(1, layout))[:, None]
    columns = gl.arange(0, shape[1], layout=gl.SliceLayout(0, layout))[None, :]
    of_matrix, of_row, of_column = sizes.c_strides
    rows, columns = row + rows, column + columns
    pointers = c + matrix.to(gl.int64) * of_matrix + (rows.to(gl.int64) * of_row + columns.to(gl.int64) * of_column)
    step = STRIP * gl.cast(of_row if across == 0 else of_column, gl.int64)
    for first in gl.static_range(0, buffer.shape[across], STRIP):
        elements = buffer.slice(first, STRIP, across).load(layout)
        if across == 0:
            is_inside = (rows + first < sizes.M) & (columns < sizes.N)
        else:
            is_inside = (rows < sizes.M) & (columns + first < sizes.N)
        gl.store(pointers, elements, mask=is_inside)
        pointers += step


@jit
def finish(accs, first_bias, staging, first_buffer, c, bias, matrix, row, column, sizes, cfg: gl.constexpr):
    """Stores `accs`, the tile of C at (row, column), subtile by subtile through the buffers of `staging`.

    TMA may still read the staging buffers when the function returns. `first_bias` is the bias of the first subtile; the
    bias of each other subtile is loaded while the previous subtile is stored.
    """
    height: gl.constexpr = cfg.staged_rows
    width: gl.constexpr = cfg.staged_columns
    down: gl.constexpr = accs[0].shape[0] // height
    along: gl.constexpr = cfg.acc_n // width
    subtiles: gl.constexpr = down * along * cfg.accs
    subtile_bias = first_bias
    for number in gl.static_range(subtiles):
        strip: gl.constexpr = number // down
        subtile = subtile_of(accs[strip // along], number % down, strip % along, cfg.subtile, (height, width))
        top, left = row + number % down * height, column + strip * width
        if cfg.has_bias_of_rows:
            subtile += bias_of(bias, top, sizes.M, cfg.subtile, height, 1).to(gl.float32)[:, None]
        elif cfg.has_bias:
            subtile += subtile_bias.to(gl.float32)[None, :]
            if (number + 1) % down == 0 and number + 1 < subtiles:
                subtile_bias = bias_of(bias, left + width, sizes.N, cfg.subtile, width)
        subtile = activate(subtile, cfg.activation).to(staging.dtype)
        buffer = staging.index(first_buffer + number % cfg.staging_buffers)
        if cfg.by_lanes is None:
            # Before the first subtile is written, all TMA stores of the previous tile must have read the staging
            # buffers. This wait is short, because these stores were issued long ago.
            tma.store_wait(cfg.staging_buffers - 1 if number > 0 else 0)
            store_by_tma(subtile, buffer, c, matrix, top, left)
        else:
            store_by_lanes(subtile, buffer, c, matrix, top, left, sizes, cfg.by_lanes)
