"""Host side of the grouped GEMM on Hopper with scales of blocks: plans, TMA descriptors and launches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._common.arrays import facts_of, gpu_of
from .._common.checks import check_plan
from .._matmul.host_nvidia import MULTIPROCESSORS, configure, descriptor_form, shared_bytes
from .._matmul.plan_block_scaled import choose_block_scaled_plan, obstacle_of
from .._matmul.plan_hopper import STAGED_ROWS, HopperPlan, HopperTile
from .arguments import Arguments, fail
from .host_hopper import gemm_of_rows, size_of_tables
from .kernel_block_scaled_hopper import grouped_matmul_block_scaled
from .limited_rows import limited_form
from .plan_hopper import choose_grouped_plan

if TYPE_CHECKING:
    from collections.abc import Callable


def block_scaled_plan(arguments: Arguments, out_bits: int, multiprocessors: int) -> HopperPlan:
    """Returns the plan that the cost model chooses."""
    sizes = arguments.rows, arguments.groups, arguments.n, arguments.k
    shared = shared_bytes("sm_90a") - 8 * size_of_tables(arguments.groups)

    def plan_of(tile: HopperTile) -> HopperPlan:
        return choose_grouped_plan(*sizes, 8, out_bits, shared, multiprocessors, tile)

    return choose_block_scaled_plan(plan_of)


def checked_plan(arguments: Arguments, out_bits: int, plan: HopperPlan | None, array: Any) -> HopperPlan:
    """Returns `plan`, or the cost model's choice on the GPU of `array`."""
    check_plan("grouped_matmul", plan, HopperPlan)
    if plan is None:
        gpu = gpu_of(array)
        return block_scaled_plan(arguments, out_bits, (gpu and gpu.multiprocessors) or MULTIPROCESSORS["sm_90a"])
    if plan.splits > 1:
        raise fail(f"`plan` has {plan.splits} splits of K, but the grouped GEMM does not divide K")
    if obstacle := obstacle_of(plan):
        raise fail(f"`plan` does not fit scales of blocks: {obstacle}\n  hint: leave out `plan`")
    return plan


def prepare_block_scaled(
    arguments: Arguments, a: Any, b: Any, out: Any, plan: HopperPlan | None, scales: tuple[Any, Any]
) -> Callable[..., None]:
    """Returns a function `(a, b, offsets, out, None, scale_a, scale_b)` that computes the grouped GEMM of arrays with
    the shapes, strides and dtypes of `a`, `b`, `out` and `scales`."""
    gemm = gemm_of_rows(a, b, out)
    plan = checked_plan(arguments, gemm.out.element_bits, plan, a)
    config = configure(plan, gemm)
    a_form = descriptor_form(a, gemm.a, config.block_m // config.parts, config.block_k)
    b_form = descriptor_form(b, gemm.b, config.block_k, config.acc_n)
    out_form = limited_form(out, gemm.out, STAGED_ROWS, config.staged_columns)
    launch = grouped_matmul_block_scaled[(plan.blocks,)]
    of_a, of_b = (facts_of(array, "scales").strides for array in scales)
    strides = of_a[-2:], of_b[1:], of_b[0]
    sizes = arguments.groups, arguments.rows, arguments.n, arguments.k, arguments.pitch
    table = size_of_tables(arguments.groups)

    def run(a: Any, b: Any, offsets: Any, out: Any, indices: None, scale_a: Any, scale_b: Any) -> None:
        arrays = a_form.on(a), b_form.on(b), out_form.on(out), offsets, scale_a, scale_b
        launch(*arrays, *strides, *sizes, table, config, num_warps=4)

    return run


__all__ = ["block_scaled_plan", "prepare_block_scaled"]
