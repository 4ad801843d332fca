"""`hocket.kernels.matmul` as the operator `hocket::matmul`."""

from __future__ import annotations

import torch

from ..kernels import matmul as product
from ..kernels.matmul_operands import result_shape

_SCHEMA = "(Tensor a, Tensor b, Tensor? bias=None, str? activation=None, ScalarType? out_dtype=None) -> Tensor"

# `custom_op` would do the same for several times the time on the host per call.
torch.library.define("hocket::matmul", _SCHEMA, tags=torch.Tag.pt2_compliant_tag)


def matmul(
    a: torch.Tensor,
    b: torch.Tensor,
    bias: torch.Tensor | None = None,
    activation: str | None = None,
    out_dtype: torch.dtype | None = None,
) -> torch.Tensor:
    """activation(a x b + bias), differentiable.

    Args:
        a: [M, K] or [B, M, K].
        b: [K, N] or [B, K, N], of the same dtype.
        bias: [N].
        activation: None, "relu", "gelu_tanh" or "silu".
        out_dtype: that of `a` if None, for float8 float16.

    Returns: [M, N] or [B, M, N].

    See `hocket.kernels.matmul` for what it takes, and `hocket.kernels.matmul.explain` for what it does.
    """
    return torch.ops.hocket.matmul(a, b, bias, activation, out_dtype)


def _new_result(a: torch.Tensor, b: torch.Tensor, out_dtype: torch.dtype | None) -> torch.Tensor:
    dtype = out_dtype or (torch.float16 if a.dtype.itemsize == 1 else a.dtype)
    return a.new_empty(result_shape(a.shape, b.shape), dtype=dtype)


@torch.library.impl("hocket::matmul", ("cuda", "cpu"))
def _run(a, b, bias=None, activation=None, out_dtype=None):
    torch._check(a.dim() in (2, 3) and b.dim() in (2, 3), lambda: "matmul: a and b have two or three dimensions")
    return product(a, b, _new_result(a, b, out_dtype), bias=bias, activation=activation)


@torch.library.register_fake("hocket::matmul")
def _fake(a, b, bias=None, activation=None, out_dtype=None):
    """Shape and dtype of the result, which is what torch.compile needs."""
    torch._check(a.dim() in (2, 3) and b.dim() in (2, 3), lambda: "matmul: a and b have two or three dimensions")
    torch._check(a.shape[-1] == b.shape[-2], lambda: "matmul: the inner sizes must be equal")
    return _new_result(a, b, out_dtype)


def _save(ctx, inputs, output):
    a, b, bias, activation, _ = inputs
    ctx.save_for_backward(a, b, bias)
    ctx.activation = activation


#: Gradients of activations, by the gradient of their results and by their arguments.
_ACTIVATION_GRADIENTS = {
    "relu": lambda gradient, x: torch.ops.aten.threshold_backward(gradient, x, 0),
    "gelu_tanh": lambda gradient, x: torch.ops.aten.gelu_backward(gradient, x, approximate="tanh"),
    "silu": torch.ops.aten.silu_backward,
}


def _backward(ctx, gradient):
    a, b, bias = ctx.saved_tensors
    if ctx.activation is not None:
        # Computed again rather than kept: it is as large as the result.
        before = matmul(a, b, bias, out_dtype=torch.float32)
        gradient = _ACTIVATION_GRADIENTS[ctx.activation](gradient.float(), before)
    gradients: list[torch.Tensor | None] = [None, None, None]
    # Of a sum or an expansion it may have strides of 0.
    of_result = gradient.to(a.dtype).contiguous()
    if ctx.needs_input_grad[0]:
        of_a = matmul(of_result, b.mT)
        gradients[0] = of_a.sum(0) if of_a.dim() > a.dim() else of_a
    if ctx.needs_input_grad[1]:
        of_b = matmul(a.mT, of_result)
        gradients[1] = of_b.sum(0) if of_b.dim() > b.dim() else of_b
    if bias is not None and ctx.needs_input_grad[2]:
        gradients[2] = gradient.sum(tuple(range(gradient.dim() - 1)), dtype=torch.float32).to(bias.dtype)
    return *gradients, None, None


torch.library.register_autograd("hocket::matmul", _backward, setup_context=_save)
