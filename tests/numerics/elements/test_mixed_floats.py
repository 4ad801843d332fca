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
OPERATIONS = {
    "x + y": np.add,
    "x - y": np.subtract,
    "x * y": np.multiply,
    "-x": lambda x, y: -x,
    "maximum(x, y)": np.fmax,
}


@hocket.jit
def combine(a, b, out, WIDE: gl.constexpr, BLOCK: gl.constexpr):
    i = gl.arange(0, BLOCK, layout=gl.row_layout(4))
    x, y = gl.load(a + i).to(WIDE), gl.load(b + i).to(WIDE)
    results = (x + y, x - y, x * y, -x, gl.maximum(x, y))
    for k in gl.static_range(len(results)):
        gl.store(out + k * BLOCK + i, results[k].to(out.dtype.element_ty))


@pytest.mark.parametrize("to", ["float16", "bfloat16"])
@pytest.mark.parametrize("wide", WIDE)
@pytest.mark.parametrize("right", NARROW)
@pytest.mark.parametrize("left", NARROW)
def test_range_of_the_wide_type(device, left, right, wide, to):
    with np.errstate(all="ignore"):
        pairs = (grid.ravel() for grid in np.meshgrid(np.float32(NUMBERS), np.float32(NUMBERS)))
        a, b = (
            np.resize(column, BLOCK).astype(NARROW[name]) for column, name in zip(pairs, (left, right), strict=True)
        )
    out = device.to_device(np.zeros((len(OPERATIONS), BLOCK), NARROW[to]))
    combine[(1,)](device.to_device(a), device.to_device(b), out, WIDE=getattr(gl, wide), BLOCK=BLOCK)
    actual = device.to_host(out).astype(np.float32)
    for row, (name, operation) in enumerate(OPERATIONS.items()):
        with np.errstate(all="ignore"):
            exact = operation(a.astype(WIDE[wide]), b.astype(WIDE[wide]))
            expected = exact.astype(np.float32).astype(NARROW[to]).astype(np.float32)
        np.testing.assert_array_equal(actual[row], expected, err_msg=name)
