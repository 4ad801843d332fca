"""gl.fma rounds once, in every dtype: against exact rational arithmetic."""

import fractions

import ml_dtypes
import numpy as np
import pytest

import hocket
from hocket import language as gl

BLOCK = 1024
#: With their bits of precision, and the exponents of addends that f32 loses beside 1.
DTYPES = {"float16": (np.float16, 11, (-24, -4)), "bfloat16": (ml_dtypes.bfloat16, 8, (-40, -4))}


@hocket.jit
def fma_kernel(x, y, z, out, BLOCK: gl.constexpr):
    i = gl.arange(0, BLOCK, layout=gl.row_layout(4))
    gl.store(out + i, gl.fma(gl.load(x + i), gl.load(y + i), gl.load(z + i)))


def rounded(exact, dtype):
    """The number nearest to the fraction `exact`; of two, the even one."""
    near = np.array(float(exact), np.float64).astype(dtype).view(np.uint16)
    candidates = [bits.astype(np.uint16) for bits in (near, near + np.uint16(1), near - np.uint16(1))]
    numbers = [(bits, float(bits.view(dtype))) for bits in candidates]
    distances = [(abs(fractions.Fraction(number) - exact), int(bits) & 1, number)
                 for bits, number in numbers if np.isfinite(number)]  # fmt: skip
    return min(distances)[2]


def middles(bits):
    """Returns pairs of integers of `bits` bits such that x * y is halfway between two numbers of `bits` bits."""
    rng = np.random.default_rng(0)
    x, y = rng.integers(2 ** (bits - 1), 2**bits, (2, 400_000))
    dropped = np.where(x * y >= 2 ** (2 * bits - 1), bits, bits - 1)
    chosen = (x * y) % 2**dropped == 2 ** (dropped - 1)
    return np.resize(x[chosen], BLOCK // 2), np.resize(y[chosen], BLOCK // 2)


@pytest.mark.parametrize("name", DTYPES)
def test_it_rounds_once(device, name):
    dtype, bits, exponents = DTYPES[name]
    rng = np.random.default_rng(1)
    x, y = middles(bits)
    z = np.resize([1, -1], BLOCK // 2) * 2.0 ** rng.integers(*exponents, BLOCK // 2)
    scale = 2.0 ** (1 - bits)
    random = rng.standard_normal((3, BLOCK // 2))
    x, y, z = (np.concatenate(parts).astype(dtype) for parts in zip((x * scale, y * scale, z), random, strict=True))
    out = device.to_device(np.zeros(BLOCK, dtype))
    fma_kernel[(1,)](*(device.to_device(array) for array in (x, y, z)), out, BLOCK=BLOCK)
    exact = [fractions.Fraction(float(a)) * fractions.Fraction(float(b)) + fractions.Fraction(float(c))
             for a, b, c in zip(x, y, z, strict=True)]  # fmt: skip
    expected = np.array([rounded(value, dtype) for value in exact])
    np.testing.assert_array_equal(device.to_host(out).astype(np.float64), expected)


@pytest.mark.parametrize("name", DTYPES)
def test_special_values(device, name):
    dtype = DTYPES[name][0]
    largest = float(ml_dtypes.finfo(dtype).max)
    tiny = float(ml_dtypes.finfo(dtype).smallest_subnormal)
    cases = [
        (largest, 2, -largest, largest),  # x * y overflows, the sum does not
        (largest, 2, 0, np.inf),
        (largest, 1, largest, np.inf),
        (np.inf, 0, 1, np.nan),
        (np.inf, 1, -np.inf, np.nan),
        (np.nan, 1, 1, np.nan),
        (tiny, 0.5, 0, 0),  # to even
        (tiny, 0.75, 0, tiny),
        (tiny, 0.5, tiny, 2 * tiny),  # to even
        (-tiny, 0.25, 0, -0.0),
        (1, 1, -1, 0),
        (-1, 0, -0.0, -0.0),
    ]
    x, y, z, expected = (np.resize(np.array(column), BLOCK).astype(dtype) for column in zip(*cases, strict=True))
    out = device.to_device(np.zeros(BLOCK, dtype))
    fma_kernel[(1,)](*(device.to_device(array) for array in (x, y, z)), out, BLOCK=BLOCK)
    result = device.to_host(out)
    np.testing.assert_array_equal(result.astype(np.float32), expected.astype(np.float32))
    isnt_nan = ~np.isnan(expected.astype(np.float32))
    np.testing.assert_array_equal(np.signbit(result[isnt_nan]), np.signbit(expected[isnt_nan]))
