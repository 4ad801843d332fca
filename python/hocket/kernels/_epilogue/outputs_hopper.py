"""Outputs of an epilogue function on Hopper: their form, and the stores of a subtile of each.

All outputs share one set of staging buffers, of the size that the widest output needs:

    subtile     0           0           1           1           ...
    output      0           1           0           1           ...
    buffer      0           1           0           1           ...     with two outputs and two buffers
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ... import constexpr_function, jit
from ... import language as gl
from ...language.nvidia.hopper import tma
from .function import apply
from .stores_hopper import store_by_lanes, store_by_tma, store_from_registers


@dataclass(frozen=True)
class HopperOutput:
    """Compile-time properties of an output of an epilogue function."""

    dtype: Any
    #: Rows and columns of its part of an epilogue subtile, in the order in which the kernel computes C.
    rows: int
    columns: int
    #: Factors by which the output has fewer rows and fewer columns than the matrix that the kernel computes.
    fewer_rows: int
    fewer_columns: int
    #: "tma"; "lanes": lanes store it through a staging buffer; "registers": lanes store the elements that they hold.
    store: str
    #: Layout of the staging buffer, and layout in which lanes read this buffer; None where there is none.
    staging: Any = None
    by_lanes: Any = None


@constexpr_function
def _staging_of(cfg, number, index):
    """Returns the staging buffer of output `index` of subtile `number`, and the largest number of TMA stores that may
    be outstanding when this buffer is written: None if no output is stored by TMA. The buffer is 0 for an output that
    is stored from registers."""
    staged = [i for i, output in enumerate(cfg.outputs) if output.store != "registers"]
    if index not in staged:
        return 0, None
    position = number * len(staged) + staged.index(index)
    later = range(max(position - cfg.staging_buffers + 1, 0), position)
    by_tma = [cfg.outputs[i].store == "tma" for i in staged]
    outstanding = sum(by_tma[i % len(staged)] for i in later) if any(by_tma) else None
    return position % cfg.staging_buffers, outstanding


@jit
def store_output(
    tile, output: gl.constexpr, outstanding: gl.constexpr, buffer, c, strides, matrix, row, column, sizes
):  # fmt: skip
    """Stores a subtile of one output, of which (row, column) is the position in the matrix that the kernel computes.

    outstanding: largest number of TMA stores that may be outstanding when `buffer` is written; None if no output is
        stored by TMA.
    """
    top, left = row // output.fewer_rows, column // output.fewer_columns
    end = sizes.M // output.fewer_rows, sizes.N // output.fewer_columns
    if output.store == "registers":
        store_from_registers(tile, c, strides, matrix, top, left, end)
    elif output.store == "tma":
        tma.store_wait(outstanding)
        store_by_tma(tile, buffer.reinterpret(output.dtype, c.block_shape, c.layout), c, matrix, top, left)
    else:
        if outstanding is not None:
            tma.store_wait(outstanding)
        elements = buffer.reinterpret(output.dtype, [output.rows, output.columns], output.staging)
        store_by_lanes(tile, elements, c, strides, matrix, top, left, end, output.by_lanes)


@jit
def store_outputs(
    subtile, number: gl.constexpr, epilogue, staging, first_buffer, c, matrix, row, column, sizes, cfg: gl.constexpr
):  # fmt: skip
    """Applies the function of the user to a subtile and stores its outputs.

    number: index of the subtile in its tile. c: tuple with the descriptor of each output or, if lanes store it, the
    pointer to it.
    """
    tiles = apply(subtile, epilogue, matrix, row, column, sizes, cfg)
    for index in gl.static_range(len(cfg.outputs)):
        tile = tiles[index].to(cfg.outputs[index].dtype)
        place: gl.constexpr = _staging_of(cfg, number, index)
        buffer = staging.index(first_buffer + place[0])
        store_output(
            tile, cfg.outputs[index], place[1], buffer, c[index], sizes.c_strides[index], matrix, row, column, sizes
        )  # fmt: skip


__all__ = ["HopperOutput", "store_outputs"]
