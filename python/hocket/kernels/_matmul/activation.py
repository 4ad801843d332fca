"""Epilogue operations of all GEMM kernels: bias and activations.

Activations have the form of the functions that callers pass as `epilogue` of `matmul`, without further arguments:

    f(acc, row, column)     the result for the float32 tile `acc`, whose elements have the indices `row` and `column`
"""

from __future__ import annotations

from ... import constexpr_function, jit
from ... import language as gl

LOG2_E = gl.constexpr(1.4426950408889634)


@jit
def sigmoid(x):
    """Returns 1 / (1 + exp(-x)). The reciprocal is computed as the square of a reciprocal square root, which is one
    instruction, accurate to 22 bits. A division would take eight instructions."""
    root = gl.rsqrt(1.0 + gl.exp2(-LOG2_E * x))
    return root * root


@jit
def relu(acc, row, column):
    return gl.maximum(acc, 0.0, propagate_nan=gl.PropagateNan.ALL)


@jit
def silu(acc, row, column):
    return acc * sigmoid(acc)


@jit
def gelu_tanh(acc, row, column):
    # (1 + tanh(y)) / 2 is sigmoid(2 y)
    return acc * sigmoid(1.5957691216057308 * (acc + 0.044715 * acc * acc * acc))


@jit
def identity(acc, row, column):
    return acc


#: Function of each activation, indexed by the name that callers use.
FUNCTIONS = {"none": identity, "relu": relu, "silu": silu, "gelu_tanh": gelu_tanh}


@constexpr_function
def function_of(name):
    """Returns the function of the activation `name`."""
    return FUNCTIONS[name]


@jit
def activate(x, name: gl.constexpr):
    """Applies the activation `name` to each element, in float32."""
    function: gl.constexpr = function_of(name)
    return function(x, None, None)


@jit
def bias_of(bias, column, N, layout: gl.constexpr, width: gl.constexpr, across: gl.constexpr = 0):
    """Loads the bias of `width` columns of C, or of rows if `across` is 1. Elements past the last one are 0."""
    columns = column + gl.arange(0, width, layout=gl.SliceLayout(across, layout))
    return gl.load(bias + columns, mask=columns < N, other=0.0)
