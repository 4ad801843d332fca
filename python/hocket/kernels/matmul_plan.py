"""Which tile a matrix product uses, and why: a rule over facts of the target, without running anything.

A block computes tiles of the result one at a time; a compute unit runs a round of tiles after the other. For each
candidate tile the rule estimates the clocks of the whole product as

    rounds x (K x (the slower + a quarter of the faster of {matrix cores, loads}) + start and end)

    rounds        tiles / compute units, rounded up: a last round that is nearly empty costs as much as a full one
    matrix cores  tile_m x tile_n multiply-adds per step of k, at the rate of the compute unit
    loads         (tile_m + tile_n) elements per step of k, at the bandwidth of the compute unit's cache

and picks the fastest. Where there are few tiles, blocks may share the steps of k of each; then the clocks of adding up
their sums count, too. Larger tiles load less per product; smaller ones fill the GPU when the result is small. The
figures are those of AMD's data sheets; they rank tiles but predict no times. How the operands travel follows from the
tile (`matmul_way`).
"""

from __future__ import annotations

from dataclasses import dataclass

from .. import cdiv
from ..errors import LaunchError
from .matmul_shares import SHARES, adding_clocks, are_all_busy, share_of
from .matmul_tiles import TILES, Tile
from .matmul_way import COUNTS, PIPELINED_WARPS, RESULT, RING_SLOTS, choose_way, fits_quadrants, line_of

#: Clocks that a tile takes besides its loop: filling the pipeline, storing the result. An estimate, the same for all
#: tiles; it only keeps tiny tiles from winning on products with a small K.
START_AND_END_CLOCKS = 2000

#: Share of the faster of the two that the slower one does not hide. A guess: large tiles, which load less per product,
#: win where the number of rounds is the same.
NOT_HIDDEN = 0.25


@dataclass(frozen=True)
class ComputeUnit:
    """What one compute unit does per clock, and how many there are."""

    count: int
    #: Multiply-adds per clock by element width in bits. "AMD Instinct MI300X" and "MI355X" data sheets: dense peak
    #: rate / (2 x compute units x clock).
    multiply_adds: dict[int, int]
    #: Bytes per clock from the caches to a compute unit ("CDNA 3 architecture" white paper, vector L1).
    load_bytes: int = 64
    #: Bytes per clock between all of them and memory: peak bandwidth / clock, same data sheets.
    memory_bytes: int = 2520


COMPUTE_UNITS = {
    "gfx942": ComputeUnit(count=304, multiply_adds={16: 1024, 8: 2048}),
    "gfx950": ComputeUnit(count=256, multiply_adds={16: 2048, 8: 4096}, memory_bytes=3330),
}


@dataclass(frozen=True)
class Estimate:
    """The rule's estimate for one tile."""

    tile: Tile
    rounds: int
    matrix_clocks: float  # per step of k
    load_clocks: float
    total_clocks: float
    shares: int = 1


def estimate(
    tile: Tile, m: int, n: int, k: int, element_bits: int, unit: ComputeUnit, batch: int = 1, shares: int = 1
) -> Estimate:
    """The rule of this module for one tile, whose steps of k `shares` blocks share."""
    rounds = cdiv(batch * shares * cdiv(m, tile.m) * cdiv(n, tile.n), unit.count)
    matrix_clocks = tile.m * tile.n / unit.multiply_adds[element_bits]
    load_clocks = (tile.m + tile.n) * element_bits / 8 / unit.load_bytes
    per_step = max(matrix_clocks, load_clocks) + NOT_HIDDEN * min(matrix_clocks, load_clocks)
    total = rounds * (cdiv(k, shares) * per_step + START_AND_END_CLOCKS)
    total += adding_clocks(batch * m * n, shares, unit.memory_bytes)
    return Estimate(tile, rounds, matrix_clocks, load_clocks, total, shares)


@dataclass(frozen=True)
class Plan:
    """A tile, how its operands travel, and the sentences that say why."""

    tile: Tile
    #: Steps of k between two visits of global memory.
    block_k: int
    #: Whether operands are copied straight into LDS; else they pass through registers.
    is_direct: bool
    #: Slices of the operands in LDS at once.
    slots: int
    #: Whether two groups of warps take turns at loading and multiplying.
    is_pipelined: bool
    reasons: tuple[str, ...] = ()
    #: Blocks that share the steps of k of a tile; `matmul_shares` says how.
    shares: int = 1

    def __post_init__(self) -> None:
        if self.is_pipelined and self.tile.num_warps != PIPELINED_WARPS:
            raise LaunchError(
                f"matmul: a warp pipeline needs {PIPELINED_WARPS} warps, but the tile {self.tile} has "
                f"{self.tile.num_warps}"
            )
        if self.schedule == "quadrants" and not fits_quadrants(self.tile):
            raise LaunchError(
                f"matmul: a warp pipeline with {COUNTS[self.slots]} slot{'s' if self.slots > 1 else ''} multiplies "
                f"quadrants of the tile, and those of {self.tile} have less than {RESULT} x {RESULT} results for each "
                f"of {self.tile.warps_m} x {self.tile.warps_n} warps"
            )

    @property
    def schedule(self) -> str:
        """Whether warps work "in step" or take turns, at tiles from a "ring" of slots or at "quadrants" of tiles."""
        if not self.is_pipelined:
            return "in step"
        return "ring" if self.slots >= min(RING_SLOTS) else "quadrants"


def choose_plan(
    m: int,
    n: int,
    k: int,
    element_bits: int,
    target: str,
    direct_copies: str | None,
    lds_bytes: int,
    is_aligned: bool = True,
    batch: int = 1,
) -> Plan:
    """The plan for an m x k times k x n product of elements of `element_bits` on `target`.

    Args:
        direct_copies: None if operands can be copied straight into LDS, else the reason why not.
        lds_bytes: LDS of a block on the target.
        is_aligned: whether a lane loads 16 bytes at once. Else it loads element by element, each with an address, and
            two waves on a SIMD unit, with 256 registers per lane, have none left for that: tiles of eight warps would
            spill.
        batch: how many such products there are.
    """
    unit = COMPUTE_UNITS[target]
    fitting = [tile for tile in TILES if is_aligned or tile.num_warps < PIPELINED_WARPS]
    shares = [count for count in SHARES if are_all_busy(k, line_of(element_bits), count)]
    estimates = [
        min((estimate(tile, m, n, k, element_bits, unit, batch, count) for count in shares), key=clocks_of)
        for tile in fitting
    ]
    best, second = sorted(estimates, key=clocks_of)[:2]
    tile = best.tile
    tiles = batch * cdiv(m, tile.m) * cdiv(n, tile.n)
    slower, faster = ("matrix cores", "loads") if best.matrix_clocks >= best.load_clocks else ("loads", "matrix cores")
    reasons = (
        f"tile {tile} by {tile.num_warps} warps: {tiles} tiles on {unit.count} compute units "
        f"take {best.rounds} round{'s' if best.rounds > 1 else ''}; per step of k a tile keeps the {slower} busy for "
        f"{max(best.matrix_clocks, best.load_clocks):g} clocks and the {faster} for "
        f"{min(best.matrix_clocks, best.load_clocks):g}",
        f"next best, {second.tile}: {second.rounds} round{'s' if second.rounds > 1 else ''}, "
        f"{second.total_clocks / best.total_clocks:.2f} times the clocks",
    )
    if best.shares > 1:
        reasons += (
            f"{best.shares} blocks share the steps of k of a tile, as {tiles} tile{'s' if tiles > 1 else ''} alone "
            "would leave compute units idle; a second kernel adds up their sums in the order of k",
        )
    share = share_of(k, line_of(element_bits), best.shares)
    way = choose_way(tile, share, element_bits, direct_copies, lds_bytes)
    return Plan(tile, *way[:-1], reasons + way.reasons, best.shares)


def clocks_of(of: Estimate) -> float:
    return of.total_clocks
