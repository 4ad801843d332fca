"""Elementwise operators and mathematics against NumPy in float64."""

import ml_dtypes
import numpy as np
import pytest

import hocket
from hocket import language as gl

SIZE = 2048
FLOATS = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64}
INTEGERS = (np.int8, np.uint8, np.int16, np.int32, np.uint32, np.int64)


@hocket.jit
def unary_kernel(x, out, function: gl.constexpr, BLOCK: gl.constexpr):
    i = gl.arange(0, BLOCK, layout=gl.row_layout(2))
    gl.store(out + i, function(gl.load(x + i)))


@hocket.jit
def binary_kernel(x, y, out, function: gl.constexpr, BLOCK: gl.constexpr):
    i = gl.arange(0, BLOCK, layout=gl.row_layout(2))
    gl.store(out + i, function(gl.load(x + i), gl.load(y + i)))


def apply(device, kernel, function, out_dtype, *arrays):
    out = device.to_device(np.zeros(SIZE, out_dtype))
    kernel[(1,)](*(device.to_device(a) for a in arrays), out, function=function, BLOCK=SIZE)
    return device.to_host(out)


def assert_close(actual, expected, ulp):
    """Within `ulp` units of the last place of each expected value, in the actual dtype."""
    info = ml_dtypes.finfo(actual.dtype)
    spacing = np.maximum(np.abs(expected) * float(info.eps), float(info.smallest_normal))
    error = np.abs(actual.astype(np.float64) - expected) / spacing
    assert error.max() <= ulp, f"{error.max()} ulp at {error.argmax()}: {actual[error.argmax()]}"


# Mathematics ----------------------------------------------------------------------------------------------------------

ERF = np.vectorize(__import__("math").erf)
MATH = {
    # name: (reference, low, high, allowed ulp in float32)
    "exp": (np.exp, -20, 20, 26),
    "exp2": (np.exp2, -20, 20, 4),
    "log": (np.log, 0.1, 100, 4),
    "log2": (np.log2, 0.1, 100, 4),
    "sin": (np.sin, -3, 3, 8),
    "cos": (np.cos, -1.4, 1.4, 8),
    "sqrt": (np.sqrt, 0, 100, 2),
    "sqrt_rn": (np.sqrt, 0, 100, 0.51),
    "rsqrt": (lambda x: 1 / np.sqrt(x), 0.01, 100, 4),
    "abs": (np.abs, -5, 5, 0),
    "floor": (np.floor, -5, 5, 0),
    "ceil": (np.ceil, -5, 5, 0),
    "erf": (ERF, -3, 3, 8),
    "tanh": (np.tanh, -3, 3, 3),
}


@pytest.mark.parametrize("name", MATH)
def test_math_float32(device, name):
    reference, low, high, ulp = MATH[name]
    x = np.random.default_rng(1).uniform(low, high, SIZE).astype(np.float32)
    # Near the zeros of log the error is that of the argument's neighborhood of 1.
    x = x[np.abs(reference(x.astype(np.float64))) > 1e-3] if name in ("log", "log2", "sin", "cos", "erf") else x
    x = np.resize(x, SIZE)
    assert_close(apply(device, unary_kernel, getattr(gl, name), np.float32, x), reference(x.astype(np.float64)), ulp)


@hocket.jit
def flushed_exp2(x):
    return gl.exp2(x, flush_denormals=True)


def test_exp2_that_flushes_denormals(device):
    x = np.resize(
        np.float32([-np.inf, -200, -149, -140.5, -126.5, -126, -125.25, -1, 0, 3, 127, 200, np.inf, np.nan]), SIZE
    )
    with np.errstate(over="ignore", under="ignore"):
        expected = np.exp2(x).astype(np.float64)
    expected[expected < 2.0**-126] = 0
    result = apply(device, unary_kernel, flushed_exp2, np.float32, x)
    is_number = np.isfinite(expected)
    np.testing.assert_array_equal(result[~is_number], expected[~is_number])
    assert ((result == 0) == (expected == 0)).all()
    assert_close(result[is_number], expected[is_number], 4)


@pytest.mark.parametrize("x", [-np.inf, np.inf, np.nan, 0.0, -0.0, 200.0, -200.0])
def test_exp_of_special_values(device, x):
    values = np.full(SIZE, x, np.float32)
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(apply(device, unary_kernel, gl.exp, np.float32, values), np.exp(values))


def test_tanh_of_special_values(device):
    x = np.resize(np.float32([-np.inf, np.inf, np.nan, 0.0, -0.0, 9.5, -9.5, 43.9, 44.5, -3e38, 1e-40, -1e-30]), SIZE)
    result = apply(device, unary_kernel, gl.tanh, np.float32, x)
    expected = np.float32([-1, 1, np.nan, 0.0, -0.0, 1, -1, 1, 1, -1, 1e-40, -1e-30])
    np.testing.assert_array_equal(result, np.resize(expected, SIZE))
    assert (np.signbit(result[3:5]) == [False, True]).all()


# Operators ------------------------------------------------------------------------------------------------------------


@hocket.jit
def add(x, y):
    return x + y


@hocket.jit
def subtract(x, y):
    return x - y


@hocket.jit
def multiply(x, y):
    return x * y


@hocket.jit
def divide(x, y):
    return x / y


@hocket.jit
def floor_divide(x, y):
    return x // y


@hocket.jit
def remainder(x, y):
    return x % y


@hocket.jit
def bit_and(x, y):
    return x & y


@hocket.jit
def bit_or(x, y):
    return x | y


@hocket.jit
def bit_xor(x, y):
    return x ^ y


@hocket.jit
def less_than(x, y):
    return gl.where(x < y, 1, 0)


@hocket.jit
def equal(x, y):
    return gl.where(x == y, 1, 0)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(
    "function, reference", [(add, np.add), (subtract, np.subtract), (multiply, np.multiply)], ids=["add", "sub", "mul"]
)
def test_float_arithmetic(device, dtype, function, reference):
    x, y = np.random.default_rng(2).standard_normal((2, SIZE)).astype(FLOATS[dtype])
    actual = apply(device, binary_kernel, function, FLOATS[dtype], x, y)
    assert_close(actual, reference(x.astype(np.float64), y.astype(np.float64)), 0.51)


def test_float_division(device):
    x, y = np.random.default_rng(3).standard_normal((2, SIZE)).astype(np.float32)
    assert_close(apply(device, binary_kernel, divide, np.float32, x, y), x.astype(np.float64) / y, 2)


def c_divide(x, y):
    """C rounds quotients toward zero, NumPy down."""
    wide = np.abs(x.astype(np.int64)) // np.abs(y.astype(np.int64))
    return np.where((x < 0) != (y < 0), -wide, wide)


@pytest.mark.parametrize("dtype", INTEGERS, ids=lambda d: np.dtype(d).name)
@pytest.mark.parametrize(
    "function, reference",
    [
        (add, np.add),
        (subtract, np.subtract),
        (multiply, np.multiply),
        (floor_divide, c_divide),
        (remainder, lambda x, y: x - c_divide(x, y) * y),
        (bit_and, np.bitwise_and),
        (bit_or, np.bitwise_or),
        (bit_xor, np.bitwise_xor),
    ],
    ids=["add", "sub", "mul", "floordiv", "mod", "and", "or", "xor"],
)
def test_integer_arithmetic(device, dtype, function, reference):
    rng = np.random.default_rng(4)
    info = np.iinfo(dtype)
    x, y = rng.integers(max(info.min, -(2**31)), min(info.max, 2**31 - 1), (2, SIZE), dtype=dtype, endpoint=True)
    y[y == 0] = 3
    x[x == info.min] += 1
    expected = reference(x, y).astype(dtype)
    np.testing.assert_array_equal(apply(device, binary_kernel, function, dtype, x, y), expected)


@pytest.mark.parametrize("dtype", [np.int32, np.uint32, np.float32], ids=lambda d: np.dtype(d).name)
def test_comparisons(device, dtype):
    x, y = np.random.default_rng(5).integers(0, 2**32, (2, SIZE), dtype=np.uint32).view(dtype)
    x[::7] = y[::7]
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(apply(device, binary_kernel, less_than, np.int32, x, y), x < y)
        np.testing.assert_array_equal(apply(device, binary_kernel, equal, np.int32, x, y), x == y)


@hocket.jit
def shift_left(x, y):
    return x << y


@hocket.jit
def shift_right(x, y):
    return x >> y


@pytest.mark.parametrize("dtype", [np.int32, np.uint32], ids=lambda d: np.dtype(d).name)
def test_shifts_keep_the_sign_of_signed_numbers(device, dtype):
    x = np.random.default_rng(6).integers(0, 2**32, SIZE, dtype=np.uint32).view(dtype)
    y = (np.arange(SIZE) % 32).astype(dtype)
    np.testing.assert_array_equal(apply(device, binary_kernel, shift_left, dtype, x, y), x << y)
    np.testing.assert_array_equal(apply(device, binary_kernel, shift_right, dtype, x, y), x >> y)


@pytest.mark.parametrize("function, reference", [("maximum", np.fmax), ("minimum", np.fmin)])
def test_maximum_and_minimum_prefer_numbers_to_nan(device, function, reference):
    x, y = np.random.default_rng(7).standard_normal((2, SIZE)).astype(np.float32)
    x[::5] = np.nan
    np.testing.assert_array_equal(
        apply(device, binary_kernel, getattr(gl, function), np.float32, x, y), reference(x, y)
    )


def test_umulhi(device):
    x, y = np.random.default_rng(8).integers(0, 2**32, (2, SIZE), dtype=np.uint32)
    expected = (x.astype(np.uint64) * y.astype(np.uint64) >> 32).astype(np.uint32)
    np.testing.assert_array_equal(apply(device, binary_kernel, gl.umulhi, np.uint32, x, y), expected)


@hocket.jit
def fma_with_itself(x, y):
    return gl.fma(x, y, x)


def test_fma_rounds_once(device):
    x, y = np.random.default_rng(9).standard_normal((2, SIZE)).astype(np.float32)
    expected = x.astype(np.float64) * y + x
    assert_close(apply(device, binary_kernel, fma_with_itself, np.float32, x, y), expected, 1.01)


@hocket.jit
def extremes_kernel(x, y, out, BLOCK: gl.constexpr):
    i = gl.arange(0, BLOCK, layout=gl.row_layout())
    a, b = gl.load(x + i), gl.load(y + i)
    gl.store(out + i, gl.maximum(a, b))
    gl.store(out + BLOCK + i, gl.minimum(a, b))
    gl.store(out + 2 * BLOCK, gl.max(gl.where(a == 0, a, -0.0), 0))
    gl.store(out + 2 * BLOCK + 1, gl.min(gl.where(a == 0, a, 0.0), 0))


@pytest.mark.parametrize("dtype", FLOATS)
def test_negative_zero_is_less_than_zero(device, dtype):
    """In whatever order they come: copies of a reduction's result are the same in all warps."""
    zeros = np.array([0.0, -0.0, np.nan, 1.0])
    x, y = (array.astype(FLOATS[dtype]) for array in (np.repeat(zeros, 64), np.tile(zeros, 64)))
    out = device.to_device(np.zeros(514, FLOATS[dtype]))
    extremes_kernel[(1,)](device.to_device(x), device.to_device(y), out, BLOCK=256)
    greatest, least, reduced = np.split(device.to_host(out), [256, 512])
    both = (x == 0) & (y == 0)
    np.testing.assert_array_equal(np.signbit(greatest)[both], (np.signbit(x) & np.signbit(y))[both])
    np.testing.assert_array_equal(np.signbit(least)[both], (np.signbit(x) | np.signbit(y))[both])
    np.testing.assert_array_equal(np.signbit(reduced), [False, True])
