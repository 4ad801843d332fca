"""`hocket.kernels.rowwise.swiglu` and `geglu` as the operators `hocket::gated` and `hocket::gated_backward`."""

from __future__ import annotations

import torch

from ..kernels import rowwise
from ._operator import Operator
from ._rows import new_like, with_rows

_FORWARD = "(Tensor gate, Tensor up, str activation) -> Tensor"
_BACKWARD = "(Tensor dy, Tensor gate, Tensor up, str activation) -> (Tensor, Tensor)"

#: For each activation: the function that computes it, the function that computes its gradients, and the options of
#: both.
_FUNCTIONS = {
    "silu": (rowwise.swiglu, rowwise.swiglu_backward, {}),
    "gelu": (rowwise.geglu, rowwise.geglu_backward, {}),
    "gelu_tanh": (rowwise.geglu, rowwise.geglu_backward, {"approximate": "tanh"}),
}


def swiglu(gate: torch.Tensor, up: torch.Tensor) -> torch.Tensor:
    """Returns silu(gate) * up. The result is differentiable.

    Args:
        gate: [..., columns], float32, float16 or bfloat16, such as x[..., :n] of a fused projection.
        up: a tensor like gate.

    See `hocket.kernels.rowwise.swiglu` for the arguments, and `hocket.kernels.rowwise.choose` for the implementation.
    """
    return _gated(gate, up, "silu")


def geglu(gate: torch.Tensor, up: torch.Tensor, approximate: str = "none") -> torch.Tensor:
    """Returns gelu(gate) * up. The result is differentiable. The arguments `gate` and `up` are as in `swiglu`. The
    argument `approximate` is "none" or "tanh", as in `torch.nn.functional.gelu`."""
    torch._check(
        approximate in ("none", "tanh"), lambda: f'geglu: approximate is "none" or "tanh", not {approximate!r}'
    )
    return _gated(gate, up, "gelu" if approximate == "none" else "gelu_tanh")


def _run(gate, up, activation):
    if gate.numel() == 0:
        return new_like(gate)
    forward, _, options = _FUNCTIONS[activation]
    return forward(with_rows(gate), with_rows(up), **options)


def _fake(gate, up, activation):
    """Returns the shape and dtype of the result, for torch.compile."""
    return new_like(gate)


def _run_backward(dy, gate, up, activation):
    if gate.numel() == 0:
        return new_like(gate), new_like(gate)
    _, backward, options = _FUNCTIONS[activation]
    return backward(with_rows(dy), with_rows(gate), with_rows(up), **options)


def _fake_backward(dy, gate, up, activation):
    return new_like(gate), new_like(gate)


def _save(ctx, inputs, output):
    gate, up, ctx.activation = inputs
    ctx.save_for_backward(gate, up)


def _backward(ctx, dy):
    gate, up = ctx.saved_tensors
    return *_gated_backward(dy.to(gate.dtype), gate, up, ctx.activation), None


_gated_backward = Operator("gated_backward", _BACKWARD, _run_backward, _fake_backward)
_gated = Operator("gated", _FORWARD, _run, _fake, _backward, _save)
