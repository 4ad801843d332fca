"""The functions of examples/epilogues.py, their arguments and outputs, and the same functions of float64 arrays."""

from typing import Any, NamedTuple

import epilogues
import ml_dtypes
import numpy as np

LARGEST = 448.0


class Case(NamedTuple):
    """A function, its arguments, the dtypes of its outputs and the factors by which they have fewer columns than
    A x B, and the function of A x B in float64, which returns a list of outputs."""

    function: Any
    args: tuple
    dtypes: tuple
    factors: tuple
    expected: Any

    @property
    def bits(self):
        """Width of the widest output in bits, per column of A x B, for a plan."""
        widths = [ml_dtypes.finfo(kind).bits // factor for kind, factor in zip(self.dtypes, self.factors, strict=True)]
        return max(8, *widths)

    def options(self, n):
        """Returns the arguments of `matmul` for `n` columns of A x B, besides arrays."""
        columns = tuple(n // factor for factor in self.factors)
        return {"out_dtype": self.dtypes, "out_columns": columns, "epilogue": self.function}


def groups_of(x, width=32):
    return x.reshape(*x.shape[:-1], x.shape[-1] // width, width)


def scaled(x):
    peaks = np.maximum(np.abs(groups_of(x)).max(axis=-1), 1e-12)
    return [x, peaks / LARGEST]


def blocks_of_pairs(x, width):
    pairs = x.reshape(*x.shape[:-1], x.shape[-1] // (2 * width), 2, width)
    return [pairs[..., side, :].reshape(*x.shape[:-1], x.shape[-1] // 2) for side in range(2)]


def cases(rng, m, n, dtype="float16"):
    """Returns the Cases, by name, for A x B of m x n. Cases with groups of columns need `n` to be a multiple of
    32."""
    kind = np.dtype(getattr(ml_dtypes, dtype, dtype))
    bias = rng.standard_normal(n).astype(kind)
    residual = rng.standard_normal((m, n)).astype(kind)
    of_rows, of_columns = (rng.uniform(0.5, 2, size).astype(np.float32) for size in (m, n))
    wide_bias, wide_residual = bias.astype(np.float64), residual.astype(np.float64)
    gelu, swiglu = epilogues.exact_gelu, epilogues.exact_swiglu
    found = {
        "bias and GELU": Case(epilogues.bias_gelu, (bias,), (dtype,), (1,), lambda x: [gelu(x + wide_bias)]),
        "with and without GELU": Case(
            epilogues.with_and_without_gelu, (), (dtype, "float32"), (1, 1), lambda x: [x, gelu(x)]
        ),
        "residual": Case(epilogues.add_residual, (residual, n), (dtype,), (1,), lambda x: [x + wide_residual]),
        "scales": Case(
            epilogues.scale, (of_rows, of_columns), ("float32",), (1,), lambda x: [x * of_rows[:, None] * of_columns]
        ),
    }
    if n % 32 == 0:
        found |= {
            "SwiGLU": Case(epilogues.swiglu, (), (dtype,), (2,), lambda x: [swiglu(*blocks_of_pairs(x, 8))]),
            "SwiGLU of pairs": Case(
                epilogues.swiglu_of_pairs, (), (dtype,), (2,), lambda x: [swiglu(*blocks_of_pairs(x, 1))]
            ),
            "squares": Case(
                epilogues.squares, (), (dtype, "float32"), (1, 32), lambda x: [x, (groups_of(x) ** 2).sum(axis=-1)]
            ),
            "largest": Case(
                epilogues.largest, (), (dtype, "float32"), (1, 32), lambda x: [x, np.abs(groups_of(x)).max(axis=-1)]
            ),
            "float8": Case(epilogues.quantize, (20.0,), ("float8_e4m3fn",), (1,), lambda x: [x * 20]),
            "float8 of groups": Case(
                epilogues.quantize_groups, (), ("float8_e4m3fn", "float32"), (1, 32), lambda x: scaled(x)
            ),
        }
    return found


def assert_outputs(name, results, expected):
    """Compares outputs with those of float64: one rounding to the dtype of each, and float32 sums."""
    if name == "float8 of groups":
        elements, scales = results
        results = [elements.astype(np.float64) * np.repeat(scales.astype(np.float64), 32, axis=-1), scales]
        steps = np.repeat(expected[1], 32, axis=-1)
        error = np.abs(results[0] - expected[0])
        # Elements below 2^-6 are subnormal: multiples of 2^-9.
        assert (error <= np.abs(expected[0]) * 2.0**-4 + steps * 2.0**-9 + 1e-6).all(), error.max()
        results, expected = results[1:], expected[1:]
    for result, wanted in zip(results, expected, strict=True):
        assert result.shape == wanted.shape
        eps = float(ml_dtypes.finfo(result.dtype).eps)
        error = np.abs(result.astype(np.float64) - wanted)
        assert (error <= eps * np.abs(wanted) + 1e-5 * np.maximum(np.abs(wanted), 1) + eps * 2.0**-6).all(), error.max()
