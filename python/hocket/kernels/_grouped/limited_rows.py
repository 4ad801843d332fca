"""TMA descriptors whose last row the kernel chooses, for groups of rows of one array.

TMA reads elements outside a tensor as 0 and does not write them. The last tile of a group must not contain rows of the
next group, so for TMA the tensor must end where the group ends, which the host does not know. Descriptors of
`limited_form` have four dimensions. With s bytes between rows of the array, and addresses modulo 2^64:

    dimension       0             1      2      3
    stride          2^34 - s      s      s      one element
    size            any           any    2^30   number of columns
    coordinate      2^30          end    x      column               with x = 2^30 - (end - row)

The strides of dimensions 0 and 2 cancel out: 2^30 (2^34 - s) = -2^30 s, so x denotes row end + x - 2^30 of the array. A
row is inside the tensor if x < 2^30, which means that the row is before `end`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ... import jit
from ... import language as gl
from ...nvidia.hopper import DescriptorForm, TensorDescriptor
from .._matmul.host_nvidia import DTYPES

if TYPE_CHECKING:
    from .._matmul.operands import Operand

ROWS = gl.constexpr(1 << 30)


@jit
def coordinates(row, end, column):
    """Returns the coordinates of an element, for a tensor without the rows from `end` on."""
    return [ROWS, end, ROWS - (end - row), column]


def limited_form(array: Any, operand: Operand, rows: int, columns: int) -> DescriptorForm:
    """Returns a DescriptorForm of a matrix with contiguous rows, for TMA copies of `rows` x `columns` elements.

    The strides exceed the array, so TensorDescriptor gets an array without rows, whose memory it cannot check."""
    block = [1, 1, rows, columns]
    layout = gl.NVMMASharedLayout.get_default_for(block, DTYPES[operand.dtype])
    wrap = (1 << 34) * 8 // operand.element_bits - operand.row_stride
    most = (1 << 31) - 1
    shape, strides = [most, most, ROWS.value, operand.columns], [wrap, operand.row_stride, operand.row_stride, 1]
    return DescriptorForm(TensorDescriptor(array[:0], shape, strides, block, layout))


__all__ = ["ROWS", "coordinates", "limited_form"]
