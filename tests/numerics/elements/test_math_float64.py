"""Functions of float64 within 2 ulp of the true value, and their special values."""

import math

import numpy as np
import pytest

import hocket
from hocket import language as gl

SIZE = 4096


@hocket.jit
def unary_kernel(x, out, function: gl.constexpr, BLOCK: gl.constexpr):
    i = gl.arange(0, BLOCK, layout=gl.row_layout(2))
    gl.store(out + i, function(gl.load(x + i)))


def apply(device, name, x):
    out = device.to_device(np.zeros(SIZE, np.float64))
    unary_kernel[(1,)](device.to_device(np.resize(x, SIZE)), out, function=getattr(gl, name), BLOCK=SIZE)
    return device.to_host(out)[: x.size]


def ulps(actual, expected):
    """Distance in units of the last place; the C library's reference itself is off by less than one."""
    spacing = np.spacing(np.maximum(np.abs(expected), np.finfo(np.float64).tiny))
    return np.abs(actual - expected) / spacing


# numpy's vector loops may be off by several ulp, C's scalar functions by less than one.
REFERENCE = {
    name: np.vectorize(getattr(math, name), otypes=[np.float64])
    for name in ("log", "log2", "sin", "cos", "tanh", "erf", "exp")
}
REFERENCE["exp2"] = np.vectorize(lambda x: math.pow(2.0, x), otypes=[np.float64])
RANGES = {
    "exp": [(-1, 1), (-744, 709)],
    "exp2": [(-1, 1), (-1073, 1023)],
    "log": [(0.5, 2), (1e-300, 1e-290), (1e-3, 1e300)],
    "log2": [(0.5, 2), (1e-3, 1e300)],
    "sin": [(-4, 4), (-1000, 1000), (1e8, 1e15)],
    "cos": [(-4, 4), (-1000, 1000), (1e8, 1e15)],
    "tanh": [(-0.6, 0.6), (-20, 20)],
    "erf": [(-1.1, 1.1), (-7, 7)],
}


@pytest.mark.parametrize("name", RANGES)
def test_float64(device, name):
    rng = np.random.default_rng(0)
    for low, high in RANGES[name]:
        x = rng.uniform(low, high, SIZE)
        expected = REFERENCE[name](x)
        error = ulps(apply(device, name, x), expected)
        worst = error.argmax()
        assert error[worst] <= 2, f"{name}({x[worst]!r}) is off by {error[worst]} ulp"


@pytest.mark.parametrize("name", ["log", "log2"])
def test_logarithms_near_one_and_of_subnormal_numbers(device, name):
    x = np.concatenate([1 + np.linspace(-1e-8, 1e-8, 1001), np.ldexp(1.0 + np.arange(100) / 128, -1060)])
    assert ulps(apply(device, name, x), REFERENCE[name](x)).max() <= 2


@pytest.mark.parametrize("name", ["sin", "cos"])
def test_next_to_multiples_of_half_pi(device, name):
    x = np.concatenate([np.arange(1, 2000) * (math.pi / 2), [6381956970095103.0 * 2.0**-3, 3.0e14, 710.0 / 2]])
    assert ulps(apply(device, name, x), REFERENCE[name](x)).max() <= 2


@pytest.mark.parametrize("name", ["exp", "exp2"])
def test_subnormal_results_are_rounded_once(device, name):
    x = np.linspace(-745, -708.5, 1000) * (1 if name == "exp" else 1 / math.log(2))
    assert ulps(apply(device, name, x), REFERENCE[name](x)).max() <= 1


inf, nan = math.inf, math.nan
SPECIAL = {
    "exp": [(inf, inf), (-inf, 0), (1e308, inf), (-1e308, 0), (0.0, 1), (-0.0, 1), (710.0, inf), (-746.0, 0)],
    "exp2": [(inf, inf), (-inf, 0), (1024.0, inf), (-1080.0, 0), (10.0, 1024), (-1074.0, 5e-324), (-3.0, 0.125)],
    "log": [(inf, inf), (0.0, -inf), (-0.0, -inf), (-1.0, nan), (-inf, nan), (1.0, 0)],
    "log2": [(inf, inf), (0.0, -inf), (-1.0, nan), (1.0, 0), (8.0, 3), (5e-324, -1074), (2.0**1023, 1023)],
    "sin": [(inf, nan), (-inf, nan), (0.0, 0.0), (-0.0, -0.0), (1e17, nan)],
    "cos": [(inf, nan), (-inf, nan), (0.0, 1), (-0.0, 1), (1e17, nan)],
    "tanh": [(inf, 1), (-inf, -1), (0.0, 0.0), (-0.0, -0.0), (1e308, 1), (-30.0, -1), (1e-300, 1e-300)],
    "erf": [(inf, 1), (-inf, -1), (0.0, 0.0), (-0.0, -0.0), (1e308, 1), (-7.0, -1)],
}


@pytest.mark.parametrize("name", SPECIAL)
def test_special_values(device, name):
    values = np.array([*SPECIAL[name], (nan, nan)])
    for (x, expected), result in zip(values, apply(device, name, values[:, 0]), strict=True):
        assert (np.isnan(result) and np.isnan(expected)) or result == expected, (name, x, result)
        if expected == 0:
            assert np.signbit(result) == np.signbit(expected), (name, x, result)
