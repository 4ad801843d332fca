"""`hocket.kernels.matmul` as the operator `hocket::matmul`."""

from __future__ import annotations

import torch

from ..kernels import matmul as kernel
from ..kernels._matmul.operands import result_shape
from ._operator import Operator

_SCHEMA = "(Tensor a, Tensor b, Tensor? bias=None, str? activation=None, ScalarType? out_dtype=None) -> Tensor"


def matmul(
    a: torch.Tensor,
    b: torch.Tensor,
    bias: torch.Tensor | None = None,
    activation: str | None = None,
    out_dtype: torch.dtype | None = None,
) -> torch.Tensor:
    """Returns activation(a x b + bias). The result is differentiable.

    Args:
        a: [M, K] or [B, M, K].
        b: [K, N] or [B, K, N], of the same dtype.
        bias: [N].
        activation: None, "relu", "gelu_tanh" or "silu".
        out_dtype: dtype of the result; None for that of `a`, or float16 if `a` is float8.

    Returns: [M, N] or [B, M, N].

    See `hocket.kernels.matmul` for the arguments, and `hocket.kernels.matmul.explain` for the implementation.
    """
    return _matmul(a, b, bias, activation, out_dtype)


def _new_result(a: torch.Tensor, b: torch.Tensor, out_dtype: torch.dtype | None) -> torch.Tensor:
    dtype = out_dtype or (torch.float16 if a.dtype.itemsize == 1 else a.dtype)
    return a.new_empty(result_shape(a.shape, b.shape), dtype=dtype)


def _check_dimensions(a, b):
    # `torch._check` takes longer than this comparison.
    if not (2 <= a.dim() <= 3 and 2 <= b.dim() <= 3):
        torch._check(False, lambda: "matmul: a and b have two or three dimensions")


def _run(a, b, bias=None, activation=None, out_dtype=None):
    _check_dimensions(a, b)
    return kernel(a, b, bias=bias, activation=activation, out_dtype=out_dtype)


def _fake(a, b, bias=None, activation=None, out_dtype=None):
    """Returns the shape and dtype of the result, for torch.compile."""
    _check_dimensions(a, b)
    torch._check(a.shape[-1] == b.shape[-2], lambda: "matmul: the inner sizes must be equal")
    return _new_result(a, b, out_dtype)


def _save(ctx, inputs, output):
    a, b, bias, activation, _ = inputs
    ctx.save_for_backward(a, b, bias)
    ctx.activation = activation


#: Backward functions of the activations: the first argument is the gradient of the activation's result, and the second
#: the activation's argument.
_ACTIVATION_GRADIENTS = {
    "relu": lambda gradient, x: torch.ops.aten.threshold_backward(gradient, x, 0),
    "gelu_tanh": lambda gradient, x: torch.ops.aten.gelu_backward(gradient, x, approximate="tanh"),
    "silu": torch.ops.aten.silu_backward,
}


def _backward(ctx, gradient):
    a, b, bias = ctx.saved_tensors
    if ctx.activation is not None:
        # The argument of the activation is recomputed rather than saved, because it is as large as the result.
        before = matmul(a, b, bias, out_dtype=torch.float32)
        gradient = _ACTIVATION_GRADIENTS[ctx.activation](gradient.float(), before)
    gradients: list[torch.Tensor | None] = [None, None, None]
    # The gradient may have strides of 0, e.g. if the result was summed.
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


_matmul = Operator("matmul", _SCHEMA, _run, _fake, _backward, _save)
