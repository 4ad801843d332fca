"""Host side of the GEMM on CDNA: plans and launches."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ... import cdiv, devices
from ... import language as gl
from ...errors import LaunchError
from .._common.arrays import empty_like
from .._common.cached_hash import canonical
from .._common.checks import check_plan
from .._common.xcd_order import describe_order
from .kernel_cdna import matmul_direct_to_shared, matmul_through_registers
from .kernel_cdna_interleaved import matmul_interleaved_quadrants, matmul_interleaved_registers
from .kernel_cdna_quadrants import matmul_pipelined_quadrants, matmul_pipelined_registers
from .kernel_cdna_ring import matmul_pipelined_ring
from .layouts_cdna import configure
from .plan_cdna import COMPUTE_UNITS, CdnaPlan, choose_plan
from .split_k import WARPS, AddingConfig, add_splits, are_all_busy

if TYPE_CHECKING:
    from collections.abc import Callable

    from .layouts_cdna import MatmulConfig
    from .operands import Gemm, Operand

TARGETS = tuple(COMPUTE_UNITS)

#: Targets that copy 16 bytes per lane straight into LDS.
DIRECT_TARGETS = ("gfx950",)

#: Kernels, indexed by the variant of a plan, and by whether operands are copied straight into LDS.
KERNELS = {
    ("plain", False): matmul_through_registers,
    ("plain", True): matmul_direct_to_shared,
    ("interleaved", False): matmul_interleaved_registers,
    ("interleaved", True): matmul_interleaved_quadrants,
    ("ring", True): matmul_pipelined_ring,
    ("quadrants", False): matmul_pipelined_registers,
    ("quadrants", True): matmul_pipelined_quadrants,
}

#: Element types of operands in kernels, indexed by NumPy's name of the dtype. gfx942 and gfx950 have different float8
#: encodings.
SIXTEEN_BITS = {"float16": gl.float16, "bfloat16": gl.bfloat16}
ELEMENTS = {
    "gfx942": SIXTEEN_BITS | {"float8_e4m3fnuz": gl.float8e4b8, "float8_e5m2fnuz": gl.float8e5b16},
    "gfx950": SIXTEEN_BITS | {"float8_e4m3fn": gl.float8e4nv, "float8_e5m2": gl.float8e5},
}

#: Part of the text of `explain`: the tiles that run on one die.
NEIGHBORS = "neighboring tiles, which share rows of a and columns of b"

#: Number of 8-bit elements in 16 bytes. Sizes and strides that are multiples of `WIDE` allow accesses of 16 bytes for
#: all dtypes.
WIDE = 16


def misfit(name: str, operand: Operand, k_is_columns: bool) -> str | None:
    """Returns the reason why a lane cannot copy 16 bytes of an operand at once, or None."""
    rows_are_contiguous = is_k_contiguous(operand, k_is_columns) == k_is_columns
    size = operand.columns if rows_are_contiguous else operand.rows
    stride = operand.row_stride if rows_are_contiguous else operand.column_stride
    strides = ("the stride of the other dimension", stride), ("the stride between the matrices", operand.batch_stride)
    for what, value in (("the contiguous dimension", size), *strides):
        if value % WIDE:
            return f"{what} of {name} is {value}, not a multiple of {WIDE}"
    return f"the address of {name} is not a multiple of {WIDE} bytes" if operand.misalignment % WIDE else None


def is_k_contiguous(operand: Operand, k_is_columns: bool) -> bool:
    return (operand.column_stride if k_is_columns else operand.row_stride) == 1


def plan_of(gemm: Gemm, target: str) -> CdnaPlan:
    """Returns the plan that the cost model chooses for `gemm`."""
    gemm = gemm.stacked
    unfit = obstacle = misfit("a", gemm.a, True) or misfit("b", gemm.b, False)
    if target not in DIRECT_TARGETS:
        obstacle = f"{target} copies 4 bytes per lane straight into LDS, registers take 16"
    facts = gemm.a.element_bits, target, obstacle, _lds_bytes(target), unfit is None, gemm.out.batch
    plan = choose_plan(*gemm.sizes, *facts, gemm.largest_factor)
    order = describe_order(devices.properties(target).cache_dies, NEIGHBORS)
    return replace(plan, reasons=(*plan.reasons, order))


def _lds_bytes(target: str) -> int:
    return devices.properties(target).max_shared_bytes


def configure_for(gemm: Gemm, plan: CdnaPlan, target: str, element: gl.dtype) -> MatmulConfig:
    """Returns the compile-time parameters of the kernel for `plan`. Raises a LaunchError if the kernel cannot compute
    `gemm` with this plan."""
    k = gemm.a.columns
    if not are_all_busy(k, plan.block_k, plan.splits):
        raise LaunchError(f"matmul: K = {k} cannot be divided into {plan.splits} splits of k-tiles of {plan.block_k}")
    contiguous = is_k_contiguous(gemm.a, True), is_k_contiguous(gemm.b, False)
    if plan.is_interleaved and not (plan.is_direct or all(contiguous)):
        raise LaunchError(
            "matmul: an interleaved kernel that copies through registers needs operands that are contiguous along K; "
            "others would need more registers than a lane has"
        )
    # With split-K, the second kernel, `add_splits`, applies bias and activation.
    epilogue = (gemm.has_bias, gemm.activation) if plan.splits == 1 else (False, "none")
    return configure(plan, target, element, _lds_bytes(target), k, *contiguous, *epilogue)


def prepare(gemm: Gemm, target: str, plan: CdnaPlan | None) -> Callable[[Any, Any, Any, Any], None]:
    """Returns a function `(a, b, out, bias)` that computes the GEMM of arrays with the shapes, strides and dtypes in
    `gemm`."""
    gemm = gemm.stacked
    m, n, k = gemm.sizes
    check_plan("matmul", plan, CdnaPlan)
    plan = plan or plan_of(gemm, target)
    config = configure_for(gemm, plan, target, ELEMENTS[target][gemm.a.dtype])
    batch = gemm.out.batch
    launch = KERNELS[plan.variant, plan.is_direct][(cdiv(m, plan.tile.m) * cdiv(n, plan.tile.n), batch, plan.splits)]
    strides = [(operand.row_stride, operand.column_stride) for operand in gemm[:3]]
    batch_strides = tuple(operand.batch_stride for operand in gemm[:3])
    num_warps = plan.tile.num_warps

    def run(a: Any, b: Any, out: Any, bias: Any) -> None:
        launch(a, b, out, bias, *strides, batch_strides, m, n, k, cfg=config, num_warps=num_warps)

    if plan.splits == 1:
        return run

    adding = canonical(AddingConfig(plan.splits, gemm.has_bias, gemm.activation))
    add = add_splits[(cdiv(m, adding.rows), cdiv(n, adding.columns), batch)]
    *operand_strides, out_strides = strides
    sums_strides = m * n, batch * m * n

    def run_splits(a: Any, b: Any, out: Any, bias: Any) -> None:
        sums = empty_like(a, (plan.splits, batch, m, n), "float32")
        starts = (*batch_strides[:2], *sums_strides)
        launch(a, b, sums, None, *operand_strides, (n, 1), starts, m, n, k, cfg=config, num_warps=num_warps)
        starts = (*sums_strides, batch_strides[2])
        add(sums, out, bias, out_strides, starts, m, n, cfg=adding, num_warps=WARPS)

    return run_splits
