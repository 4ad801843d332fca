"""Draws layouts: a tile as a grid of elements, coloured by the lane or by the memory bank that holds each."""

from __future__ import annotations

import re

from ..language._dtype import float32
from ..language._layout_views import linear_map
from ..language._layouts import DistributedLayout, SharedLayout
from .canvas import INK, MUTED, Canvas, Picture, gradient, wrapped
from .cells import Cell, Drawing, distributed_cells, shared_cells
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
_LEFT = 44  # room for the numbers of rows
_MIN_WIDTH = 420  # room for the legend of a small grid


def draw_layout(
    layout: Layout, shape: Sequence[int] | None = None, *, dtype: DType = float32, target: str = "sm_90a"
) -> Picture:
    """A picture of a tile of `shape` in `layout`.

    A distributed layout: a cell per element with its warp (w), lane (l) and register (r), coloured by lane. A shared
    layout: a cell per element with its offset in elements and its bank (b), coloured by bank; `dtype` and `target`
    decide how elements fall into banks and are ignored by distributed layouts. Without a shape, a small one that shows
    the layout's pattern is chosen. Of a large tile, the first 16 rows and 32 columns are drawn.

    Errors: ValueError if the shape does not fit the layout, or the layout has no map (AutoLayout).

    Example:
        >>> from hocket import language as gl, pictures
        >>> pictures.draw_layout(gl.SwizzledSharedLayout(4, 1, 8, [1, 0]), [8, 32]).save("swizzled.svg")
    """
    if not isinstance(layout, (DistributedLayout, SharedLayout)):
        raise TypeError(f"draw_layout takes a layout, got {layout!r}")
    shape = layout.natural_shape() if shape is None else list(shape)
    bases = linear_map(layout, shape)
    window = Window.of(shape)
    if isinstance(layout, DistributedLayout):
        drawing = distributed_cells(bases, window)
    else:
        drawing = shared_cells(bases, window, dtype, target)

    palette = dict(zip(drawing.colours, gradient(len(drawing.colours)), strict=True))
    canvas = Canvas()
    width = max(_LEFT + window.columns * _CELL_WIDTH, _MIN_WIDTH)
    y = _draw_heading(canvas, width, repr(layout), f"{window.describe()}; {drawing.facts}")
    y = _draw_grid(canvas, y + 12, window, drawing.cells, palette)
    _draw_legend(canvas, y + 18, width, drawing, palette)
    return canvas.finish(f"{layout!r} on {window.describe()}")


def _draw_heading(canvas: Canvas, width: float, title: str, facts: str) -> float:
    # A list of numbers stays on one line.
    title = re.sub(r"\[[^\[\]]*\]", lambda match: match[0].replace(" ", "\N{NO-BREAK SPACE}"), title)
    y = 0.0
    for text, size, bold, fill in ((title, _HEADING_SIZE, True, INK), (facts, _FACTS_SIZE, False, MUTED)):
        for line in wrapped(text, width, size):
            y += size + 4
            canvas.text(0, y - 3, line, size, fill, bold=bold)
    return y


def _draw_grid(
    canvas: Canvas, top: float, window: Window, cells: dict[tuple[int, int], Cell], palette: dict[int, str]
) -> float:
    height = 2 * _CELL_PADDING + _LINE_HEIGHT * len(cells[0, 0].lines)
    top += _LABEL_SIZE

    for column in range(window.columns):
        canvas.text(_LEFT + (column + 0.5) * _CELL_WIDTH, top - 4, str(column), _LABEL_SIZE, MUTED, "middle")
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
        canvas.cell(x, y, _CELL_WIDTH, height, palette[cell.colour], cell.title, lines)
    canvas.end_cells()
    _draw_edges(canvas, top, height, window, cells)
    return top + window.rows * height


def _draw_edges(canvas: Canvas, top: float, height: float, window: Window, cells: dict[tuple[int, int], Cell]) -> None:
    """A hair line inside a group of cells, a white line between groups, a thick line between the groups of groups."""
    strokes: dict[str, list] = {"hair": [], "white": [], "thick": [], "gap": []}
    for (row, column), cell in cells.items():
        x, y = _LEFT + column * _CELL_WIDTH, top + row * height
        right, bottom = x + _CELL_WIDTH, y + height
        if column + 1 < window.columns:
            strokes[cell.edge_to(cells[row, column + 1])].append((right, y, right, bottom))
        if row + 1 < window.rows:
            strokes[cell.edge_to(cells[row + 1, column])].append((x, bottom, right, bottom))
        if cell.before_gap:
            strokes["gap"].append((right - 2.5, y + 3, right - 2.5, bottom - 3))
    canvas.lines(strokes["hair"], "#ffffff", 1, 0.35)
    canvas.lines(strokes["white"], "#ffffff", 2, 1)
    canvas.lines(strokes["thick"], INK, 2.5, 1)
    canvas.lines(strokes["gap"], "#c2410c", 3, 1)


def _draw_legend(canvas: Canvas, y: float, width: float, drawing: Drawing, palette: dict[int, str]) -> None:
    baseline = y + _SWATCH - 2
    numbers = list(palette)
    canvas.text(_LEFT - 6, baseline, f"{drawing.colour_name} {numbers[0]}", _KEY_SIZE, MUTED, "end")
    for index, colour in enumerate(palette.values()):
        # Half a unit wider, or else the background shines through between two of them.
        canvas.rect(_LEFT + index * _SWATCH, y, _SWATCH + 0.5, _SWATCH, colour)
    if len(numbers) > 1:
        canvas.text(_LEFT + len(numbers) * _SWATCH + 5, baseline, str(numbers[-1]), _KEY_SIZE, MUTED)
    for line in wrapped(drawing.key, width, _KEY_SIZE):
        baseline += 16
        canvas.text(0, baseline, line, _KEY_SIZE, MUTED)
