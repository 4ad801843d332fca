"""Kernels of gated activations, forward and backward: y = f(gate) up.

    SwiGLU           f(x) = x sigmoid(x)
    GeGLU, tanh      f(x) = x sigmoid(2 a (x + b x^3)), with a = sqrt(2 / pi) and b = 0.044715: the tanh form of GELU,
                     because (1 + tanh(z)) / 2 = sigmoid(2 z)
    GeGLU            f(x) = x (1 + erf(x / sqrt(2))) / 2

Elements are independent. A block loads, computes and stores one tile, and has no barriers.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ... import jit
from ... import language as gl
from ..norms.rows import load_rows, store_rows
from .tiles import LOG2_E, tile_of_block

#: Constants of GeGLU in its tanh form: 2 sqrt(2 / pi), and the factor of x^3.
_TWO_A: gl.constexpr = 1.5957691216057308
_CUBE: gl.constexpr = 0.044715
_HALF_ROOT: gl.constexpr = 0.7071067811865476
#: 1 / sqrt(2 pi)
_DENSITY: gl.constexpr = 0.3989422804014327


class GatedInputs(NamedTuple):
    """The gate and up matrices that the kernels read, as MatrixPointer."""

    gate: Any
    up: Any


class GatedGradients(NamedTuple):
    """The gradients of gate and up, as MatrixPointer."""

    gate: Any
    up: Any


@jit
def sigmoids(x):
    """Returns sigmoid(x) and sigmoid(-x). The smaller of both values is not computed as 1 minus the larger value,
    because the subtraction would lose digits, and derivatives multiply the smaller value by powers of x. The reciprocal
    is computed as the square of a reciprocal square root, which is one instruction, accurate to 22 bits."""
    power = gl.exp2(-LOG2_E * x)
    root = gl.rsqrt(1.0 + power)
    share = root * root
    return share, gl.where(x > 0.0, power * share, 1.0 - share)


@jit
def activation(x, name: gl.constexpr):
    """Returns f(x) of the activation `name`, and the derivative of f at x, in float32."""
    if name == "swiglu":
        share, rest = sigmoids(x)
        return x * share, share * (1.0 + x * rest)
    elif name == "geglu_tanh":
        share, rest = sigmoids(_TWO_A * (x + _CUBE * x * x * x))
        slope = _TWO_A * (1.0 + 3.0 * _CUBE * x * x)
        return x * share, share * (1.0 + x * rest * slope)
    else:
        share = 0.5 + 0.5 * gl.erf(x * _HALF_ROOT)
        return x * share, share + x * _DENSITY * gl.exp2(-0.5 * LOG2_E * x * x)


@jit
def gated_forward(inputs, y, rows, columns, parts, name: gl.constexpr, cfg: gl.constexpr):
    """The kernel takes `inputs` as GatedInputs, and y as MatrixPointer."""
    row, column = tile_of_block(parts, cfg)
    gate = load_rows(inputs.gate.data, row, column, inputs.gate.stride, rows, columns, cfg).to(gl.float32)
    up = load_rows(inputs.up.data, row, column, inputs.up.stride, rows, columns, cfg).to(gl.float32)
    value, _ = activation(gate, name)
    store_rows(y.data, row, column, y.stride, rows, columns, value * up, cfg)


@jit
def gated_backward(dy, inputs, gradients, rows, columns, parts, name: gl.constexpr, cfg: gl.constexpr):
    """The kernel takes dy as MatrixPointer, `inputs` as GatedInputs, and `gradients` as GatedGradients. The gradients
    may overwrite the inputs."""
    row, column = tile_of_block(parts, cfg)
    of_y = load_rows(dy.data, row, column, dy.stride, rows, columns, cfg).to(gl.float32)
    gate = load_rows(inputs.gate.data, row, column, inputs.gate.stride, rows, columns, cfg).to(gl.float32)
    up = load_rows(inputs.up.data, row, column, inputs.up.stride, rows, columns, cfg).to(gl.float32)
    value, slope = activation(gate, name)
    store_rows(gradients.gate.data, row, column, gradients.gate.stride, rows, columns, of_y * up * slope, cfg)
    store_rows(gradients.up.data, row, column, gradients.up.stride, rows, columns, of_y * value, cfg)
