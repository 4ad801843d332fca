"""Host side of the normalizations: checks arrays, chooses plans, and launches kernels. Work that depends only on
shapes, strides and dtypes is cached."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ... import language as gl
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
}
_BACKWARD = {
    MULTI_WAVE: backward_resident,
    STREAMING: backward_streaming,
    WARP_SPECIALIZED: backward_specialized,
    CLUSTER: backward_clustered,
    STAGED: backward_staged,
}

#: Prepared launch functions. The keys contain the properties of the arrays on which a launch depends. The cache is
#: cleared when it is full.
_prepared: dict[tuple, Callable[..., tuple]] = {}
_MOST_PREPARED = 4096


def _facts_of_launch(array: Any) -> Any:
    """Returns the properties of an array on which a prepared launch depends. For an argument that is not an array, the
    result is a unique object, so that no cached launch function matches."""
    if hasattr(array, "data_ptr"):  # PyTorch
        return type(array), array.shape, array.stride(), array.dtype, array.device, array.data_ptr() % 16 == 0
    if hasattr(type(array), "ctypes"):
        return type(array), array.shape, array.strides, array.dtype, array.ctypes.data % 16 == 0
    return None if array is None else object()  # `make` rejects the argument


def prepare(make: Callable[..., Callable[..., tuple]], arrays: tuple, settings: tuple, plan: Plan | None) -> Callable:
    """Returns the launch function `make(*arrays, *settings, plan)`. Without a plan, the function is cached by the
    properties of the arrays that `_facts_of_launch` returns."""
    if plan is not None or not hasattr(arrays[0], "dtype"):
        return make(*arrays, *settings, plan)
    key = make, machine_for(arrays[0], settings[0]), *map(_facts_of_launch, arrays), *settings
    if (run := _prepared.get(key)) is None:
        run = make(*arrays, *settings, None)
        if len(_prepared) >= _MOST_PREPARED:
            _prepared.clear()
        _prepared[key] = run
    return run


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
    plan: Plan | None = None, weight_offset: float = 0.0,
) -> tuple[Any, Any, Any, Any]:  # fmt: skip
    """Launches a forward kernel. Returns (y, x + residual or None, mean or None, rstd)."""
    eps = checked_eps(operation, eps)
    check_choice(schedule)
    check_writable(operation, "out", out)
    settings = operation, resolved(schedule, False), checked_offset(operation, weight_offset, weight)
    run = prepare(_make_forward, (x, residual, weight, bias, out), settings, plan)
    return run(x, residual, weight, bias, out, eps)


def _make_forward(x, residual, weight, bias, out, operation, forced, weight_offset, plan) -> Callable[..., tuple]:
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
    plan = plan or plan_for(problem, machine_for(x), *forced)
    config = config_of(plan, True, max(matrix.stride for matrix in matrices), weight_offset)
    residual_stride = matrices[1].stride if residual is not None else 1
    strides = ForwardStrides(source.stride, residual_stride, y_stride, shape[-1])
    new_matrix, new_vector = maker_of_empty(x, shape, dtype), maker_of_empty(x, shape[:-1], "float32")
    options = options_of(plan, config)
    kernel = _FORWARD[plan.schedule]

    def run(x, residual, weight, bias, out, eps):
        y = new_matrix(x) if out is None else out
        total = None if residual is None else new_matrix(x)
        mean = new_vector(x) if problem.is_centered else None
        outputs = ForwardOutputs(y, total, mean, new_vector(x))
        sizes = problem.rows, problem.columns, eps
        kernel[(plan.blocks,)](ForwardInputs(x, residual), strides, weight, bias, outputs, *sizes, **options)
        return outputs

    return run


def backward(
    operation: str, dy: Any, x: Any, weight: Any, mean: Any, rstd: Any, has_bias: bool, added: Any,
    schedule: str | None, plan: Plan | None = None, weight_offset: float = 0.0,
) -> tuple[Any, Any, Any]:  # fmt: skip
    """Launches a backward kernel. Returns (dx, dw or None, db or None). `added`: the matrix that is added to dx, or
    None."""
    check_flags(operation, has_bias=has_bias)
    check_choice(schedule)
    settings = operation, bool(has_bias), resolved(schedule, True), checked_offset(operation, weight_offset, weight)
    run = prepare(_make_backward, (x, dy, weight, mean, rstd, added), settings, plan)
    return run(x, dy, weight, mean, rstd, added)


def _make_backward(
    x, dy, weight, mean, rstd, added, operation, has_bias, forced, weight_offset, plan
) -> Callable[..., tuple]:
    source = matrix_of(operation, "x", x)
    matrices = [source, matrix_of(operation, "dy", dy, source)]
    if added is not None:
        matrices.append(matrix_of(operation, "residual_gradient", added, source))
    shape, rows = source.facts.shape, rows_of(source.facts)
    check_vector(operation, "weight", weight, shape[-1])
    problem = problem_of(
        operation, matrices, [weight], has_weight=weight is not None, has_bias=has_bias and weight is not None,
        has_residual=added is not None,
    )  # fmt: skip
    columns = problem.columns
    rstd_stride = stride_of_statistics(operation, "rstd", rstd, rows)
    mean_stride = stride_of_statistics(operation, "mean", mean, rows) if problem.is_centered else 1
    plan = plan or plan_for(problem, machine_for(x), *forced)
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
    options = options_of(plan, config)
    kernel = _BACKWARD[plan.schedule]

    def run(x, dy, weight, mean, rstd, added):
        dx = new_dx(x)
        dw = db = partials = cells = None
        if new_sum is not None:
            dw = new_sum(x)
            db = new_sum(x) if config.has_bias else None
            partials, cells = new_partials(x), cells_for(x)
        descriptors = [form.on(array) for form, array in zip(forms, (dy, x), strict=False)]
        kernel[(plan.blocks,)](
            *descriptors, BackwardInputs(dy, x, mean, rstd), strides, weight, MatrixPointer(dx, columns),
            MatrixPointer(added, added_stride), VectorGradients(dw, db), partials, cells, problem.rows, columns,
            pitch, **options, launch_cooperative_grid=config.gradients > 0,
        )  # fmt: skip
        return dx, dw, db

    return run
