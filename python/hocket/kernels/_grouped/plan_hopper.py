"""Choice of the tile of the grouped GEMM on Hopper, without the sizes of the groups.

The host knows the number of rows and of groups, and nothing else: the offsets are in the memory of the GPU. The cost
model of the GEMM (`_matmul.plan_hopper`) estimates the clocks for the expected number of tiles. A group of r rows has
ceil(r / block_m) rows of tiles. If the sizes of groups are arbitrary, half a row of tiles per group is partial, so

    rows of tiles = rows / block_m + groups / 2, and at least one per group

If two warpgroups share a tile and a partial tile has rows of the first one only, its MMAs take half of the time.
"""

from __future__ import annotations

import dataclasses

from .._matmul.plan_hopper import NOT_HIDDEN, TILES, HopperPlan, HopperTile, choose_hopper_plan, estimate


def rows_of_tiles(rows: int, groups: int, tile: HopperTile) -> int:
    """Returns the expected number of rows of tiles of all groups."""
    return max(round(rows / tile.m + groups / 2), min(groups, rows))


def fraction_of_halves(rows: int, groups: int, tile: HopperTile) -> float:
    """Returns the expected fraction of tiles in which only the first one of two warpgroups multiplies."""
    if tile.parts == 1:
        return 0.0
    tiles = rows_of_tiles(rows, groups, tile)
    halves = max(round(2 * rows / tile.m + groups / 2), min(groups, rows))
    return min(max(2 - halves / tiles, 0.0), 1.0)


def clocks_of(
    tile: HopperTile, rows: int, groups: int, n: int, k: int, element_bits: int, multiprocessors: int
) -> float:
    """Returns the estimated clocks of a tile."""

    def step(matrix_clocks: float) -> float:
        times = matrix_clocks, whole.load_clocks
        return max(times) + NOT_HIDDEN * min(times)

    expected = rows_of_tiles(rows, groups, tile) * tile.m
    whole = estimate(tile, expected, n, k, 1, element_bits, multiprocessors)
    saved = step(whole.matrix_clocks) - step(whole.matrix_clocks / 2)
    return whole.total_clocks - whole.waves * k * saved * fraction_of_halves(rows, groups, tile)


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

    problem = rows, groups, n, k, element_bits, multiprocessors
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
