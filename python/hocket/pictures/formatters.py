"""Registers how Jupyter shows the classes of Hocket that are drawn here. Imported by `hocket._display`."""

from __future__ import annotations

from .._display import register
from ..language._layouts import Layout
from .layouts import draw_layout


def _layout_svg(layout: Layout) -> str | None:
    try:
        return draw_layout(layout).svg
    except ValueError:  # no map, or no shape implied: Jupyter shows the text
        return None


register(Layout, html=_layout_svg)
