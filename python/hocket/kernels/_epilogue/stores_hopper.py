"""Stores of epilogue subtiles of the GEMM on Hopper: by TMA, or by lanes."""

from __future__ import annotations

from ... import jit
from ... import language as gl
from ...language.nvidia import hopper
from ...language.nvidia.hopper import tma

#: Number of rows of a subtile that lanes store at once or, if the columns of C are contiguous, of columns.
STRIP = gl.constexpr(8)


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
def store_by_lanes(subtile, buffer, c, strides, matrix, row, column, end, layout: gl.constexpr):
    """Stores a subtile of C through `buffer`, which exchanges its elements between lanes, so that neighboring lanes
    store neighboring elements. Accumulators take most of the registers, so a lane loads few elements at once.

    strides: those of C's batch, rows and columns. end: number of rows and of columns of C.
    """
    buffer.store(subtile)
    across: gl.constexpr = layout.order[1]  # the dimension that is not contiguous in C
    shape: gl.constexpr = [STRIP, buffer.shape[1]] if across == 0 else [buffer.shape[0], STRIP]
    rows = gl.arange(0, shape[0], layout=gl.SliceLayout(1, layout))[:, None]
    columns = gl.arange(0, shape[1], layout=gl.SliceLayout(0, layout))[None, :]
    of_matrix, of_row, of_column = strides
    rows, columns = row + rows, column + columns
    pointers = c + matrix.to(gl.int64) * of_matrix + (rows.to(gl.int64) * of_row + columns.to(gl.int64) * of_column)
    step = STRIP * gl.cast(of_row if across == 0 else of_column, gl.int64)
    for first in gl.static_range(0, buffer.shape[across], STRIP):
        elements = buffer.slice(first, STRIP, across).load(layout)
        if across == 0:
            is_inside = (rows + first < end[0]) & (columns < end[1])
        else:
            is_inside = (rows < end[0]) & (columns + first < end[1])
        gl.store(pointers, elements, mask=is_inside)
        pointers += step


@jit
def store_from_registers(subtile, c, strides, matrix, row, column, end):
    """Stores a subtile of C, of few columns or rows, by the lanes that hold its elements. The arguments are those of
    `store_by_lanes`."""
    rows = row + gl.arange(0, subtile.shape[0], layout=gl.SliceLayout(1, subtile.layout))[:, None]
    columns = column + gl.arange(0, subtile.shape[1], layout=gl.SliceLayout(0, subtile.layout))[None, :]
    of_matrix, of_row, of_column = strides
    offsets = rows.to(gl.int64) * of_row + columns.to(gl.int64) * of_column
    is_inside = (rows < end[0]) & (columns < end[1])
    gl.store(c + matrix.to(gl.int64) * of_matrix + offsets, subtile, mask=is_inside)


__all__ = ["STRIP", "store_by_lanes", "store_by_tma", "store_from_registers"]
