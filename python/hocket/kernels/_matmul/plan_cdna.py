"""Cost model that chooses the tile of a GEMM on CDNA, without running anything.

A block computes one tile of C. A compute unit runs tiles one after another, in waves. For each candidate tile the model
estimates the clocks of the whole GEMM as

    waves x (K x (max + min / 4 of {matrix core clocks, load clocks}) + start and end)

    waves         tiles / compute units, rounded up: a nearly empty last wave costs as much as a full one
    matrix cores  tile_m x tile_n multiply-adds per unit of K, at the rate of the compute unit
    loads         (tile_m + tile_n) elements per unit of K, at the bandwidth of the compute unit's cache

and picks the fastest. With few tiles, several blocks may share the K dimension of a tile (split-K). The estimate of
split-K includes the second kernel. Larger tiles load fewer bytes per MFMA. Smaller tiles occupy more compute units when
C is small. The constants come from AMD's data sheets: they rank tiles, but do not predict times. The tile determines
how operands reach the matrix cores (`variant_cdna`).
"""

from __future__ import annotations

from dataclasses import dataclass

from ... import cdiv
from ...errors import LaunchError
from .split_k import SPLITS, adding_clocks, are_all_busy, split_extent
from .tiles_cdna import TILES, Tile
from .variant_cdna import (
    COUNTS,
    INTERLEAVED_WARPS,
    PIPELINED_WARPS,
    QUADRANT_STAGES,
    RESULT,
    RING_STAGES,
    choose_variant,
    fits_quadrants,
    line_of,
)

#: Clocks of a tile outside the loop over K: filling the pipeline, and storing C. The value is an estimate for tiles of
#: all sizes. Without it, the model would choose tiny tiles if K is small.
START_AND_END_CLOCKS = 2000

#: MFMAs and loads overlap, except for this fraction of the shorter of the two times. The value is a guess. With this
#: value, the model prefers large tiles, which load fewer bytes per MFMA, if the number of waves is equal.
NOT_HIDDEN = 0.25


@dataclass(frozen=True)
class ComputeUnit:
    """Rates of one compute unit, and the number of compute units."""

    count: int
    #: Multiply-adds per clock by element width in bits. "AMD Instinct MI300X" and "MI355X" data sheets: dense peak rate
    #: / (2 x compute units x clock).
    multiply_adds: dict[int, int]
    #: Bytes per clock from the caches to a compute unit ("CDNA 3 architecture" white paper, vector L1).
    load_bytes: int = 64
    #: Bytes per clock between memory and all compute units: peak bandwidth / clock, from the data sheets of MI300X and
    #: MI355X.
    memory_bytes: int = 2520


COMPUTE_UNITS = {
    "gfx942": ComputeUnit(count=304, multiply_adds={16: 1024, 8: 2048}),
    "gfx950": ComputeUnit(count=256, multiply_adds={16: 2048, 8: 4096}, memory_bytes=3330),
}


@dataclass(frozen=True)
class CdnaEstimate:
    """The cost model's estimate for one tile."""

    tile: Tile
    waves: int
    matrix_clocks: float  # matrix core clocks per unit of K
    load_clocks: float
    total_clocks: float
    splits: int = 1


def estimate(
    tile: Tile, m: int, n: int, k: int, element_bits: int, unit: ComputeUnit, batch: int = 1, splits: int = 1
) -> CdnaEstimate:
    """Returns the estimated clocks of the GEMM with tiles of size `tile`, and with `splits` splits of K."""
    waves = cdiv(batch * splits * cdiv(m, tile.m) * cdiv(n, tile.n), unit.count)
    matrix_clocks = tile.m * tile.n / unit.multiply_adds[element_bits]
    load_clocks = (tile.m + tile.n) * element_bits / 8 / unit.load_bytes
    per_step = max(matrix_clocks, load_clocks) + NOT_HIDDEN * min(matrix_clocks, load_clocks)
    total = waves * (cdiv(k, splits) * per_step + START_AND_END_CLOCKS)
    total += adding_clocks(batch * m * n, splits, unit.memory_bytes)
    return CdnaEstimate(tile, waves, matrix_clocks, load_clocks, total, splits)


@dataclass(frozen=True)
class CdnaPlan:
    """A plan of the GEMM on CDNA: a tile, the way in which operands reach the matrix cores, and the reasons for the
    choice as sentences."""

    tile: Tile
    #: K extent of a k-tile.
    block_k: int
    #: True if operands are copied straight into LDS, False if they pass through registers.
    is_direct: bool
    #: Number of k-tiles that LDS holds at once.
    stages: int
    #: True if two groups of warps alternate between loads and MFMAs (a warp pipeline).
    is_pipelined: bool
    reasons: tuple[str, ...] = ()
    #: Number of blocks among which the K dimension of a tile is divided (split-K): see `split_k`.
    splits: int = 1
    #: True if each warp interleaves its MFMAs with its memory accesses, one wave per SIMD.
    is_interleaved: bool = False

    def __post_init__(self) -> None:
        if self.is_pipelined and self.tile.num_warps != PIPELINED_WARPS:
            raise LaunchError(
                f"matmul: a warp pipeline needs {PIPELINED_WARPS} warps, but the tile {self.tile} has "
                f"{self.tile.num_warps}"
            )
        if self.is_interleaved:
            self._check_interleaved()
        if self.is_in_quadrants and not fits_quadrants(self.tile):
            kernel = "an interleaved kernel" if self.is_interleaved else "a warp pipeline"
            raise LaunchError(
                f"matmul: {kernel} with {COUNTS[self.stages]} stage{'s' if self.stages > 1 else ''} multiplies "
                f"quadrants of the tile, and those of {self.tile} have less than {RESULT} x {RESULT} results for each "
                f"of {self.tile.warps_m} x {self.tile.warps_n} warps"
            )

    def _check_interleaved(self) -> None:
        if self.is_pipelined:
            raise LaunchError("matmul: an interleaved kernel has no warp pipeline: set is_pipelined=False")
        if self.tile.num_warps != INTERLEAVED_WARPS:
            raise LaunchError(
                f"matmul: an interleaved kernel needs {INTERLEAVED_WARPS} warps, one for each SIMD, but the tile "
                f"{self.tile} has {self.tile.num_warps}"
            )
        stages = QUADRANT_STAGES[self.is_direct]
        if self.stages != stages:
            way = "straight into LDS" if self.is_direct else "through registers"
            raise LaunchError(
                f"matmul: an interleaved kernel that copies {way} has {COUNTS[stages]} "
                f"stage{'s' if stages > 1 else ''}, not {self.stages}"
            )

    @property
    def variant(self) -> str:
        """Kind of kernel: "plain" has no warp pipeline; "interleaved" has no warp pipeline, but the MFMAs of each warp
        are interleaved with its memory accesses; "ring" is a warp pipeline with a ring buffer of k-tiles; "quadrants"
        is a warp pipeline over the quadrants of a tile."""
        if not self.is_pipelined:
            return "interleaved" if self.is_interleaved else "plain"
        return "ring" if self.stages >= min(RING_STAGES) else "quadrants"

    @property
    def is_in_quadrants(self) -> bool:
        """True if the kernel multiplies one quadrant of the tile at a time, with halves of k-tiles."""
        return self.variant in ("quadrants", "interleaved")


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
    fewest_columns: int = 1,
) -> CdnaPlan:
    """Chooses the plan for an m x k times k x n GEMM on `target`, with elements of `element_bits` bits.

    Args:
        direct_copies: None if operands can be copied straight into LDS, otherwise the reason why they cannot.
        lds_bytes: bytes of LDS per block on the target.
        is_aligned: True if a lane loads 16 bytes at once. Otherwise a lane loads element by element, and needs
            registers for the address of each element. Tiles of eight warps would then spill, because two waves share a
            SIMD, so a lane has only 256 registers.
        batch: number of GEMMs.
        fewest_columns: fewest columns of a tile, or of a quadrant of a tile of eight warps.
    """
    unit = COMPUTE_UNITS[target]
    fitting = [
        tile
        for tile in TILES
        if (is_aligned or tile.num_warps < PIPELINED_WARPS)
        and tile.n >= fewest_columns * (2 if tile.num_warps == PIPELINED_WARPS else 1)
    ]
    splits = [count for count in SPLITS if are_all_busy(k, line_of(element_bits), count)]
    estimates = [
        min((estimate(tile, m, n, k, element_bits, unit, batch, count) for count in splits), key=clocks_of)
        for tile in fitting
    ]
    best, second = sorted(estimates, key=clocks_of)[:2]
    tile = best.tile
    tiles = batch * cdiv(m, tile.m) * cdiv(n, tile.n)
    slower, faster = ("matrix cores", "loads") if best.matrix_clocks >= best.load_clocks else ("loads", "matrix cores")
    reasons = (
        f"tile {tile} by {tile.num_warps} warps: {tiles} tiles on {unit.count} compute units "
        f"take {best.waves} wave{'s' if best.waves > 1 else ''}; per unit of K, a tile keeps the {slower} busy for "
        f"{max(best.matrix_clocks, best.load_clocks):g} clocks and the {faster} for "
        f"{min(best.matrix_clocks, best.load_clocks):g}",
        f"next best, {second.tile}: {second.waves} wave{'s' if second.waves > 1 else ''}, "
        f"{second.total_clocks / best.total_clocks:.2f} times the clocks",
    )
    if best.splits > 1:
        reasons += (
            f"split-K: {best.splits} blocks share the K dimension of a tile, as {tiles} "
            f"tile{'s' if tiles > 1 else ''} alone would leave compute units idle; a second kernel adds up their "
            "partial sums in the order of k",
        )
    extent = split_extent(k, line_of(element_bits), best.splits)
    variant = choose_variant(tile, extent, element_bits, direct_copies, lds_bytes)
    return CdnaPlan(tile, *variant[:-1], reasons + variant.reasons, best.splits)


def clocks_of(estimated: CdnaEstimate) -> float:
    return estimated.total_clocks
