"""Functions as epilogues of GEMMs.

`hocket.kernels.matmul(a, b, epilogue=f, epilogue_args=(..))` calls `f(acc, row, column, *epilogue_args)` for each
subtile of A x B, and stores what `f` returns:

    acc             float32 [rows, columns]
    row, column     int32 [rows, 1] and [1, columns]: indices of the elements of `acc`
    result          a tile, or a tuple of tiles, one for each output. A tile [rows, columns / r] is part of an output
                    with N / r columns

    python epilogues.py
"""

import numpy as np

import hocket
from hocket import language as gl
from hocket.kernels import matmul


@hocket.jit
def sigmoid(x):
    """Returns 1 / (1 + exp(-x)), by the square of a reciprocal square root, which takes fewer instructions than a
    division."""
    root = gl.rsqrt(1.0 + gl.exp2(-1.4426950408889634 * x))
    return root * root


@hocket.jit
def gelu(x):
    """GELU by its approximation with tanh: (1 + tanh(y)) / 2 is sigmoid(2 y)."""
    return x * sigmoid(1.5957691216057308 * (x + 0.044715 * x * x * x))


@hocket.jit
def bias_gelu(acc, row, column, bias):
    return gelu(acc + gl.load(bias + column).to(gl.float32))


@hocket.jit
def with_and_without_gelu(acc, row, column):
    """Returns two outputs: training also needs the argument of the activation."""
    return acc, gelu(acc)


@hocket.jit
def add_residual(acc, row, column, residual, N):
    """`residual` is a matrix of N columns."""
    return acc + gl.load(residual + (row.to(gl.int64) * N + column)).to(gl.float32)


@hocket.jit
def scale(acc, row, column, of_rows, of_columns):
    """Multiplies by a scale per row of A and by one per column of B, as for quantized operands."""
    return acc * gl.load(of_rows + row) * gl.load(of_columns + column)


@hocket.jit
def swiglu(acc, row, column):
    """Returns silu(gate) * up. Blocks of 8 columns of gates alternate with blocks of 8 columns of ups, so each lane has
    both elements of a pair, and adjacent elements of the result."""
    pairs = acc.reshape([acc.shape[0], acc.shape[1] // 16, 2, 8]).permute([0, 1, 3, 2])
    gate, up = gl.split(pairs)
    return (gate * sigmoid(gate) * up).reshape([acc.shape[0], acc.shape[1] // 2])


@hocket.jit
def swiglu_of_pairs(acc, row, column):
    """The gates are the even columns, and the ups are the odd ones."""
    gate, up = gl.split(acc.reshape([acc.shape[0], acc.shape[1] // 2, 2]))
    return gate * sigmoid(gate) * up


@hocket.jit
def squares(acc, row, column, WIDTH: gl.constexpr = 32):
    """Returns `acc`, and the sums of squares of groups of WIDTH columns. The sums of rows, e.g. for an RMS norm after
    the GEMM, are those of the second output along its rows: their order is fixed."""
    groups = acc.reshape([acc.shape[0], acc.shape[1] // WIDTH, WIDTH])
    return acc, gl.sum(groups * groups, axis=2)


@hocket.jit
def largest(acc, row, column, WIDTH: gl.constexpr = 32):
    """Returns `acc`, and the largest absolute value of groups of WIDTH columns."""
    groups = acc.reshape([acc.shape[0], acc.shape[1] // WIDTH, WIDTH])
    return acc, gl.max(gl.abs(groups), axis=2)


@hocket.jit
def quantize(acc, row, column, factor):
    """Returns the result times a number. The conversion to an output of float8_e4m3fn saturates."""
    return acc * factor


@hocket.jit
def quantize_groups(acc, row, column, WIDTH: gl.constexpr = 32):
    """Returns float8_e4m3fn elements, of which 448 is the largest, and their scale: one per row and group of WIDTH
    columns."""
    groups = acc.reshape([acc.shape[0], acc.shape[1] // WIDTH, WIDTH])
    peaks = gl.maximum(gl.max(gl.abs(groups), axis=2), 1e-12)
    return (groups * gl.fdiv(448.0, peaks)[:, :, None]).reshape(acc.shape), peaks * (1.0 / 448.0)


def interleave(gate, up, width=8):
    """Returns the matrix B of `swiglu`, [K, 2 n], from those of gates and of ups, both [K, n]; `width` is 1 for
    `swiglu_of_pairs`."""
    k, n = gate.shape
    blocks = [x.reshape(k, n // width, 1, width) for x in (gate, up)]
    return np.concatenate(blocks, axis=2).reshape(k, 2 * n)


def exact(a, b):
    return a.astype(np.float64) @ b.astype(np.float64)


def exact_gelu(x):
    return x / 2 * (1 + np.tanh(0.7978845608028654 * (x + 0.044715 * x**3)))


def exact_swiglu(gate, up):
    return gate / (1 + np.exp(-gate)) * up


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    a, gate, up = (rng.standard_normal(shape).astype(np.float16) for shape in ((128, 64), (64, 128), (64, 128)))
    bias = rng.standard_normal(128).astype(np.float32)
    with hocket.emulator.target("sm_90a"):
        activated = matmul(a, gate, epilogue=bias_gelu, epilogue_args=(bias,))
        gated = matmul(a, interleave(gate, up), epilogue=swiglu, out_columns=128)
        product, sums = matmul(
            a, gate, epilogue=squares, out_dtype=("float16", "float32"), out_columns=(128, 128 // 32)
        )
        elements, scales = matmul(
            a, gate, epilogue=quantize_groups, out_dtype=("float8_e4m3fn", "float32"), out_columns=(128, 128 // 32)
        )
    wide_gate, wide_up = exact(a, gate), exact(a, up)
    quantized = elements.astype(np.float64) * np.repeat(scales, 32, axis=1)
    for name, result, expected in (
        ("bias and GELU", activated, exact_gelu(wide_gate + bias)),
        ("SwiGLU", gated, exact_swiglu(wide_gate, wide_up)),
        ("sums of squares, relative", sums.sum(axis=1) / (wide_gate**2).sum(axis=1), np.ones(128)),
        ("float8, relative to the largest", quantized / np.abs(wide_gate).max(), wide_gate / np.abs(wide_gate).max()),
    ):
        print(f"{name}: largest error {np.abs(result.astype(np.float64) - expected).max():.3g}")
