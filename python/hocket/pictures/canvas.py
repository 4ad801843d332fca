"""Draws SVG pictures: a canvas collects elements, and draws them on a card, a background that encloses all elements.

Pictures appear on light and on dark pages. Style sheets of a page must not change a picture. Therefore the card has a
background, and every style is an attribute of its element.
"""

from __future__ import annotations

import os
import pathlib
from xml.sax.saxutils import escape, quoteattr

from .palette import CARD, CARD_EDGE, HATCH, HATCH_NARROW, INK, MUTED, ink_on
from .saving import SHRINKS_TO_PAGE, write_picture
from .text_metrics import MONO_ADVANCE, text_width, wrapped

_MARGIN = 14

CELL_TEXT_SIZE = 9.5
_BOLD = ' font-weight="700"'
#: `_HATCH_STEP`: distance between two lines of a hatched box. `_HATCHED_WIDTH`: smallest width of a box that is
#: hatched.
_HATCH_STEP, _HATCHED_WIDTH = 4.0, 4.0


class Picture:
    """An SVG drawing. Jupyter shows the drawing, and `save` writes the drawing to a file."""

    def __init__(self, svg: str, label: str = "picture"):
        self.svg = svg
        self.label = label

    def _repr_html_(self) -> str:
        """Returns the SVG as inline HTML. With `_repr_svg_`, exported notebooks would contain an image, without
        tooltips."""
        return self.svg

    def save(self, path: str | os.PathLike) -> None:
        """Writes the picture to `path`, in the format of its suffix: .svg, .html, .png or .pdf.

        PNG needs the package resvg-py or cairosvg (`pip install "hocket[pictures]"`), PDF needs cairosvg.

        Raises:
            ValueError: the suffix is not one of these four.
            ImportError: the package that writes the format is not installed; the message names the package.
        """
        write_picture(self.svg, self.label, pathlib.Path(path))

    def __repr__(self) -> str:
        return f"<Picture, {len(self.svg)} bytes of SVG>"


class Canvas:
    """Collects SVG elements. `finish` draws the elements on a card that encloses all of them."""

    def __init__(self):
        self._elements: list[str] = []
        self._left = self._right = self._bottom = 0.0

    def rect(self, x: float, y: float, width: float, height: float, fill: str) -> None:
        self._reach(x + width, y + height)
        self._elements.append(f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" fill="{fill}"/>')

    def frame(self, x: float, y: float, width: float, height: float, stroke: str = MUTED, thickness: float = 1) -> None:
        """Draws the outline of a box."""
        self._elements.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" fill="none" stroke="{stroke}" '
            f'stroke-width="{thickness:g}"/>'
        )

    def text(
        self, x: float, y: float, text: str, size: float, fill: str = INK, anchor: str = "start", bold: bool = False
    ) -> None:
        """Draws a line of text; `y` is the base line, `anchor` "start", "middle" or "end"."""
        width = text_width(text, size, bold)
        left = x - {"start": 0, "middle": width / 2, "end": width}[anchor]
        self._left = min(self._left, left)
        self._reach(left + width, y)
        self._elements.append(
            f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" fill="{fill}" text-anchor="{anchor}"'
            f"{_BOLD if bold else ''}>{escape(text)}</text>"
        )

    def paragraph(self, y: float, text: str, width: float, size: float, fill: str = MUTED, bold: bool = False) -> float:
        """Draws a text in lines of at most `width`, from the left edge. `y` is the first base line. Returns the next
        base line."""
        for line in wrapped(text, width, size, bold):
            self.text(0, y, line, size, fill, bold=bold)
            y += size + 4
        return y

    def lines(
        self, segments: list[tuple[float, float, float, float]], stroke: str, width: float, opacity: float
    ) -> None:
        """Draws segments x1, y1, x2, y2 as one path."""
        if segments:
            path = "".join(f"M{x1:g} {y1:g}L{x2:g} {y2:g}" for x1, y1, x2, y2 in segments)
            self._elements.append(
                f'<path d="{path}" stroke="{stroke}" stroke-width="{width:g}" stroke-opacity="{opacity:g}" '
                'stroke-linecap="square"/>'
            )

    def cell(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        fill: str,
        title: str,
        lines: list[tuple[float, str, bool]],
    ) -> None:
        """Draws a box with centered lines of text; each entry of `lines` is (base line, text, bold). Viewers show
        `title` as a tooltip."""
        self._reach(x + width, y + height)
        texts = "".join(
            f'<text x="{x + width / 2:g}" y="{baseline:g}"{_fitted(text, width - 4)}{_BOLD if bold else ""}>'
            f"{escape(text)}</text>"
            for baseline, text, bold in lines
        )
        self._elements.append(
            f'<g class="hk-cell" fill="{ink_on(fill)}"><title>{escape(title)}</title>'
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" fill="{fill}"/>{texts}</g>'
        )

    def hatched_cell(
        self, x: float, y: float, width: float, height: float, kind: str, title: str, fill: str = CARD
    ) -> None:
        """Draws a box hatched by lines, "/" or "x", or a gray box if the box is too narrow for lines. Without `title`,
        the box has no tooltip."""
        self._reach(x + width, y + height)
        box = f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" fill="{{}}"/>'
        if width < _HATCHED_WIDTH:
            drawn = box.format(HATCH_NARROW)
        else:
            path = "".join(
                f"M{x1:g} {y1:g}L{x2:g} {y2:g}" for x1, y1, x2, y2 in _hatches(x, y, width, height, kind == "x")
            )
            edge = f"M{x:g} {y:g}h{width:g}v{height:g}h{-width:g}z"
            drawn = f'{box.format(fill)}<path d="{path}{edge}" stroke="{HATCH}" stroke-width="0.8" fill="none"/>'
        self._elements.append(f'<g class="hk-cell"><title>{escape(title)}</title>{drawn}</g>' if title else drawn)

    def mono_text(self, x: float, y: float, text: str, fill: str, anchor: str) -> None:
        """Draws a line of text between cells, in the font of cells. The text does not enlarge the card."""
        self._elements.append(f'<text x="{x:g}" y="{y:g}" fill="{fill}" text-anchor="{anchor}">{escape(text)}</text>')

    def begin_cells(self) -> None:
        """Begins a group of cells, for which the SVG sets the font. `end_cells` ends the group."""
        # The font is monospaced. In many proportional fonts, the l of lanes, the digit 1 and the capital I look alike.
        font = "DejaVu Sans Mono,Menlo,Consolas,monospace"
        self._elements.append(f'<g font-family="{font}" font-size="{CELL_TEXT_SIZE}" text-anchor="middle">')

    def end_cells(self) -> None:
        self._elements.append("</g>")

    def finish(self, label: str) -> Picture:
        """Returns the picture. `label` describes the picture for screen readers."""
        left = self._left - _MARGIN
        width, height = self._right + _MARGIN - left, self._bottom + 2 * _MARGIN
        svg = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" '
            f'viewBox="{left:g} {-_MARGIN} {width:g} {height:g}"{SHRINKS_TO_PAGE} '
            f'font-family="DejaVu Sans,Verdana,Helvetica,Arial,sans-serif" role="img" aria-label={quoteattr(label)}>'
            f'<rect x="{left + 0.5:g}" y="{0.5 - _MARGIN}" width="{width - 1:g}" height="{height - 1:g}" rx="8" '
            f'fill="{CARD}" stroke="{CARD_EDGE}"/>' + "".join(self._elements) + "</svg>"
        )
        return Picture(svg, label)

    def _reach(self, x: float, y: float) -> None:
        self._right = max(self._right, x)
        self._bottom = max(self._bottom, y)


def _fitted(text: str, width: float) -> str:
    """Returns an SVG attribute with a smaller font size if a text is too long for a cell; an empty string for other
    texts."""
    size = width / (MONO_ADVANCE * len(text))
    return f' font-size="{size:.1f}"' if size < CELL_TEXT_SIZE else ""


def _hatches(
    x: float, y: float, width: float, height: float, is_crossed: bool
) -> list[tuple[float, float, float, float]]:
    """Returns diagonal lines that rise to the right, clipped to a box. With `is_crossed`, also returns lines that fall
    to the right."""
    segments = []
    bottom = y + height
    offset = _HATCH_STEP
    while offset < width + height:
        begin, end = max(0.0, offset - height), min(width, offset)
        low, high = bottom - (begin - (offset - height)), bottom - (end - (offset - height))
        segments.append((x + begin, low, x + end, high))
        if is_crossed:
            segments.append((x + begin, y + (bottom - low), x + end, y + (bottom - high)))
        offset += _HATCH_STEP
    return [tuple(round(value, 2) for value in segment) for segment in segments]  # type: ignore[misc]
