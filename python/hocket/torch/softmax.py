"""`hocket.kernels.rowwise.softmax` and `log_softmax` as the operators `hocket::softmax` and
`hocket::softmax_backward`."""

from __future__ import annotations

import torch

from ..kernels.rowwise import launch
from ._rows import has_no_rows, new_like, with_rows

torch.library.define("hocket::softmax", "(Tensor x, bool is_log) -> Tensor", tags=torch.Tag.pt2_compliant_tag)
torch.library.define(
    "hocket::softmax_backward", "(Tensor dy, Tensor y, bool is_log) -> Tensor", tags=torch.Tag.pt2_compliant_tag
)


def softmax(x: torch.Tensor) -> torch.Tensor:
    """Returns exp(x) / sum(exp(x)), along the last dimension. The result is differentiable.

    Args:
        x: [..., columns], float32, float16 or bfloat16.

    See `hocket.kernels.rowwise.softmax` for the arguments, and `hocket.kernels.rowwise.choose` for the implementation.
    """
    return torch.ops.hocket.softmax(x, False)


def log_softmax(x: torch.Tensor) -> torch.Tensor:
    """Returns x - log(sum(exp(x))), along the last dimension. The result is differentiable. The argument is that of
    `softmax`."""
    return torch.ops.hocket.softmax(x, True)


@torch.library.impl("hocket::softmax", ("cuda", "cpu"))
def _run(x, is_log):
    if has_no_rows(x):
        return new_like(x)
    return launch.softmax("log_softmax" if is_log else "softmax", (with_rows(x),), None, None)


@torch.library.register_fake("hocket::softmax")
def _fake(x, is_log):
    """Returns the shape and dtype of the result, for torch.compile."""
    return new_like(x)


@torch.library.impl("hocket::softmax_backward", ("cuda", "cpu"))
def _run_backward(dy, y, is_log):
    if has_no_rows(y):
        return new_like(y)
    operation = "log_softmax_backward" if is_log else "softmax_backward"
    return launch.softmax(operation, (with_rows(dy), with_rows(y)), None, None)


@torch.library.register_fake("hocket::softmax_backward")
def _fake_backward(dy, y, is_log):
    return new_like(y)


def _save(ctx, inputs, output):
    ctx.is_log = inputs[1]
    ctx.save_for_backward(output)


def _backward(ctx, dy):
    (y,) = ctx.saved_tensors
    return torch.ops.hocket.softmax_backward(dy.to(y.dtype), y, ctx.is_log), None


torch.library.register_autograd("hocket::softmax", _backward, setup_context=_save)
