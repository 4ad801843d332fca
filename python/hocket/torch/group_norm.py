"""`hocket.kernels.rowwise.group_norm` as the operators `hocket::group_norm` and `hocket::group_norm_backward`."""

from __future__ import annotations

import torch

from ..kernels import rowwise
from ._operator import Operator, nothing
from ._rows import new_like

_FORWARD = "(Tensor x, int groups, Tensor? weight, Tensor? bias, float eps) -> (Tensor, Tensor, Tensor)"
_BACKWARD = (
    "(Tensor dy, Tensor x, int groups, Tensor? weight, Tensor mean, Tensor rstd, bool has_bias)"
    " -> (Tensor, Tensor, Tensor)"
)


def group_norm(
    x: torch.Tensor,
    groups: int,
    weight: torch.Tensor | None = None,
    bias: torch.Tensor | None = None,
    eps: float = 1e-5,
) -> torch.Tensor:
    """Returns (x - mean) / sqrt(variance + eps) * weight + bias, with statistics of each group of channels. The result
    is differentiable.

    Args:
        x: [batch, channels, ...], float32, float16 or bfloat16. A tensor that is not contiguous is copied.
        weight, bias: [channels].

    See `hocket.kernels.rowwise.group_norm` for the arguments, and `hocket.kernels.rowwise.choose` for the
    implementation.
    """
    return _group_norm(x, groups, weight, bias, eps)[0]


def _run(x, groups, weight, bias, eps):
    if x.numel() == 0:
        return _fake(x, groups, weight, bias, eps)
    return rowwise.group_norm(x.contiguous(), groups, weight, bias, eps, return_statistics=True)


def _fake(x, groups, weight, bias, eps):
    """Returns empty tensors with the shapes and dtypes of the results, for torch.compile."""
    mean, rstd = (x.new_empty((x.shape[0], groups), dtype=torch.float32) for _ in range(2))
    return new_like(x), mean, rstd


def _run_backward(dy, x, groups, weight, mean, rstd, has_bias):
    if x.numel() == 0:
        results = _fake_backward(dy, x, groups, weight, mean, rstd, has_bias)
        return tuple(result.zero_() for result in results)
    matrices = dy.contiguous(), x.contiguous()
    return rowwise.group_norm_backward(*matrices, groups, weight, mean, rstd, has_bias=has_bias)


def _fake_backward(dy, x, groups, weight, mean, rstd, has_bias):
    dw = nothing(dy) if weight is None else torch.empty_like(weight)
    db = nothing(dy)
    if has_bias:
        db = x.new_empty(x.shape[1], dtype=torch.float32 if weight is None else weight.dtype)
    return new_like(x), dw, db


def _save(ctx, inputs, output):
    x, groups, weight, bias, _ = inputs
    ctx.save_for_backward(x, weight, *output[1:])
    ctx.groups = groups
    ctx.bias_dtype = None if bias is None else bias.dtype


def _backward(ctx, of_y, _of_mean, _of_rstd):
    x, weight, mean, rstd = ctx.saved_tensors
    has_bias = ctx.bias_dtype is not None
    dx, dw, db = _group_norm_backward(of_y.to(x.dtype), x, ctx.groups, weight, mean, rstd, has_bias)
    return dx, None, None if weight is None else dw, db.to(ctx.bias_dtype) if has_bias else None, None


_group_norm_backward = Operator("group_norm_backward", _BACKWARD, _run_backward, _fake_backward)
_group_norm = Operator("group_norm", _FORWARD, _run, _fake, _backward, _save)
