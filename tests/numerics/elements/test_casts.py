"""Conversions between dtypes, value by value as NumPy and ml_dtypes make them."""

import ml_dtypes
import numpy as np
import pytest

import hocket
from hocket import language as gl

pytestmark = pytest.mark.quick

SIZE = 4096
DTYPES = {
    "float16": np.float16,
    "bfloat16": ml_dtypes.bfloat16,
    "float32": np.float32,
    "float64": np.float64,
    "int8": np.int8,
    "uint8": np.uint8,
    "int16": np.int16,
    "int32": np.int32,
    "uint32": np.uint32,
    "int64": np.int64,
}


@hocket.jit
def cast_kernel(x, out, BLOCK: gl.constexpr):
    i = gl.arange(0, BLOCK, layout=gl.row_layout(4))
    gl.store(out + i, gl.load(x + i).to(out.dtype.element_ty))


@hocket.jit
def bitcast_kernel(x, out, BLOCK: gl.constexpr):
    i = gl.arange(0, BLOCK, layout=gl.row_layout(4))
    gl.store(out + i, gl.load(x + i).to(out.dtype.element_ty, bitcast=True))


def cast(device, kernel, x, dtype):
    out = device.to_device(np.zeros(SIZE, dtype))
    kernel[(1,)](device.to_device(x), out, BLOCK=SIZE)
    return device.to_host(out)


@pytest.mark.parametrize("target_dtype", DTYPES)
@pytest.mark.parametrize("source_dtype", DTYPES)
def test_cast(device, source_dtype, target_dtype):
    source, target = DTYPES[source_dtype], DTYPES[target_dtype]
    rng = np.random.default_rng(0)
    low = (
        0 if "uint" in target_dtype or "uint" in source_dtype else -100
    )  # NumPy leaves negative floats -> unsigned open
    x = rng.uniform(low, 100, SIZE).astype(source)
    np.testing.assert_array_equal(cast(device, cast_kernel, x, target), x.astype(target))


@pytest.mark.parametrize("target_dtype", ["float16", "bfloat16"])
def test_narrowing_rounds_to_nearest_even_over_the_whole_range(device, target_dtype):
    """Random bit patterns: every exponent, subnormals, infinities, overflow, ties; NaNs stay NaNs."""
    rng = np.random.default_rng(1)
    x = rng.integers(0, 2**32, SIZE, dtype=np.uint32).view(np.float32)
    x[:8] = [np.inf, -np.inf, 65504.0, 65520.0, 1 + 2**-8, 1 + 3 * 2**-8, 2**-25, -0.0]
    with np.errstate(over="ignore", invalid="ignore"):
        expected = x.astype(DTYPES[target_dtype])
    actual = cast(device, cast_kernel, x, DTYPES[target_dtype])
    nan = np.isnan(x)
    np.testing.assert_array_equal(actual.view(np.uint16)[~nan], expected.view(np.uint16)[~nan])
    assert np.isnan(actual[nan].astype(np.float32)).all()


@pytest.mark.parametrize("source_dtype", ["float16", "bfloat16"])
def test_widening_is_exact(device, source_dtype):
    x = np.resize(np.arange(2**16, dtype=np.uint16), 16 * SIZE).view(DTYPES[source_dtype])
    for part in np.split(x, 16):
        actual = cast(device, cast_kernel, part, np.float32)
        np.testing.assert_array_equal(actual, part.astype(np.float32))


def test_bitcast_keeps_the_bits(device):
    x = np.random.default_rng(2).integers(0, 2**32, SIZE, dtype=np.uint32)
    np.testing.assert_array_equal(cast(device, bitcast_kernel, x, np.float32).view(np.uint32), x)
