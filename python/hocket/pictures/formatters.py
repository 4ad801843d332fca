"""Registers the functions that show objects of Hocket's classes in Jupyter. `hocket._display` imports this module."""

from __future__ import annotations

from .._display import register
from ..language._layouts import Layout
from ..reports.code import CodeReport
from ..reports.synchronization import SyncReport
from ..runtime.compiled import CompiledKernel
from .code_report import code_report_html, schedule_picture
from .kernels import kernel_html
from .layouts import draw_layout
from .synchronization import sync_report_html


def _layout_svg(layout: Layout) -> str | None:
    try:
        return draw_layout(layout).svg
    except ValueError:  # Jupyter shows the text of layouts without a linear map or without a natural shape
        return None


register(Layout, html=_layout_svg)
register(CompiledKernel, html=kernel_html)
register(SyncReport, html=sync_report_html)
register(CodeReport, html=code_report_html, picture=schedule_picture)
