"""Host side of the GEMM on CDNA with a function of the user as epilogue: outputs and launches."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any

from ... import cdiv
from ...errors import LaunchError
from .._common.arrays import empty_like
from .._common.cached_hash import canonical
from .._matmul.host_cdna import ELEMENTS, KERNELS, configure_for, plan_of
from .._matmul.host_nvidia import OUTPUTS
from .._matmul.split_k import LAYOUT_OF_FUNCTIONS, WARPS, AddingConfig, add_splits
from .outputs_cdna import CdnaOutput

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._matmul.layouts_cdna import MatmulConfig
    from .._matmul.operands import Gemm
    from .._matmul.plan_cdna import CdnaPlan

#: Largest multiple of which lanes may use that numbers of columns are one: elements of 16 bits in 16 bytes.
MOST_CLAMPED = 8


def factors_of(gemm: Gemm, columns: int) -> list[int]:
    """Returns the factors by which outputs have fewer columns than A x B. Raises a LaunchError if a factor exceeds the
    number of columns that the function gets."""
    factors = [gemm.out.columns // operand.columns for operand in gemm.outputs]
    if max(factors) > columns:
        raise LaunchError(
            f"matmul: an output has 1 / {max(factors)} of the columns, but with this plan, the function gets {columns} "
            "columns\n  hint: choose a smaller factor, or a plan with wider tiles"
        )
    return factors


def with_outputs(config: Any, gemm: Gemm, rows: int, columns: int, tile: tuple[int, int]) -> Any:
    """Returns `config` with the outputs of a function that gets `rows` x `columns` elements of A x B at a time. `tile`:
    rows and columns of the tile of a block."""
    m, n, _ = gemm.sizes
    factors = factors_of(gemm, columns)
    outputs = tuple(
        CdnaOutput(OUTPUTS[operand.dtype], rows, columns // factor, factor)
        for operand, factor in zip(gemm.outputs, factors, strict=True)
    )
    return canonical(
        dataclasses.replace(
            config,
            outputs=outputs,
            clamped_rows=0 if m % tile[0] == 0 else 1,
            clamped_columns=0 if n % tile[1] == 0 else math.gcd(n, MOST_CLAMPED),
        )
    )


def prepare_with_function(
    gemm: Gemm, target: str, epilogue: Any, plan: CdnaPlan | None
) -> Callable[[Any, Any, tuple[Any, ...], Any, tuple[Any, ...]], None]:
    """Returns a function `(a, b, outs, bias, args)` that computes the GEMM and the outputs of `epilogue` for arrays
    with the shapes, strides and dtypes in `gemm`."""
    gemm = gemm.stacked._replace(activation="none")
    m, n, k = gemm.sizes
    plan = plan or plan_of(gemm, target)
    config: MatmulConfig = configure_for(gemm, plan, target, ELEMENTS[target][gemm.a.dtype])
    if plan.splits == 1:
        config = with_outputs(config, gemm, config.part_m, config.part_n, (config.block_m, config.block_n))
    batch = gemm.out.batch
    launch = KERNELS[plan.variant, plan.is_direct][(cdiv(m, plan.tile.m) * cdiv(n, plan.tile.n), batch, plan.splits)]
    operand_strides = [(operand.row_stride, operand.column_stride) for operand in gemm[:2]]
    batch_strides = gemm.a.batch_stride, gemm.b.batch_stride
    strides = tuple((operand.batch_stride, operand.row_stride, operand.column_stride) for operand in gemm.outputs)
    num_warps = plan.tile.num_warps

    def run(a: Any, b: Any, outs: tuple[Any, ...], bias: Any, args: tuple[Any, ...]) -> None:
        launch(
            a, b, outs, bias, *operand_strides, strides, batch_strides, m, n, k, cfg=config, epilogue_args=args,
            EPILOGUE=epilogue, num_warps=num_warps,
        )  # fmt: skip

    if plan.splits == 1:
        return run

    adding = AddingConfig(plan.splits, gemm.has_bias, "none", layout=LAYOUT_OF_FUNCTIONS)
    adding = with_outputs(adding, gemm, adding.rows, adding.columns, (adding.rows, adding.columns))
    add = add_splits[(cdiv(m, adding.rows), cdiv(n, adding.columns), batch)]
    sums_strides = m * n, batch * m * n

    def run_splits(a: Any, b: Any, outs: tuple[Any, ...], bias: Any, args: tuple[Any, ...]) -> None:
        sums = empty_like(a, (plan.splits, batch, m, n), "float32")
        starts = (*batch_strides, *sums_strides)
        launch(a, b, sums, None, *operand_strides, (n, 1), starts, m, n, k, cfg=config, num_warps=num_warps)
        add(
            sums, outs, bias, strides, sums_strides, m, n, cfg=adding, epilogue_args=args, EPILOGUE=epilogue,
            num_warps=WARPS,
        )  # fmt: skip

    return run_splits


__all__ = ["MOST_CLAMPED", "factors_of", "prepare_with_function"]
