"""Plans of the GEMM on Hopper with scales of blocks: the tiles whose warpgroups hold sums and totals in registers.

A thread holds the float32 sums of a k-tile and the totals, 2 x (rows of a warpgroup x columns) / 128 registers. A
warpgroup therefore has at most 64 rows and 192 columns, and two warpgroups share a tile rather than ping-pong.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ... import cdiv
from .plan_hopper import ROW_BYTES, HopperPlan, HopperTile

if TYPE_CHECKING:
    from collections.abc import Callable

#: Number of elements along K, and of columns of B, that share a scale.
BLOCK = 128

#: Candidate tiles. The columns of an accumulator divide 128, so that one scale of B belongs to an accumulator.
TILES = (HopperTile(128, 128, 2), HopperTile(128, 192, 2), HopperTile(64, 128, 1), HopperTile(64, 64, 1))

#: Clocks of a k-tile for which the tensor cores wait until one warpgroup has promoted its sums of 64 x 128. If two
#: warpgroups share a tile, the tensor cores multiply for the other one at this time.
PROMOTION_CLOCKS = 150


def choose_block_scaled_plan(plan_of: Callable[[HopperTile], HopperPlan], tiles_of: Callable[[HopperTile], int],
                             k: int, multiprocessors: int) -> HopperPlan:  # fmt: skip
    """Returns the plan with the fewest estimated clocks. `plan_of` and `tiles_of` return the plan and the number of
    tiles of C for a tile."""

    def with_promotion(tile: HopperTile) -> HopperPlan:
        plan = plan_of(tile)
        if tile.consumers > 1:
            return plan
        steps = cdiv(cdiv(k, ROW_BYTES), plan.splits)
        waves = cdiv(tiles_of(tile) * plan.splits, multiprocessors)
        return replace(plan, clocks=plan.clocks + waves * steps * PROMOTION_CLOCKS * tile.n / 128)

    plan = min((with_promotion(tile) for tile in TILES), key=lambda plan: plan.clocks)
    reason = (
        f"the sums of each k-tile are multiplied by the scales of {BLOCK} elements of A and of {BLOCK} x {BLOCK} "
        "elements of B, and added to totals in registers"
    )
    return replace(plan, reasons=(*plan.reasons, reason))


def obstacle_of(plan: HopperPlan) -> str | None:
    """Returns the reason why the kernel cannot compute a GEMM with `plan`, or None."""
    tile = plan.tile
    if tile.ping_pong:
        return "its warpgroups alternate (ping-pong)"
    if tile.m // tile.parts > 64 or tile.n > 192 or BLOCK % tile.acc_n:
        return f"warpgroups of {tile.m // tile.parts} x {tile.n} have no registers for sums and totals"
    return None


__all__ = ["BLOCK", "TILES", "choose_block_scaled_plan", "obstacle_of"]
