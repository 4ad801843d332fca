"""How the emulator counts bank conflicts: wavefronts of shared memory by line of the kernel.

A wavefront takes one word of 4 bytes from each bank, for all lanes of a phase that want it. An access without conflicts
takes the *ideal* number; lanes that want different words of one bank take more. Which lanes make up a phase, and how
many banks there are, depends on the target and on the width of an access (csrc/target/SharedPhases.cpp).
"""

from __future__ import annotations

from typing import NamedTuple

from ..errors import shown_path


class BankCount(NamedTuple):
    """The accesses that one line of a kernel makes with one instruction width, by all warps of all blocks.

    Attributes:
        filename, line: where they are in the source.
        access: "load" or "store".
        bytes: the width, of one lane.
        instructions: how often a warp executed one.
        wavefronts: what these took.
        ideal: what they would take without conflicts.
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
        """Wavefronts that conflicts cost."""
        return self.wavefronts - self.ideal


class BankCounts:
    """The counts of all launches within one `count_bank_conflicts`; `print` shows them as a table."""

    def __init__(self):
        self._counts: dict[tuple, BankCount] = {}

    def _add(self, counts: list[tuple]) -> None:
        """What one launch returns."""
        for count in map(BankCount._make, counts):
            key, numbers = count[:4], count[4:]
            if before := self._counts.get(key):
                numbers = [a + b for a, b in zip(before[4:], numbers, strict=True)]
            self._counts[key] = BankCount(*key, *numbers)

    @property
    def entries(self) -> list[BankCount]:
        """By file, line, access and width."""
        return sorted(self._counts.values())

    @property
    def total(self) -> int:
        """Extra wavefronts of all accesses: 0 if there were no conflicts."""
        return sum(count.extra for count in self._counts.values())

    @property
    def by_line(self) -> dict[int, int]:
        """Extra wavefronts by line number, 0 for a line whose accesses had no conflicts."""
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
