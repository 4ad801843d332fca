"""`hocket.kernels.rowwise.group_norm` as the operator `hocket::group_norm`."""

from __future__ import annotations

import torch

from ..kernels import rowwise
from ._rows import new_like

torch.library.define(
    "hocket::group_norm",
    "(Tensor x, int groups, Tensor? weight, Tensor? bias, float eps) -> Tensor",
    tags=torch.Tag.pt2_compliant_tag,
)


def group_norm(
    x: torch.Tensor,
    groups: int,
    weight: torch.Tensor | None = None,
    bias: torch.Tensor | None = None,
    eps: float = 1e-5,
) -> torch.Tensor:
    """Returns (x - mean) / sqrt(variance + eps) * weight + bias, with statistics of each group of channels. Only
    the forward pass is supported.

    Args:
        x: [batch, channels, ...], float32, float16 or bfloat16. A tensor that is not contiguous is copied.
        weight, bias: [channels].

    See `hocket.kernels.rowwise.group_norm` for the arguments, and `hocket.kernels.rowwise.choose` for the
    implementation.
    """
    return torch.ops.hocket.group_norm(x, groups, weight, bias, eps)


@torch.library.impl("hocket::group_norm", ("cuda", "cpu"))
def _run(x, groups, weight, bias, eps):
    if x.numel() == 0:
        return new_like(x)
    return rowwise.group_norm(x.contiguous(), groups, weight, bias, eps)


@torch.library.register_fake("hocket::group_norm")
def _fake(x, groups, weight, bias, eps):
    """Returns the shape and dtype of the result, for torch.compile."""
    return new_like(x)


def _backward(ctx, dy):
    raise NotImplementedError(
        "hocket.torch.group_norm has no backward pass yet\n  hint: call it under torch.no_grad(), or use "
        "torch.nn.functional.group_norm for training"
    )


torch.library.register_autograd("hocket::group_norm", _backward)
