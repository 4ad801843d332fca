"""Epilogue of the GEMM on Hopper: bias, activation or function of the user, conversion, and the store of C, one subtile
at a time, by TMA or by lanes."""

from __future__ import annotations

from ... import jit
from ... import language as gl
from ...language.nvidia.hopper import tma
from .._epilogue.outputs_hopper import store_outputs
from .._epilogue.stores_hopper import store_by_lanes, store_by_tma
from .activation import activate, bias_of


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
def finish(
    accs, first_bias, staging, first_buffer, c, bias, matrix, row, column, sizes, cfg: gl.constexpr, epilogue=None
):  # fmt: skip
    """Stores `accs`, the tile of C at (row, column), subtile by subtile through the buffers of `staging`.

    TMA may still read the staging buffers when the function returns. `first_bias` is the bias of the first subtile; the
    bias of each other subtile is loaded while the previous subtile is stored. With `epilogue`, the function of the
    user, `c` is the tuple of its outputs.
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
        if epilogue is not None:
            store_outputs(subtile, number, epilogue, staging, first_buffer, c, matrix, top, left, sizes, cfg)
        else:
            subtile = activate(subtile, cfg.activation).to(staging.dtype)
            buffer = staging.index(first_buffer + number % cfg.staging_buffers)
            if cfg.by_lanes is None:
                # Before the first subtile is written, all TMA stores of the previous tile must have read the staging
                # buffers. This wait is short, because these stores were issued long ago.
                tma.store_wait(cfg.staging_buffers - 1 if number > 0 else 0)
                store_by_tma(subtile, buffer, c, matrix, top, left)
            else:
                end = sizes.M, sizes.N
                store_by_lanes(subtile, buffer, c, sizes.c_strides, matrix, top, left, end, cfg.by_lanes)
