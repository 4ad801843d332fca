"""Results that C, LLVM and the GPUs leave open or answer each in its own way, but the language defines.

docs/language.md has the rules: floats outside an integer's range become its nearest value and NaN becomes 0; a shift by
the width or more moves every bit out.
"""

import ml_dtypes
import numpy as np
import pytest

import hocket
from hocket import language as gl

SIZE = 4096
INTEGERS = [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64]
NARROW_FLOATS = [np.float16, ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2]


@hocket.jit
def cast_kernel(x, out, BLOCK: gl.constexpr):
    i = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=gl.row_layout(4))
    gl.store(out + i, gl.load(x + i).to(out.dtype.element_ty))


@hocket.jit
def shift_kernel(x, n, left, right, BLOCK: gl.constexpr):
    i = gl.arange(0, BLOCK, layout=gl.row_layout(4))
    value, amount = gl.load(x + i), gl.load(n + i)
    gl.store(left + i, value << amount)
    gl.store(right + i, value >> amount)


@hocket.jit
def folded_kernel(out, x: gl.constexpr, n: gl.constexpr):
    """Results that the compiler folds when loop variables are constants."""
    for zero in gl.static_range(1):
        gl.store(out, (gl.cast(x, gl.float32) + zero).to(gl.int8))
        gl.store(out + 1, ((gl.cast(300, gl.int32) + zero).to(gl.float32)).to(gl.int8))
        gl.store(out + 2, (gl.cast(-1, gl.int8) << (gl.cast(n, gl.int8) + zero)))
        gl.store(out + 3, (gl.cast(-128, gl.int8) >> (gl.cast(n, gl.int8) + zero)))


@hocket.jit
def round_trip_kernel(x, out, BLOCK: gl.constexpr):
    i = gl.arange(0, BLOCK, layout=gl.row_layout(4))
    gl.store(out + i, gl.load(x + i).to(gl.float32).to(gl.int8))


def to_integer(x, dtype):
    """Towards zero, saturating, NaN to 0: by comparison with the limits, which are powers of two and so exact."""
    info = np.iinfo(dtype)
    wide = x.astype(np.float64)
    low, high = float(info.min), 2.0 ** (info.bits - (info.min < 0))
    inside = (wide > low - 1) & (wide < high) & (wide >= low if info.bits == 64 else True)
    result = np.where(inside, wide, 0).astype(dtype)
    result[wide >= high] = info.max
    result[~inside & (wide < 0)] = info.min
    return result


def bit_patterns(dtype):
    """Every value of 8 and 16 bits; of wider floats, random bits and what lies around the limits of integers."""
    bits = np.dtype(dtype).itemsize * 8
    if bits <= 16:
        return np.resize(np.arange(2**bits, dtype=f"u{bits // 8}"), max(SIZE, 2**bits)).view(dtype)
    random = np.random.default_rng(0).integers(0, 2**bits, SIZE, dtype=f"u{bits // 8}").view(dtype)
    limits = np.array([sign * 2.0**exponent for sign in (1, -1) for exponent in (7, 8, 15, 16, 31, 32, 63, 64)], dtype)
    around = np.concatenate([limits, np.nextafter(limits, 0), np.nextafter(limits, np.inf), limits + 1, limits - 1])
    special = np.array([np.nan, -np.nan, np.inf, -np.inf, -0.0, -0.5, -0.99, 0.99, 127.5, -128.5, 255.9], dtype)
    special = np.concatenate([special, around.astype(dtype)])
    random[: special.size] = special
    return random


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("source", [*NARROW_FLOATS, np.float32, np.float64])
def test_floats_saturate_as_integers(device, source, dtype):
    x = bit_patterns(source)
    out = device.to_device(np.zeros(x.size, dtype))
    cast_kernel[(x.size // SIZE,)](device.to_device(x), out, BLOCK=SIZE)
    np.testing.assert_array_equal(device.to_host(out), to_integer(x, dtype))


@pytest.mark.parametrize("dtype", INTEGERS)
def test_shifts_by_any_amount(device, dtype):
    """A shift by a negative amount, or by at least the width, shifts out all bits, as in NumPy."""
    info = np.iinfo(dtype)
    rng = np.random.default_rng(1)
    x = rng.integers(info.min, info.max, SIZE, dtype, endpoint=True)
    amounts = [*range(info.bits + 3), info.max, info.max - 1, info.min, info.bits * 2, 2**32, 2**32 + 5]
    amounts = np.array(amounts, dtype=object)
    amounts = np.concatenate([amounts, -amounts]) if info.min else amounts
    fitting = [n for n in amounts if info.min <= n <= info.max]
    n = rng.choice(np.array(fitting, dtype), SIZE)
    left, right = (device.to_device(np.zeros(SIZE, dtype)) for _ in range(2))
    shift_kernel[(1,)](device.to_device(x), device.to_device(n), left, right, BLOCK=SIZE)
    is_inside = (n >= 0) & (n < info.bits)
    amount = np.where(is_inside, n, 0).astype(dtype)
    np.testing.assert_array_equal(device.to_host(left), np.where(is_inside, x << amount, 0).astype(dtype))
    signs = np.where(x < 0, -1, 0).astype(dtype)
    np.testing.assert_array_equal(device.to_host(right), np.where(is_inside, x >> amount, signs))


def test_the_compiler_folds_as_the_machine_computes(device):
    out = device.to_device(np.zeros(4, np.int8))
    folded_kernel[(1,)](out, 1e10, 9)
    assert list(device.to_host(out)) == [127, 127, 0, -1]


def test_integers_through_floats_saturate(device):
    """No conversion there and back is taken for a truncation."""
    x = np.random.default_rng(2).integers(-1000, 1000, SIZE, np.int32)
    out = device.to_device(np.zeros(SIZE, np.int8))
    round_trip_kernel[(1,)](device.to_device(x), out, BLOCK=SIZE)
    np.testing.assert_array_equal(device.to_host(out), np.clip(x, -128, 127).astype(np.int8))
