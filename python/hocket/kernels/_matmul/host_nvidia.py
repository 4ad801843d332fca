"""Host side of the GEMM on NVIDIA GPUs: plans, TMA descriptors and launches."""

from __future__ import annotations

import dataclasses
import itertools
from typing import TYPE_CHECKING, Any

from ... import cdiv, devices
from ... import language as gl
from ...errors import LaunchError
from ...nvidia.hopper import DescriptorForm, TensorDescriptor
from .._common.arrays import empty_like
from .._common.cached_hash import canonical
from .._common.checks import check_plan
from .._common.work_counter import COUNTERS, counters_for
from .arrays_hopper import arrange
from .host_few_rows import prepare_few_rows
from .kernel_ampere import matmul_by_warps
from .kernel_hopper import HopperConfig, matmul_by_partitions
from .plan_ampere import AmperePlan, choose_ampere_plan, configure_ampere
from .plan_few_rows import FewRowsPlan, choose_few_rows_plan, few_rows_form, is_fastest
from .plan_hopper import STAGED_ROWS, HopperPlan, choose_hopper_plan, copy_clocks
from .plan_narrow import choose_narrow_plan, narrow_order

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
#: Element types of outputs of epilogue functions.
OUTPUTS = {**DTYPES, "int8": gl.int8, "uint8": gl.uint8, "int32": gl.int32}

TARGETS = tuple(ELEMENTS)

#: Clocks by which the kernel for TMA and wgmma starts later than the kernel for mma.sync: for partitions of warps,
#: barriers and descriptors. Plans of narrow tiles include them. From drawn sizes on an H200: with K = 8, the kernel for
#: mma.sync takes 0.9 to 1.2 us less (docs/lab/hopper_kernels.md).
START_CLOCKS = 2500

#: Number of SMs of an A100 (sm_80), and of an H200, H100 SXM and H800 (sm_90a). The planner uses these values if no GPU
#: is present.
MULTIPROCESSORS = {"sm_80": 108, "sm_90a": 132}


def shared_bytes(target: str) -> int:
    """Returns the largest shared memory per CTA on a target, in bytes."""
    return devices.properties(target).max_shared_bytes


def plan_of(gemm: Gemm, target: str, multiprocessors: int | None = None) -> HopperPlan | AmperePlan | FewRowsPlan:
    """Returns the plan that the cost model chooses for `gemm`."""
    multiprocessors = multiprocessors or MULTIPROCESSORS[target]
    # The kernel with few rows has no form with a function of the user.
    has_function = bool(gemm.outputs)
    form = few_rows_form(gemm)
    if target == "sm_90a" and form is not None and is_fastest(form) and not has_function:
        return choose_few_rows_plan(form, multiprocessors)
    if target != "sm_90a":
        return choose_ampere_plan(gemm, multiprocessors)
    arrangement = arrange(gemm)
    choices = itertools.product(*((False, True) if is_slow else (False,) for is_slow in arrangement.slow_loads))
    plan = min((hopper_plan_of(gemm, copies, multiprocessors) for copies in choices), key=lambda plan: plan.clocks)
    if gemm.a.dtype in ELEMENTS["sm_80"]:
        direct = choose_ampere_plan(gemm, multiprocessors)
        if why := advantage_of(direct, plan, gemm, bool(arrangement.copies)):
            return dataclasses.replace(direct, reasons=(f"by mma.sync: {why}", *direct.reasons))
    return plan


def advantage_of(direct: AmperePlan, plan: HopperPlan, gemm: Gemm, is_copied: bool) -> str | None:
    """Returns the reason why the kernel for mma.sync is faster than the kernel for TMA and wgmma, or None. `is_copied`:
    whether TMA cannot read an operand."""
    if is_copied:
        words = "copies of operands for TMA and wgmma would take longer than the multiplication"
        return words if direct.clocks < plan.clocks else None
    if gemm.a.element_bits != 16 or cdiv(gemm.a.columns, direct.block_k) > direct.stages:
        return None  # the loop has copies that wait for MMAs, which the cost model does not know
    starting = START_CLOCKS if plan.is_transposed is None else 0
    words = "the warps of a kernel for TMA and wgmma would start later than this kernel ends"
    return words if direct.clocks < plan.clocks + starting else None


def hopper_plan_of(gemm: Gemm, copies: tuple[bool, bool], multiprocessors: int) -> HopperPlan:
    """Returns the best plan for TMA and wgmma. `copies`: as in `HopperPlan`."""
    # In the transposed GEMM, an output with fewer columns has fewer rows.
    factor = gemm.largest_factor
    is_transposed = narrow_order(gemm.stacked)
    if gemm.outputs and (not is_transposed or factor > STAGED_ROWS):
        is_transposed = None
    arrangement = arrange(gemm, copies, is_transposed)
    arranged = arrangement.gemm
    bits = arranged.a.element_bits, arranged.out.element_bits
    sizes = *arranged.sizes, arranged.out.batch, *bits, shared_bytes("sm_90a"), multiprocessors
    if is_transposed is not None:
        plan = choose_narrow_plan(*sizes, is_transposed, arranged.activation)
    else:
        plan = choose_hopper_plan(
            *sizes, activation=arranged.activation, slow_loads=arrangement.slow_loads, fewest_columns=factor
        )
    return dataclasses.replace(
        plan,
        copies=copies,
        clocks=plan.clocks + copy_clocks([copy.bytes for copy in arrangement.copies], multiprocessors),
        reasons=(*plan.reasons, *arrangement.reasons),
    )


def configure(plan: HopperPlan, gemm: Gemm, stores_by_lanes: bool = False, is_transposed: bool = False) -> HopperConfig:
    """Returns the compile-time parameters of the kernel for `plan`."""
    tile = plan.tile
    depth = 32 * 8 // gemm.a.element_bits
    acc, subtile = (
        gl.NVMMADistributedLayout([3, 0], [4, 1], [16, columns, depth]) for columns in (tile.acc_n, plan.staged_columns)
    )
    return canonical(
        HopperConfig(
            block_m=tile.m,
            block_n=tile.n,
            block_k=plan.block_k,
            stages=plan.stages,
            consumers=tile.consumers,
            parts=tile.parts,
            ping_pong=tile.ping_pong,
            shares_sm=plan.ctas_per_sm > 1,
            divides_k=plan.splits > 1,
            group_rows=plan.group_rows,
            staged_rows=STAGED_ROWS,
            staged_columns=plan.staged_columns,
            staging_buffers=plan.staging_buffers,
            is_transposed_a=gemm.a.is_transposed,
            is_transposed_b=gemm.b.is_transposed,
            has_bias=gemm.has_bias,
            has_bias_of_rows=gemm.has_bias and is_transposed,
            activation=gemm.activation,
            accs=tile.n // tile.acc_n,
            acc_n=tile.acc_n,
            stage_bytes=(tile.m + tile.n) * plan.block_k * gemm.a.element_bits // 8,
            acc=acc,
            subtile=subtile,
            staging=gl.NVMMASharedLayout.get_default_for([STAGED_ROWS, plan.staged_columns], DTYPES[gemm.out.dtype]),
            by_lanes=layout_by_lanes(gemm.out) if stores_by_lanes else None,
        )
    )


def layout_by_lanes(out: Operand) -> gl.BlockedLayout:
    """Returns the layout in which lanes store an epilogue subtile: neighboring lanes hold neighboring elements along
    the contiguous dimension of C."""
    if out.is_transposed:
        return gl.BlockedLayout([1, 1], [32, 1], [1, 4], [0, 1])
    return gl.BlockedLayout([1, 1], [1, 32], [4, 1], [1, 0])


def descriptor_form(array: Any, operand: Operand, rows: int, columns: int) -> DescriptorForm:
    """Returns a DescriptorForm of `array`, whose shape and strides are those in `operand`, for TMA copies of `rows` x
    `columns` elements. For a batch, the descriptor has a third dimension."""
    shape, strides, block = [operand.rows, operand.columns], [operand.row_stride, 1], [rows, columns]
    if operand.is_transposed:
        shape, strides, block = shape[::-1], [operand.column_stride, 1], block[::-1]
    if operand.batch > 1:
        shape, strides, block = [operand.batch, *shape], [operand.batch_stride, *strides], [1, *block]
    layout = gl.NVMMASharedLayout.get_default_for(block, OUTPUTS[operand.dtype])
    return DescriptorForm(TensorDescriptor(array, shape, strides, block, layout))


def operand_forms(a: Any, b: Any, gemm: Gemm, config: HopperConfig) -> tuple[DescriptorForm, DescriptorForm]:
    """Returns the DescriptorForms of `a`, and of the part of `b` that belongs to one accumulator."""
    rows = config.block_m // config.parts
    return (
        descriptor_form(a, gemm.a, rows, config.block_k),
        descriptor_form(b, gemm.b, config.block_k, config.acc_n),
    )


def result_form(out: Any, gemm: Gemm, config: HopperConfig) -> DescriptorForm:
    """Returns the DescriptorForm of the epilogue subtiles of `out`."""
    return descriptor_form(out, gemm.out, config.staged_rows, config.staged_columns)


def prepare(
    gemm: Gemm,
    target: str,
    multiprocessors: int | None,
    plan: HopperPlan | AmperePlan | FewRowsPlan | None,
    arrays: Any,
) -> Callable[[Any, Any, Any, Any], None]:
    """Returns a function `(a, b, out, bias)` that computes the GEMM of arrays with the shapes, strides and dtypes of
    `arrays` (a, b, out)."""
    kinds = (AmperePlan, FewRowsPlan)
    check_plan("matmul", plan, *((HopperPlan, *kinds) if target == "sm_90a" else kinds))
    plan = plan or plan_of(gemm, target, multiprocessors)
    if isinstance(plan, FewRowsPlan):
        return prepare_few_rows(gemm, plan)
    return (prepare_hopper if isinstance(plan, HopperPlan) else prepare_ampere)(gemm, plan, arrays)


def check_splits(plan: HopperPlan, gemm: Gemm, function: str = "matmul") -> None:
    """Raises a LaunchError if the kernel of `function` cannot divide K into `plan.splits` splits."""
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
        f"{function}: `plan` has {plan.splits} splits of K, but {obstacle}\n  hint: leave out `splits` of "
        "`choose_hopper_plan`"
    )


def prepare_hopper(gemm: Gemm, plan: HopperPlan, arrays: Any) -> Callable[[Any, Any, Any, Any], None]:
    arrangement = arrange(gemm, plan.copies, plan.is_transposed)
    gemm = arrangement.gemm
    check_splits(plan, gemm)
    config = configure(plan, gemm, arrangement.stores_by_lanes, arrangement.is_transposed)
    *operands, out = arrays
    a_form, b_form = operand_forms(*arrangement.operands(*operands), gemm, config)
    out_form = None if arrangement.stores_by_lanes else result_form(out, gemm, config)
    launch = matmul_by_partitions[(plan.blocks,)]
    m, n, k = gemm.sizes
    sizes = m, n, k, gemm.out.batch
    partial_sums = (
        cdiv(m, plan.tile.m) * cdiv(n, plan.tile.n) * gemm.out.batch * plan.splits,
        plan.tile.m * plan.tile.n,
    )
    c_strides = (gemm.out.batch_stride, gemm.out.row_stride, gemm.out.column_stride) if out_form is None else None
    operands_of = arrangement.operands

    def run(a: Any, b: Any, out: Any, bias: Any) -> None:
        a, b = operands_of(a, b)
        c = out if out_form is None else out_form.on(out)
        workspace = (None, None)
        if plan.splits > 1:
            workspace = empty_like(a, partial_sums, "float32"), counters_for(a)
        launch(
            a_form.on(a), b_form.on(b), c, bias, *sizes, config, *workspace, plan.splits, c_strides, num_warps=4
        )  # fmt: skip

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
