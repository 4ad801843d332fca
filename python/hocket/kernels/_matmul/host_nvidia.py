"""Host side of the GEMM on NVIDIA GPUs: plans, TMA descriptors and launches."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from ... import cdiv, devices
from ... import language as gl
from ...errors import LaunchError
from ...nvidia.hopper import DescriptorForm, TensorDescriptor
from .._common.arrays import empty_like
from .._common.checks import check_plan
from .._common.work_counter import COUNTERS, counters_for
from .arrays_hopper import arrange
from .kernel_ampere import matmul_by_warps
from .kernel_hopper import HopperConfig, matmul_by_partitions
from .plan_ampere import AmperePlan, choose_ampere_plan, configure_ampere
from .plan_hopper import STAGED_ROWS, HopperPlan, choose_hopper_plan

if TYPE_CHECKING:
    from collections.abc import Callable

    from .operands import Gemm, Operand

#: Element types of operands in kernels, indexed by NumPy's name of the dtype.
DTYPES = {
    "float16": gl.float16,
    "bfloat16": gl.bfloat16,
    "float32": gl.float32,
    "float8_e4m3fn": gl.float8e4nv,
    "float8_e5m2": gl.float8e5,
}
ELEMENTS = {"sm_80": {name: DTYPES[name] for name in ("float16", "bfloat16", "float32")}, "sm_90a": DTYPES}

TARGETS = tuple(ELEMENTS)

#: Number of SMs of an A100 (sm_80), and of an H200, H100 SXM and H800 (sm_90a). The planner uses these values if no GPU
#: is present.
MULTIPROCESSORS = {"sm_80": 108, "sm_90a": 132}


def shared_bytes(target: str) -> int:
    """Returns the largest shared memory per CTA on a target, in bytes."""
    return devices.properties(target).max_shared_bytes


def plan_of(gemm: Gemm, target: str, multiprocessors: int | None = None) -> HopperPlan | AmperePlan:
    """Returns the plan that the cost model chooses for `gemm`."""
    obstacle = None
    multiprocessors = multiprocessors or MULTIPROCESSORS[target]
    if target == "sm_90a":
        arranged, *_, obstacle, reasons = arrange(gemm)
        if obstacle is None:
            bits = arranged.a.element_bits, arranged.out.element_bits
            gpu = shared_bytes(target), multiprocessors
            plan = choose_hopper_plan(*arranged.sizes, arranged.out.batch, *bits, *gpu, activation=arranged.activation)
            return dataclasses.replace(plan, reasons=(*plan.reasons, *reasons))
    return choose_ampere_plan(gemm, multiprocessors, obstacle)


def configure(plan: HopperPlan, gemm: Gemm) -> HopperConfig:
    """Returns the compile-time parameters of the kernel for `plan`."""
    tile = plan.tile
    depth = 32 * 8 // gemm.a.element_bits
    acc, subtile = (
        gl.NVMMADistributedLayout([3, 0], [4, 1], [16, columns, depth]) for columns in (tile.acc_n, plan.staged_columns)
    )
    return HopperConfig(
        block_m=tile.m,
        block_n=tile.n,
        block_k=plan.block_k,
        stages=plan.stages,
        consumers=tile.consumers,
        parts=tile.parts,
        ping_pong=tile.ping_pong,
        divides_k=plan.splits > 1,
        group_rows=plan.group_rows,
        staged_rows=STAGED_ROWS,
        staged_columns=plan.staged_columns,
        staging_buffers=plan.staging_buffers,
        is_transposed_a=gemm.a.is_transposed,
        is_transposed_b=gemm.b.is_transposed,
        has_bias=gemm.has_bias,
        activation=gemm.activation,
        accs=tile.n // tile.acc_n,
        acc_n=tile.acc_n,
        stage_bytes=(tile.m + tile.n) * plan.block_k * gemm.a.element_bits // 8,
        acc=acc,
        subtile=subtile,
    )


def descriptor_form(array: Any, operand: Operand, rows: int, columns: int) -> DescriptorForm:
    """Returns a DescriptorForm of `array`, whose shape and strides are those in `operand`, for TMA copies of `rows` x
    `columns` elements. For a batch, the descriptor has a third dimension."""
    shape, strides, block = [operand.rows, operand.columns], [operand.row_stride, 1], [rows, columns]
    if operand.is_transposed:
        shape, strides, block = shape[::-1], [operand.column_stride, 1], block[::-1]
    if operand.batch > 1:
        shape, strides, block = [operand.batch, *shape], [operand.batch_stride, *strides], [1, *block]
    layout = gl.NVMMASharedLayout.get_default_for(block, DTYPES[operand.dtype])
    return DescriptorForm(TensorDescriptor(array, shape, strides, block, layout))


def descriptor_forms(arrays: Any, gemm: Gemm, config: HopperConfig) -> tuple[Any, Any, Any]:
    """Returns the DescriptorForms of `a`, of the part of `b` that belongs to one accumulator, and of `out`."""
    a, b, out = arrays
    rows = config.block_m // config.parts
    return (
        descriptor_form(a, gemm.a, rows, config.block_k),
        descriptor_form(b, gemm.b, config.block_k, config.acc_n),
        descriptor_form(out, gemm.out, config.staged_rows, config.staged_columns),
    )


def prepare(
    gemm: Gemm, target: str, multiprocessors: int | None, plan: HopperPlan | AmperePlan | None, arrays: Any
) -> Callable[[Any, Any, Any, Any], None]:
    """Returns a function `(a, b, out, bias)` that computes the GEMM of arrays with the shapes, strides and dtypes of
    `arrays` (a, b, out)."""
    check_plan("matmul", plan, *((HopperPlan, AmperePlan) if target == "sm_90a" else (AmperePlan,)))
    plan = plan or plan_of(gemm, target, multiprocessors)
    return (prepare_hopper if isinstance(plan, HopperPlan) else prepare_ampere)(gemm, plan, arrays)


def check_splits(plan: HopperPlan, gemm: Gemm) -> None:
    """Raises a LaunchError if the kernel cannot divide K into `plan.splits` splits."""
    m, n, k = gemm.sizes
    tiles = cdiv(m, plan.tile.m) * cdiv(n, plan.tile.n) * gemm.out.batch
    steps = cdiv(k, plan.block_k)
    if plan.splits == 1:
        return
    if plan.tile.ping_pong:
        obstacle = "its warpgroups alternate (ping-pong)"
    elif not 1 <= plan.splits <= steps:
        obstacle = f"K has {steps} k-tiles"
    elif tiles * plan.tile.parts > COUNTERS:
        obstacle = f"there are {tiles} tiles, more than {COUNTERS // plan.tile.parts}"
    else:
        return
    raise LaunchError(
        f"matmul: `plan` has {plan.splits} splits of K, but {obstacle}\n  hint: leave out `splits` of "
        "`choose_hopper_plan`"
    )


def prepare_hopper(gemm: Gemm, plan: HopperPlan, arrays: Any) -> Callable[[Any, Any, Any, Any], None]:
    arrangement = arrange(gemm)
    if arrangement.obstacle is not None:
        raise LaunchError(
            f"matmul: TMA cannot move these arrays: {arrangement.obstacle}\n  hint: leave out `plan`, for a kernel "
            "that takes them as they are, or pad the rows"
        )
    gemm = arrangement.gemm
    check_splits(plan, gemm)
    config = configure(plan, gemm)
    a_form, b_form, out_form = descriptor_forms(arrangement.arrays(*arrays), gemm, config)
    launch = matmul_by_partitions[(plan.blocks,)]
    m, n, k = gemm.sizes
    sizes = m, n, k, gemm.out.batch
    partial_sums = (
        cdiv(m, plan.tile.m) * cdiv(n, plan.tile.n) * gemm.out.batch * plan.splits,
        plan.tile.m * plan.tile.n,
    )
    arranged = arrangement.arrays

    def run(a: Any, b: Any, out: Any, bias: Any) -> None:
        a, b, out = arranged(a, b, out)
        descriptors = a_form.on(a), b_form.on(b), out_form.on(out)
        if plan.splits == 1:
            launch(*descriptors, bias, *sizes, cfg=config, num_warps=4)
        else:
            workspace = empty_like(a, partial_sums, "float32"), counters_for(a)
            launch(*descriptors, bias, *sizes, config, *workspace, plan.splits, num_warps=4)

    return run


def prepare_ampere(gemm: Gemm, plan: AmperePlan, arrays: Any) -> Callable[[Any, Any, Any, Any], None]:
    config = configure_ampere(plan, gemm)
    tile = plan.tile
    m, n, k = gemm.sizes
    launch = matmul_by_warps[(cdiv(m, tile.m) * cdiv(n, tile.n), gemm.out.batch)]
    strides = [(operand.row_stride, operand.column_stride) for operand in gemm[:3]]
    batch_strides = tuple(operand.batch_stride for operand in gemm[:3])

    def run(a: Any, b: Any, out: Any, bias: Any) -> None:
        launch(a, b, out, bias, *strides, batch_strides, m, n, k, cfg=config, num_warps=tile.num_warps)

    return run
