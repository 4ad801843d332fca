"""Host side of the GEMM with few rows: the kernel's configuration and launches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ... import cdiv
from ...errors import LaunchError
from .._common.arrays import empty_like
from .._common.cached_hash import canonical
from .._common.work_counter import COUNTERS, counters_for
from .kernel_few_rows import FewRowsConfig, matmul_few_rows
from .plan_few_rows import FewRowsForm, FewRowsPlan, alignment_of, few_rows_form

if TYPE_CHECKING:
    from collections.abc import Callable

    from .operands import Gemm


def obstacle_of(plan: FewRowsPlan, form: FewRowsForm | None) -> str | None:
    """Returns the reason why the kernel cannot compute a GEMM with `plan`, or None."""
    if form is None or form.gemm.out.rows != plan.rows:
        return f"it is for {plan.rows} rows or columns of float16, bfloat16 or float32"
    b, out = form.gemm.b, form.gemm.out
    steps = cdiv(b.rows, plan.step)
    if b.is_transposed != plan.is_k_contiguous:
        return f"it is for arrays with {'K' if plan.is_k_contiguous else 'N'} contiguous"
    if alignment_of(b) % plan.vector:
        return f"lanes can load {alignment_of(b)} elements at once, not {plan.vector}"
    if not 1 <= plan.splits <= steps:
        return f"it has {plan.splits} splits of K, but a CTA reads K in {steps} steps"
    if plan.splits > 1 and cdiv(out.columns, plan.block_n) * out.batch > COUNTERS:
        return f"it divides more than {COUNTERS} blocks of columns"
    return None


def configure_few_rows(plan: FewRowsPlan, gemm: Gemm) -> FewRowsConfig:
    """Returns the compile-time parameters of the kernel for `plan`. `gemm`: the GEMM in the kernel's form."""
    return canonical(
        FewRowsConfig(
            rows=plan.rows,
            block_n=plan.block_n,
            block_k=plan.block_k,
            unrolled=plan.unrolled,
            is_k_contiguous=plan.is_k_contiguous,
            vector=plan.vector,
            is_a_aligned=plan.is_k_contiguous and gemm.a.column_stride == 1 and alignment_of(gemm.a) % plan.vector == 0,
            divides_k=plan.splits > 1,
            has_bias=gemm.has_bias,
            activation=gemm.activation,
            tile=plan.layout,
        )
    )


def prepare_few_rows(gemm: Gemm, plan: FewRowsPlan) -> Callable[[Any, Any, Any, Any], None]:
    """Returns a function `(a, b, out, bias)` that computes `gemm` with `plan`."""
    form = few_rows_form(gemm)
    obstacle = obstacle_of(plan, form)
    if form is None or obstacle is not None:
        raise LaunchError(f"matmul: `plan` does not fit the arrays: {obstacle}\n  hint: leave out `plan`")
    gemm, is_swapped = form
    config = configure_few_rows(plan, gemm)
    _, n, k = gemm.sizes
    blocks = cdiv(n, plan.block_n)
    launch = matmul_few_rows[(blocks, plan.splits, gemm.out.batch)]
    strides = [(operand.row_stride, operand.column_stride) for operand in gemm[:3]]
    batch_strides = tuple(operand.batch_stride for operand in gemm[:3])
    partial_sums = (blocks * gemm.out.batch * plan.splits, plan.rows * plan.block_n)

    def run(a: Any, b: Any, out: Any, bias: Any) -> None:
        workspace = (None, None)
        if plan.splits > 1:
            workspace = empty_like(a, partial_sums, "float32"), counters_for(a)
        if is_swapped:
            a, b = b, a
        launch(
            a, b, out, bias, n, k, *strides, batch_strides, config, *workspace, plan.splits, num_warps=plan.warps
        )  # fmt: skip

    return run


__all__ = ["configure_few_rows", "prepare_few_rows"]
