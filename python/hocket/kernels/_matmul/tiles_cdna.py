"""Candidate tiles of the GEMM on CDNA, among which `plan_cdna` chooses."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Tile:
    """A tile of C: number of rows, number of columns, and number of warps along each dimension."""

    m: int
    n: int
    warps_m: int
    warps_n: int

    @property
    def num_warps(self) -> int:
        """Number of warps of a block."""
        return self.warps_m * self.warps_n

    def __str__(self) -> str:
        return f"{self.m} x {self.n}"


#: Candidate tiles. If the estimates of several candidates are equal, the first of these candidates is chosen.
#: Accumulators take m * n / (64 * warps) registers per lane: at most 128.
TILES = (
    Tile(256, 256, 2, 4),
    Tile(256, 128, 4, 2),
    Tile(128, 256, 2, 4),
    Tile(128, 128, 2, 2),
    Tile(128, 64, 2, 2),
    Tile(64, 128, 2, 2),
    Tile(64, 64, 2, 2),
)
