"""Outputs of an epilogue function in the GEMM with mma.sync: their form, and the stores of a tile of each by lanes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ... import jit
from ... import language as gl
from .function import Epilogue, apply


@dataclass(frozen=True)
class AmpereOutput:
    """Compile-time properties of an output of an epilogue function."""

    dtype: Any
    #: Rows and columns of its part of a tile of C.
    rows: int
    columns: int
    #: Factor by which the output has fewer columns than A x B.
    fewer_columns: int
    #: Layout in which lanes store the tile; None if they store the elements that they hold.
    layout: Any


@jit
def store_outputs(acc, EPILOGUE: gl.constexpr, args, c, strides, matrix, row, column, sizes, cfg: gl.constexpr):
    """Applies the function of the user to `acc`, the tile of A x B + bias at (row, column), and stores its outputs.

    c, strides: tuples with the pointer to each output, and with the strides of its batch, rows and columns.
    """
    acc = gl.convert_layout(acc, cfg.whole_rows)
    tiles = apply(acc, Epilogue(EPILOGUE, args), matrix, row, column, sizes, cfg)
    for index in gl.static_range(len(cfg.outputs)):
        output: gl.constexpr = cfg.outputs[index]
        tile = tiles[index].to(output.dtype)
        if output.layout is not None:
            tile = gl.convert_layout(tile, output.layout)
        of_matrix, of_row, of_column = strides[index]
        left = column // output.fewer_columns
        rows = gl.arange(0, output.rows, layout=gl.SliceLayout(1, tile.layout))
        columns = gl.arange(0, output.columns, layout=gl.SliceLayout(0, tile.layout))
        offsets = rows[:, None] * of_row + columns[None, :] * of_column
        corner = c[index] + matrix.to(gl.int64) * of_matrix
        corner += row.to(gl.int64) * of_row + left.to(gl.int64) * of_column
        is_inside = (row + rows < sizes.M)[:, None] & (left + columns < sizes.N // output.fewer_columns)[None, :]
        gl.store(corner + offsets, tile, mask=is_inside)


__all__ = ["AmpereOutput", "store_outputs"]
