"""SVG as text: a card that grows as things are put on it, and the colours.

Pictures are read on light and on dark pages, and a page's style sheet must not change them: the card brings its own
background, and every style is an attribute of its element.
"""

from __future__ import annotations

import os
import pathlib
import textwrap
from xml.sax.saxutils import escape, quoteattr

INK = "#1f2328"
MUTED = "#59636e"
_CARD = "#ffffff"
_CARD_EDGE = "#d1d9e0"
_MARGIN = 14

CELL_TEXT_SIZE = 9.5
_BOLD = ' font-weight="700"'

# From dark blue to light yellow with steadily rising lightness: readers who cannot tell red from green, and those who
# print without colours, see the same order.
_GRADIENT = ("#2f3a86", "#3268b0", "#2f93ba", "#43b9a4", "#95d186", "#f6e67a")


class Picture:
    """An SVG drawing: Jupyter shows it, `save` writes it."""

    def __init__(self, svg: str):
        self.svg = svg

    def _repr_html_(self) -> str:
        """Inline: `_repr_svg_` becomes an image in exports, and browsers show no titles of an image."""
        return self.svg

    def save(self, path: str | os.PathLike) -> None:
        """Write the picture to `path`, an .svg file."""
        pathlib.Path(path).write_text(self.svg, encoding="utf-8")

    def __repr__(self) -> str:
        return f"<Picture, {len(self.svg)} bytes of SVG>"


class Canvas:
    """Collects SVG elements; `finish` puts them on a card of the size they need."""

    def __init__(self):
        self._elements: list[str] = []
        self._right = self._bottom = 0.0

    def rect(self, x: float, y: float, width: float, height: float, fill: str) -> None:
        self._reach(x + width, y + height)
        self._elements.append(f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" fill="{fill}"/>')

    def text(
        self, x: float, y: float, text: str, size: float, fill: str = INK, anchor: str = "start", bold: bool = False
    ) -> None:
        """`y` is the base line. Only text that starts at `x` widens the card: labels elsewhere lie inside it."""
        if anchor == "start":
            self._reach(x + text_width(text, size), y)
        self._elements.append(
            f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" fill="{fill}" text-anchor="{anchor}"'
            f"{_BOLD if bold else ''}>{escape(text)}</text>"
        )

    def lines(
        self, segments: list[tuple[float, float, float, float]], stroke: str, width: float, opacity: float
    ) -> None:
        """Segments x1, y1, x2, y2 as one path."""
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
        """A box with centred lines (base line, text, bold); viewers show `title` as a tooltip."""
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

    def begin_cells(self) -> None:
        """Cells go between `begin_cells` and `end_cells`, which hold their font."""
        # Monospaced: in many others the l of lanes, the digit 1 and the capital I look alike.
        font = "DejaVu Sans Mono,Menlo,Consolas,monospace"
        self._elements.append(f'<g font-family="{font}" font-size="{CELL_TEXT_SIZE}" text-anchor="middle">')

    def end_cells(self) -> None:
        self._elements.append("</g>")

    def finish(self, label: str) -> Picture:
        """`label` describes the picture to those who cannot see it."""
        width, height = self._right + 2 * _MARGIN, self._bottom + 2 * _MARGIN
        return Picture(
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" '
            f'viewBox="{-_MARGIN} {-_MARGIN} {width:g} {height:g}" style="max-width:100%;height:auto" '
            f'font-family="DejaVu Sans,Verdana,Helvetica,Arial,sans-serif" role="img" aria-label={quoteattr(label)}>'
            f'<rect x="{0.5 - _MARGIN}" y="{0.5 - _MARGIN}" width="{width - 1:g}" height="{height - 1:g}" rx="8" '
            f'fill="{_CARD}" stroke="{_CARD_EDGE}"/>' + "".join(self._elements) + "</svg>"
        )

    def _reach(self, x: float, y: float) -> None:
        self._right = max(self._right, x)
        self._bottom = max(self._bottom, y)


def text_width(text: str, size: float) -> float:
    """Roughly how wide a text is: fonts differ, this is a wide one."""
    return 0.58 * size * len(text)


def wrapped(text: str, width: float, size: float) -> list[str]:
    """The lines of a text of this width."""
    return textwrap.wrap(text, int(width / text_width(" ", size)), break_on_hyphens=False)


def _fitted(text: str, width: float) -> str:
    """A smaller font for a long text in a cell."""
    size = width / (0.605 * len(text))
    return f' font-size="{size:.1f}"' if size < CELL_TEXT_SIZE else ""


def gradient(count: int) -> list[str]:
    """`count` colours from dark to light."""
    stops = [[int(stop[i : i + 2], 16) for i in (1, 3, 5)] for stop in _GRADIENT]
    colours = []
    for index in range(count):
        position = index / max(count - 1, 1) * (len(stops) - 1)
        below = min(int(position), len(stops) - 2)
        mixed = [a + (b - a) * (position - below) for a, b in zip(stops[below], stops[below + 1], strict=True)]
        colours.append("#" + "".join(f"{round(channel):02x}" for channel in mixed))
    return colours


def ink_on(colour: str) -> str:
    """The text colour that reads better on `colour`."""
    linear = [(int(colour[i : i + 2], 16) / 255) ** 2.2 for i in (1, 3, 5)]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    # Equal contrast to white and to INK (luminance 0.02) lies where (1.05 / (l + .05)) = (l + .05) / .07.
    return INK if luminance > 0.22 else "#ffffff"
