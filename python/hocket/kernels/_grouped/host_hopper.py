"""Host side of the grouped GEMM on Hopper: plans, TMA descriptors and launches."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from ... import devices
from ... import language as gl
from .._common.arrays import facts_of, gpu_of
from .._common.checks import check_plan
from .._matmul.arrays_hopper import tma_obstacle
from .._matmul.host_nvidia import DTYPES, MULTIPROCESSORS, configure, descriptor_form, shared_bytes
from .._matmul.operands import Gemm, Operand, operand_of
from .._matmul.plan_hopper import STAGED_ROWS, HopperPlan, choose_hopper_plan
from .arguments import Arguments, fail
from .kernel_gather_hopper import grouped_gather_by_partitions
from .kernel_gradient_hopper import grouped_gradient_by_partitions
from .kernel_hopper import grouped_matmul_by_partitions
from .limited_rows import limited_form
from .plan_hopper import choose_grouped_plan

if TYPE_CHECKING:
    from collections.abc import Callable


def checked_operand(name: str, array: Any, is_packed: bool = False, is_stored: bool = False) -> Operand:
    """Returns the Operand of an array. Raises a LaunchError if TMA cannot address the array. `is_packed`: whether the
    rows of all matrices of the array must form one matrix with contiguous rows."""
    facts = facts_of(array, f"grouped_matmul: {name}")
    operand = operand_of(name, facts, devices.address_of(array) % 32)
    if any(stride < 0 for stride in facts.strides):
        raise fail(f"{name} has a negative stride: its strides are {list(facts.strides)}\n  hint: copy {name}")
    if is_packed and operand.batch > 1:
        if not operand.is_tall:
            raise fail(
                f"the groups of {name} must follow each other in memory, but its strides are {list(facts.strides)}\n"
                f"  hint: copy {name}"
            )
        operand = operand.stacked
    if is_packed and operand.column_stride != 1:
        raise fail(f"rows of {name} must be contiguous, but its strides are {list(facts.strides)}\n  hint: copy {name}")
    if obstacle := tma_obstacle(name, operand, is_stored):
        raise fail(f"{obstacle}\n  hint: pad the rows of {name}, or copy it to a new array")
    return operand


def size_of_tables(groups: int) -> int:
    """Returns the size of the kernel's tables of groups: a power of two."""
    return max(32, 1 << (groups - 1).bit_length())


def grouped_plan(arguments: Arguments, bits: int, out_bits: int, multiprocessors: int | None) -> HopperPlan:
    """Returns the plan that the cost model chooses."""
    shared = shared_bytes("sm_90a") - 8 * size_of_tables(arguments.groups)
    multiprocessors = multiprocessors or MULTIPROCESSORS["sm_90a"]
    if arguments.form == "gradient":
        average = max(1, arguments.rows // arguments.groups)
        sizes = arguments.k, arguments.n, average, arguments.groups, bits, out_bits
        plan = choose_hopper_plan(*sizes, shared_bytes("sm_90a"), multiprocessors, splits=1)
        return dataclasses.replace(plan, copies=(False, False))
    sizes = arguments.rows, arguments.groups, arguments.n, arguments.k
    is_gathered = arguments.form == "gathered"
    return choose_grouped_plan(*sizes, bits, out_bits, shared, multiprocessors, is_gathered=is_gathered)


def checked_plan(arguments: Arguments, gemm: Gemm, plan: HopperPlan | None, array: Any) -> HopperPlan:
    """Returns `plan`, or the cost model's choice on the GPU of `array`."""
    check_plan("grouped_matmul", plan, HopperPlan)
    if plan and plan.splits > 1:
        raise fail(f"`plan` has {plan.splits} splits of K, but the grouped GEMM does not divide K")
    gpu = gpu_of(array)
    return plan or grouped_plan(arguments, gemm.a.element_bits, gemm.out.element_bits, gpu and gpu.multiprocessors)


def gemm_of_rows(a: Any, b: Any, out: Any) -> Gemm:
    """Returns the Gemm of the rows of groups. Raises a LaunchError for arrays that the kernels cannot read."""
    operands = checked_operand("a", a, is_packed=True), checked_operand("b", b)
    if operands[1].element_bits == 8 and operands[1].row_stride != 1:
        raise fail(
            f"K must be the contiguous dimension of b: tensor cores read {operands[1].dtype} in no other order from "
            f"shared memory, but its strides are {list(facts_of(b, 'b').strides)}\n  hint: store b as [G, N, K], and "
            "pass its transpose [G, K, N]"
        )
    return Gemm(*operands, checked_operand("out", out, is_packed=True, is_stored=True), False, "none")


def prepare_rows(arguments: Arguments, a: Any, b: Any, out: Any, plan: HopperPlan | None) -> Callable[..., None]:
    """Returns a function `(a, b, offsets, out, None, scale_a, scale_b)` that computes the grouped GEMM of arrays with
    the shapes, strides and dtypes of `a`, `b` and `out`."""
    gemm = gemm_of_rows(a, b, out)
    plan = checked_plan(arguments, gemm, plan, a)
    config = configure(plan, gemm)
    a_form = descriptor_form(a, gemm.a, config.block_m // config.parts, config.block_k)
    b_form = descriptor_form(b, gemm.b, config.block_k, config.acc_n)
    out_form = limited_form(out, gemm.out, STAGED_ROWS, config.staged_columns)
    launch = grouped_matmul_by_partitions[(plan.blocks,)]
    sizes = arguments.groups, arguments.rows, arguments.n, arguments.k, arguments.pitch
    table = size_of_tables(arguments.groups)

    def run(a: Any, b: Any, offsets: Any, out: Any, indices: None, scale_a: Any, scale_b: Any) -> None:
        arrays = a_form.on(a), b_form.on(b), out_form.on(out), offsets, scale_a, scale_b
        launch(*arrays, *sizes, table, config, num_warps=4)

    return run


def prepare_gather(arguments: Arguments, a: Any, b: Any, out: Any, plan: HopperPlan | None) -> Callable[..., None]:
    """Returns a function `(a, b, offsets, out, indices, scale_a, scale_b)` that computes the grouped GEMM of gathered
    rows of arrays with the shapes, strides and dtypes of `a`, `b` and `out`."""
    gemm = gemm_of_rows(a, b, out)
    plan = checked_plan(arguments, gemm, plan, a)
    if plan.tile.acc_n != plan.tile.n:
        raise fail(f"`plan` has tiles of {plan.tile.n} columns, for which the warps that gather leave no registers")
    vector = 128 // gemm.a.element_bits
    if arguments.k % vector:
        raise fail(f"gathered rows must have a multiple of {vector} elements of {arguments.dtype}, not {arguments.k}")
    config = configure(plan, gemm)
    b_form = descriptor_form(b, gemm.b, config.block_k, config.acc_n)
    out_form = limited_form(out, gemm.out, STAGED_ROWS, config.staged_columns)
    block = [config.block_m // config.parts, config.block_k]
    layout = gl.NVMMASharedLayout.get_default_for(block, DTYPES[gemm.a.dtype])
    launch = grouped_gather_by_partitions[(plan.blocks,)]
    sizes = arguments.groups, arguments.rows, arguments.n, arguments.k, gemm.a.rows, gemm.a.row_stride
    constants = size_of_tables(arguments.groups), layout, config

    def run(a: Any, b: Any, offsets: Any, out: Any, indices: Any, scale_a: Any, scale_b: Any) -> None:
        arrays = a, indices, b_form.on(b), out_form.on(out), offsets, scale_a, scale_b
        launch(*arrays, *sizes, *constants, num_warps=4)

    return run


def prepare_gradient(arguments: Arguments, a: Any, b: Any, out: Any, plan: HopperPlan | None) -> Callable[..., None]:
    """Returns a function `(a, b, offsets, out, ...)` that computes the GEMMs over the rows of groups, of arrays
    with the shapes, strides and dtypes of `a`, `b` and `out`."""
    if a.shape[0] > 1 and facts_of(a, "a").strides[0] != 1:
        raise fail(
            "a [M, T] must be the transpose of an array with contiguous rows, because groups are ranges of its "
            f"columns, but its strides are {list(facts_of(a, 'a').strides)}\n  hint: transpose a, copy it, and "
            "transpose the copy"
        )
    a_by_rows = checked_operand("a", a.T, is_packed=True)
    b_by_rows = checked_operand("b", b, is_packed=True)
    gemm = Gemm(a_by_rows.transpose, b_by_rows, checked_operand("out", out, is_stored=True), False, "none")
    plan = checked_plan(arguments, gemm, plan, a)
    config = dataclasses.replace(configure(plan, gemm), is_transposed_a=True, is_transposed_b=False)
    a_form = limited_form(a.T, a_by_rows, config.block_k, config.block_m // config.parts)
    b_form = limited_form(b, b_by_rows, config.block_k, config.acc_n)
    out_form = descriptor_form(out, gemm.out, STAGED_ROWS, config.staged_columns)
    launch = grouped_gradient_by_partitions[(plan.blocks,)]
    sizes = arguments.groups, arguments.rows, arguments.k, arguments.n

    def run(a: Any, b: Any, offsets: Any, out: Any, *others: None) -> None:
        launch(a_form.on(a), b_form.on(b), out_form.on(out), offsets, *sizes, config, num_warps=4)

    return run


__all__ = ["grouped_plan", "prepare_gather", "prepare_gradient", "prepare_rows"]
