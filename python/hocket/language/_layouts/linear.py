"""Any layout as the linear map over F2 that it is."""

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
    """The layout that puts every element of a tile of `shape` where `layout` does, given by its bases over F2.

    A `DistributedLinearLayout` for a layout of registers, a `SharedLinearLayout` for one of shared memory. On the host
    and in kernels.

    Example:
        >>> linear = gl.to_linear_layout(gl.BlockedLayout([2], [4], [2], [0]), [16])
        >>> linear
        DistributedLinearLayout([[1]], [[2], [4]], [[8]], [], [16])

    Errors: TypeError for what is no layout; ValueError where the compiler has yet to find the layout, where `shape` is
    none of the layout's, and for padded layouts, of which no linear map exists.
    """
    if not isinstance(layout, Layout):
        raise TypeError(f"to_linear_layout needs a layout, got {layout!r}")
    if isinstance(layout, AutoLayout | CoalescedLayout):
        raise ValueError(
            f"to_linear_layout needs a layout that is decided, and the compiler has yet to find {layout!r}"
        )
    shape = check.tensor_shape("to_linear_layout", list(shape))
    bases = linear_bases(layout, shape)
    if isinstance(layout, DistributedLayout):
        return DistributedLinearLayout(*(bases[dim] for dim in ("register", "lane", "warp", "block")), shape)
    if bases["paddings"]:
        raise ValueError(f"{layout!r} has padding between its elements, so no linear map places them")
    return SharedLinearLayout(bases["offset"], bases["block"])
