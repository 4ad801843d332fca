"""Cost model that chooses the tile of a GEMM on Hopper, without running anything.

Like `plan_cdna` for CDNA, the model estimates the clocks of the whole GEMM for each candidate tile, and picks the
fastest:

    waves x K x (max + min / 8 of {tensor core clocks, load clocks per unit of K})
        + (waves - 1) x clocks between waves + clocks of the last store

With few tiles and a large K, several CTAs may share the k-tiles of a tile (split-K). With split-K, K is the K extent of
a split, and the time between waves is the time to store partial sums. The last split of a tile also adds up partial
sums.

Persistent CTAs process one tile per wave. With ping-pong, the store of a tile overlaps with the MMAs of the other
warpgroup in all waves except the last, so the time between waves is only the switch between warpgroups. Without
ping-pong, the time between waves is the time of the store. During the store, only the loads of the next tile continue.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ... import cdiv
from ...errors import LaunchError

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Number of multiply-adds per clock by the tensor cores of an SM, for 16-bit elements ("NVIDIA H100 Tensor Core GPU
#: Architecture": 1024 dense flops per clock and tensor core, four of them). MMAs of narrower elements take less time.
MULTIPLY_ADDS = 2048

#: Bytes per clock from L2 to an SM: the bandwidth of an SM's L2 port. Measured on an H200, with M = N = 8192 and K =
#: 512 and 1024. Tiles of 128 x 128 need 64 bytes per clock at the full MMA rate, and reach the same fraction of this
#: rate as tiles of 128 x 256.
LOAD_BYTES = 64

#: Factor of the time to load k-tiles of an operand whose rows begin inside a sector of the L2, measured on an H200 with
#: 4096^3 and 1024 x 3072 x 5120 (docs/lab/hopper_kernels.md).
SLOW_LOAD = 1.77

#: Loads and MMAs overlap, except for this fraction of the shorter of the two times. This constant and the next three
#: were fitted to times of the three largest tiles on an H200, with M = N = 2048, 4096 and 8192 and K = 256 to 8192
#: (docs/lab/hopper_kernels.md).
NOT_HIDDEN = 1 / 8

#: Clocks between two waves of tiles in which the tensor cores wait until results of 128 x 256 are converted and stored.
STORE_CLOCKS = 2600

#: Clocks that an activation adds to each store of 128 x 256 results, fitted like `STORE_CLOCKS`.
ACTIVATION_CLOCKS = {"none": 0, "relu": 500, "silu": 4200, "gelu_tanh": 6500}

#: Name of a function of the user in place of an activation. The model assumes the clocks of silu for each function.
FUNCTION = "the epilogue"
ACTIVATION_CLOCKS[FUNCTION] = ACTIVATION_CLOCKS["silu"]

#: With one consumer warpgroup: further clocks between two waves of tiles, fitted on an H200 to tiles of 64 x 64 and
#: drawn sizes (docs/lab/hopper_kernels.md).
ONE_WARPGROUP_CLOCKS = 1500

#: With ping-pong: clocks between two waves of tiles until the MMAs of the other warpgroup start, and clocks of a tile
#: besides its MMAs and its store.
SWITCH_CLOCKS, ALTERNATING_CLOCKS = 500, 1000

#: Clocks from the last MMA to the end of the kernel, for results of 128 x 256.
LAST_STORE_CLOCKS = 3800

#: Clocks of split-K for tiles of 128 x 256. `PARTIAL_CLOCKS`: to store the partial sums of one split. `ADD_CLOCKS`: to
#: add the partial sums of one split at the end. `BETWEEN_SPLITS_CLOCKS`: between two waves, when some CTAs store and
#: others add. The three constants were fitted to 48 measured times, of GEMMs of 17 sizes, on an H200
#: (docs/lab/hopper_kernels.md).
PARTIAL_CLOCKS, ADD_CLOCKS, BETWEEN_SPLITS_CLOCKS = 20000, 10000, 50000

#: Copies of operands that TMA cannot read (`padded_copy`), measured on an H200: clocks of a launch, and bytes that are
#: read or written per clock and SM.
COPY_LAUNCH_CLOCKS, COPY_BYTES = 6000, 12

#: Relative error that is assumed for the estimated clocks of split-K.
SPLIT_ERROR = 0.1

#: `MOST_SPLITS`: largest number of splits of a tile. `FEWEST_STEPS`: fewest k-tiles of a split. `MOST_DIVIDED_TILES`:
#: largest number of tiles that are divided, because each divided tile needs counters of arrived splits
#: (`work_counter.COUNTERS`).
MOST_SPLITS, FEWEST_STEPS, MOST_DIVIDED_TILES = 32, 4, 256

#: Number of bytes of a row of a k-tile, and of a row of an epilogue subtile in shared memory. A swizzle spans this
#: number of bytes.
ROW_BYTES = 128

#: Rows of an epilogue subtile: the rows of one wgmma.
STAGED_ROWS = 64

#: Largest number of stages of the ring buffer. With few rows of A, the copies of B in flight limit the speed, so the
#: stages of the smallest tile fill the shared memory (docs/lab/hopper_kernels.md).
MOST_STAGES = 12

#: Bytes of shared memory for mbarriers and for alignment.
OTHER_BYTES = 1024


@dataclass(frozen=True)
class HopperTile:
    """A tile of C, and the consumer warpgroups that compute it."""

    m: int
    n: int
    #: Number of consumer warpgroups: 1 or 2.
    consumers: int
    #: True if each of two warpgroups computes every second tile (ping-pong). False if each warpgroup computes a part of
    #: the rows of every tile.
    ping_pong: bool = False

    @property
    def parts(self) -> int:
        """Number of parts into which the rows of a tile are divided among warpgroups."""
        return 1 if self.ping_pong else self.consumers

    @property
    def acc_n(self) -> int:
        """Number of columns of an accumulator, a power of two. A tile may have several accumulators side by side."""
        return self.n & -self.n

    def __str__(self) -> str:
        return f"{self.m} x {self.n}"


#: Candidate tiles. If several candidates have the same estimate, the candidate with the fewest warpgroups is chosen,
#: and then the first one. Of about 220 registers of a thread, accumulators take (m / parts) x n / 128.
TILES = (
    HopperTile(128, 256, 2),
    HopperTile(128, 128, 2),
    HopperTile(128, 128, 2, ping_pong=True),
    HopperTile(128, 192, 2, ping_pong=True),
    HopperTile(64, 256, 2, ping_pong=True),
    HopperTile(64, 128, 2, ping_pong=True),
    HopperTile(64, 256, 1),
    HopperTile(64, 128, 1),
    HopperTile(64, 64, 1),
    HopperTile(128, 192, 2),
    HopperTile(256, 128, 2),
)


@dataclass(frozen=True)
class HopperEstimate:
    """The cost model's estimate for one tile."""

    tile: HopperTile
    splits: int
    waves: int
    matrix_clocks: float  # tensor core clocks per unit of K
    load_clocks: float
    total_clocks: float


@dataclass(frozen=True)
class HopperPlan:
    """A plan of the GEMM on Hopper: a tile, the ring buffer for its operands, and the reasons for the choice as
    sentences."""

    tile: HopperTile
    #: K extent of a k-tile.
    block_k: int
    stages: int
    #: `staged_columns`: number of columns of an epilogue subtile. `staging_buffers`: number of staging buffers per
    #: warpgroup or, with ping-pong, for both warpgroups.
    staged_columns: int
    staging_buffers: int
    #: Number of rows of tiles in a group. Tiles of a group are numbered column by column, so tiles that run at the same
    #: time share k-tiles of A or B.
    group_rows: int
    #: Number of CTAs of the launch.
    blocks: int
    #: Number of CTAs that share the k-tiles of a tile (split-K).
    splits: int = 1
    #: Number of CTAs that an SM executes at the same time.
    ctas_per_sm: int = 1
    #: Flags of A and B: True if the operand is copied although TMA could read it, but slowly (`arrays_hopper`).
    copies: tuple[bool, bool] = (False, False)
    #: True if the kernel computes B^T x A^T, whose transpose is C; False if it computes C. None lets the order of C
    #: decide.
    is_transposed: bool | None = None
    #: Estimated clocks of the kernel and of the copies of operands.
    clocks: float = 0.0
    reasons: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.stages < 2:
            raise LaunchError(
                f"matmul: a HopperPlan needs at least 2 stages, not {self.stages}: a stage is released after the "
                "wgmmas of the next stage start"
            )


def copy_clocks(sizes: Sequence[int], multiprocessors: int) -> float:
    """Returns the estimated clocks of copies of operands. `sizes`: the number of bytes of each operand."""
    return sum(COPY_LAUNCH_CLOCKS + 2 * size / (COPY_BYTES * multiprocessors) for size in sizes)


def estimate(
    tile: HopperTile,
    m: int,
    n: int,
    k: int,
    batch: int,
    element_bits: int,
    multiprocessors: int,
    activation: str = "none",
    splits: int = 1,
    slow_loads: tuple[bool, bool] = (False, False),
) -> HopperEstimate:
    """Returns the estimated clocks of the GEMM with tiles of size `tile`. `slow_loads`: as in `choose_hopper_plan`."""
    waves = cdiv(batch * cdiv(m, tile.m) * cdiv(n, tile.n) * splits, multiprocessors)
    matrix_clocks = tile.m * tile.n * element_bits / 16 / MULTIPLY_ADDS
    loaded = sum(
        side * (SLOW_LOAD if is_slow else 1) for side, is_slow in zip((tile.m, tile.n), slow_loads, strict=True)
    )
    load_clocks = loaded * element_bits / 8 / LOAD_BYTES
    per_step = max(matrix_clocks, load_clocks) + NOT_HIDDEN * min(matrix_clocks, load_clocks)
    fraction = tile.m * tile.n / (128 * 256)
    store_clocks, last_store_clocks = (
        fraction * (clocks + ACTIVATION_CLOCKS[activation]) for clocks in (STORE_CLOCKS, LAST_STORE_CLOCKS)
    )
    between = store_clocks + (ONE_WARPGROUP_CLOCKS if tile.consumers == 1 else 0)
    if tile.ping_pong:
        # One warpgroup stores all rows of a tile. With a small K, both warpgroups store most of the time.
        own_tile = k * per_step + 2 * store_clocks + ALTERNATING_CLOCKS
        between = max(SWITCH_CLOCKS, own_tile / 2 - k * per_step)
    k_of_split = k
    if splits > 1:
        block_k = ROW_BYTES * 8 // element_bits
        k_of_split = cdiv(cdiv(k, block_k), splits) * block_k
        between = fraction * BETWEEN_SPLITS_CLOCKS
        last_store_clocks += fraction * (PARTIAL_CLOCKS + splits * ADD_CLOCKS)
    total_clocks = waves * k_of_split * per_step + (waves - 1) * between + last_store_clocks
    return HopperEstimate(tile, splits, waves, matrix_clocks, load_clocks, total_clocks)


def splits_of(tile: HopperTile, m: int, n: int, k: int, batch: int, element_bits: int) -> range:
    """Returns the numbers of splits that the cost model compares for a tile."""
    if tile.ping_pong or batch * cdiv(m, tile.m) * cdiv(n, tile.n) > MOST_DIVIDED_TILES:
        return range(1, 2)
    steps = cdiv(k * element_bits // 8, ROW_BYTES)
    return range(1, max(min(MOST_SPLITS, steps // FEWEST_STEPS), 1) + 1)


def weighed_clocks(estimate: HopperEstimate) -> float:
    """Returns the estimated clocks; for split-K, increased by the error of the estimate, so split-K must be faster by
    more than this error."""
    return estimate.total_clocks * (1 + SPLIT_ERROR * (estimate.splits > 1))


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
    splits: int | None = None,
    slow_loads: tuple[bool, bool] = (False, False),
    fewest_columns: int = 1,
) -> HopperPlan:
    """Chooses the plan for `batch` GEMMs of size m x k times k x n, with elements of `element_bits` bits.

    Args:
        out_bits: width in bits of an element of the result.
        shared_bytes: bytes of shared memory per CTA on the target.
        tile: a tile to use, instead of the choice of the cost model.
        activation: activation of the epilogue.
        splits: number of CTAs that share the k-tiles of a tile, instead of the choice of the cost model. More than one
            split requires at most `MOST_DIVIDED_TILES` tiles, and a tile without ping-pong.
        slow_loads: for A and B, whether rows begin inside a sector of the L2, i.e. not at a multiple of 32 bytes.
        fewest_columns: fewest columns of an accumulator, and thus of an epilogue subtile.
    """

    def best_of(tile: HopperTile) -> HopperEstimate:
        """Returns the estimate for the number of splits with the fewest clocks."""
        counts = splits_of(tile, m, n, k, batch, element_bits) if splits is None else [splits]
        return min(
            (
                estimate(tile, m, n, k, batch, element_bits, multiprocessors, activation, count, slow_loads)
                for count in counts
            ),
            key=weighed_clocks,
        )

    ranked = sorted(
        (best_of(candidate) for candidate in ([tile] if tile else TILES) if candidate.acc_n >= fewest_columns),
        key=lambda e: (weighed_clocks(e), e.tile.consumers),
    )
    best, tile = ranked[0], ranked[0].tile
    tiles = batch * cdiv(m, tile.m) * cdiv(n, tile.n)
    block_k = ROW_BYTES * 8 // element_bits
    staged_columns = min(ROW_BYTES * 8 // out_bits, tile.acc_n)
    buffers = (3 if tile.ping_pong else 2) if staged_columns < tile.n else 1
    staged_bytes = (1 if tile.ping_pong else tile.consumers) * buffers * STAGED_ROWS * staged_columns * out_bits // 8
    stages = min(MOST_STAGES, (shared_bytes - OTHER_BYTES - staged_bytes) // ((tile.m + tile.n) * ROW_BYTES))
    group_rows = square_group(tile, multiprocessors)
    blocks = min(tiles * best.splits, multiprocessors)
    waves = plural(best.waves, "wave")
    divided = f", each divided into {best.splits} splits of K," if best.splits > 1 else ""
    reasons = (
        f"tile {tile}: {plural(tiles, 'tile')}{divided} on {multiprocessors} SMs take {waves}; per unit of K, "
        f"a tile keeps the tensor cores busy for {best.matrix_clocks:.3g} clocks and the L2 for {best.load_clocks:.3g}",
        *(next_best(best, ranked[1]) if len(ranked) > 1 else ()),
        f"a producer warp copies k-tiles of {block_k} by TMA into {stages} stages, also while results are stored; "
        + CONSUMERS[tile.consumers, tile.ping_pong].format(
            stores="stores" if activation == "none" else f"applies {activation} and stores"
        ),
        f"the epilogue stores subtiles of {staged_columns} columns through shared memory",
        f"{plural(blocks, 'persistent block')}; tiles are numbered in groups of {group_rows} rows of tiles, so blocks "
        "that run together share rows of a and columns of b in the L2",
    )
    return HopperPlan(
        tile=tile,
        block_k=block_k,
        stages=stages,
        staged_columns=staged_columns,
        staging_buffers=buffers,
        group_rows=group_rows,
        blocks=blocks,
        splits=best.splits,
        clocks=best.total_clocks,
        reasons=reasons,
    )


CONSUMERS = {
    (2, False): "two consumer warpgroups compute half of the tile's rows each",
    (2, True): "two consumer warpgroups alternate (ping-pong): one multiplies while the other {stores}",
    (1, False): "one consumer warpgroup",
}


def next_best(best: HopperEstimate, second: HopperEstimate) -> tuple[str]:
    ping_pong = " (ping-pong)" if second.tile.ping_pong else ""
    return (
        f"next best, {second.tile}{ping_pong}: {plural(second.waves, 'wave')}, "
        f"{second.total_clocks / best.total_clocks:.2f} times the clocks",
    )


def square_group(tile: HopperTile, multiprocessors: int) -> int:
    """Returns the number of rows of tiles in a group: a power of two, such that the tiles that run at the same time
    cover nearly a square of C, but no region with more rows than columns. Such regions were 3 % slower with tiles of
    128 x 128 on an H200."""
    return 1 << int(math.log2(math.sqrt(multiprocessors * tile.n / tile.m)))


def plural(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
