"""Texts and marks of a picture with their positions, read from its SVG."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass

from hocket.pictures.text_metrics import mono_width, text_width

SVG = "{http://www.w3.org/2000/svg}"
#: Heights above and below the base line, in font sizes: capitals and digits, descenders.
ASCENT, DESCENT = 0.73, 0.21


@dataclass
class Box:
    left: float
    top: float
    right: float
    bottom: float
    what: str
    fill: str = ""
    stroke: str = ""

    def overlaps(self, other: Box, slack: float = 0.01) -> bool:
        return (
            self.left < other.right - slack
            and other.left < self.right - slack
            and self.top < other.bottom - slack
            and other.top < self.bottom - slack
        )

    def holds(self, x: float, y: float) -> bool:
        return self.left <= x <= self.right and self.top <= y <= self.bottom


@dataclass
class Contents:
    """Texts with their boxes, and marks in the order in which they are painted; the card is the first of these."""

    texts: list[Box]
    marks: list[Box]
    view: tuple[float, float, float, float]

    @staticmethod
    def of(svg: str) -> Contents:
        root = ElementTree.fromstring(svg)
        found = Contents([], [], tuple(map(float, root.get("viewBox").split())))
        found._collect(root, {"font-size": "16", "fill": "#000000", "text-anchor": "start", "font-family": "sans"})
        return found

    def _collect(self, element, inherited) -> None:
        style = inherited | {name: element.get(name) for name in inherited if element.get(name)}
        if element.tag == f"{SVG}text":
            self.texts.append(_text_box(element, style))
        elif element.tag == f"{SVG}rect":
            x, y, width, height = (float(element.get(name)) for name in ("x", "y", "width", "height"))
            fill, stroke = element.get("fill", ""), element.get("stroke", "")
            self.marks.append(Box(x, y, x + width, y + height, "mark", "" if fill == "none" else fill, stroke))
        for child in element:
            self._collect(child, style)


def _text_box(element, style) -> Box:
    size, text = float(style["font-size"]), element.text or ""
    is_bold = element.get("font-weight") == "700"
    width = mono_width(text, size) if "Mono" in style["font-family"] else text_width(text, size, is_bold)
    x, y = float(element.get("x")), float(element.get("y"))
    left = x - {"start": 0, "middle": width / 2, "end": width}[style["text-anchor"]]
    return Box(left, y - ASCENT * size, left + width, y + DESCENT * size, text, style["fill"])


def overlapping(texts: list[Box]) -> list[tuple[str, str]]:
    """Pairs of texts, by a sweep from left to right."""
    found, open_boxes = [], []
    for box in sorted(texts, key=lambda box: box.left):
        open_boxes = [other for other in open_boxes if other.right > box.left]
        found += [(other.what, box.what) for other in open_boxes if box.overlaps(other)]
        open_boxes.append(box)
    return found
