"""Divides shared memory into lines that cover all banks once, and finds the bank conflicts of the lanes of one
phase."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

BANK_BYTES = 4


@dataclass(frozen=True)
class MemoryLines:
    """Memory divided into lines that cover all banks once. Each line is divided into cells of the size of one lane's
    access.

    `phase` is one of the results of `_core.bank_phases`, and `bases` is the linear map of the shared layout.
    """

    phase: dict
    bases: dict
    item_bytes: int

    @property
    def cell_bytes(self) -> int:
        return max(self.phase["bytes"], BANK_BYTES)

    @property
    def columns(self) -> int:
        return self.phase["banks"] * BANK_BYTES // self.cell_bytes

    @property
    def line_bytes(self) -> int:
        return self.phase["banks"] * BANK_BYTES

    def cell_of(self, address: int) -> tuple[int, int]:
        """Returns the line and the column of the cell that contains an address."""
        return address // self.line_bytes, address % self.line_bytes // self.cell_bytes

    def lanes(self) -> dict[tuple[int, int], list[int]]:
        """Returns the lanes that access each cell. Cells that no lane accesses are not included."""
        cells: dict[tuple[int, int], list[int]] = {}
        for lane, address in sorted(zip(self.phase["lanes"], self.phase["addresses"], strict=True)):
            cells.setdefault(self.cell_of(address), []).append(lane)
        return cells

    def lines(self) -> list[int]:
        """Returns the lines that lanes access, in ascending order."""
        return sorted({line for line, _ in self.lanes()})

    def wanted(self, column: int) -> int:
        """Returns the number of cells of a column that lanes access. This number is the number of wavefronts for the
        banks of the column."""
        return sum(at == column for _, at in self.lanes())

    def banks_of(self, column: int) -> range:
        first = column * self.cell_bytes // BANK_BYTES
        return range(first, first + self.cell_bytes // BANK_BYTES)

    def holds(self, line: int, column: int) -> bool:
        """Returns True if a cell holds an element. A cell without an element is padding, or is after the end of the
        tile."""
        begin = line * self.line_bytes + column * self.cell_bytes
        offset = bisect_left(range(self._elements), begin, key=self._address)
        return offset < self._elements and self._address(offset) < begin + self.cell_bytes

    def is_behind(self, line: int, column: int) -> bool:
        return line * self.line_bytes + column * self.cell_bytes > self._address(self._elements - 1)

    @property
    def _elements(self) -> int:
        return 1 << len(self.bases["offset"])

    def _address(self, offset: int) -> int:
        padding = sum(offset // interval * padding for interval, padding in self.bases["paddings"])
        return (offset + padding) * self.item_bytes


def element_of(bases: dict, register: int, lane: int) -> tuple[int, ...]:
    """Returns the element that a lane of warp 0 holds in a register; `bases` is the linear map of a distributed
    layout."""
    rows = [*_chosen(bases["register"], register), *_chosen(bases["lane"], lane)]
    rank = len((bases["register"] + bases["lane"] + bases["warp"])[0])
    element = [0] * rank
    for row in rows:
        element = [a ^ b for a, b in zip(element, row, strict=True)]
    return tuple(element)


def _chosen(rows: Sequence[Sequence[int]], index: int) -> list[Sequence[int]]:
    return [row for bit, row in enumerate(rows) if index >> bit & 1]


def worst(phases: Sequence[dict]) -> int:
    """Returns the index of the phase with the most wavefronts in excess of the ideal; of several phases, the first."""
    return max(range(len(phases)), key=lambda number: (phases[number]["actual"] - phases[number]["ideal"], -number))


def phases_per_access(phases: Sequence[dict]) -> int:
    return sum(phase["register"] == phases[0]["register"] for phase in phases)
