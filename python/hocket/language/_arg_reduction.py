"""Indices of the largest and smallest elements."""

from __future__ import annotations

from ._along import checked_axis, index_along, indices_along, is_axis
from ._builtin import written_in_language
from ._constexpr import constexpr
from ._control import static_range
from ._creation import zeros
from ._debug import static_assert
from ._dtype import int32
from ._elementwise import where
from ._reduction import reduce
from ._shape import broadcast_to

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._tensor import tensor

__all__ = ["argmax", "argmin"]


@written_in_language
def _later(a, i, b, j):
    """Returns True if a reduction prefers element b with index j to element a with index i, although b is not larger or
    smaller: if a is NaN and b is a number, or if a and b are equal and i > j."""
    is_nan = a != a
    other_is_nan = b != b
    return (is_nan & (b == b)) | (((a == b) | (is_nan & other_is_nan)) & (i > j))


@written_in_language
def _larger(a, i, b, j):
    takes_b = (b > a) | _later(a, i, b, j)
    return where(takes_b, b, a), where(takes_b, j, i)


@written_in_language
def _smaller(a, i, b, j):
    takes_b = (b < a) | _later(a, i, b, j)
    return where(takes_b, b, a), where(takes_b, j, i)


@written_in_language
def _position(input, axis, combine, keep_dims, tie_break_left, name):
    static_assert(tie_break_left, "the lowest index wins a tie: leave out tie_break_left")
    if axis is None:
        index = zeros([1] * len(input.shape), int32, input.type.layout)
        for axis_of_index in static_range(len(input.shape)):
            size: constexpr = input.shape[axis_of_index]
            index = index * size + index_along(input, axis_of_index, size)
        _, position = reduce((input, broadcast_to(index, input.shape)), None, combine, keep_dims)
        return position
    dim: constexpr = checked_axis(name, axis, len(input.shape))
    static_assert(is_axis(dim), dim)
    _, position = reduce((input, indices_along(input, dim, input.shape[dim])), dim, combine, keep_dims)
    return position


@written_in_language
def argmax(
    input: tensor, axis: constexpr = None, tie_break_left: constexpr = True, keep_dims: constexpr = False
) -> tensor:
    """Returns the index of the largest element along `axis`. If `axis` is None, returns the row-major index of the
    largest element of `input`.

    Among equal elements, the lowest index wins. NaNs are ignored, except where all elements are NaN.

    Args:
        tie_break_left: must be True: the lowest index wins a tie.
        keep_dims: whether the result keeps the axis, with size 1.

    Returns:
        An int32 tensor, or a scalar if no dimension remains.

    Example:
        >>> gl.argmax(t % 3, axis=1)
        [2, 1]
        >>> gl.argmax(i * (3 - i))
        1
        >>> gl.argmax(t, axis=0, keep_dims=True)
        [[1, 1, 1, 1]]
    """
    return _position(input, axis, _larger, keep_dims, tie_break_left, "gl.argmax")


@written_in_language
def argmin(
    input: tensor, axis: constexpr = None, tie_break_left: constexpr = True, keep_dims: constexpr = False
) -> tensor:
    """Returns the index of the smallest element along `axis`. If `axis` is None, returns the row-major index of the
    smallest element of `input`.

    Among equal elements, the lowest index wins. NaNs are ignored, except where all elements are NaN.

    Args:
        tie_break_left: must be True: the lowest index wins a tie.
        keep_dims: whether the result keeps the axis, with size 1.

    Returns:
        An int32 tensor, or a scalar if no dimension remains.

    Example:
        >>> gl.argmin(t % 3, axis=1)
        [0, 2]
        >>> gl.argmin(i * (3 - i))
        0
    """
    return _position(input, axis, _smaller, keep_dims, tie_break_left, "gl.argmin")
