"""Host side of the GEMM on Hopper with a function of the user as epilogue: plans, outputs and launches."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any

from ... import cdiv
from ... import language as gl
from ...errors import LaunchError
from .._common.arrays import empty_like
from .._common.cached_hash import canonical
from .._common.work_counter import counters_for
from .._matmul.arrays_hopper import Arrangement, arrange
from .._matmul.host_nvidia import (
    OUTPUTS,
    check_splits,
    configure,
    descriptor_form,
    layout_by_lanes,
    operand_forms,
)
from .._matmul.kernel_hopper import HopperConfig, matmul_by_partitions
from .._matmul.plan_hopper import ROW_BYTES, HopperPlan
from .outputs_hopper import HopperOutput
from .stores_hopper import STRIP

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._matmul.operands import Gemm, Operand

#: Fewest bytes of a row of a subtile that TMA stores.
PIECE_BYTES = 16

#: Largest multiple of which lanes may use that numbers of columns are one: elements of 16 bits in 16 bytes.
MOST_CLAMPED = 8


def output_of(operand: Operand, gemm: Gemm, config: HopperConfig, is_by_lanes: bool) -> HopperOutput:
    """Returns the compile-time properties of an output. `gemm`: the GEMM that the kernel computes."""
    fewer_rows, fewer_columns = gemm.out.rows // operand.rows, gemm.out.columns // operand.columns
    rows, columns = config.staged_rows // fewer_rows, config.staged_columns // fewer_columns
    if 0 in (rows, columns):
        factor, most = max(fewer_rows, fewer_columns), config.staged_rows if fewer_rows > 1 else config.staged_columns
        raise LaunchError(
            f"matmul: an output has 1 / {factor} of the columns, but the epilogue subtiles of this plan have {most} "
            "columns\n  hint: choose a smaller factor, or outputs of narrower dtypes"
        )
    contiguous = rows if operand.is_transposed else columns
    across = columns if operand.is_transposed else rows
    store, staging, by_lanes = "tma", None, None
    if contiguous * operand.element_bits // 8 < PIECE_BYTES or (is_by_lanes and across < STRIP.value):
        store = "registers"
    elif is_by_lanes:
        store = "lanes"
        staging = gl.NVMMASharedLayout.get_default_for([rows, columns], OUTPUTS[operand.dtype])
        by_lanes = layout_by_lanes(operand)
    return HopperOutput(
        OUTPUTS[operand.dtype], rows, columns, fewer_rows, fewer_columns, store, staging, by_lanes
    )  # fmt: skip


def configure_with_function(plan: HopperPlan, arrangement: Arrangement) -> HopperConfig:
    """Returns the compile-time parameters of the kernel for `plan`."""
    gemm = arrangement.gemm
    config = configure(plan, gemm, False, arrangement.is_transposed)
    outputs = tuple(
        output_of(operand, gemm, config, is_by_lanes)
        for operand, is_by_lanes in zip(gemm.outputs, arrangement.by_lanes, strict=True)
    )
    row_bytes = config.staged_columns * gemm.out.element_bits // 8
    if row_bytes > ROW_BYTES:
        raise LaunchError(
            f"matmul: `plan` has epilogue subtiles of {config.staged_columns} columns, but {ROW_BYTES} bytes hold "
            f"{ROW_BYTES * 8 // gemm.out.element_bits} columns of the widest output\n"
            f"  hint: pass out_bits={gemm.out.element_bits} to `choose_hopper_plan`"
        )
    shape = config.staged_rows, row_bytes
    m, n, _ = gemm.sizes
    return canonical(
        dataclasses.replace(
            config,
            activation="none",
            outputs=outputs,
            staging=gl.NVMMASharedLayout.get_default_for(shape, gl.int8),
            staging_shape=shape,
            is_transposed=arrangement.is_transposed,
            clamped_rows=0 if m % plan.tile.m == 0 else 1,
            clamped_columns=0 if n % plan.tile.n == 0 else math.gcd(n, MOST_CLAMPED),
        )
    )


def prepare_with_function(
    gemm: Gemm,
    epilogue: Any,
    plan: HopperPlan,
    a: Any,
    b: Any,
    outs: tuple[Any, ...],
) -> Callable[[Any, Any, tuple[Any, ...], Any, tuple[Any, ...]], None]:
    """Returns a function `(a, b, outs, bias, args)` that computes the GEMM and the outputs of `epilogue` for arrays
    with the shapes, strides and dtypes of `a`, `b` and `outs`."""
    arrangement = arrange(gemm, plan.copies, plan.is_transposed)
    gemm = arrangement.gemm
    check_splits(plan, gemm)
    config = configure_with_function(plan, arrangement)
    a_form, b_form = operand_forms(*arrangement.operands(a, b), gemm, config)
    forms = [
        descriptor_form(array, operand, output.rows, output.columns) if output.store == "tma" else None
        for array, operand, output in zip(outs, gemm.outputs, config.outputs, strict=True)
    ]
    strides = tuple((operand.batch_stride, operand.row_stride, operand.column_stride) for operand in gemm.outputs)
    launch = matmul_by_partitions[(plan.blocks,)]
    m, n, k = gemm.sizes
    sizes = m, n, k, gemm.out.batch
    tiles = cdiv(m, plan.tile.m) * cdiv(n, plan.tile.n) * gemm.out.batch
    partial_sums = tiles * plan.splits, plan.tile.m * plan.tile.n
    operands_of = arrangement.operands

    def run(a: Any, b: Any, outs: tuple[Any, ...], bias: Any, args: tuple[Any, ...]) -> None:
        a, b = operands_of(a, b)
        results = tuple([out if form is None else form.on(out) for out, form in zip(outs, forms, strict=True)])
        workspace = (None, None)
        if plan.splits > 1:
            workspace = empty_like(a, partial_sums, "float32"), counters_for(a)
        launch(
            a_form.on(a), b_form.on(b), results, bias, *sizes, config, *workspace, plan.splits, strides, args,
            EPILOGUE=epilogue, num_warps=4,
        )  # fmt: skip

    return run


__all__ = ["configure_with_function", "prepare_with_function"]
