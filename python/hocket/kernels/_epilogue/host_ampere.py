"""Host side of the GEMM with mma.sync with a function of the user as epilogue: outputs and launches."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any

from ... import cdiv
from ... import language as gl
from .._common.cached_hash import canonical
from .._matmul.host_nvidia import OUTPUTS
from .._matmul.kernel_ampere import matmul_by_warps
from .._matmul.plan_ampere import ACCESS_BYTES, AmpereConfig, AmperePlan, access_layout, configure_ampere
from .host_cdna import MOST_CLAMPED, factors_of
from .outputs_ampere import AmpereOutput

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._matmul.operands import Gemm, Operand


def output_of(operand: Operand, factor: int, plan: AmperePlan) -> AmpereOutput:
    """Returns the compile-time properties of an output with 1 / `factor` of the columns."""
    rows, columns = plan.tile.m, plan.tile.n // factor
    order = [0, 1] if operand.is_transposed else [1, 0]
    layout = None
    if (rows, columns)[order[0]] * operand.element_bits // 8 >= ACCESS_BYTES:
        layout = access_layout((rows, columns), order, operand.element_bits, plan.tile.num_warps)
    return AmpereOutput(OUTPUTS[operand.dtype], rows, columns, factor, layout)


def configure_with_function(plan: AmperePlan, gemm: Gemm) -> AmpereConfig:
    """Returns the compile-time parameters of the kernel for `plan`."""
    m, n, _ = gemm.sizes
    factors = factors_of(gemm, plan.tile.n)
    return canonical(
        dataclasses.replace(
            configure_ampere(plan, gemm._replace(activation="none")),
            outputs=tuple(
                output_of(operand, factor, plan) for operand, factor in zip(gemm.outputs, factors, strict=True)
            ),
            whole_rows=gl.NVMMADistributedLayout([2, 0], [plan.tile.num_warps, 1], [16, 8]),
            clamped_rows=0 if m % plan.tile.m == 0 else 1,
            clamped_columns=0 if n % plan.tile.n == 0 else math.gcd(n, MOST_CLAMPED),
        )
    )


def prepare_with_function(
    gemm: Gemm, epilogue: Any, plan: AmperePlan
) -> Callable[[Any, Any, tuple[Any, ...], Any, tuple[Any, ...]], None]:
    """Returns a function `(a, b, outs, bias, args)` that computes the GEMM and the outputs of `epilogue` for arrays
    with the shapes, strides and dtypes in `gemm`."""
    config = configure_with_function(plan, gemm)
    tile = plan.tile
    m, n, k = gemm.sizes
    launch = matmul_by_warps[(cdiv(m, tile.m) * cdiv(n, tile.n), gemm.out.batch)]
    operand_strides = [(operand.row_stride, operand.column_stride) for operand in gemm[:2]]
    batch_strides = gemm.a.batch_stride, gemm.b.batch_stride
    strides = tuple((operand.batch_stride, operand.row_stride, operand.column_stride) for operand in gemm.outputs)

    def run(a: Any, b: Any, outs: tuple[Any, ...], bias: Any, args: tuple[Any, ...]) -> None:
        launch(
            a, b, outs, bias, *operand_strides, strides, batch_strides, m, n, k, cfg=config, epilogue_args=args,
            EPILOGUE=epilogue, num_warps=tile.num_warps,
        )  # fmt: skip

    return run


__all__ = ["configure_with_function", "prepare_with_function"]
