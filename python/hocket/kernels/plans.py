"""Plans of `matmul`, `matmul_scaled` and `grouped_matmul`, for their argument `plan`, and functions that choose a plan.

A plan is a tile and the way in which a kernel copies its operands. Without the argument `plan`, the cost model chooses
a plan. `matmul.explain(...)` describes this plan and the reasons for the choice.
"""

from ._matmul.plan_ampere import AmperePlan
from ._matmul.plan_cdna import CdnaPlan, choose_plan
from ._matmul.plan_few_rows import FewRowsPlan
from ._matmul.plan_hopper import HopperPlan, HopperTile, choose_hopper_plan
from ._matmul.tiles_cdna import Tile

__all__ = [
    "AmperePlan",
    "CdnaPlan",
    "FewRowsPlan",
    "HopperPlan",
    "HopperTile",
    "Tile",
    "choose_hopper_plan",
    "choose_plan",
]
