"""The blocked layout that most one-dimensional tensors use."""

from __future__ import annotations

from ._builtin import written_in_language
from ._constexpr import constexpr, constexpr_function
from ._grid import num_lanes, num_warps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._layouts import BlockedLayout

__all__ = ["row_layout"]


@constexpr_function
def _blocked(elements, lanes, warps):
    from ._layouts import BlockedLayout  # imported on first use, because the import of dataclasses is slow

    return BlockedLayout([elements], [lanes], [warps], [0])


@written_in_language
def row_layout(size_per_thread: constexpr = 1) -> BlockedLayout:
    """Returns a one-dimensional layout over all lanes and warps, with `size_per_thread` consecutive elements per lane.

    Equivalent to `gl.BlockedLayout([size_per_thread], [gl.num_lanes()], [gl.num_warps()], [0])`.

    Args:
        size_per_thread: a power of two. An access has up to 16 bytes: 4 elements of float32, 8 of float16.

    Example:
        >>> layout: gl.constexpr = gl.row_layout(2)
        >>> gl.arange(0, 4, layout)
        [0, 1, 2, 3]
    """
    return _blocked(size_per_thread, num_lanes(), num_warps())
