"""Epilogue operations of all GEMM kernels: bias and activation."""

from __future__ import annotations

from ... import jit
from ... import language as gl

LOG2_E = gl.constexpr(1.4426950408889634)


@jit
def sigmoid(x):
    """Returns 1 / (1 + exp(-x)). The reciprocal is computed as the square of a reciprocal square root, which is one
    instruction, accurate to 22 bits. A division would take eight instructions."""
    root = gl.rsqrt(1.0 + gl.exp2(-LOG2_E * x))
    return root * root


@jit
def activate(x, name: gl.constexpr):
    """Applies the activation `name` to each element, in float32."""
    if name == "relu":
        return gl.maximum(x, 0.0, propagate_nan=gl.PropagateNan.ALL)
    elif name == "silu":
        return x * sigmoid(x)
    elif name == "gelu_tanh":
        # (1 + tanh(y)) / 2 is sigmoid(2 y)
        return x * sigmoid(1.5957691216057308 * (x + 0.044715 * x * x * x))
    else:
        return x


@jit
def bias_of(bias, column, N, layout: gl.constexpr, width: gl.constexpr, across: gl.constexpr = 0):
    """Loads the bias of `width` columns of C, or of rows if `across` is 1. Elements past the last one are 0."""
    columns = column + gl.arange(0, width, layout=gl.SliceLayout(across, layout))
    return gl.load(bias + columns, mask=columns < N, other=0.0)
