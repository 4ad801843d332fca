"""`hocket.kernels.norms` as the operators `hocket::norm` and `hocket::norm_backward`, and as modules that replace
PyTorch's."""

from __future__ import annotations

from typing import Any

import torch

from ..kernels.norms import Plan, launch
from ..kernels.norms.choose import machine_for, plan_for
from ..kernels.norms.forced import MODULE, Schedule, forced, forced_for
from ..kernels.norms.operands import matrix_of, problem_of
from ._operator import Operator, nothing
from ._rows import has_no_rows, with_rows

_FORWARD = (
    "(Tensor x, Tensor? residual, Tensor? weight, Tensor? bias, float eps, bool is_centered, float weight_offset=0.0,"
    " str? schedule=None) -> (Tensor, Tensor, Tensor, Tensor)"
)
_BACKWARD = (
    "(Tensor dy, Tensor x, Tensor? weight, Tensor? mean, Tensor rstd, Tensor? residual_gradient, bool has_bias,"
    " bool is_centered, float weight_offset=0.0, str? schedule=None) -> (Tensor, Tensor, Tensor)"
)


def rms_norm(
    x: torch.Tensor,
    weight: torch.Tensor | None = None,
    eps: float = 1e-6,
    residual: torch.Tensor | None = None,
    weight_offset: float = 0.0,
    schedule: Schedule | None = None,
) -> torch.Tensor | tuple[torch.Tensor, torch.Tensor]:
    """Returns x / sqrt(mean(x^2) + eps) * weight, along the last dimension. The result is differentiable.

    Args:
        x: [..., columns], float32, float16 or bfloat16.
        weight: [columns].
        residual: a tensor like x. Then x + residual is normalized, and the result is a pair: (y, x + residual).
        weight_offset: added to the weight in float32; 1 for models that store weight - 1 (Gemma).
        schedule: the variant of both passes, or of each, as in `hocket.kernels.norms.force_schedule`.

    See `hocket.kernels.norms` for the arguments, and `hocket.kernels.norms.choose` for the implementation.
    """
    y, total, *_ = _norm(
        x, residual, weight, None, eps, False, weight_offset, _text(schedule), run=_run_without_statistics
    )
    return y if residual is None else (y, total)


def layer_norm(
    x: torch.Tensor,
    weight: torch.Tensor | None = None,
    bias: torch.Tensor | None = None,
    eps: float = 1e-5,
    residual: torch.Tensor | None = None,
    weight_offset: float = 0.0,
    schedule: Schedule | None = None,
) -> torch.Tensor | tuple[torch.Tensor, torch.Tensor]:
    """Returns (x - mean(x)) / sqrt(variance(x) + eps) * weight + bias, along the last dimension. The result is
    differentiable.

    Args:
        bias: [columns].

    The other arguments are those of `rms_norm`.
    """
    y, total, *_ = _norm(
        x, residual, weight, bias, eps, True, weight_offset, _text(schedule), run=_run_without_statistics
    )
    return y if residual is None else (y, total)


def _text(schedule: Schedule | None) -> str | None:
    """Converts the argument `schedule` to text such as "forward=staged,backward=cluster", which the operators take."""
    if schedule is None or isinstance(schedule, str):
        return schedule
    return ",".join([f"{name}={variant}" for name, variant in schedule.items()])


def _of_pass(schedule: str | None, is_backward: bool) -> str | None:
    """Returns the variant that `schedule` forces for the forward or the backward pass; None if it forces none."""
    return None if schedule is None else forced(schedule).of(is_backward)


def _run(x, residual, weight, bias, eps, is_centered, weight_offset=0.0, schedule=None, return_statistics=True):
    if has_no_rows(x):
        return _fake(x, residual, weight, bias, eps, is_centered)  # no rows
    operation = "layer_norm" if is_centered else "rms_norm"
    variant = None if schedule is None else _of_pass(schedule, False)
    return launch.forward(
        operation, with_rows(x), with_rows(residual), weight, bias, eps, None, variant, None, weight_offset,
        return_statistics,
    )  # fmt: skip


def _run_without_statistics(x, residual, weight, bias, eps, is_centered, weight_offset, schedule):
    return _run(x, residual, weight, bias, eps, is_centered, weight_offset, schedule, False)


def _fake(x, residual, weight, bias, eps, is_centered, weight_offset=0.0, schedule=None):
    """Returns empty tensors with the shapes and dtypes of the results, for torch.compile."""
    y = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    rstd = x.new_empty(x.shape[:-1], dtype=torch.float32)
    mean = torch.empty_like(rstd) if is_centered else nothing(x)
    return y, nothing(x) if residual is None else torch.empty_like(y), mean, rstd


def _run_backward(
    dy, x, weight, mean, rstd, residual_gradient, has_bias, is_centered, weight_offset=0.0, schedule=None
):
    if has_no_rows(x):
        results = _fake_backward(dy, x, weight, mean, rstd, None, has_bias, is_centered)
        return tuple(result.zero_() for result in results)
    operation = "layer_norm_backward" if is_centered else "rms_norm_backward"
    mean = mean if is_centered else None
    rows = with_rows(dy), with_rows(x)
    return launch.backward(
        operation, *rows, weight, mean, rstd, has_bias, with_rows(residual_gradient), _of_pass(schedule, True),
        weight_offset=weight_offset,
    )  # fmt: skip


def _fake_backward(
    dy, x, weight, mean, rstd, residual_gradient, has_bias, is_centered, weight_offset=0.0, schedule=None
):
    dx = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    dw = nothing(dy) if weight is None else torch.empty_like(weight)
    has_db = weight is not None and is_centered and has_bias
    return dx, dw, torch.empty_like(weight) if has_db else nothing(dy)


def _save(ctx, inputs, output):
    x, residual, weight, bias, _, is_centered, weight_offset, schedule = inputs
    _, total, mean, rstd = output
    ctx.set_materialize_grads(False)
    ctx.save_for_backward(x if residual is None else total, weight, mean, rstd)
    ctx.has_residual = residual is not None
    ctx.is_centered = is_centered
    ctx.weight_offset = weight_offset
    ctx.schedule = schedule
    ctx.bias_dtype = None if bias is None else bias.dtype


def _backward(ctx, of_y, of_total, _of_mean, _of_rstd):
    x, weight, mean, rstd = ctx.saved_tensors
    if not ctx.has_residual:
        of_total = None
    if of_y is None:
        return of_total, of_total, *[None] * 6
    has_bias = ctx.bias_dtype is not None
    dx, dw, db = _norm_backward(
        of_y.to(x.dtype),
        x,
        weight,
        mean,
        rstd,
        of_total,
        has_bias and weight is not None,
        ctx.is_centered,
        ctx.weight_offset,
        ctx.schedule,
    )
    of_bias = None
    if has_bias:
        of_bias = (of_y.flatten(0, -2).sum(0, dtype=torch.float32) if weight is None else db).to(ctx.bias_dtype)
    return dx, dx if ctx.has_residual else None, None if weight is None else dw, of_bias, *[None] * 4


_norm_backward = Operator("norm_backward", _BACKWARD, _run_backward, _fake_backward)
_norm = Operator("norm", _FORWARD, _run, _fake, _backward, _save, differentiable=2)


def _flat(tensor: torch.Tensor | None) -> torch.Tensor | None:
    return tensor if tensor is None or tensor.dim() == 1 else tensor.reshape(-1)


def _initialize(weight: torch.Tensor | None, value: float) -> None:
    if weight is not None:
        torch.nn.init.constant_(weight, value)


def _as_rows(x: torch.Tensor, dimensions: int) -> torch.Tensor:
    """Returns `x` with the last `dimensions` dimensions merged into one dimension."""
    return x if dimensions == 1 else x.flatten(-dimensions)


class _Norm(torch.nn.Module):
    """Base class of `RMSNorm` and `LayerNorm`, with the arguments that PyTorch's modules do not have."""

    normalized_shape: tuple[int, ...]
    weight: torch.Tensor | None
    is_centered: bool
    #: The variants that the module forces, in the format of `_text`.
    schedule: str | None = None

    def __init__(
        self, *arguments: Any, weight_offset: float = 0.0, schedule: Schedule | None = None, **options: Any
    ) -> None:
        self.weight_offset = weight_offset
        if schedule is not None:
            forced(schedule, f"schedule of {type(self).__name__}")
        self.schedule = _text(schedule)
        super().__init__(*arguments, **options)

    def reset_parameters(self) -> None:
        """Initializes the weight to 1 - weight_offset, so that rows are scaled by 1, and the bias to 0."""
        super().reset_parameters()  # type: ignore[misc]
        _initialize(self.weight, 1 - self.weight_offset)

    def choose(self, x: torch.Tensor, *, is_backward: bool = False, has_residual: bool = False) -> Plan:
        """Returns the plan of the forward or backward pass for x. The plan's method `explain` gives the reasons for the
        choice. See `hocket.kernels.norms.choose`."""
        operation = ("layer_norm" if self.is_centered else "rms_norm") + ("_backward" if is_backward else "")
        rows = with_rows(_as_rows(x, len(self.normalized_shape)))
        bias = self.bias if self.is_centered else None
        problem = problem_of(
            operation,
            [matrix_of(operation, "x", rows)],
            [_flat(self.weight)] if is_backward else [_flat(self.weight), _flat(bias)],
            has_weight=self.weight is not None,
            has_bias=bias is not None and not (is_backward and self.weight is None),
            has_residual=has_residual,
        )
        variant = _of_pass(self.schedule, is_backward)
        return plan_for(problem, machine_for(rows), *(variant, MODULE) if variant else forced_for(is_backward))

    def _normalize(self, x, residual, eps: float, schedule: Schedule | None):
        count = len(self.normalized_shape)
        is_centered = self.is_centered
        weight, bias = self.weight, self.bias if is_centered else None
        schedule = self.schedule if schedule is None else _text(schedule)
        rows, residual_rows = x, residual
        if count > 1:
            rows, residual_rows = _as_rows(x, count), None if residual is None else _as_rows(residual, count)
            weight, bias = _flat(weight), _flat(bias)
        y, total, *_ = _norm(
            rows, residual_rows, weight, bias, eps, is_centered, self.weight_offset, schedule,
            run=_run_without_statistics,
        )  # fmt: skip
        if count > 1:
            y, total = y.view(x.shape), None if residual is None else total.view(x.shape)
        return y if residual is None else (y, total)


class RMSNorm(_Norm, torch.nn.RMSNorm):
    """`torch.nn.RMSNorm` with `hocket.kernels.norms`: the same arguments and state, any `normalized_shape`.

    Args:
        weight_offset: added to the weight, which is initialized to 1 - weight_offset. 1 for models that store weight -
            1 (Gemma).
        schedule: the variant of both passes, or of each, as in `hocket.kernels.norms.force_schedule`; this argument has
            precedence over `force_schedule` and over the environment variable.
    """

    is_centered = False

    def forward(
        self, x: torch.Tensor, residual: torch.Tensor | None = None, *, schedule: Schedule | None = None
    ) -> torch.Tensor | tuple[torch.Tensor, torch.Tensor]:
        """Returns the norm of x or, with a residual, the pair of the norm of x + residual, and x + residual.
        The argument `schedule` overrides the schedule of the module."""
        return self._normalize(x, residual, torch.finfo(x.dtype).eps if self.eps is None else self.eps, schedule)


class LayerNorm(_Norm, torch.nn.LayerNorm):
    """`torch.nn.LayerNorm` with `hocket.kernels.norms`: the same arguments and state, any `normalized_shape`.

    Args:
        weight_offset: as in `RMSNorm` (Nemotron).
        schedule: as in `RMSNorm`.
    """

    is_centered = True

    def forward(
        self, x: torch.Tensor, residual: torch.Tensor | None = None, *, schedule: Schedule | None = None
    ) -> torch.Tensor | tuple[torch.Tensor, torch.Tensor]:
        """Returns the norm of x or, with a residual, the pair of the norm of x + residual, and x + residual.
        The argument `schedule` overrides the schedule of the module."""
        return self._normalize(x, residual, self.eps, schedule)
