"""Plans of the GEMM on Hopper with scales of blocks: the tiles whose warpgroups hold sums and totals in registers.

A thread holds the float32 sums of two k-tiles and the totals, 3 x (rows of a warpgroup x columns) / 128 registers. A
warpgroup therefore has at most 64 rows and 128 columns, and two warpgroups share a tile rather than ping-pong.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from .plan_hopper import HopperPlan, HopperTile

if TYPE_CHECKING:
    from collections.abc import Callable

#: Number of elements along K, and of columns of B, that share a scale.
BLOCK = 128

#: Candidate tiles. The columns of an accumulator divide 128, so that one scale of B belongs to an accumulator.
TILES = (HopperTile(128, 128, 2), HopperTile(64, 128, 1), HopperTile(64, 64, 1))


def choose_block_scaled_plan(plan_of: Callable[[HopperTile], HopperPlan]) -> HopperPlan:
    """Returns the plan with the fewest estimated clocks. `plan_of` returns the plan for a tile."""
    plan = min(map(plan_of, TILES), key=lambda plan: plan.clocks)
    reason = (
        f"the sums of each k-tile are multiplied by the scales of {BLOCK} elements of A and of {BLOCK} x {BLOCK} "
        "elements of B, and added to totals in registers, while wgmma multiplies the next k-tile"
    )
    return replace(plan, reasons=(*plan.reasons, reason))


def obstacle_of(plan: HopperPlan) -> str | None:
    """Returns the reason why the kernel cannot compute a GEMM with `plan`, or None."""
    tile = plan.tile
    if tile.ping_pong:
        return "its warpgroups alternate (ping-pong)"
    if plan.block_k != BLOCK:
        return f"its k-tiles have {plan.block_k} elements along K, but {BLOCK} elements share a scale"
    if tile.m // tile.parts > 64 or tile.n > BLOCK or BLOCK % tile.acc_n:
        return f"warpgroups of {tile.m // tile.parts} x {tile.n} have no registers for sums and totals"
    return None


__all__ = ["BLOCK", "TILES", "choose_block_scaled_plan", "obstacle_of"]
