"""Which tile a matrix product on Hopper uses, and why: a rule over facts of the GPU, without running anything.

As `matmul_plan` does for CDNA, the rule estimates the clocks of the whole product for each candidate and picks the
fastest:

    rounds x K x (the slower + an eighth of the faster of {tensor cores, loads})
        + (rounds - 1) x what is between them + the last store

Blocks stay on their multiprocessor and take a tile per round. Where two warpgroups take turns, storing is hidden
under the other one's products, in all rounds but the last, and what is between rounds is the turn; where they share a
tile, it is storing, and only the loads of the next tile go on meanwhile.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from .. import cdiv

#: Multiply-adds per clock of a multiprocessor's tensor cores, of elements of 16 bits ("NVIDIA H100 Tensor Core GPU
#: Architecture": 1024 dense flops per clock and tensor core, four of them); narrower elements take less time.
MULTIPLY_ADDS = 2048

#: Bytes per clock from the L2 to a multiprocessor: what its port takes. Measured on an H200, M = N = 8192, K = 512 and
#: 1024: tiles of 128 x 128, which need 64 at the full rate, come as close to it per step of k as those of 128 x 256.
LOAD_BYTES = 64

#: Share of the faster of the two that the slower one does not hide. This and the three below were read off times of the
#: three largest tiles on an H200, M = N = 2048, 4096 and 8192, K = 256 to 8192: how they grow with K, and what of them
#: does not (docs/hopper_kernels.md).
NOT_HIDDEN = 1 / 8

#: Clocks between rounds in which tensor cores wait for 128 x 256 results to be converted and stored.
STORE_CLOCKS = 2600

#: Clocks that an activation adds to these and to the last store, for 128 x 256 results: measured likewise.
ACTIVATION_CLOCKS = {"none": 0, "relu": 500, "silu": 4200, "gelu_tanh": 6500}

#: Clocks between rounds until products of the other warpgroup follow, where two take turns.
TURN_CLOCKS = 500

#: Clocks from the last product to the end, for 128 x 256 results.
LAST_STORE_CLOCKS = 3800

#: Bytes of a row of a slice, and of a piece of the result: what one swizzle spans.
ROW_BYTES = 128

#: Rows of a piece of the result: what a product of a warpgroup has.
STAGED_ROWS = 64

#: More slots than this hide nothing more.
MOST_SLOTS = 8

#: Shared memory for mbarriers, and for what the compiler aligns.
OTHER_BYTES = 1024


@dataclass(frozen=True)
class HopperTile:
    """A tile of the result, and the warpgroups (four warps each) that multiply."""

    m: int
    n: int
    #: How many there are: 1 or 2.
    workers: int
    #: Whether two of them take every second tile each; else they take half of the rows each.
    taking_turns: bool = False

    @property
    def parts(self) -> int:
        """Into how many parts the rows of a tile are divided."""
        return 1 if self.taking_turns else self.workers

    @property
    def acc_n(self) -> int:
        """Columns of an accumulator: a power of two. Several of them make up a tile."""
        return self.n & -self.n

    def __str__(self) -> str:
        return f"{self.m} x {self.n}"


#: At equal estimates fewer warpgroups win, then the first. Accumulators take rows x n / 128 of about 220 registers.
TILES = (
    HopperTile(128, 256, 2),
    HopperTile(128, 128, 2),
    HopperTile(128, 128, 2, taking_turns=True),
    HopperTile(128, 192, 2, taking_turns=True),
    HopperTile(64, 256, 2, taking_turns=True),
    HopperTile(64, 128, 2, taking_turns=True),
    HopperTile(64, 256, 1),
    HopperTile(64, 128, 1),
    HopperTile(64, 64, 1),
)


@dataclass(frozen=True)
class Estimate:
    """The rule's estimate for one tile."""

    tile: HopperTile
    rounds: int
    matrix_clocks: float  # per step of k
    load_clocks: float
    total_clocks: float


@dataclass(frozen=True)
class HopperPlan:
    """A tile, the ring through which its operands travel, and the sentences that say why."""

    tile: HopperTile
    #: Steps of k in a slot of the ring.
    block_k: int
    slots: int
    #: Columns of a piece of the result on its way out, and how many buffers there are for pieces: of each warpgroup or,
    #: where they take turns, of both.
    staged_columns: int
    staged_pieces: int
    #: Rows of tiles that are computed together, column after column.
    group_rows: int
    #: Blocks of a launch.
    blocks: int
    reasons: tuple[str, ...] = ()


def estimate(
    tile: HopperTile,
    m: int,
    n: int,
    k: int,
    batch: int,
    element_bits: int,
    multiprocessors: int,
    activation: str = "none",
) -> Estimate:
    """The rule of this module for one tile."""
    rounds = cdiv(batch * cdiv(m, tile.m) * cdiv(n, tile.n), multiprocessors)
    matrix_clocks = tile.m * tile.n * element_bits / 16 / MULTIPLY_ADDS
    load_clocks = (tile.m + tile.n) * element_bits / 8 / LOAD_BYTES
    per_step = max(matrix_clocks, load_clocks) + NOT_HIDDEN * min(matrix_clocks, load_clocks)
    share = tile.m * tile.n / (128 * 256)
    store_clocks, last_store_clocks = (
        share * (clocks + ACTIVATION_CLOCKS[activation]) for clocks in (STORE_CLOCKS, LAST_STORE_CLOCKS)
    )
    between = TURN_CLOCKS if tile.taking_turns else store_clocks
    total_clocks = rounds * k * per_step + (rounds - 1) * between + last_store_clocks
    return Estimate(tile, rounds, matrix_clocks, load_clocks, total_clocks)


def choose_hopper_plan(
    m: int,
    n: int,
    k: int,
    batch: int,
    element_bits: int,
    out_bits: int,
    shared_bytes: int,
    multiprocessors: int,
    tile: HopperTile | None = None,
    activation: str = "none",
) -> HopperPlan:
    """The plan for `batch` products of m x k by k x n elements of `element_bits`.

    Args:
        out_bits: width of an element of the result.
        shared_bytes: shared memory of a block on the target.
        tile: the tile, instead of what the rule chooses.
        activation: what is done to results before they are stored.
    """
    ranked = sorted(
        (estimate(t, m, n, k, batch, element_bits, multiprocessors, activation) for t in ([tile] if tile else TILES)),
        key=lambda e: (e.total_clocks, e.tile.workers),
    )
    best, tile = ranked[0], ranked[0].tile
    tiles = batch * cdiv(m, tile.m) * cdiv(n, tile.n)
    block_k = ROW_BYTES * 8 // element_bits
    staged_columns = min(ROW_BYTES * 8 // out_bits, tile.acc_n)
    buffers = (3 if tile.taking_turns else 2) if staged_columns < tile.n else 1
    staged_bytes = (1 if tile.taking_turns else tile.workers) * buffers * STAGED_ROWS * staged_columns * out_bits // 8
    slots = min(MOST_SLOTS, (shared_bytes - OTHER_BYTES - staged_bytes) // ((tile.m + tile.n) * ROW_BYTES))
    group_rows = square_group(tile, multiprocessors)
    blocks = min(tiles, multiprocessors)
    reasons = (
        f"tile {tile}: {tiles} tiles on {multiprocessors} multiprocessors take {plural(best.rounds, 'round')}; per "
        f"step of k a tile keeps the tensor cores busy for {best.matrix_clocks:.3g} clocks and the L2 for "
        f"{best.load_clocks:.3g}",
        *(next_best(best, ranked[1]) if len(ranked) > 1 else ()),
        f"one warp copies by TMA, {slots} slices of {block_k} steps of k ahead, also while results are stored; "
        + WORKERS[tile.workers, tile.taking_turns].format(
            stores="stores" if activation == "none" else f"applies {activation} and stores"
        ),
        f"results leave through shared memory, {staged_columns} columns at a time, by TMA",
        f"{plural(blocks, 'block')} stay and take a tile after the other, {group_rows} rows of tiles at a time, so "
        "that what runs together shares rows of a and columns of b in the L2",
    )
    return HopperPlan(
        tile=tile,
        block_k=block_k,
        slots=slots,
        staged_columns=staged_columns,
        staged_pieces=buffers,
        group_rows=group_rows,
        blocks=blocks,
        reasons=reasons,
    )


WORKERS = {
    (2, False): "two warpgroups multiply half of the tile's rows each",
    (2, True): "two warpgroups take turns at tiles: one multiplies while the other {stores}, through the same buffers",
    (1, False): "one warpgroup multiplies",
}


def next_best(best: Estimate, second: Estimate) -> tuple[str]:
    return (
        f"next best, {second.tile}{' in turns' if second.tile.taking_turns else ''}: {plural(second.rounds, 'round')}, "
        f"{second.total_clocks / best.total_clocks:.2f} times the clocks",
    )


def square_group(tile: HopperTile, multiprocessors: int) -> int:
    """Rows of tiles, a power of two, that make what runs at the same time nearly as high as wide, but not higher: that
    was slower on an H200, by 3 % with tiles of 128 x 128."""
    return 1 << int(math.log2(math.sqrt(multiprocessors * tile.n / tile.m)))


def plural(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
