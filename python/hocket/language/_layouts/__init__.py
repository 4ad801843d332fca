"""Layouts: which lane's which register, or which offset of shared memory, holds each element of a tile.

A distributed layout places a tile in registers, a shared layout places it in shared memory. All are plain values:
compare them, print them, build them with `constexpr_function`s. The compiler turns each into a linear map over F2.

    base         equality, hash and text of all layouts
    distributed  layouts in registers
    shared       layouts in shared memory
    nvidia, amd  layouts of matrix instructions, TMA and mbarriers
    maps, linear any layout as the linear map that it is
    views        layouts as text

Nothing here knows how to draw a layout: `hocket.pictures` registers that with `hocket._display`.
"""

from .base import DistributedLayout, Layout, SharedLayout
from .distributed import (
    AutoLayout,
    BlockedLayout,
    CoalescedLayout,
    DistributedLinearLayout,
    DotOperandLayout,
    SliceLayout,
    make_cga_layout,
    warps_per_cta,
)
from .linear import to_linear_layout
from .shared import PaddedSharedLayout, SharedLinearLayout, SwizzledSharedLayout

__all__ = [
    "AutoLayout",
    "BlockedLayout",
    "CoalescedLayout",
    "DistributedLayout",
    "DistributedLinearLayout",
    "DotOperandLayout",
    "Layout",
    "PaddedSharedLayout",
    "SharedLayout",
    "SharedLinearLayout",
    "SliceLayout",
    "SwizzledSharedLayout",
    "make_cga_layout",
    "to_linear_layout",
    "warps_per_cta",
]
