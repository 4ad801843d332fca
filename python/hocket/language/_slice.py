"""`gl.slice`: a part of a tensor, in the same registers."""

from __future__ import annotations

from ._builtin import written_in_language
from ._constexpr import constexpr, constexpr_function
from ._control import static_range
from ._debug import static_assert
from ._shape import convert_layout, permute, reshape, split

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._tensor import tensor

__all__ = ["slice"]


def _tile(layout, shape):
    """Returns the extents of the part of a tensor that all lanes and warps hold in one repetition of the layout. A
    slice whose sizes and offsets are multiples of these extents moves no data."""
    from ._layouts import to_linear_layout

    linear = to_linear_layout(layout, shape)
    across = [*linear.lane_bases, *linear.warp_bases, *linear.block_bases]
    return [1 << max((row[dim].bit_length() for row in across), default=0) for dim in range(len(shape))]


@constexpr_function
def _objection(shape, layout, extents, offsets):
    """Returns an error message for the arguments of `slice`, or "" if they are valid."""

    def counts(given):
        return isinstance(given, tuple | list) and len(given) == len(shape) and all(type(n) is int for n in given)

    if not (counts(extents) and counts(offsets)):
        return f"gl.slice takes an extent and an offset for each of {len(shape)} dimensions, not {extents}, {offsets}"
    tile = _tile(layout, shape)
    for dim, (size, extent, offset) in enumerate(zip(shape, extents, offsets, strict=True)):
        unit = min(tile[dim], size)
        if extent < 1 or extent & (extent - 1) or extent % unit:
            return f"gl.slice: the extent {extent} of dimension {dim} must be a power of two, {unit} or more"
        if extent > size:
            return f"gl.slice: the extent {extent} of dimension {dim} is more than the tensor has, {size}"
        if offset % extent or not 0 <= offset <= size - extent:
            return (
                f"gl.slice: the offset {offset} of dimension {dim} must be a multiple of the extent {extent}, at most "
                f"{size - extent}"
            )
    return ""


@constexpr_function
def _halved(shape, dim):
    """Returns `shape` with dimension `dim` split into a dimension of size 2, which selects the half, and a dimension of
    half the size."""
    return [*shape[:dim], 2, shape[dim] // 2, *shape[dim + 1 :]]


@constexpr_function
def _halves_last(rank, dim):
    """Returns the permutation that moves dimension `dim` to the end."""
    return [*range(dim), *range(dim + 1, rank + 1), dim]


@constexpr_function
def _steps(size, extent):
    return (size // extent).bit_length() - 1


@written_in_language
def slice(x: tensor, shape: constexpr, offsets: constexpr) -> tensor:
    """Returns the part of a tensor that begins at `offsets`, in the layout of `x`. No data moves.

    Args:
        x: a tensor with a layout.
        shape: the extent of each dimension, a power of two and a multiple of the extent that all lanes and warps hold
            in one repetition of the layout.
        offsets: the beginning of the part along each dimension: constants, each a multiple of the part's extent along
            this dimension.

    Returns:
        A tensor of `shape` with the dtype and layout of `x`.

    Example:
        >>> tile = gl.full([2 * gl.num_lanes() * gl.num_warps()], 7, gl.int32, L)
        >>> half = gl.slice(tile, [gl.num_lanes() * gl.num_warps()], [0])
        >>> gl.max(half)
        7
    """
    objection: constexpr = _objection(x.shape, x.type.layout, shape, offsets)
    static_assert(objection == "", objection)
    part = x
    for dim in static_range(len(shape)):
        for step in static_range(_steps(x.shape[dim], shape[dim])):
            halves = permute(reshape(part, _halved(part.shape, dim)), _halves_last(len(shape), dim))
            low, high = split(halves)
            part = high if (offsets[dim] * 2 ** (step + 1) // x.shape[dim]) % 2 == 1 else low
    return convert_layout(part, x.type.layout, assert_trivial=True)
