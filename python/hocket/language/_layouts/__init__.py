"""Layouts: mappings from the elements of a tile to registers of lanes, or to offsets in shared memory.

A distributed layout maps a tile to registers, and a shared layout maps a tile to shared memory. Layouts are plain
values: they can be compared, printed, and built by `constexpr_function`s. The compiler converts each layout to a linear
map over F2.

    base         equality, hash and text of all layouts
    distributed  layouts in registers
    shared       layouts in shared memory
    nvidia, amd  layouts of matrix instructions, TMA and mbarriers
    maps, linear conversion of any layout to a linear map
    views        layouts as text

This package cannot draw layouts: `hocket.pictures` registers its drawing functions with `hocket._display`.
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
