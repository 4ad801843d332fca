"""NumPy's numbers as compile-time values and as arguments: the numbers that Python would write."""

import ml_dtypes
import numpy as np
import pytest

import hocket
from hocket import language as gl

SIZE = 128
LIMIT = gl.constexpr(np.float32(0.1))


@hocket.jit
def constexpr_kernel(out, scale: gl.constexpr, count: gl.constexpr, flag: gl.constexpr, BLOCK: gl.constexpr):
    i = gl.arange(0, BLOCK, layout=gl.row_layout())
    value = gl.full([BLOCK], scale, gl.float32, layout=i.type.layout)
    for _ in gl.static_range(count):
        value = value * scale + LIMIT
    if flag:
        value = value + count // 2
    gl.store(out + i, value)


def run(device, kernel, *args, **kwargs):
    out = device.to_device(np.zeros(SIZE, np.float32))
    kernel[(1,)](out, *args, **kwargs)
    return device.to_host(out)


@pytest.mark.parametrize("flag", [np.True_, np.False_])
@pytest.mark.parametrize("float_type", [np.float32, np.float64, np.float16, ml_dtypes.bfloat16])
@pytest.mark.parametrize("int_type", [np.int64, np.uint8])
def test_constexpr(device, float_type, int_type, flag):
    scale = float_type(1.1)
    actual = run(device, constexpr_kernel, scale=scale, count=int_type(3), flag=flag, BLOCK=np.int32(SIZE))
    expected = run(device, constexpr_kernel, scale=float(scale), count=3, flag=bool(flag), BLOCK=SIZE)
    np.testing.assert_array_equal(actual, expected)


@hocket.jit
def argument_kernel(out, scale, count, flag, BLOCK: gl.constexpr):
    i = gl.arange(0, BLOCK, layout=gl.row_layout())
    value = gl.zeros([BLOCK], gl.float32, layout=i.type.layout)
    for _ in range(count):
        value += scale
    if flag:
        value = -value
    gl.store(out + i, value)


@pytest.mark.parametrize("flag", [np.True_, np.False_])
@pytest.mark.parametrize("float_type", [np.float32, np.float64, np.float16, ml_dtypes.bfloat16])
@pytest.mark.parametrize("count", [np.int32(1), np.int64(16), np.uint8(7), np.int64(-3)])
def test_argument(device, float_type, count, flag):
    actual = run(device, argument_kernel, float_type(1.5), count, flag, BLOCK=SIZE)
    np.testing.assert_array_equal(actual, 1.5 * max(int(count), 0) * (-1 if flag else 1))
