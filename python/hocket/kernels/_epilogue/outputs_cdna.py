"""Outputs of an epilogue function on CDNA: their form, and the stores of a part of each from registers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ... import jit
from ... import language as gl
from ...language import amd
from .function import Epilogue, apply


@dataclass(frozen=True)
class CdnaOutput:
    """Compile-time properties of an output of an epilogue function."""

    dtype: Any
    #: Rows and columns of its part of a tile of accumulators.
    rows: int
    columns: int
    #: Factor by which the output has fewer columns than A x B.
    fewer_columns: int


@jit
def epilogue_of(EPILOGUE: gl.constexpr, args):
    """Returns the Epilogue of a launch; None if the launch has no function."""
    if EPILOGUE is None:
        return None
    return Epilogue(EPILOGUE, args)


@jit
def store_outputs(acc, epilogue, c, strides, matrix, row, column, sizes, cfg: gl.constexpr):
    """Applies the function of the user to `acc`, the part of A x B + bias at (row, column), and stores its outputs.

    c, strides: tuples with the pointer to each output, and with the strides of its batch, rows and columns.
    """
    tiles = apply(acc, epilogue, matrix, row, column, sizes, cfg)
    for index in gl.static_range(len(cfg.outputs)):
        output: gl.constexpr = cfg.outputs[index]
        tile = tiles[index].to(output.dtype)
        of_matrix, of_row, of_column = strides[index]
        left = column // output.fewer_columns
        rows = gl.arange(0, output.rows, layout=gl.SliceLayout(1, tile.layout))
        columns = gl.arange(0, output.columns, layout=gl.SliceLayout(0, tile.layout))
        offsets = rows[:, None] * of_row + columns[None, :] * of_column
        mask = (row + rows < sizes.M)[:, None] & (left + columns < sizes.N // output.fewer_columns)[None, :]
        corner = c[index] + matrix.to(gl.int64) * of_matrix
        corner += row.to(gl.int64) * of_row + left.to(gl.int64) * of_column
        amd.cdna3.buffer_store(tile, corner, offsets, mask=mask)


__all__ = ["CdnaOutput", "epilogue_of", "store_outputs"]
