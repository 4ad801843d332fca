"""Choice of the tile of the grouped GEMM on Hopper, without the sizes of the groups.

The host knows the number of rows and of groups, and nothing else: the offsets are in the memory of the GPU. The cost
model of the GEMM (`_matmul.plan_hopper`) estimates the clocks for the expected number of tiles. A group of r rows has
ceil(r / block_m) rows of tiles. If the sizes of groups are arbitrary, half a row of tiles per group is partial, so

    rows of tiles = rows / block_m + groups / 2, and at least one per group
"""

from __future__ import annotations

import dataclasses

from .._matmul.plan_hopper import LOAD_BYTES, NOT_HIDDEN, TILES, HopperPlan, HopperTile, choose_hopper_plan, estimate

#: Factor of the time to load rows of A at indices by cp.async, measured on an H200 with tiles of 128 x 128: 397 instead
#: of 640 TFLOP/s with 16384 rows in 32 groups, N = 5760 and K = 2880 (docs/lab/hopper_kernels.md).
GATHERED_LOAD = 2.2


def rows_of_tiles(rows: int, groups: int, tile: HopperTile) -> int:
    """Returns the expected number of rows of tiles of all groups."""
    return max(round(rows / tile.m + groups / 2), min(groups, rows))


def clocks_of(
    tile: HopperTile, rows: int, groups: int, n: int, k: int, element_bits: int, multiprocessors: int, is_gathered: bool
) -> float:
    """Returns the estimated clocks of a tile."""
    expected = rows_of_tiles(rows, groups, tile) * tile.m
    whole = estimate(tile, expected, n, k, 1, element_bits, multiprocessors)
    if not is_gathered:
        return whole.total_clocks

    def step(load_clocks: float) -> float:
        times = whole.matrix_clocks, load_clocks
        return max(times) + NOT_HIDDEN * min(times)

    gathered = whole.load_clocks + (GATHERED_LOAD - 1) * tile.m * element_bits / 8 / LOAD_BYTES
    return whole.total_clocks + whole.waves * k * (step(gathered) - step(whole.load_clocks))


def choose_grouped_plan(
    rows: int,
    groups: int,
    n: int,
    k: int,
    element_bits: int,
    out_bits: int,
    shared_bytes: int,
    multiprocessors: int,
    tile: HopperTile | None = None,
    is_gathered: bool = False,
) -> HopperPlan:
    """Chooses the plan of the GEMMs of `groups` groups with `rows` rows in all, k x n matrices B, and elements of
    `element_bits` bits.

    Args:
        out_bits: width in bits of an element of the result.
        shared_bytes: bytes of shared memory per CTA that the ring buffer and the staging buffers may take.
        tile: a tile to use, instead of the choice of the cost model.
        is_gathered: whether rows of A are gathered, which leaves no registers for tiles of 192 columns.
    """

    problem = rows, groups, n, k, element_bits, multiprocessors, is_gathered
    candidates = (tile,) if tile else [tile for tile in TILES if not is_gathered or tile.acc_n == tile.n]
    tile = min(candidates, key=lambda tile: (clocks_of(tile, *problem), tile.consumers))
    expected = rows_of_tiles(rows, groups, tile)
    sizes = expected * tile.m, n, k, 1, element_bits, out_bits, shared_bytes, multiprocessors
    plan = choose_hopper_plan(*sizes, tile=tile, splits=1)
    average = (
        f"{rows} rows in {groups} groups: about {expected} rows of tiles; kernels read the sizes of the groups on the "
        "GPU"
    )
    return dataclasses.replace(plan, reasons=(average, *plan.reasons))


__all__ = ["choose_grouped_plan"]
