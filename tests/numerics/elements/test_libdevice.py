"""The functions of libdevice against NumPy, on all targets."""

import math

import numpy as np
import pytest
from libdevice_calls import N, numbers, run

import hocket
from hocket import language as gl
from hocket.language.extra import libdevice


def in_float64(function):
    """The right answer, rounded once."""
    return lambda *x: function(*(each.astype(np.float64) for each in x)).astype(np.float32)


def cbrt_inverse(x):
    return 1 / np.cbrt(x)


def away_from_zero(x):
    return np.copysign(np.trunc(np.abs(x.astype(np.float64)) + 0.5), x).astype(np.float32)


EXACT = {
    "trunc": np.trunc,
    "rint": np.rint,
    "nearbyint": np.rint,
    "round": away_from_zero,
    "rcp_rn": lambda x: np.float32(1) / x,
    "saturatef": lambda x: np.where(np.isnan(x), 0, np.clip(x, 0, 1)).astype(np.float32),
    "fabs": np.abs,
}
CLOSE = {
    "tan": np.tan,
    "exp10": lambda x: 10.0**x,
    "log10": np.log10,
    "log1p": np.log1p,
    "expm1": np.expm1,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "cbrt": np.cbrt,
    "rcbrt": cbrt_inverse,
}


@pytest.mark.parametrize("name", EXACT)
@np.errstate(all="ignore")
def test_exact(every_device, name):
    x = numbers(0)
    np.testing.assert_array_equal(run(every_device, name, np.float32, x), EXACT[name](x))


@pytest.mark.parametrize("size", [8.0, 1.0, 0.004])
@pytest.mark.parametrize("name", CLOSE)
@np.errstate(all="ignore")
def test_close(every_device, name, size):
    """Within the last bit, also where the obvious formula cancels."""
    x = numbers(1, -size, size, special=name != "tan")
    np.testing.assert_allclose(
        run(every_device, name, np.float32, x), in_float64(CLOSE[name])(x), rtol=2**-23, atol=2**-149
    )


@np.errstate(all="ignore")
def test_pow(every_device):
    for x, y in [(numbers(2, 0, 4), numbers(3, -9, 9)), (numbers(4), np.rint(numbers(5))), (numbers(6), numbers(7))]:
        expected = np.array([c_pow(a, b) for a, b in zip(x.tolist(), y.tolist(), strict=True)], np.float32)
        np.testing.assert_allclose(run(every_device, "pow", np.float32, x, y), expected, rtol=2**-23, atol=2**-149)


def c_pow(x, y):
    try:
        return math.pow(x, y)
    except OverflowError:
        return math.copysign(math.inf, x) if y % 2 == 1 else math.inf
    except ValueError:  # 0 to a negative power, or a negative number to one that is not whole
        if x != 0:
            return math.nan
        return math.copysign(math.inf, x) if y % 2 == 1 else math.inf


@np.errstate(all="ignore")
def test_fast_functions(every_device):
    x, y = numbers(8, 0.5, 4, special=False), numbers(9, -3, 3, special=False)
    expected = {
        "fast_expf": np.exp(y), "fast_exp10f": 10.0**y, "fast_logf": np.log(x), "fast_log2f": np.log2(x),
        "fast_log10f": np.log10(x), "fast_sinf": np.sin(y), "fast_cosf": np.cos(y), "fast_tanhf": np.tanh(y),
    }  # fmt: skip
    for name, answer in expected.items():
        given = x if "log" in name else y
        np.testing.assert_allclose(run(every_device, name, np.float32, given), answer, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(run(every_device, "fast_dividef", np.float32, y, x), y / x, rtol=1e-5)
    np.testing.assert_allclose(run(every_device, "fast_powf", np.float32, x, y), x.astype(np.float64) ** y, rtol=1e-4)
    t = numbers(10, -1.4, 1.4, special=False)
    np.testing.assert_allclose(run(every_device, "fast_tanf", np.float32, t), np.tan(t), rtol=1e-4, atol=1e-5)


@np.errstate(all="ignore")
def test_bits_of_floats(every_device):
    x, y = numbers(11), numbers(12)
    for name, answer in {"isnan": np.isnan(x), "isinf": np.isinf(x), "finitef": np.isfinite(x)}.items():
        np.testing.assert_array_equal(run(every_device, name, np.bool_, x), answer)
    np.testing.assert_array_equal(run(every_device, "signbit", np.int32, x), np.signbit(x))
    np.testing.assert_array_equal(run(every_device, "float_as_int", np.int32, x), x.view(np.int32))
    np.testing.assert_array_equal(run(every_device, "int_as_float", np.float32, x.view(np.int32)), x)
    copied = run(every_device, "copysign", np.float32, x, y)
    np.testing.assert_array_equal(copied.view(np.int32), np.copysign(x, y).view(np.int32))
    fdim = np.where(np.isnan(x) | np.isnan(y), np.nan, np.where(x > y, x - y, 0))
    np.testing.assert_array_equal(run(every_device, "fdim", np.float32, x, y), fdim)


def test_bits_of_integers(every_device):
    wide = np.random.default_rng(13).integers(-(2**62), 2**62, N)
    x = (wide >> np.arange(N) % 33).astype(np.int32)
    x[:3] = [0, -1, -(2**31)]
    bits = [int(value) & 0xFFFFFFFF for value in x]
    np.testing.assert_array_equal(run(every_device, "popc", np.int32, x), [value.bit_count() for value in bits])
    wide_counts = [(int(value) & (2**64 - 1)).bit_count() for value in wide]
    np.testing.assert_array_equal(run(every_device, "popc", np.int32, wide), wide_counts)
    np.testing.assert_array_equal(run(every_device, "clz", np.int32, x), [32 - value.bit_length() for value in bits])
    lowest = [(value & -value).bit_length() for value in bits]
    np.testing.assert_array_equal(run(every_device, "ffs", np.int32, x), lowest)
    upper = (x.astype(np.int64) * x[::-1].astype(np.int64)) >> 32
    np.testing.assert_array_equal(run(every_device, "mulhi", np.int32, x, x[::-1].copy()), upper.astype(np.int32))


@hocket.jit
def constants_kernel(x, out):
    i = gl.arange(0, 512, gl.row_layout())
    value = gl.load(x + i)
    third = libdevice.pow(value, 2.0) + libdevice.copysign(value, -1.0) + libdevice.add_rn(1.5, value)
    gl.store(out + i, third + libdevice.atan2(value, 1.0) + libdevice.log1p(0.5) + libdevice.ldexp(value, 3))


def test_constants_are_numbers_too(every_device):
    x = numbers(14, 0.5, 4, special=False)
    out = every_device.to_device(np.zeros(N, np.float32))
    constants_kernel[(1,)](every_device.to_device(x), out)
    wide = x.astype(np.float64)
    expected = wide**2 - wide + 1.5 + wide + np.arctan2(wide, 1) + np.log1p(0.5) + 8 * wide
    np.testing.assert_allclose(every_device.to_host(out), expected, rtol=1e-6)


def test_it_is_for_kernels():
    with pytest.raises(RuntimeError, match=r"^log1p can only be used inside a @hocket\.jit kernel"):
        libdevice.log1p(1.0)
