"""Counts of bank conflicts: wavefronts of shared memory, by line of the kernel.

In one wavefront, each bank reads or writes one 4-byte word, for all lanes of a phase that access this word. An access
without conflicts takes the *ideal* number of wavefronts. Lanes that access different words of one bank take more
wavefronts. The lanes of a phase and the number of banks depend on the target and on the width of the access
(csrc/target/SharedPhases.cpp).
"""

from __future__ import annotations

from typing import NamedTuple

from ..errors import shown_path


class BankCount(NamedTuple):
    """Wavefronts of the shared memory accesses that are in one line of a kernel and have one width, in all warps and
    blocks.

    Attributes:
        filename, line: source location.
        access: "load" or "store".
        bytes: bytes per lane.
        instructions: number of executed instructions, counted per warp.
        wavefronts: number of wavefronts that these instructions took.
        ideal: number of wavefronts that these instructions would take without conflicts.
    """

    filename: str
    line: int
    access: str
    bytes: int
    instructions: int
    wavefronts: int
    ideal: int

    @property
    def extra(self) -> int:
        """Number of additional wavefronts because of bank conflicts."""
        return self.wavefronts - self.ideal


class BankCounts:
    """Wavefronts of all launches within one `count_bank_conflicts`; `print` shows a table."""

    def __init__(self):
        self._counts: dict[tuple, BankCount] = {}

    def _add(self, counts: list[tuple]) -> None:
        """Adds the wavefronts of a launch."""
        for count in map(BankCount._make, counts):
            key, numbers = count[:4], count[4:]
            if before := self._counts.get(key):
                numbers = [a + b for a, b in zip(before[4:], numbers, strict=True)]
            self._counts[key] = BankCount(*key, *numbers)

    @property
    def entries(self) -> list[BankCount]:
        """The `BankCount`s, sorted by file, line, access and width."""
        return sorted(self._counts.values())

    @property
    def total(self) -> int:
        """Number of additional wavefronts of all accesses because of bank conflicts."""
        return sum(count.extra for count in self._counts.values())

    @property
    def by_line(self) -> dict[int, int]:
        """Number of additional wavefronts because of bank conflicts, by line number; 0 for a line without conflicts."""
        lines: dict[int, int] = {}
        for count in self.entries:
            lines[count.line] = lines.get(count.line, 0) + count.extra
        return lines

    def __repr__(self) -> str:
        if not self._counts:
            return "BankCounts: no accesses to shared memory"
        header = ("place", "access", "instructions", "wavefronts", "ideal", "extra")
        rows = [
            (
                f"{shown_path(count.filename)}:{count.line}",
                f"{count.access} of {count.bytes} B",
                *map(str, (count.instructions, count.wavefronts, count.ideal, count.extra)),
            )
            for count in self.entries
        ]
        widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
        return "\n".join(
            "  ".join(
                text.ljust(width) if index < 2 else text.rjust(width)
                for index, (text, width) in enumerate(zip(row, widths, strict=True))
            )
            for row in (header, *rows)
        )
