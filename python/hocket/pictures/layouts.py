"""Draws layouts: a tile as a grid of elements, colored by the lane or memory bank that holds the element."""

from __future__ import annotations

import re

from ..language._dtype import float16, float32, float64, int8
from ..language._layouts import DistributedLayout, SharedLayout
from ..language._layouts.checks import integers
from ..language._layouts.maps import linear_map
from .canvas import Canvas, Picture
from .cells import Cell, Drawing, distributed_cells, first_element_of, shared_cells
from .palette import ALERT, CARD, INK, MUTED, faint, gradient
from .window import Window

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..language._dtype import dtype as DType
    from ..language._layouts import Layout

_CELL_WIDTH = 34
_LINE_HEIGHT = 10.5
_CELL_PADDING = 3.5
_LABEL_SIZE = 9
_HEADING_SIZE = 12
_FACTS_SIZE = 11
_KEY_SIZE = 10
_SWATCH = 11
_LEFT = 44  # width of the column with row numbers
_OF_BITS = {8: int8, 16: float16, 32: float32, 64: float64}
_MIN_WIDTH = 420  # smallest width of the picture, so that the legend fits below a small grid


def draw_layout(
    layout: Layout,
    shape: Sequence[int] | None = None,
    *,
    dtype: DType | None = None,
    target: str = "sm_90a",
    origin: Sequence[int] | None = None,
    size: tuple[int, int] | None = None,
    warp: int | None = None,
) -> Picture:
    """Draws the elements of a tile of `shape` in `layout`.

    Each element has a cell. For a distributed layout, the cell shows the warp (w), lane (l) and register (r) of the
    element, and the color represents the lane. For a shared layout, the cell shows the offset in elements and the bank
    (b), and the color represents the bank. The default shape of the tile is small, and shows the layout's pattern.

    Args:
        layout: a layout of registers or of shared memory.
        shape: shape of the tile.
        dtype: dtype of the elements in shared memory, which determines the bank of each element; ignored for
            distributed layouts. The default is the element type of the layout (`NVMMASharedLayout`), or float32.
        target: the target whose banks are drawn.
        origin: the first element that is drawn, a coordinate for each dimension. The default is the first element of
            the tile, or of `warp`.
        size: largest number of rows and columns that are drawn, 16 x 32 by default.
        warp: the warp whose elements are drawn with text and in full colors; None for all warps.

    Raises:
        ValueError: the shape or the dtype does not fit the layout, the layout has no map (AutoLayout), or there is no
            such warp or element.

    Example:
        >>> from hocket import language as gl, pictures
        >>> pictures.draw_layout(gl.SwizzledSharedLayout(4, 1, 8, [1, 0]), [8, 32]).save("swizzled.svg")
    """
    if not isinstance(layout, (DistributedLayout, SharedLayout)):
        raise TypeError(f"draw_layout takes a layout, got {layout!r}")
    shape = layout.natural_shape() if shape is None else integers("draw_layout", "shape", shape)
    bases = linear_map(layout, shape)
    if isinstance(layout, DistributedLayout):
        if warp is not None:
            first = first_element_of(bases, warp)
            origin = first if origin is None else origin
        window = Window.of(shape, origin, size)
        drawing = distributed_cells(bases, window, warp)
    else:
        if warp is not None:
            raise ValueError(f"warp is for distributed layouts, and {layout!r} is a layout of shared memory")
        window = Window.of(shape, origin, size)
        drawing = shared_cells(bases, window, _element_type(layout, dtype), target)

    palette = dict(zip(drawing.colors, gradient(len(drawing.colors)), strict=True))
    canvas = Canvas()
    width = max(_LEFT + window.columns * _CELL_WIDTH, _MIN_WIDTH)
    y = _draw_heading(canvas, width, repr(layout), f"{window.describe()}; {drawing.facts}")
    y = _draw_grid(canvas, y + 12, window, drawing.cells, palette)
    _draw_legend(canvas, y + 18, width, drawing, palette)
    return canvas.finish(f"{layout!r} on {window.describe()}")


def _element_type(layout: SharedLayout, dtype: DType | None) -> DType:
    """Returns the element type for a shared layout. Raises: ValueError if `dtype` does not fit the layout's
    element_bitwidth."""
    bits = getattr(layout, "element_bitwidth", None)
    if dtype is None:
        return _OF_BITS[bits] if bits else float32
    if bits and dtype.primitive_bitwidth != bits:
        raise ValueError(f"{layout!r} is for elements of {bits} bits; {dtype.name} has {dtype.primitive_bitwidth}")
    return dtype


def _draw_heading(canvas: Canvas, width: float, title: str, facts: str) -> float:
    # Spaces in a list of numbers become no-break spaces, so the list stays on one line.
    title = re.sub(r"\[[^\[\]]*\]", lambda match: match[0].replace(" ", "\N{NO-BREAK SPACE}"), title)
    y = canvas.paragraph(_HEADING_SIZE, title, width, _HEADING_SIZE, INK, bold=True)
    return canvas.paragraph(y, facts, width, _FACTS_SIZE) - _FACTS_SIZE


def _draw_grid(
    canvas: Canvas, top: float, window: Window, cells: dict[tuple[int, int], Cell], palette: dict[int, str]
) -> float:
    height = 2 * _CELL_PADDING + _LINE_HEIGHT * max(len(cell.lines) for cell in cells.values())
    top += _LABEL_SIZE

    for column in range(window.columns):
        canvas.text(
            _LEFT + (column + 0.5) * _CELL_WIDTH, top - 4, window.column_label(column), _LABEL_SIZE, MUTED, "middle"
        )
    for row in range(window.rows):
        y = top + (row + 0.5) * height + 3
        canvas.text(_LEFT - 6, y, window.row_label(row), _LABEL_SIZE, MUTED, "end")

    canvas.begin_cells()
    for (row, column), cell in cells.items():
        x, y = _LEFT + column * _CELL_WIDTH, top + row * height
        lines = [
            (y + _CELL_PADDING + (number + 0.8) * _LINE_HEIGHT, line, number == cell.bold_line)
            for number, line in enumerate(cell.lines)
        ]
        fill = faint(palette[cell.color]) if cell.is_faint else palette[cell.color]
        canvas.cell(x, y, _CELL_WIDTH, height, fill, cell.title, lines)
    canvas.end_cells()
    _draw_edges(canvas, top, height, window, cells)
    return top + window.rows * height


def _draw_edges(canvas: Canvas, top: float, height: float, window: Window, cells: dict[tuple[int, int], Cell]) -> None:
    """Draws thin lines between the cells of a group, white lines between groups, and thick lines between blocks."""
    strokes: dict[str, list] = {"hair": [], "white": [], "thick": [], "gap": []}
    for (row, column), cell in cells.items():
        x, y = _LEFT + column * _CELL_WIDTH, top + row * height
        right, bottom = x + _CELL_WIDTH, y + height
        if (row, column + 1) in cells:
            strokes[cell.edge_to(cells[row, column + 1])].append((right, y, right, bottom))
        if (row + 1, column) in cells:
            strokes[cell.edge_to(cells[row + 1, column])].append((x, bottom, right, bottom))
        if cell.before_gap:
            strokes["gap"].append((right - 2.5, y + 3, right - 2.5, bottom - 3))
    canvas.lines(strokes["hair"], CARD, 1, 0.35)
    canvas.lines(strokes["white"], CARD, 2, 1)
    canvas.lines(strokes["thick"], INK, 2.5, 1)
    canvas.lines(strokes["gap"], ALERT, 3, 1)
    if len(cells) == window.rows * window.columns:
        canvas.frame(_LEFT, top, window.columns * _CELL_WIDTH, window.rows * height)


def _draw_legend(canvas: Canvas, y: float, width: float, drawing: Drawing, palette: dict[int, str]) -> None:
    baseline = y + _SWATCH - 2
    numbers = list(palette)
    canvas.text(_LEFT - 6, baseline, f"{drawing.color_name} {numbers[0]}", _KEY_SIZE, MUTED, "end")
    for index, color in enumerate(palette.values()):
        # Each box is half a unit wider and overlaps the next box. Without this overlap, the background would be visible
        # between adjacent boxes.
        canvas.rect(_LEFT + index * _SWATCH, y, _SWATCH + 0.5, _SWATCH, color)
    canvas.frame(_LEFT, y, len(numbers) * _SWATCH + 0.5, _SWATCH)
    if len(numbers) > 1:
        canvas.text(_LEFT + len(numbers) * _SWATCH + 5, baseline, str(numbers[-1]), _KEY_SIZE, MUTED)
    canvas.paragraph(baseline + 16, drawing.key, width, _KEY_SIZE)
