"""The purpose of a compiled kernel's waits, fences and barriers: as text, and beside the source in Jupyter."""

from __future__ import annotations

import linecache
import os
from collections.abc import Iterator, Sequence
from html import escape
from typing import NamedTuple

from ..errors import shown_path

_BOX = "border:1px solid rgba(128,128,128,.45);border-radius:8px;padding:10px 14px;margin:4px 0;overflow:auto"
_ROW = "background:none;line-height:1.35"
_CELL = "text-align:left;vertical-align:top;padding:1px 12px 1px 0;border:none;background:none"
_CODE = f"{_CELL};white-space:pre;font-family:monospace;font-size:12px"
_NUMBER = f"{_CODE};opacity:.8;text-align:right"
_NOTE = f"{_CELL};font-size:12px"
# A page's own style of <details>, such as a box with an icon, would hide what is a badge here.
_DETAILS = "margin:0;padding:0;border:none;background:none;box-shadow:none;font-size:12px"
_TAG = "display:inline-block;border-radius:6px;padding:0 6px;font-weight:normal"
#: By the first word of what a point is; translucent, for light and dark pages.
_COLORS = {"wait": "rgba(9,105,218,.22)", "proxy": "rgba(191,135,0,.25)", "barrier": "rgba(130,80,223,.22)"}
#: Lines around what is shown, and how many others in a row are left out.
_AROUND, _LONGEST_GAP = 2, 6


class SyncOperation(NamedTuple):
    """An operation before or after a point.

    Attributes:
        what: "product", "store to shared memory".
        file, line: where; the line is 0 where that is not known.
    """

    what: str
    file: str
    line: int


class SyncPoint(NamedTuple):
    """A wait, fence or barrier.

    Attributes:
        what: "wait for products that leaves 1 group", "proxy fence", "barrier".
        file, line: the line after the point, or, if the kernel writes it, its own.
        is_written: by the kernel, not placed by the compiler.
        earlier, later: the two operations that it keeps in order; None where no single pair is.
        why: what would happen without it, or if it were weaker.
    """

    what: str
    file: str
    line: int
    is_written: bool
    earlier: SyncOperation | None
    later: SyncOperation | None
    why: str

    @property
    def kind(self) -> str:
        """ "wait", "fence" or "barrier"."""
        first = self.what.replace(",", "").split()[0]
        return "fence" if first == "proxy" else first


class SyncReport(Sequence):
    """The waits, fences and barriers of a compiled kernel, in the order of the source: a sequence of SyncPoint.

    Printed it is text; Jupyter shows it beside the source.
    """

    def __init__(self, name: str, target: str, facts: list[tuple]):
        """`facts`: `kernel.metadata.synchronization`."""
        self.name, self.target = name, target
        points = [_point_of(fact) for fact in facts]
        self.points = sorted(points, key=lambda point: (point.file, point.line))

    def __getitem__(self, index):
        return self.points[index]

    def __len__(self) -> int:
        return len(self.points)

    def __iter__(self) -> Iterator[SyncPoint]:
        return iter(self.points)

    @property
    def summary(self) -> str:
        """ "2 waits, 1 fence, 3 barriers"."""
        counts = [(kind, sum(point.kind == kind for point in self)) for kind in ("wait", "fence", "barrier")]
        return ", ".join(f"{count} {kind}{'s' * (count != 1)}" for kind, count in counts)

    def __str__(self) -> str:
        lines = [f"{self.name} for {self.target}: {self.summary}"]
        file = None
        for point in self:
            if point.file != file:
                file = point.file
                lines += ["", _short(file)]
            lines.append(f"{point.line:>5}  {_titled(point)}")
            for word, operation in (("after", point.earlier), ("before", point.later)):
                if operation:
                    lines.append(f"         {word:<7} {_placed(operation, file)}")
            lines.append(f"         why     {point.why}")
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        files = dict.fromkeys(point.file for point in self)
        title = f"<strong>{escape(self.name)}</strong> for {escape(self.target)}: {escape(self.summary)}"
        return f'<div style="{_BOX}">{title}{"".join(self._table(file) for file in files)}</div>'

    def _table(self, file: str) -> str:
        """The source, with a row for each point: before the line that follows it, or after its own."""
        rows, last = [], None
        for line in _shown_lines(self, file):
            if last is not None and line > last + 1:
                rows.append(f'<tr style="{_ROW}"><td style="{_NUMBER}">&#8942;</td><td style="{_CODE}"></td></tr>')
            last = line
            points = [point for point in self if (point.file, point.line) == (file, line)]
            rows += [_row_of(point) for point in points if not point.is_written]
            source = escape(linecache.getline(file, line).rstrip("\n"))
            rows.append(f'<tr style="{_ROW}"><td style="{_NUMBER}">{line}</td><td style="{_CODE}">{source}</td></tr>')
            rows += [_row_of(point) for point in points if point.is_written]
        rows += [_row_of(point) for point in self if point.file == file and not point.line]
        return (
            f'<div style="opacity:.8;margin-top:8px">{escape(_short(file))}</div>'
            f'<table style="margin:2px 0;border-collapse:collapse;border:none">{"".join(rows)}</table>'
        )


def _point_of(fact: tuple) -> SyncPoint:
    what, (file, line), is_written, earlier, earlier_at, later, later_at, why = fact
    before = SyncOperation(earlier, *earlier_at) if earlier else None
    after = SyncOperation(later, *later_at) if later else None
    return SyncPoint(what, file, line, is_written, before, after, why)


def _short(file: str) -> str:
    return os.path.basename(shown_path(file)) or "unknown file"


def _titled(point: SyncPoint) -> str:
    return point.what + (" (written)" if point.is_written else "")


def _placed(operation: SyncOperation, file: str) -> str:
    """ "the product of line 94: acc = warpgroup_mma(..)"."""
    elsewhere = "" if operation.file == file else f" of {_short(operation.file)}"
    source = linecache.getline(operation.file, operation.line).strip()
    if not operation.line:
        return f"the {operation.what}"
    return f"the {operation.what} of line {operation.line}{elsewhere}" + (f": {source}" if source else "")


def _shown_lines(points: Sequence[SyncPoint], file: str) -> list[int]:
    """Those of `file` that points name, and some around them."""
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
    """A badge, and what it unfolds to, in a row of the table."""
    color = next(color for word, color in _COLORS.items() if point.what.startswith(word))
    lines = [each.line for each in (point.earlier, point.later) if each]
    pair = f" {lines[0]} &#8594; {lines[1]}" if len(lines) == 2 else ""
    words = [
        f"{word} {_placed(each, point.file)}"
        for word, each in (("after", point.earlier), ("before", point.later))
        if each
    ]
    details = "<br>".join(escape(text) for text in [*words, point.why])
    name = f'<span style="{_TAG};background:{color}">{escape(_titled(point))}</span>'
    indent = " " * (len(line := linecache.getline(point.file, point.line)) - len(line.lstrip()))
    return (
        f'<tr style="{_ROW}"><td style="{_NUMBER}"></td><td style="{_NOTE}">'
        f'<details class="hk-note" style="{_DETAILS};margin-left:{len(indent)}ch">'
        f'<summary style="{_DETAILS};cursor:pointer;font-weight:normal">{name}{pair}</summary>{details}</details>'
        "</td></tr>"
    )
