"""Counts of bank conflicts: wavefronts of shared memory, by line of the kernel.

A wavefront reads or writes one 4-byte word of each bank, for all lanes of a phase that access it. An access without
conflicts takes the *ideal* number of wavefronts. Lanes that access different words of one bank take more wavefronts.
The lanes of a phase and the number of banks depend on the target and on the width of the access
(csrc/target/SharedPhases.cpp).
"""

from __future__ import annotations

from typing import NamedTuple

from ..errors import shown_path


class BankCount(NamedTuple):
    """The accesses of one width in one line of a kernel, by all warps of all blocks.

    Attributes:
        filename, line: source location.
        access: "load" or "store".
        bytes: bytes per lane.
        instructions: number of executed instructions, counted per warp.
        wavefronts: number of wavefronts that these instructions took.
        ideal: number of wavefronts without conflicts.
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
        """Additional wavefronts because of conflicts."""
        return self.wavefronts - self.ideal


class BankCounts:
    """The counts of all launches within one `count_bank_conflicts`; `print` shows them as a table."""

    def __init__(self):
        self._counts: dict[tuple, BankCount] = {}

    def _add(self, counts: list[tuple]) -> None:
        """Adds the counts of a launch."""
        for count in map(BankCount._make, counts):
            key, numbers = count[:4], count[4:]
            if before := self._counts.get(key):
                numbers = [a + b for a, b in zip(before[4:], numbers, strict=True)]
            self._counts[key] = BankCount(*key, *numbers)

    @property
    def entries(self) -> list[BankCount]:
        """The counts, sorted by file, line, access and width."""
        return sorted(self._counts.values())

    @property
    def total(self) -> int:
        """Additional wavefronts of all accesses: 0 if there were no conflicts."""
        return sum(count.extra for count in self._counts.values())

    @property
    def by_line(self) -> dict[int, int]:
        """Additional wavefronts by line number, 0 for a line without conflicts."""
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
