"""Shows the purpose of a compiled kernel's waits, fences and barriers as HTML, beside the kernel's source."""

from __future__ import annotations

import linecache
from collections.abc import Sequence
from html import escape

from ..reports.synchronization import SyncPoint, SyncReport, located, short_name, title_of
from .palette import PAGE_BOX, PAGE_TAGS

_ROW = "background:none;line-height:1.35"
_CELL = "text-align:left;vertical-align:top;padding:1px 12px 1px 0;border:none;background:none"
_CODE = f"{_CELL};white-space:pre;font-family:monospace;font-size:12px"
_NUMBER = f"{_CODE};opacity:.8;text-align:right"
_NOTE = f"{_CELL};font-size:12px"
# This style overrides a notebook's own style of <details>, such as a box with an icon, which would hide the badge.
_DETAILS = "margin:0;padding:0;border:none;background:none;box-shadow:none;font-size:12px"
_TAG = "display:inline-block;border-radius:6px;padding:0 6px;font-weight:normal"
#: `_AROUND`: number of source lines that are shown before and after each wait, fence or barrier. `_LONGEST_GAP`: gaps
#: between shown lines are also shown if they have at most this number of lines.
_AROUND, _LONGEST_GAP = 2, 6


def sync_report_html(report: SyncReport) -> str:
    """Returns the HTML that Jupyter shows for `report`."""
    files = dict.fromkeys(point.file for point in report)
    title = f"<strong>{escape(report.name)}</strong> for {escape(report.target)}: {escape(report.summary)}"
    return f'<div style="{PAGE_BOX}">{title}{"".join(_table(report, file) for file in files)}</div>'


def _table(report: SyncReport, file: str) -> str:
    """Returns a table of the source with a row for each wait, fence or barrier (point). The row is after the point's
    line if the kernel's source contains the point, and before this line if the compiler has placed the point."""
    rows, last = [], None
    for line in _shown_lines(report, file):
        if last is not None and line > last + 1:
            rows.append(f'<tr style="{_ROW}"><td style="{_NUMBER}">&#8942;</td><td style="{_CODE}"></td></tr>')
        last = line
        points = [point for point in report if (point.file, point.line) == (file, line)]
        rows += [_row_of(point) for point in points if not point.is_written]
        source = escape(linecache.getline(file, line).rstrip("\n"))
        rows.append(f'<tr style="{_ROW}"><td style="{_NUMBER}">{line}</td><td style="{_CODE}">{source}</td></tr>')
        rows += [_row_of(point) for point in points if point.is_written]
    rows += [_row_of(point) for point in report if point.file == file and not point.line]
    return (
        f'<div style="opacity:.8;margin-top:8px">{escape(short_name(file))}</div>'
        f'<table style="margin:2px 0;border-collapse:collapse;border:none">{"".join(rows)}</table>'
    )


def _shown_lines(points: Sequence[SyncPoint], file: str) -> list[int]:
    """Returns the numbers of the lines of `file` with waits, fences, barriers or the operations that these order, and
    of some lines around them."""
    named = {point.line for point in points if point.file == file}
    for point in points:
        named |= {each.line for each in (point.earlier, point.later) if each and each.file == file}
    shown = {line + offset for line in named if line for offset in range(-_AROUND, _AROUND + 1)}
    last = len(linecache.getlines(file))
    lines: list[int] = []
    for line in sorted(line for line in shown if 0 < line <= max(last, max(named, default=0))):
        if lines and line - lines[-1] <= _LONGEST_GAP:
            lines.extend(range(lines[-1] + 1, line))
        lines.append(line)
    return lines


def _row_of(point: SyncPoint) -> str:
    """Returns a table row with a badge for a wait, fence or barrier. Clicking the badge shows its details."""
    color = next(color for word, color in PAGE_TAGS.items() if point.what.startswith(word))
    lines = [each.line for each in (point.earlier, point.later) if each]
    pair = f" {lines[0]} &#8594; {lines[1]}" if len(lines) == 2 else ""
    words = [
        f"{word} {located(each, point.file)}"
        for word, each in (("after", point.earlier), ("before", point.later))
        if each
    ]
    details = "<br>".join(escape(text) for text in [*words, point.why])
    name = f'<span style="{_TAG};background:{color}">{escape(title_of(point))}</span>'
    indent = " " * (len(line := linecache.getline(point.file, point.line)) - len(line.lstrip()))
    return (
        f'<tr style="{_ROW}"><td style="{_NUMBER}"></td><td style="{_NOTE}">'
        f'<details class="hk-note" style="{_DETAILS};margin-left:{len(indent)}ch">'
        f'<summary style="{_DETAILS};cursor:pointer;font-weight:normal">{name}{pair}</summary>{details}</details>'
        "</td></tr>"
    )
