"""A small tile that shows a layout's pattern, for a picture whose shape was not given."""

from __future__ import annotations

from math import prod

from ..language.amd.layouts import AMDMFMALayout
from ..language.layouts import (
    BlockedLayout,
    DotOperandLayout,
    Layout,
    SliceLayout,
    SwizzledSharedLayout,
)

# Columns of a shared tile: 32 float32 fill every bank of most GPUs once.
_ROW = 32
_ROWS = 8
# Along K, the dimension that the operands of a dot share.
_K = 4
_WAVE = 64


def natural_shape(layout: Layout) -> list[int]:
    """One tile of the layout: what it covers before it repeats. ValueError if it has none."""
    if isinstance(layout, BlockedLayout):
        return [
            prod(sizes)
            for sizes in zip(layout.size_per_thread, layout.threads_per_warp, layout.warps_per_cta, strict=True)
        ]
    if isinstance(layout, SliceLayout):
        shape = natural_shape(layout.parent)
        return shape[: layout.dim] + shape[layout.dim + 1 :]
    if isinstance(layout, DotOperandLayout):
        shape = natural_shape(layout.parent)
        shape[-1 if layout.operand_index == 0 else -2] = _depth(layout)
        return shape
    if isinstance(layout, AMDMFMALayout):
        results = [1] * (layout.rank - 2) + layout.instr_shape[:2]
        tiles = layout.tiles_per_warp or [1] * layout.rank
        return [prod(sizes) for sizes in zip(results, tiles, layout.warps_per_cta, strict=True)]
    if isinstance(layout, SwizzledSharedLayout):
        shape = [1] * layout.rank
        shape[layout.order[0]] = max(_ROW, layout.vec * layout.max_phase)
        if layout.rank > 1:
            shape[layout.order[1]] = max(_ROWS, layout.per_phase * layout.max_phase)
        return shape
    shape = getattr(layout, "shape", None)
    if shape is None:
        raise ValueError(f"{layout!r} does not imply a shape; give the shape to draw")
    return list(shape)


def _depth(operand: DotOperandLayout) -> int:
    """Elements along K before the operand repeats."""
    if isinstance(operand.parent, AMDMFMALayout):
        return _WAVE // max(operand.parent.instr_shape[:2]) * operand.k_width
    return _K * max(operand.k_width, 1)
