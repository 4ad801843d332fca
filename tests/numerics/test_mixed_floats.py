"""Narrow floats computed in a wide type, then narrowed to another: with the range of the wide type, on every target."""

import ml_dtypes
import numpy as np
import pytest

import hocket
from hocket import language as gl

BLOCK = 1024
NARROW = {
    "float16": np.float16,
    "bfloat16": ml_dtypes.bfloat16,
    "float8e5": ml_dtypes.float8_e5m2,
    "float8e4nv": ml_dtypes.float8_e4m3fn,
}
WIDE = {"float32": np.float32, "float64": np.float64}
#: Large, tiny and special for one of the formats or another.
NUMBERS = [0, -0.0, 1, -1.5, 3.25, 1e5, -2e5, 1e-3, 1e-6, 6e-8, 65504, -65520, 448, 57344, 3e38, -1e38, 1e-38, 7e-41]
NUMBERS += [np.inf, -np.inf, np.nan]


@hocket.jit
def combine(a, b, out, WIDE: gl.constexpr, OPERATION: gl.constexpr, BLOCK: gl.constexpr):
    i = gl.arange(0, BLOCK, layout=gl.BlockedLayout([4], [gl.num_lanes()], [gl.num_warps()], [0]))
    x, y = gl.load(a + i).to(WIDE), gl.load(b + i).to(WIDE)
    if OPERATION == "+":
        z = x + y
    elif OPERATION == "-":
        z = x - y
    elif OPERATION == "*":
        z = x * y
    elif OPERATION == "negate":
        z = -x
    else:
        z = gl.maximum(x, y)
    gl.store(out + i, z.to(out.dtype.element_ty))


def expected(operation, x, y):
    with np.errstate(all="ignore"):
        return {
            "+": lambda: x + y,
            "-": lambda: x - y,
            "*": lambda: x * y,
            "negate": lambda: -x,
            "maximum": lambda: np.fmax(x, y),
        }[operation]()


def check(device, operation, a, b, wide, to):
    out = device.to_device(np.zeros(BLOCK, NARROW[to]))
    combine[(1,)](
        device.to_device(a), device.to_device(b), out, WIDE=getattr(gl, wide), OPERATION=operation, BLOCK=BLOCK
    )
    with np.errstate(all="ignore"):
        right = expected(operation, a.astype(WIDE[wide]), b.astype(WIDE[wide])).astype(np.float32).astype(NARROW[to])
    np.testing.assert_array_equal(device.to_host(out).astype(np.float32), right.astype(np.float32))


def pairs(left, right):
    with np.errstate(all="ignore"):
        numbers = np.array(NUMBERS, np.float32)
        a, b = (grid.ravel() for grid in np.meshgrid(numbers, numbers))
        return np.resize(a, BLOCK).astype(NARROW[left]), np.resize(b, BLOCK).astype(NARROW[right])


@pytest.mark.parametrize("to", ["float16", "bfloat16"])
@pytest.mark.parametrize("wide", WIDE)
@pytest.mark.parametrize("operation", ["+", "-", "*", "negate", "maximum"])
@pytest.mark.parametrize("right", NARROW)
@pytest.mark.parametrize("left", NARROW)
def test_operations(device, left, right, operation, wide, to):
    check(device, operation, *pairs(left, right), wide, to)
