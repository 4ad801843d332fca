"""Reorders elements along an axis: sort, topk, flip."""

from __future__ import annotations

from ._along import checked_axis, indices_along, is_axis
from ._builtin import written_in_language
from ._constexpr import constexpr, constexpr_function
from ._control import static_range
from ._debug import static_assert
from ._elementwise import where
from ._gather import gather

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._tensor import tensor

__all__ = ["flip", "sort", "topk"]


@constexpr_function
def _axis_of(function, axis, rank):
    """Returns the result of `checked_axis`; None means the last axis."""
    return checked_axis(function, -1 if axis is None else axis, rank)


@constexpr_function
def _bits(size):
    return size.bit_length() - 1


@written_in_language
def _precedes(a, b, descending):
    """Returns True if a sorts strictly before b. NaN is larger than all numbers."""
    if descending:
        return (a > b) | ((a != a) & (b == b))
    return (a < b) | ((b != b) & (a == a))


@written_in_language
def sort(x: tensor, dim: constexpr = None, descending: constexpr = False) -> tensor:
    """Sorts the elements in ascending order along `dim`, by default the last dimension.

    The implementation is a bitonic sorting network with about log2(n) ** 2 / 2 compare-exchange steps. NaN is larger
    than all numbers.

    Args:
        descending: whether the largest element comes first.

    Returns:
        A tensor with the shape, layout and dtype of `x`.

    Example:
        >>> gl.sort(i * 3 % 4)
        [0, 1, 2, 3]
        >>> gl.sort(t % 3, descending=True)
        [[2, 1, 0, 0], [2, 1, 1, 0]]
        >>> gl.sort(t % 3, 0)
        [[0, 1, 0, 0], [1, 2, 2, 1]]
    """
    axis: constexpr = _axis_of("gl.sort", dim, len(x.shape))
    static_assert(is_axis(axis), axis)
    bits: constexpr = _bits(x.shape[axis])
    index = indices_along(x, axis, x.shape[axis])
    for length in static_range(1, bits + 1):
        for step in static_range(length):
            distance: constexpr = 1 << (length - 1 - step)
            other = gather(x, index ^ distance, axis)
            # Adjacent runs of 2 ** length elements are sorted in opposite directions, so two adjacent runs form a
            # bitonic sequence.
            takes_first = ((index & distance) == 0) ^ (((index >> length) & 1) == 1)
            x = where(takes_first, _first(x, other, descending), _last(x, other, descending))
    return x


@written_in_language
def _first(x, other, descending):
    return where(_precedes(other, x, descending), other, x)


@written_in_language
def _last(x, other, descending):
    return where(_precedes(x, other, descending), other, x)


@constexpr_function
def _is_count(k, size):
    return type(k) is int and 1 <= k <= size and k & (k - 1) == 0


@written_in_language
def topk(x: tensor, k: constexpr, dim: constexpr = None) -> tensor:
    """Returns the `k` largest elements along `dim`, by default the last dimension, in descending order.

    Args:
        k: a power of two, at most the size of the axis.

    Returns:
        A tensor with the layout and dtype of `x`, of size k along the axis.

    Example:
        >>> gl.topk(i * 3 % 4, 2)
        [3, 2]
        >>> gl.topk(t % 3, 2)
        [[2, 1], [2, 1]]
    """
    axis: constexpr = _axis_of("gl.topk", dim, len(x.shape))
    static_assert(is_axis(axis), axis)
    static_assert(_is_count(k, x.shape[axis]), "gl.topk: k must be a power of two and at most the size of the axis")
    ordered = sort(x, axis, True)
    return gather(ordered, indices_along(ordered, axis, k), axis)


@written_in_language
def flip(x: tensor, dim: constexpr = None) -> tensor:
    """Reverses the elements along `dim`, by default the last dimension.

    Returns:
        A tensor with the shape, layout and dtype of `x`.

    Example:
        >>> gl.flip(i)
        [3, 2, 1, 0]
        >>> gl.flip(t, 0)
        [[4, 5, 6, 7], [0, 1, 2, 3]]
    """
    axis: constexpr = _axis_of("gl.flip", dim, len(x.shape))
    static_assert(is_axis(axis), axis)
    last: constexpr = x.shape[axis] - 1
    return gather(x, last - indices_along(x, axis, x.shape[axis]), axis)
