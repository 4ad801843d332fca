"""Functions of libdevice without a closed form (angles, error functions, gamma, Bessel), on all targets: compared with
Python's functions and with integrals, up to the last bit of a float32."""

import math
import statistics

import numpy as np
import pytest
from libdevice_calls import N, numbers, run

import hocket
from hocket import language as gl
from hocket.language.extra import libdevice

pytestmark = pytest.mark.usefixtures("unoptimized")

ULP = 2**-23


def each(function):
    """Applies a function to one Python float at a time. Where C returns an infinity or NaN, Python raises an error."""

    def of_one(x):
        try:
            return function(x)
        except OverflowError:
            return math.inf
        except ValueError:
            return math.nan

    return lambda x: np.array([of_one(float(value)) for value in x])


def close(result, expected, rtol=ULP, atol=2.0**-149):
    np.testing.assert_allclose(result, np.asarray(expected).astype(result.dtype), rtol=rtol, atol=atol)


# Angles --------------------------------------------------------------------------------------------------------------

ANGLES = {"asin": np.arcsin, "acos": np.arccos, "atan": np.arctan}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", ANGLES)
@np.errstate(all="ignore")
def test_angles(every_device, name, dtype):
    for size in (1.0, 0.004, 1e6 if name == "atan" else 0.5):
        x = numbers(1, -size, size).astype(dtype)
        expected = ANGLES[name](x.astype(np.float64))
        close(run(every_device, name, dtype, x), expected, ULP if dtype == np.float32 else 2**-50)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@np.errstate(all="ignore")
def test_atan2(every_device, dtype):
    special = np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e-38], dtype)
    y, x = numbers(2).astype(dtype), numbers(3).astype(dtype)
    y[:64], x[:64] = np.repeat(special, 8), np.tile(special, 8)
    result, expected = run(every_device, "atan2", dtype, y, x), np.arctan2(y.astype(np.float64), x)
    close(result, expected, ULP if dtype == np.float32 else 2**-50)
    known = ~np.isnan(result)
    np.testing.assert_array_equal(np.signbit(result)[known], np.signbit(expected)[known])


def half_turns(name, x):
    """By the angle left of the nearest quarter turn, which is exact."""
    quarters = np.rint(2 * x)
    angle = (x - quarters / 2) * np.pi
    values = np.array([np.sin(angle), np.cos(angle), -np.sin(angle), -np.cos(angle)])
    turns = (quarters + (name == "cospi")).astype(np.int64) % 4
    return np.take_along_axis(values, turns[None], 0)[0]


@pytest.mark.parametrize("name", ["sinpi", "cospi"])
def test_half_turns(every_device, name):
    x = numbers(4, -1000, 1000, special=False)
    x[:256] = np.arange(-128, 128) / 4
    result = run(every_device, name, np.float32, x)
    close(result, half_turns(name, x.astype(np.float64)))
    where_zero = x[:256] % 1 == (0 if name == "sinpi" else 0.5)
    assert not result[:256][where_zero].any() and result[:256][~where_zero].all()


# Error functions -----------------------------------------------------------------------------------------------------


def scaled_erfc(x):
    if x > 20:  # asymptotic expansion with an error below 1e-9
        return (1 - 1 / (2 * x**2) + 3 / (4 * x**4) - 15 / (8 * x**6)) / (x * math.sqrt(math.pi))
    return math.erfc(x) * math.exp(x * x)


def inverse_erf(x):
    if abs(x) >= 0.5:
        return math.copysign(inverse_erfc(1 - abs(x)), x)
    root = x
    for _ in range(6):
        root -= (math.erf(root) - x) * math.sqrt(math.pi) / 2 * math.exp(root * root)
    return root


def inverse_erfc(y):
    if y in (0, 2):
        return math.copysign(math.inf, 1 - y)
    return -statistics.NormalDist().inv_cdf(y / 2) / math.sqrt(2)


def tail(low):
    """Returns numbers from 10^low to 1, distributed evenly over magnitudes."""
    return 10.0 ** np.random.default_rng(5).uniform(low, 0, N)


ERROR_FUNCTIONS = {
    "erfc": (math.erfc, [numbers(6, -6, 11), tail(-9) - 0.5]),
    "erfcx": (scaled_erfc, [numbers(7, -9, 20, special=False), 20 / tail(-9)]),
    "erfinv": (inverse_erf, [numbers(8, -1, 1, special=False), tail(-30), 1 - tail(-7), tail(-7) - 1]),
    "erfcinv": (inverse_erfc, [tail(-44), 2 - tail(-7), numbers(9, 0.01, 1.99, special=False)]),
    "normcdf": (lambda x: math.erfc(-x / math.sqrt(2)) / 2, [numbers(10, -14, 6)]),
    "normcdfinv": (statistics.NormalDist().inv_cdf, [tail(-44), 1 - tail(-7), numbers(11, 0.01, 0.49, special=False)]),
}


@pytest.mark.parametrize("name", ERROR_FUNCTIONS)
@np.errstate(all="ignore")
def test_error_functions(every_device, name):
    function, inputs = ERROR_FUNCTIONS[name]
    for x in inputs:
        x = x.astype(np.float32)
        # In the middle normcdfinv crosses 0.
        close(
            run(every_device, name, np.float32, x), each(function)(x), atol=1e-14 if name == "normcdfinv" else 2**-149
        )


# Gamma ---------------------------------------------------------------------------------------------------------------

POLES = [0.0, -0.0, -1.0, -2.0, -100.0, np.inf, -np.inf, np.nan]


@np.errstate(all="ignore")
def test_gamma(every_device):
    for x in (numbers(12, -40, 40, special=False), numbers(13, 0, 3, special=False), tail(-38).astype(np.float32)):
        close(run(every_device, "tgamma", np.float32, x), each(math.gamma)(x), atol=2.0**-149)
    x = np.resize(np.array([*POLES, 1, 2, 5, 36, -42.5, 1e30], np.float32), N)
    expected = [np.inf, -np.inf, np.nan, np.nan, np.nan, np.inf, np.nan, np.nan, 1, 1, 24, np.inf]
    np.testing.assert_array_equal(run(every_device, "tgamma", np.float32, x)[:12], expected)


@np.errstate(all="ignore")
def test_logarithm_of_gamma(every_device):
    near_one_and_two = np.concatenate([1 + numbers(14, -0.01, 0.01)[:256] / 4, 2 - numbers(15, -0.01, 0.01)[:256] / 4])
    given = (numbers(16, 0, 40, special=False), 1 / tail(-38), tail(-38), near_one_and_two, numbers(17, 0.9, 2.1))
    for x in given:
        x = np.where(np.isfinite(x) & (x > 0), x, 1).astype(np.float32)
        close(run(every_device, "lgamma", np.float32, x), each(math.lgamma)(x), atol=0)
    x = numbers(18, -30, 0, special=False)  # between zeros
    close(run(every_device, "lgamma", np.float32, x), each(math.lgamma)(x), atol=1e-12)
    x = np.resize(np.array([*POLES, 1, 2], np.float32), N)
    expected = [*[np.inf] * 7, np.nan, 0, 0]
    np.testing.assert_array_equal(run(every_device, "lgamma", np.float32, x)[:10], expected)


# Bessel --------------------------------------------------------------------------------------------------------------


def integral(function, high, nodes=400):
    """Integrates function(t) from 0 to high, for each x, by Gauss-Legendre quadrature."""
    t, weights = np.polynomial.legendre.leggauss(nodes)
    return (function((t + 1)[:, None] * (high / 2)) * weights[:, None]).sum(axis=0) * high / 2


def bessel_j(order, x):
    return integral(lambda t: np.cos(order * t - x * np.sin(t)), np.pi) / np.pi


def bessel_y(order, x):
    waves = integral(lambda t: np.sin(x * np.sin(t) - order * t), np.pi)
    sign = (-1) ** order
    rest = integral(
        lambda t: (np.exp(order * t) + sign * np.exp(-order * t)) * np.exp(-x * np.sinh(t)), np.arcsinh(750 / x)
    )
    return (waves - rest) / np.pi


def bessel_i(order, x):
    return integral(lambda t: np.exp(x * np.cos(t)) * np.cos(order * t), np.pi) / np.pi


BESSEL = {
    "j0": (bessel_j, 0), "j1": (bessel_j, 1), "y0": (bessel_y, 0), "y1": (bessel_y, 1),
    "cyl_bessel_i0": (bessel_i, 0), "cyl_bessel_i1": (bessel_i, 1),
}  # fmt: skip


@pytest.mark.parametrize("name", BESSEL)
@np.errstate(all="ignore")
def test_bessel_functions(device, name):
    function, order = BESSEL[name]
    for size in (9.0, 80.0):
        x = (
            np.abs(numbers(19, 0.05, size, special=False))
            if name[0] == "y"
            else numbers(20, -size, size, special=False)
        )
        close(run(device, name, np.float32, x), function(order, x.astype(np.float64)), atol=1e-11)
    given = np.resize(np.array([0, np.inf, -np.inf, np.nan, -1], np.float32), N)
    result = run(device, name, np.float32, given)[:4]
    at_infinity = {"j": [0, 0], "y": [0, np.nan], "c": [np.inf, np.inf if order == 0 else -np.inf]}[name[0]]
    at_zero = -np.inf if name[0] == "y" else 1 - order
    np.testing.assert_array_equal(result, [at_zero, *at_infinity, np.nan])


@hocket.jit
def order_kernel(x, out, FUNCTION: gl.constexpr, ORDER: gl.constexpr):
    i = gl.arange(0, 512, gl.row_layout())
    gl.store(out + i, FUNCTION(ORDER, gl.load(x + i)))


@pytest.mark.parametrize("order", [0, 1, 2, 5, 16])
@pytest.mark.parametrize("name", ["jn", "yn"])
@np.errstate(all="ignore")
def test_bessel_functions_of_an_order(device, name, order):
    x = numbers(21, 0.5 if name == "yn" else -60, 60, special=False)
    if name == "jn":
        x[:64] = np.linspace(0.004, 0.02, 64)
    out = device.to_device(np.zeros(N, np.float32))
    order_kernel[(1,)](device.to_device(x), out, getattr(libdevice, name), order)
    expected = (bessel_j if name == "jn" else bessel_y)(order, x.astype(np.float64))
    if name == "jn" and order > 1:  # where the integral cancels
        series = [(v / 2) ** order / math.factorial(order) * (1 - (v / 2) ** 2 / (order + 1)) for v in x[:64].tolist()]
        expected[:64] = series
    close(device.to_host(out), expected, rtol=2**-22, atol=0 if name == "yn" and order > 4 else 1e-11)
