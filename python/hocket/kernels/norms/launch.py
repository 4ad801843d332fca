"""From arrays to a launch."""

from __future__ import annotations

from typing import Any

from ... import language as gl
from ...nvidia.hopper import DescriptorForm, TensorDescriptor
from ..arrays import empty_like
from .backward import backward_resident
from .cells import cells_for
from .choose import machine_for, plan_for
from .feasible import box_columns
from .forward import forward_resident
from .operands import Matrix, check_output, check_vector, matrix_of, problem_of, rows_of, stride_of_statistics
from .plan import MULTI_WAVE, STREAMING, WARP_SPECIALISED, NormConfig, Plan, config_of
from .specialised import backward_specialised
from .streaming import backward_streaming, forward_streaming

_FORWARD = {MULTI_WAVE: forward_resident, STREAMING: forward_streaming}
_BACKWARD = {
    MULTI_WAVE: backward_resident,
    STREAMING: backward_streaming,
    WARP_SPECIALISED: backward_specialised,
}

#: How TMA sees rows, by plan and stride.
_forms: dict[tuple[Plan, int], DescriptorForm] = {}

#: Compile-time sides of plans, which are equal for many of them.
_configs: dict[tuple[Plan, bool], NormConfig] = {}


def _config(plan: Plan, stores_statistics: bool) -> NormConfig:
    key = plan, stores_statistics
    if (config := _configs.get(key)) is None:
        config = _configs[key] = config_of(plan, stores_statistics)
    return config


def _descriptor(plan: Plan, matrix: Matrix) -> Any:
    """Rows in pieces as wide as a box of TMA may be: a tile is moved at once."""
    if (form := _forms.get((plan, matrix.stride))) is None:
        problem, width = plan.problem, box_columns(plan.problem)
        pieces = problem.columns // width
        layout = gl.NVMMASharedLayout(0, problem.element_bits, 3)
        descriptor = TensorDescriptor(
            matrix.array, [problem.rows, pieces, width], [matrix.stride, width, 1],
            [plan.rows_per_tile, plan.block // width, width], layout,
        )  # fmt: skip
        form = _forms[plan, matrix.stride] = DescriptorForm(descriptor)
    return form.on(matrix.array)


def forward(
    operation: str, x: Any, residual: Any, weight: Any, bias: Any, eps: float, out: Any, schedule: str | None,
    plan: Plan | None = None,
) -> tuple[Any, Any, Any, Any]:  # fmt: skip
    """(y, x + residual or None, mean or None, rstd)."""
    source = matrix_of(operation, "x", x)
    shape, dtype = source.facts.shape, source.facts.dtype
    matrices = [source]
    if residual is not None:
        matrices.append(matrix_of(operation, "residual", residual, source))
    y = empty_like(x, shape, dtype) if out is None else out
    matrices.append(check_output(operation, "out", matrix_of(operation, "out", y, source)))
    total = None if residual is None else empty_like(x, shape, dtype)
    columns, rows = shape[-1], rows_of(source.facts)
    for name, vector in (("weight", weight), ("bias", bias)):
        check_vector(operation, name, vector, columns)
    problem = problem_of(
        operation, matrices, [weight, bias], has_weight=weight is not None, has_bias=bias is not None,
        has_residual=residual is not None,
    )  # fmt: skip
    if plan is None:
        plan = plan_for(problem, machine_for(x), schedule)
    mean = empty_like(x, shape[:-1], "float32") if problem.is_centred else None
    rstd = empty_like(x, shape[:-1], "float32")
    strides = source.stride, matrices[1].stride, matrices[-1].stride, columns
    _FORWARD[plan.schedule][(plan.blocks,)](
        (x, residual), strides, weight, bias, (y, total, mean, rstd), rows, columns, float(eps),
        cfg=_config(plan, True), num_warps=plan.num_warps, maxnreg=plan.limit,
    )  # fmt: skip
    return y, total, mean, rstd


def backward(
    operation: str, dy: Any, x: Any, weight: Any, mean: Any, rstd: Any, has_bias: bool, added: Any,
    schedule: str | None, plan: Plan | None = None,
) -> tuple[Any, Any, Any]:  # fmt: skip
    """(dx, dw or None, db or None). `added`: added to dx."""
    source = matrix_of(operation, "x", x)
    shape, dtype = source.facts.shape, source.facts.dtype
    matrices = [source, matrix_of(operation, "dy", dy, source)]
    if added is not None:
        matrices.append(matrix_of(operation, "residual_gradient", added, source))
    columns, rows = shape[-1], rows_of(source.facts)
    check_vector(operation, "weight", weight, columns)
    problem = problem_of(
        operation, matrices, [weight], has_weight=weight is not None, has_bias=has_bias and weight is not None,
        has_residual=added is not None,
    )  # fmt: skip
    rstd_stride = stride_of_statistics(operation, "rstd", rstd, rows)
    mean_stride = stride_of_statistics(operation, "mean", mean, rows) if problem.is_centred else 1
    if plan is None:
        plan = plan_for(problem, machine_for(x), schedule)
    config = _config(plan, False)
    dx = empty_like(x, shape, dtype)
    dw = db = partials = cells = None
    pitch = -(-columns // 8) * 8
    if config.has_weight:
        dw = empty_like(weight, (columns,), str(weight.dtype).removeprefix("torch."))
        db = empty_like(weight, (columns,), str(weight.dtype).removeprefix("torch.")) if config.has_bias else None
        partials = empty_like(x, (plan.blocks * plan.groups * config.gradients, pitch), "float32")
        cells = cells_for(x)
    inputs, strides = (dy, x, mean, rstd), (matrices[1].stride, source.stride, mean_stride, rstd_stride)
    extra = (None, 1) if added is None else (added, matrices[-1].stride)
    arguments = weight, (dx, columns), extra, (dw, db), partials, cells, rows, columns, pitch
    descriptors = ()
    if plan.schedule == WARP_SPECIALISED:
        descriptors = tuple(_descriptor(plan, matrix) for matrix in (matrices[1], source))
    _BACKWARD[plan.schedule][(plan.blocks,)](
        *descriptors, inputs, strides, *arguments, cfg=config, num_warps=plan.num_warps, maxnreg=plan.limit,
        launch_cooperative_grid=config.gradients > 0,
    )  # fmt: skip
    return dx, dw, db
