"""Explains the purpose of a compiled kernel's waits, fences and barriers, as text.

`pictures/synchronization.py` shows the report beside the source in Jupyter.
"""

from __future__ import annotations

import linecache
import os
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..errors import shown_path


class SyncOperation(NamedTuple):
    """An operation that a wait, fence or barrier orders.

    Attributes:
        what: "asynchronous MMA", "store to shared memory".
        file, line: source location of the operation; the line is 0 if it is unknown.
    """

    what: str
    file: str
    line: int


class SyncPoint(NamedTuple):
    """A wait, fence or barrier.

    Attributes:
        what: "wait for wgmmas that leaves 1 group", "proxy fence", "barrier".
        file, line: source location: the line of the wait, fence or barrier if the kernel's source contains it,
            otherwise the line after it.
        is_written: True if the kernel's source contains the wait, fence or barrier; False if the compiler has placed
            it.
        earlier, later: the two operations that the wait, fence or barrier orders; None if it orders several pairs.
        why: the error that could occur if the wait, fence or barrier were missing or weaker.
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
    """The waits, fences and barriers of a compiled kernel, in the order of the source: a sequence of SyncPoint. The
    report prints as text; Jupyter shows it beside the source.
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
        """The numbers of waits, fences and barriers, such as "2 waits, 1 fence, 3 barriers"."""
        counts = [(kind, sum(point.kind == kind for point in self)) for kind in ("wait", "fence", "barrier")]
        return ", ".join(f"{count} {kind}{'s' * (count != 1)}" for kind, count in counts)

    def __str__(self) -> str:
        lines = [f"{self.name} for {self.target}: {self.summary}"]
        file = None
        for point in self:
            if point.file != file:
                file = point.file
                lines += ["", short_name(file)]
            lines.append(f"{point.line:>5}  {title_of(point)}")
            for word, operation in (("after", point.earlier), ("before", point.later)):
                if operation:
                    lines.append(f"         {word:<7} {located(operation, file)}")
            lines.append(f"         why     {point.why}")
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str | None:
        from .._display import html_of

        return html_of(self)


def _point_of(fact: tuple) -> SyncPoint:
    what, (file, line), is_written, earlier, earlier_at, later, later_at, why = fact
    before = SyncOperation(earlier, *earlier_at) if earlier else None
    after = SyncOperation(later, *later_at) if later else None
    return SyncPoint(what, file, line, is_written, before, after, why)


def short_name(file: str) -> str:
    """Returns the name of a file without its folders."""
    return os.path.basename(shown_path(file)) or "unknown file"


def title_of(point: SyncPoint) -> str:
    """Returns the name of a wait, fence or barrier. The suffix " (written)" means that the kernel's source contains
    it."""
    return point.what + (" (written)" if point.is_written else "")


def located(operation: SyncOperation, file: str) -> str:
    """Returns the text for an operation, e.g. "the wgmma of line 94: acc = warpgroup_mma(a, b, acc)"."""
    elsewhere = "" if operation.file == file else f" of {short_name(operation.file)}"
    source = linecache.getline(operation.file, operation.line).strip()
    if not operation.line:
        return f"the {operation.what}"
    return f"the {operation.what} of line {operation.line}{elsewhere}" + (f": {source}" if source else "")
