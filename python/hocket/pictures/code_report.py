"""The report on a kernel's machine code as HTML: a table for each loop, warnings, and a modeled schedule in a collapsed
section."""

from __future__ import annotations

from html import escape

from ..reports.code import SHOWN_LOOPS, CodeReport, described, headline, schedule_lines, table, wait_lines
from .canvas import Picture
from .palette import PAGE_ALERT, PAGE_BOX
from .schedules import draw_schedule

_CELL = "text-align:right;padding:1px 10px 1px 0;border:none;background:none"
_WARNING = f"background:{PAGE_ALERT};border-radius:6px;padding:1px 6px"
_FOLDED = '<summary style="cursor:pointer">{}</summary>'


def schedule_picture(report: CodeReport) -> Picture:
    """See `CodeReport.draw_schedule`."""
    assert report.schedule is not None
    return draw_schedule(report.schedule, report.name, report.target)


def code_report_html(report: CodeReport) -> str:
    """Returns the HTML that Jupyter shows for `report`."""
    resources = escape(described(report.resources))
    parts = [f"<strong>{escape(report.name)}</strong> for {escape(report.target)}: {resources}"]
    parts += map(escape, report.occupancy_lines())
    for number, loop in enumerate(report.loops[:SHOWN_LOOPS]):
        title = f"{'Hottest loop' if number == 0 else 'Next loop'}: {headline(loop, report.language)}"
        schedule = report.schedule if number == 0 else None
        counts = _html_table(table(loop, report.language, schedule))
        parts.append(f'<div style="margin-top:8px">{escape(title)}</div>{counts}')
        if schedule:
            lines = "<br>".join(map(escape, schedule_lines(schedule)))
            parts.append(f"<details>{_FOLDED.format(lines)}{schedule_picture(report).svg}</details>")
        waits = "".join(f"<li>{escape(line)}</li>" for line in wait_lines(loop))
        if waits:
            count = f"{len(loop.waits)} wait{'s' * (len(loop.waits) != 1)}"
            parts.append(f"<details>{_FOLDED.format(count)}<ul>{waits}</ul></details>")
    parts += [f'<span style="{_WARNING}">{escape(warning)}</span>' for warning in report.warnings]
    return f'<div style="{PAGE_BOX}">{"<br>".join(parts)}</div>'


def _html_table(rows: list[list[str]]) -> str:
    html = []
    for number, row in enumerate(rows):
        tag = "th" if number == 0 else "td"
        style = _CELL + (";opacity:.8;font-weight:normal" if number == 0 else "")
        cells = "".join(f'<{tag} style="{style}">{escape(cell)}</{tag}>' for cell in row)
        html.append(f'<tr style="background:none">{cells}</tr>')
    return f'<table style="margin:2px 0;border-collapse:collapse">{"".join(html)}</table>'
