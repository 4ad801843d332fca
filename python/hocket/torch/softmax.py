"""`hocket.kernels.rowwise.softmax` and `log_softmax` as the operators `hocket::softmax` and
`hocket::softmax_backward`."""

from __future__ import annotations

import torch

from ..kernels.rowwise import launch
from ._operator import Operator
from ._rows import has_no_rows, new_like, with_rows

_FORWARD = "(Tensor x, bool is_log) -> Tensor"
_BACKWARD = "(Tensor dy, Tensor y, bool is_log) -> Tensor"


def softmax(x: torch.Tensor) -> torch.Tensor:
    """Returns exp(x) / sum(exp(x)), along the last dimension. The result is differentiable.

    Args:
        x: [..., columns], float32, float16 or bfloat16.

    See `hocket.kernels.rowwise.softmax` for the arguments, and `hocket.kernels.rowwise.choose` for the implementation.
    """
    return _softmax(x, False)


def log_softmax(x: torch.Tensor) -> torch.Tensor:
    """Returns x - log(sum(exp(x))), along the last dimension. The result is differentiable. The argument is that of
    `softmax`."""
    return _softmax(x, True)


def _run(x, is_log):
    if has_no_rows(x):
        return new_like(x)
    return launch.softmax("log_softmax" if is_log else "softmax", (with_rows(x),), None, None)


def _fake(x, is_log):
    """Returns the shape and dtype of the result, for torch.compile."""
    return new_like(x)


def _run_backward(dy, y, is_log):
    if has_no_rows(y):
        return new_like(y)
    operation = "log_softmax_backward" if is_log else "softmax_backward"
    return launch.softmax(operation, (with_rows(dy), with_rows(y)), None, None)


def _fake_backward(dy, y, is_log):
    return new_like(y)


def _save(ctx, inputs, output):
    ctx.is_log = inputs[1]
    ctx.save_for_backward(output)


def _backward(ctx, dy):
    (y,) = ctx.saved_tensors
    return _softmax_backward(dy.to(y.dtype), y, ctx.is_log), None


_softmax_backward = Operator("softmax_backward", _BACKWARD, _run_backward, _fake_backward)
_softmax = Operator("softmax", _FORWARD, _run, _fake, _backward, _save)
