"""Element indices along one axis of a tensor, for library functions that are written in the language."""

from __future__ import annotations

from ._builtin import written_in_language
from ._constexpr import constexpr, constexpr_function
from ._control import static_range
from ._creation import arange
from ._shape import broadcast_to, expand_dims

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._tensor import tensor


@constexpr_function
def checked_axis(function, axis, rank):
    """Returns a nonnegative axis, or the text of an error. None means the only axis of a tensor of rank 1."""
    if axis is None:
        if rank == 1:
            return 0
        return f"{function} needs an axis: the tensor has {rank} dimensions"
    if type(axis) is not int or not -rank <= axis < rank:
        shown = axis.__name__ if isinstance(axis, type) else repr(axis)
        return f"{function}: the axis must be from {-rank} to {rank - 1}, not {shown}"
    return axis % rank


@constexpr_function
def is_axis(axis):
    return type(axis) is int


@constexpr_function
def _layout_along(layout, rank, axis):
    """Returns the one-dimensional layout that `expand_dims` turns into `layout`."""
    from ._layouts import AutoLayout, CoalescedLayout, SliceLayout

    if isinstance(layout, AutoLayout | CoalescedLayout):
        return AutoLayout()
    for dim in reversed(range(rank)):
        if dim != axis:
            layout = SliceLayout(dim, layout)
    return layout


@written_in_language
def index_along(x: tensor, axis: constexpr, size: constexpr) -> tensor:
    """Returns the int32 indices 0 to `size` - 1 along `axis`, in the layout of `x`. All other dimensions of the result
    have size 1."""
    rank: constexpr = len(x.shape)
    index = arange(0, size, _layout_along(x.type.layout, rank, axis))
    for dim in static_range(rank):
        if dim != axis:
            index = expand_dims(index, dim)
    return index


@constexpr_function
def _with_size(shape, axis, size):
    return [*shape[:axis], size, *shape[axis + 1 :]]


@written_in_language
def indices_along(x: tensor, axis: constexpr, size: constexpr) -> tensor:
    """Returns the result of `index_along`, broadcast to the shape of `x` in all dimensions except `axis`."""
    return broadcast_to(index_along(x, axis, size), _with_size(x.shape, axis, size))
