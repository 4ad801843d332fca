"""Results of `hocket.check`: findings, and the schedules that ran."""

from __future__ import annotations

import collections
import linecache
import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import shown_path

if TYPE_CHECKING:
    from ..runtime.jit import JITFunction

#: Names of the kinds of findings, singular and plural.
KINDS = {
    "race": ("race", "races"),
    "deadlock": ("deadlock", "deadlocks"),
    "misused mbarrier": ("misused mbarrier", "misused mbarriers"),
    "divergence": ("divergence", "divergences"),
    "poison": ("result with NaN", "results with NaN"),
    "wrong result": ("wrong result", "wrong results"),
    "out-of-bounds access": ("out-of-bounds access", "out-of-bounds accesses"),
    "misaligned access": ("misaligned access", "misaligned accesses"),
    "write to a read-only array": ("write to a read-only array", "writes to read-only arrays"),
    "division by zero": ("division by zero", "divisions by zero"),
    "undefined value": ("undefined value", "undefined values"),
    "invalid index": ("invalid index", "invalid indices"),
    "failed assertion": ("failed assertion", "failed assertions"),
    "failure": ("failure", "failures"),
}


class Schedule(NamedTuple):
    """An order in which the emulator runs blocks and warps.

    `str(schedule)` is a Python expression, `hocket.emulator.schedule(...)`. A launch inside `with` this expression runs
    blocks and warps in the same order again.
    """

    seed: int
    completion: str
    threads: int = 1

    @property
    def order(self) -> str:
        """The kind of schedule: "natural", "random" or "adversarial". In an adversarial schedule, some warps run far
        ahead of others."""
        if self.seed == 0:
            return "natural"
        return "adversarial" if self.seed % 4 == 3 else "random"  # see csrc/emulator/run/BlockSequence.h

    def __str__(self) -> str:
        options = f'seed={self.seed}, completion="{self.completion}", threads={self.threads}'
        return f"hocket.emulator.schedule({options})"


class CheckedLaunch(NamedTuple):
    """A kernel that the checked function has launched: its definition, target and grid."""

    name: str
    filename: str
    lineno: int
    target: str
    grid: tuple[int, int, int]
    num_warps: int

    @classmethod
    def of(cls, kernel: JITFunction, target: str, grid: tuple[int, int, int], num_warps: int) -> CheckedLaunch:
        """Returns the CheckedLaunch of `kernel`, with the line of the kernel's `def`."""
        code = kernel.fn.__code__
        line = code.co_firstlineno  # `co_firstlineno` is the line of the first decorator
        while linecache.getline(code.co_filename, line).lstrip().startswith("@"):
            line += 1
        return cls(kernel.__name__, code.co_filename, line, target, grid, num_warps)

    def __str__(self) -> str:
        blocks = counted(self.grid[0] * self.grid[1] * self.grid[2], "block")
        warps = counted(self.num_warps, "warp")
        return f"{self.name} ({shown_path(self.filename)}:{self.lineno}) on {self.target}, {blocks} of {warps}"


@dataclass
class Finding:
    """An error under one schedule or several.

    Attributes:
        kind: "race", "deadlock", "divergence", "poison" (NaN in a result), "wrong result" (an assertion of the function
            failed), "out-of-bounds access", and so on: the keys of `KINDS`.
        text: the message under the first schedule, with the source line.
        filename, lineno: the kernel's line, or None.
        first: the first schedule with this error.
        count: number of schedules with this error.
        error: the exception of the first schedule, or None.
    """

    kind: str
    text: str
    filename: str | None
    lineno: int | None
    first: Schedule
    count: int = 1
    error: Exception | None = None


@dataclass
class CheckReport:
    """The result of `hocket.check`; `print` shows it.

    Attributes:
        name: name of the checked function.
        findings: all errors, each once, in the order in which they were found.
        schedules: the schedules that ran; with `fail_fast`, possibly fewer than requested.
        launches: the kernels that ran.
        arrays: number of arrays and numbers that were compared.
        results: number of bitwise different results of the completed schedules.
        outcomes: number of different results, plus number of different failures.
        tolerance: largest difference of numbers that is not a divergence.
    """

    name: str
    findings: list[Finding]
    schedules: list[Schedule]
    launches: list[CheckedLaunch]
    arrays: int
    results: int
    outcomes: int
    tolerance: float

    @property
    def ok(self) -> bool:
        """True if there are no findings."""
        return not self.findings

    def of_kind(self, kind: str) -> list[Finding]:
        """Returns the findings of one kind, such as "race"."""
        return [finding for finding in self.findings if finding.kind == kind]

    def as_dict(self) -> dict[str, Any]:
        """Returns the report as nested dicts and lists, for JSON."""
        findings = [
            {
                "kind": finding.kind,
                "text": finding.text,
                "file": finding.filename,
                "line": finding.lineno,
                "schedules": finding.count,
                "first": finding.first._asdict(),
            }
            for finding in self.findings
        ]
        return {
            "name": self.name,
            "ok": self.ok,
            "findings": findings,
            "schedules": len(self.schedules),
            "launches": [launch._asdict() for launch in self.launches],
            "results": self.results,
        }

    def __str__(self) -> str:
        blocks = [self._verdict()]
        blocks += [self._finding(finding) for finding in self.findings]
        blocks.append(self._summary())
        return "\n".join(blocks) if self.ok else "\n\n".join(blocks)

    def _verdict(self) -> str:
        ran = counted(len(self.schedules), "schedule")
        if self.ok:
            return f"{self.name}: {ran}, 0 races, 0 deadlocks, 0 divergences"
        kinds = collections.Counter(finding.kind for finding in self.findings)
        found = ", ".join(counted(count, *KINDS[kind]) for kind, count in kinds.items())
        return f"{self.name}: {ran}, {found}"

    def _finding(self, finding: Finding) -> str:
        head = f"{KINDS[finding.kind][0]} in {finding.count} of {counted(len(self.schedules), 'schedule')}"
        return f"{head}, first under {finding.first}\n{textwrap.indent(finding.text, '  ')}"

    def _summary(self) -> str:
        seeds = [schedule.seed for schedule in self.schedules]
        spread = f"seed {seeds[0]}" if len(seeds) == 1 else f"seeds {seeds[0]} to {seeds[-1]}"
        orders = collections.Counter(schedule.order for schedule in self.schedules)
        times = collections.Counter(schedule.completion for schedule in self.schedules)
        blocks_and_warps, copies = _counts(orders), _counts(times)
        lines = [f"launched:   {launch}" for launch in self.launches]
        lines.append(
            f"schedules:  {spread}; order of blocks and warps: {blocks_and_warps}; completion of copies: {copies}"
        )
        lines.append(f"outcomes:   {self._outcomes()}")
        return textwrap.indent("\n".join(lines), "  ")

    def _outcomes(self) -> str:
        parts = []
        if self.results:
            equality = "bit by bit" if not self.tolerance else f"within {self.tolerance:g} of an array's largest value"
            compared = counted(self.arrays, "returned array or number", "returned arrays and numbers")
            parts.append(f"{counted(self.results, 'result')} ({compared}, compared {equality})")
        if failures := self.outcomes - self.results:
            parts.append(counted(failures, "way to fail", "ways to fail"))
        return ", ".join(parts)


def _counts(counts: collections.Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())


def counted(count: int, noun: str, plural: str | None = None) -> str:
    """Returns a number with its noun: `counted(1, "block") == "1 block"`, `counted(2, "block") == "2 blocks"`."""
    return f"{count} {noun if count == 1 else plural or noun + 's'}"
