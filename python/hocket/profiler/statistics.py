"""Computes the table of times of a profiled kernel's stages and scopes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..errors import shown_path
from .decoding import MARK

if TYPE_CHECKING:
    from .launches import ProfiledLaunch


class SiteTimes(NamedTuple):
    """Times of one site of a kernel, in cycles, over all launches, blocks and warps.

    Attributes:
        kernel, name, kind: name of the kernel, and name and kind of the site: "scope", "stage", "partition", "warp",
            "mark" or "token".
        filename, line: source location.
        depth: number of enclosing sites.
        count: number of spans or marks.
        p50, p95, longest: cycles of a span; 0 for marks.
        total: cycles of all spans.
        share: share of the time of the recording warps, 0 to 1; for a token, the average number of tokens in flight
            (may exceed 1).
    """

    kernel: str
    name: str
    kind: str
    filename: str
    line: int
    depth: int
    count: int
    p50: float
    p95: float
    longest: float
    total: float
    share: float


class ProfileSummary(Sequence[SiteTimes]):
    """The rows of a profile in program order. `print` shows them as a table.

    Attributes:
        rows: the rows as a list.
        dropped: number of records that were dropped because buffers were full.
        notes: notes for readers: losses, origin of the cycle length, choices of the compiler.
    """

    def __init__(self, rows: list[SiteTimes], dropped: int, notes: list[str]):
        self.rows, self.dropped, self.notes = rows, dropped, notes

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index):
        return self.rows[index]

    def named(self, name: str) -> SiteTimes:
        """Returns the first row with the name `name`. Errors: KeyError if no row has this name."""
        for row in self.rows:
            if row.name == name:
                return row
        raise KeyError(f"no row is named {name!r}; the rows are {', '.join(row.name for row in self.rows) or '(none)'}")

    def __str__(self) -> str:
        lines = []
        for kernel in dict.fromkeys(row.kernel for row in self.rows):
            rows = [row for row in self.rows if row.kernel == kernel]
            names = ["  " * row.depth + row.name for row in rows]
            width = max(len(kernel), *map(len, names))
            lines.append(f"{kernel:{width}}  {'count':>8}  {'p50':>8}  {'p95':>8}  {'max':>8}  {'share':>6}  where")
            for row, name in zip(rows, names, strict=True):
                times = "  ".join(
                    f"{'-' if row.kind == 'mark' else format(value, '.0f'):>8}"
                    for value in (row.p50, row.p95, row.longest)
                )
                share = "-" if row.kind == "mark" else f"{row.share:.1%}"
                place = f"{shown_path(row.filename)}:{row.line}" if row.filename else ""
                lines.append(f"{name:{width}}  {row.count:8}  {times}  {share:>6}  {place}".rstrip())
        return "\n".join(lines + self.notes) if lines else "\n".join(["nothing was recorded", *self.notes])

    __repr__ = __str__


def site_times(launches: list[ProfiledLaunch]) -> list[SiteTimes]:
    """Returns the rows of the table for all launches of one kernel."""
    facts = launches[0].facts
    lifetime = sum(launch.recorded_cycles() for launch in launches)
    spans = np.concatenate([launch.spans for launch in launches])
    marks = np.concatenate([launch.records["site"][launch.records["kind"] == MARK] for launch in launches])
    cycles = spans["end"] - spans["begin"]
    rows = []
    for site in facts.sites:
        of_site = cycles[spans["site"] == site.id]
        count = int((marks == site.id).sum()) if site.kind == "mark" else len(of_site)
        if not count:
            continue
        p50, p95, longest = np.percentile(of_site, (50, 95, 100)) if len(of_site) else (0, 0, 0)
        total = float(of_site.sum())
        share = total / lifetime if lifetime else 0.0
        depth = 0
        parent = site.parent
        while parent >= 0:
            depth, parent = depth + 1, facts.sites[parent].parent
        rows.append(
            SiteTimes(
                launches[0].kernel,
                site.name,
                site.kind,
                site.file,
                site.line,
                depth,
                count,
                float(p50),
                float(p95),
                float(longest),
                total,
                share,
            )
        )
    return rows
