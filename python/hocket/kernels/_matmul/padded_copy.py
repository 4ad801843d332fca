"""Copies of matrices to memory in which every row begins at a multiple of 128 bytes, for TMA.

TMA cannot read a matrix whose rows are not a multiple of 16 bytes apart, or that begins at another address. TMA reads
rows slowly that begin inside a sector of the L2, i.e. not at a multiple of 32 bytes. A GEMM reads each element of its
operands many times, so it is often faster to copy such an operand once, at the speed of global memory.

    kernel           blocks                    warps of a block
    `copy_padded`    one per tile and matrix   4, all with the same role; a barrier only if the copy is transposed

The copy has contiguous rows, and fewer than 128 bytes between two rows, which nothing reads or writes. If the columns
of the source are contiguous, a block exchanges its tile through shared memory, so loads and stores are both contiguous.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ... import cdiv, jit
from ... import language as gl
from .._common.arrays import empty_like
from .._common.cached_hash import cached_hash

if TYPE_CHECKING:
    from .operands import Operand

#: Alignment of the rows of a copy, in bytes, which is the size of a row of a k-tile. On an H200, GEMMs with rows at
#: other multiples of 32 bytes were up to 3 % slower (docs/lab/hopper_kernels.md).
ROW_BYTES = 128

#: Tiles of a copy in the order of the source, and of a transposing copy.
IN_ORDER, TRANSPOSED = (16, 256), (64, 64)
WARPS = 4


@cached_hash
@dataclass(frozen=True)
class CopyConfig:
    """Compile-time parameters of `copy_padded`: the size of a tile, and the layouts of loads and stores."""

    rows: int
    columns: int
    load: gl.BlockedLayout
    store: gl.BlockedLayout


_BY_ROWS = gl.BlockedLayout([1, 1], [1, 32], [WARPS, 1], [1, 0])
_BY_COLUMNS = gl.BlockedLayout([1, 1], [32, 1], [1, WARPS], [0, 1])
_IN_ORDER = CopyConfig(*IN_ORDER, _BY_ROWS, _BY_ROWS)
_TRANSPOSED = CopyConfig(*TRANSPOSED, _BY_COLUMNS, _BY_ROWS)


@jit
def offsets_in(row, column, strides, layout: gl.constexpr, cfg: gl.constexpr):
    """Returns the rows and columns of a tile in a layout, and the offsets of its elements from the matrix's start."""
    rows = row + gl.arange(0, cfg.rows, layout=gl.SliceLayout(1, layout))[:, None]
    columns = column + gl.arange(0, cfg.columns, layout=gl.SliceLayout(0, layout))[None, :]
    return rows, columns, rows.to(gl.int64) * strides[0] + columns.to(gl.int64) * strides[1]


@jit
def copy_padded(source, copy, rows, columns, strides, pitch, batch_strides, cfg: gl.constexpr[CopyConfig]):
    """Copies one tile of a matrix of `rows` x `columns` elements. `strides`: strides of the source. `pitch`: elements
    from one row of the copy to the next. `batch_strides`: elements from one matrix to the next, of both."""
    matrix = gl.program_id(1).to(gl.int64)
    tiles_along = gl.cdiv(columns, cfg.columns)
    row = gl.program_id(0) // tiles_along * cfg.rows
    column = gl.program_id(0) % tiles_along * cfg.columns
    from_rows, from_columns, offsets = offsets_in(row, column, strides, cfg.load, cfg)
    is_inside = (from_rows < rows) & (from_columns < columns)
    tile = gl.load(source + matrix * batch_strides[0] + offsets, mask=is_inside, other=0.0)
    to_rows, to_columns, offsets = offsets_in(row, column, (pitch, 1), cfg.store, cfg)
    is_inside = (to_rows < rows) & (to_columns < columns)
    gl.store(copy + matrix * batch_strides[1] + offsets, gl.convert_layout(tile, cfg.store), mask=is_inside)


def padded(operand: Operand, with_contiguous_rows: bool) -> Operand:
    """Returns the Operand of a padded copy of `operand`, with contiguous rows or with contiguous columns."""
    if not with_contiguous_rows:
        return padded(operand.transpose, True).transpose
    row = ROW_BYTES * 8 // operand.element_bits
    pitch = cdiv(operand.columns, row) * row
    return operand._replace(
        row_stride=pitch,
        column_stride=1,
        batch_stride=operand.rows * pitch if operand.batch > 1 else 0,
        misalignment=0,
    )


class PaddedCopy:
    """Makes padded copies of arrays whose matrices have the shape and strides of `source`."""

    def __init__(self, source: Operand, copy: Operand):
        if copy.column_stride != 1:  # the kernel copies the transpose
            source, copy = source.transpose, copy.transpose
        cfg = _TRANSPOSED if source.is_transposed else _IN_ORDER
        tiles = cdiv(source.rows, cfg.rows) * cdiv(source.columns, cfg.columns)
        self._launch = copy_padded[(tiles, source.batch)]
        self._size = (source.batch * source.rows * copy.row_stride,)
        #: Bytes that a copy reads, and bytes that it writes.
        self.bytes = source.batch * source.rows * source.columns * source.element_bits // 8
        self._arguments = (
            source.rows,
            source.columns,
            (source.row_stride, source.column_stride),
            copy.row_stride,
            (source.batch_stride, copy.batch_stride),
        )
        self._options = {"cfg": cfg, "num_warps": WARPS}
        self._dtype = source.dtype

    def of(self, array: Any) -> Any:
        """Returns a copy of `array`, as a vector of rows and the elements between the rows."""
        copy = empty_like(array, self._size, self._dtype)
        self._launch(array, copy, *self._arguments, **self._options)
        return copy


__all__ = ["PaddedCopy", "padded"]
