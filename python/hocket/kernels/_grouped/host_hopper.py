"""Host side of the grouped GEMM on Hopper: plans, TMA descriptors and launches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ... import devices
from ... import language as gl
from ...nvidia.hopper import DescriptorForm, TensorDescriptor
from .._common.arrays import facts_of, gpu_of
from .._common.checks import check_plan
from .._matmul.arrays_hopper import tma_obstacle
from .._matmul.host_nvidia import DTYPES, MULTIPROCESSORS, configure, descriptor_form, shared_bytes
from .._matmul.operands import Gemm, Operand, operand_of
from .._matmul.plan_hopper import STAGED_ROWS, HopperPlan
from .arguments import Arguments, fail
from .kernel_hopper import ROWS, grouped_matmul_by_partitions
from .plan_hopper import choose_grouped_plan

if TYPE_CHECKING:
    from collections.abc import Callable


def checked_operand(name: str, array: Any, is_packed: bool, is_stored: bool = False) -> Operand:
    """Returns the Operand of an array. Raises a LaunchError if TMA cannot address the array. `is_packed`: whether the
    matrices of the array are one matrix, because each follows the previous one in memory."""
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


def result_form(array: Any, operand: Operand, rows: int, columns: int) -> DescriptorForm:
    """Returns a DescriptorForm of the result, from which TMA copies `rows` x `columns` elements. `store_rows` of the
    kernel explains its four dimensions.

    The strides exceed the array, so TensorDescriptor gets an array without rows, whose memory it cannot check."""
    block = [1, 1, rows, columns]
    layout = gl.NVMMASharedLayout.get_default_for(block, DTYPES[operand.dtype])
    wrap = (1 << 34) * 8 // operand.element_bits - operand.row_stride
    most = (1 << 31) - 1
    shape, strides = [most, most, ROWS.value, operand.columns], [wrap, operand.row_stride, operand.row_stride, 1]
    return DescriptorForm(TensorDescriptor(array[:0], shape, strides, block, layout))


def grouped_plan(arguments: Arguments, out_bits: int, multiprocessors: int | None) -> HopperPlan:
    """Returns the plan that the cost model chooses."""
    shared = shared_bytes("sm_90a") - 8 * size_of_tables(arguments.groups)
    multiprocessors = multiprocessors or MULTIPROCESSORS["sm_90a"]
    sizes = arguments.rows, arguments.groups, arguments.n, arguments.k
    return choose_grouped_plan(*sizes, 16, out_bits, shared, multiprocessors)


def prepare_rows(
    arguments: Arguments, a: Any, b: Any, out: Any, plan: HopperPlan | None
) -> Callable[[Any, Any, Any, Any], None]:
    """Returns a function `(a, b, offsets, out)` that computes the grouped GEMM of arrays with the shapes, strides and
    dtypes of `a`, `b` and `out`."""
    check_plan("grouped_matmul", plan, HopperPlan)
    gemm = Gemm(
        checked_operand("a", a, is_packed=True),
        checked_operand("b", b, is_packed=False),
        checked_operand("out", out, is_packed=True, is_stored=True),
        False,
        "none",
    )
    gpu = gpu_of(a)
    plan = plan or grouped_plan(arguments, gemm.out.element_bits, gpu and gpu.multiprocessors)
    if plan.splits > 1:
        raise fail(f"`plan` has {plan.splits} splits of K, but the grouped GEMM does not divide K")
    config = configure(plan, gemm)
    a_form = descriptor_form(a, gemm.a, config.block_m // config.parts, config.block_k)
    b_form = descriptor_form(b, gemm.b, config.block_k, config.acc_n)
    out_form = result_form(out, gemm.out, STAGED_ROWS, config.staged_columns)
    launch = grouped_matmul_by_partitions[(plan.blocks,)]
    sizes = arguments.groups, arguments.rows, arguments.n, arguments.k, arguments.pitch
    table = size_of_tables(arguments.groups)

    def run(a: Any, b: Any, offsets: Any, out: Any) -> None:
        launch(a_form.on(a), b_form.on(b), out_form.on(out), offsets, *sizes, table, config, num_warps=4)

    return run


__all__ = ["prepare_rows"]
