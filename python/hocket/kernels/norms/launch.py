"""Host side of the normalizations: checks arrays, chooses plans, and launches kernels. A LaunchCache keeps the result
of all work that depends only on the form of a call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ... import language as gl
from ...launch_cache import LaunchCache
from ...nvidia.hopper import DescriptorForm, TensorDescriptor
from .._common.arrays import maker_of_empty
from .._common.checks import check_flags
from .arguments import (
    BackwardInputs,
    BackwardStrides,
    ForwardInputs,
    ForwardOutputs,
    ForwardStrides,
    MatrixPointer,
    VectorGradients,
)
from .backward import backward_resident
from .cells import cells_for
from .choose import check_choice, machine_for, plan_for, resolved
from .clustered import backward_clustered
from .forward import forward_resident
from .operands import (
    Matrix,
    check_output,
    check_vector,
    check_writable,
    checked_eps,
    checked_offset,
    matrix_of,
    problem_of,
    rows_of,
    stride_of_statistics,
)
from .parts import forward_specialized
from .plan import CLUSTER, MULTI_WAVE, STAGED, STREAMING, WARP_SPECIALIZED, NormConfig, Plan, config_of, divided_columns
from .problem import box_columns
from .specialized import backward_specialized
from .staged import backward_staged, forward_staged
from .streaming import backward_streaming, forward_streaming

_FORWARD = {
    MULTI_WAVE: forward_resident,
    WARP_SPECIALIZED: forward_specialized,
    STAGED: forward_staged,
    STREAMING: forward_streaming,
    CLUSTER: forward_staged,
}
_BACKWARD = {
    MULTI_WAVE: backward_resident,
    STREAMING: backward_streaming,
    WARP_SPECIALIZED: backward_specialized,
    CLUSTER: backward_clustered,
    STAGED: backward_staged,
}


def _name_of(dtype: Any) -> str:
    return str(dtype).removeprefix("torch.")


def _descriptor_form(plan: Plan, matrix: Matrix) -> DescriptorForm:
    """Returns the DescriptorForm of a matrix. The descriptor divides a row into boxes of the largest possible width, so
    that one TMA copy moves a tile of several boxes. For clusters, the descriptor first divides a row among the
    blocks."""
    problem, num_ctas = plan.problem, plan.num_ctas
    share = problem.columns // num_ctas
    width = box_columns(share)
    shape, strides = [problem.rows, share // width, width], [matrix.stride, width, 1]
    block = [plan.rows_per_tile, plan.block // num_ctas // width, width]
    if num_ctas > 1:
        # A tile may be wider than a block's part of a row. The additional columns are then outside the tensor of the
        # descriptor, and TMA does not read them.
        shape.insert(1, num_ctas)
        strides.insert(1, share)
        block.insert(1, num_ctas)
    rank = len(shape)
    layout = gl.NVMMASharedLayout(0, problem.element_bits, rank, cga_layout=divided_columns(num_ctas, rank))
    return DescriptorForm(TensorDescriptor(matrix.array, shape, strides, block, layout))


def options_of(plan: Plan, config: NormConfig) -> dict[str, Any]:
    """Returns the launch options of the kernel for `plan`."""
    return {"cfg": config, "num_warps": plan.num_warps, "maxnreg": plan.limit, "num_ctas": plan.num_ctas}


def forward(
    operation: str, x: Any, residual: Any, weight: Any, bias: Any, eps: float, out: Any, schedule: str | None,
    plan: Plan | None = None, weight_offset: float = 0.0, return_statistics: bool = True,
) -> ForwardOutputs:  # fmt: skip
    """Launches a forward kernel. Without a residual, `total` of the result is None. Without statistics, `mean` and
    `rstd` are None."""
    if type(weight_offset) is not float:
        weight_offset = checked_offset(operation, weight_offset, weight)
    arrays = x, residual, weight, bias, out
    settings = operation, return_statistics, *resolved(schedule, False), weight_offset, plan
    return forwards.find(arrays, settings)(x, residual, weight, bias, out, checked_eps(operation, eps))


def _prepare_forward(
    x, residual, weight, bias, out, operation, return_statistics, schedule, forced_by, weight_offset, plan
) -> Callable[..., ForwardOutputs]:
    check_flags(operation, return_statistics=return_statistics)
    check_choice(schedule)
    check_writable(operation, "out", out)
    checked_offset(operation, weight_offset, weight)
    source = matrix_of(operation, "x", x)
    matrices = [source]
    if residual is not None:
        matrices.append(matrix_of(operation, "residual", residual, source))
    shape, dtype = source.facts.shape, source.facts.dtype
    y_stride = shape[-1]
    if out is not None:
        matrices.append(check_output(operation, "out", matrix_of(operation, "out", out, source)))
        y_stride = matrices[-1].stride
    for name, vector in (("weight", weight), ("bias", bias)):
        check_vector(operation, name, vector, shape[-1])
    problem = problem_of(
        operation, matrices, [weight, bias], has_weight=weight is not None, has_bias=bias is not None,
        has_residual=residual is not None,
    )  # fmt: skip
    plan = plan or plan_for(problem, machine_for(x, operation), schedule, forced_by)
    config = config_of(plan, bool(return_statistics), max(matrix.stride for matrix in matrices), weight_offset)
    residual_stride = matrices[1].stride if residual is not None else 1
    strides = ForwardStrides(source.stride, residual_stride, y_stride, shape[-1])
    new_matrix, new_vector = maker_of_empty(x, shape, dtype), maker_of_empty(x, shape[:-1], "float32")
    options = options_of(plan, config)
    launch = _FORWARD[plan.schedule][(plan.blocks,)]
    rows, columns = problem.rows, problem.columns
    has_mean = return_statistics and problem.is_centered

    def run(x, residual, weight, bias, out, eps):
        outputs = ForwardOutputs(
            new_matrix(x) if out is None else out,
            None if residual is None else new_matrix(x),
            new_vector(x) if has_mean else None,
            new_vector(x) if return_statistics else None,
        )
        launch(ForwardInputs(x, residual), strides, weight, bias, outputs, rows, columns, eps, **options)
        return outputs

    return run


forwards = LaunchCache(_prepare_forward)


def backward(
    operation: str, dy: Any, x: Any, weight: Any, mean: Any, rstd: Any, has_bias: bool, added: Any,
    schedule: str | None, plan: Plan | None = None, weight_offset: float = 0.0,
) -> tuple[Any, Any, Any]:  # fmt: skip
    """Launches a backward kernel. Returns (dx, dw or None, db or None). `added`: the matrix that is added to dx, or
    None."""
    if type(weight_offset) is not float:
        weight_offset = checked_offset(operation, weight_offset, weight)
    arrays = x, dy, weight, mean, rstd, added
    settings = operation, has_bias, *resolved(schedule, True), weight_offset, plan
    return backwards.find(arrays, settings)(x, dy, weight, mean, rstd, added)


def _prepare_backward(
    x, dy, weight, mean, rstd, added, operation, has_bias, schedule, forced_by, weight_offset, plan
) -> Callable[..., tuple]:
    check_flags(operation, has_bias=has_bias)
    check_choice(schedule)
    checked_offset(operation, weight_offset, weight)
    source = matrix_of(operation, "x", x)
    matrices = [source, matrix_of(operation, "dy", dy, source)]
    if added is not None:
        matrices.append(matrix_of(operation, "residual_gradient", added, source))
    shape, rows = source.facts.shape, rows_of(source.facts)
    check_vector(operation, "weight", weight, shape[-1])
    problem = problem_of(
        operation, matrices, [weight], has_weight=weight is not None, has_bias=bool(has_bias) and weight is not None,
        has_residual=added is not None,
    )  # fmt: skip
    columns = problem.columns
    rstd_stride = stride_of_statistics(operation, "rstd", rstd, rows)
    mean_stride = stride_of_statistics(operation, "mean", mean, rows) if problem.is_centered else 1
    plan = plan or plan_for(problem, machine_for(x, operation), schedule, forced_by)
    config = config_of(plan, False, max(matrix.stride for matrix in matrices), weight_offset)
    # `run` must not refer to an array, because the cache would keep the array's memory alive.
    strides = BackwardStrides(matrices[1].stride, source.stride, mean_stride, rstd_stride)
    added_stride = 1 if added is None else matrices[-1].stride
    pitch = -(-columns // 8) * 8
    new_dx = maker_of_empty(x, shape, source.facts.dtype)
    new_sum = maker_of_empty(x, (columns,), _name_of(weight.dtype)) if weight is not None else None
    new_partials = maker_of_empty(x, (plan.blocks * plan.groups * config.gradients, pitch), "float32")
    forms = []
    if plan.schedule in (WARP_SPECIALIZED, CLUSTER):
        forms = [_descriptor_form(plan, matrix) for matrix in (matrices[1], source)]
    options = {**options_of(plan, config), "launch_cooperative_grid": config.gradients > 0}
    launch = _BACKWARD[plan.schedule][(plan.blocks,)]
    rows, has_bias = problem.rows, config.has_bias

    def run(x, dy, weight, mean, rstd, added):
        dx = new_dx(x)
        dw = db = partials = cells = None
        if new_sum is not None:
            dw = new_sum(x)
            db = new_sum(x) if has_bias else None
            partials, cells = new_partials(x), cells_for(x)
        descriptors = [form.on(array) for form, array in zip(forms, (dy, x), strict=False)]
        launch(
            *descriptors, BackwardInputs(dy, x, mean, rstd), strides, weight, MatrixPointer(dx, columns),
            MatrixPointer(added, added_stride), VectorGradients(dw, db), partials, cells, rows, columns, pitch,
            **options,
        )  # fmt: skip
        return dx, dw, db

    return run


backwards = LaunchCache(_prepare_backward)
