"""Joins two tensors into one: concatenated or interleaved."""

from __future__ import annotations

from ._along import checked_axis, is_axis
from ._builtin import written_in_language
from ._constexpr import constexpr, constexpr_function
from ._debug import static_assert
from ._shape import join, permute, reshape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._tensor import tensor

__all__ = ["cat", "interleave"]


@constexpr_function
def _pair_before(rank, axis):
    """Returns the permutation that moves the last dimension, which holds the two elements of a pair, before `axis`."""
    return [*range(axis), rank, *range(axis, rank)]


@constexpr_function
def _doubled(shape, axis):
    return [*shape[:axis], 2 * shape[axis], *shape[axis + 1 :]]


@written_in_language
def cat(input: tensor, other: tensor, can_reorder: constexpr = False, dim: constexpr = 0) -> tensor:
    """Concatenates two tensors along dimension `dim`.

    Both tensors must have equal shapes, dtypes and layouts. The layout of the result is inferred and no data moves;
    `gl.convert_layout` changes the layout.

    Args:
        can_reorder: accepted for compatibility; elements always keep their order.

    Example:
        >>> gl.cat(i, i + 4)
        [0, 1, 2, 3, 4, 5, 6, 7]
        >>> gl.cat(t, t * 10, dim=1)
        [[0, 1, 2, 3, 0, 10, 20, 30], [4, 5, 6, 7, 40, 50, 60, 70]]
    """
    axis: constexpr = checked_axis("gl.cat", dim, len(input.shape))
    static_assert(is_axis(axis), axis)
    pairs = permute(join(input, other), _pair_before(len(input.shape), axis))
    return reshape(pairs, _doubled(input.shape, axis))


@written_in_language
def interleave(a: tensor, b: tensor) -> tensor:
    """Interleaves the elements of two tensors along the last axis.

    Both tensors must have equal shapes, dtypes and layouts. The layout of the result is inferred and no data moves;
    `gl.convert_layout` changes the layout.

    Example:
        >>> gl.interleave(i, i * 10)
        [0, 0, 1, 10, 2, 20, 3, 30]
    """
    return reshape(join(a, b), _doubled(a.shape, len(a.shape) - 1))
