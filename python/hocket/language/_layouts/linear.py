"""Conversion of layouts to linear layouts."""

from __future__ import annotations

from .._constexpr import constexpr_function
from . import checks as check
from .base import DistributedLayout, Layout
from .distributed import AutoLayout, CoalescedLayout, DistributedLinearLayout
from .maps import linear_bases
from .shared import SharedLinearLayout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["to_linear_layout"]


@constexpr_function
def to_linear_layout(layout: Layout, shape: Sequence[int]) -> DistributedLinearLayout | SharedLinearLayout:
    """Converts `layout`, for a tile of `shape`, to an equivalent layout that is given by basis vectors over F2.

    The result is a `DistributedLinearLayout` for a layout in registers, and a `SharedLinearLayout` for a layout in
    shared memory. The function can be called on the host and in kernels.

    Example:
        >>> linear = gl.to_linear_layout(gl.BlockedLayout([2], [4], [2], [0]), [16])
        >>> linear
        DistributedLinearLayout([[1]], [[2], [4]], [[8]], [], [16])

    Errors: TypeError if `layout` is not a layout; ValueError if the compiler has yet to infer the layout, if `shape`
    does not fit the layout, and for padded layouts, which are not linear.
    """
    if not isinstance(layout, Layout):
        raise TypeError(f"to_linear_layout needs a layout, got {layout!r}")
    if isinstance(layout, AutoLayout | CoalescedLayout):
        raise ValueError(f"to_linear_layout needs a known layout, but the compiler infers {layout!r} later")
    shape = check.tensor_shape("to_linear_layout", list(shape))
    bases = linear_bases(layout, shape)
    if isinstance(layout, DistributedLayout):
        return DistributedLinearLayout(*(bases[dim] for dim in ("register", "lane", "warp", "block")), shape)
    if bases["paddings"]:
        raise ValueError(f"{layout!r} has padding between its elements, so its offsets are not linear")
    return SharedLinearLayout(bases["offset"], bases["block"])
