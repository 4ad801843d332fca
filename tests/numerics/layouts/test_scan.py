"""Scans along an axis, in all layouts: each lane that holds an element gets its result."""

import functools
import itertools

import ml_dtypes
import numpy as np
import pytest
from tile_layouts import BLOCKED, LINEAR, lanes, named_layouts
from tiles import tile_offsets

import hocket
from hocket import language as gl

pytestmark = pytest.mark.usefixtures("unoptimized")


@hocket.jit
def scan_kernel(
    x, out, expected, function: gl.constexpr, M: gl.constexpr, N: gl.constexpr, AXIS: gl.constexpr,
    REVERSE: gl.constexpr, LAYOUT: gl.constexpr,
):  # fmt: skip
    offsets = tile_offsets(M, N, LAYOUT)
    result = function(gl.load(x + offsets), AXIS, REVERSE)
    gl.static_assert(result.layout == LAYOUT)
    # The store writes each element once; the assertion sees the lanes that hold copies too.
    gl.device_assert(result == gl.load(expected + offsets), "a lane holds another result")
    gl.store(out + offsets, result)


@hocket.jit
def row_kernel(x, out, function: gl.constexpr, N: gl.constexpr, REVERSE: gl.constexpr, LAYOUT: gl.constexpr):
    i = gl.arange(0, N, layout=LAYOUT)
    gl.store(out + i, function(gl.load(x + i), 0, REVERSE))


@hocket.jit
def larger(a, b):
    return gl.maximum(a, b)


@hocket.jit
def scan_larger(x, axis: gl.constexpr, reverse: gl.constexpr):
    return gl.associative_scan(x, axis, larger, reverse)


@hocket.jit
def last_that_is_odd(a, b):
    # Neither commutative nor one operation, and with a branch.
    if b % 2 != 0:
        result = b
    else:
        result = a
    return result


@hocket.jit
def scan_odd(x, axis: gl.constexpr, reverse: gl.constexpr):
    return gl.associative_scan(x, axis, last_that_is_odd, reverse=reverse)


def accumulate(x, axis, combine):
    parts = [x.take(k, axis) for k in range(x.shape[axis])]
    return np.stack(list(itertools.accumulate(parts, combine)), axis)


FUNCTIONS = {
    "sum": (gl.cumsum, np.add),
    "larger": (scan_larger, np.maximum),
    "odd": (scan_odd, lambda a, b: np.where(b % 2 != 0, b, a)),
}


def scanned(name, x, axis, reverse):
    flip = functools.partial(np.flip, axis=axis) if reverse else np.asarray
    return flip(accumulate(flip(x), axis, FUNCTIONS[name][1])).astype(x.dtype)


def integers(shape, dtype, seed=0):
    """Small enough that every sum is exact, in any order."""
    return np.random.default_rng(seed).integers(-9, 10, shape).astype(dtype)


def check_tile(device, name, layout, shape, axis, reverse, x=None, warps=4):
    x = integers(shape, np.int32) if x is None else x
    expected = np.ascontiguousarray(scanned(name, x, axis, reverse))
    out = device.to_device(np.zeros_like(expected))
    scan_kernel[(1,)](
        device.to_device(x), out, device.to_device(expected), function=FUNCTIONS[name][0], M=shape[0], N=shape[1],
        AXIS=axis, REVERSE=reverse, LAYOUT=layout, debug=True, num_warps=warps,
    )  # fmt: skip
    np.testing.assert_array_equal(device.to_host(out), expected)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("shape", [(32, 64), (8, 8), (1, 128), (128, 1)])
@pytest.mark.parametrize("layout", BLOCKED)
def test_axis_of_a_tile(device, layout, shape, axis):
    check_tile(device, "sum", named_layouts(device)[layout], shape, axis, reverse=False)
    check_tile(device, "sum", named_layouts(device)[layout], shape, axis, reverse=True)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("layout", BLOCKED + LINEAR)
def test_order_and_branches(device, layout, axis, reverse):
    name = "larger" if layout == "boxes" else "odd"
    check_tile(device, name, named_layouts(device)[layout], (32, 64), axis, reverse)


@pytest.mark.parametrize("warps", [1, 2, 8])
@pytest.mark.parametrize("n", [1, 16, 256, 4096])
@pytest.mark.parametrize("elements", [1, 2, 8])
def test_rows(device, elements, n, warps):
    x = integers(n, np.int32)
    layout = gl.BlockedLayout([elements], [lanes(device)], [warps], [0])
    for name, reverse in (("sum", False), ("odd", True)):
        out = device.to_device(np.zeros(n, np.int32))
        row_kernel[(1,)](
            device.to_device(x), out, function=FUNCTIONS[name][0], N=n, REVERSE=reverse, LAYOUT=layout, num_warps=warps
        )
        np.testing.assert_array_equal(device.to_host(out), scanned(name, x, 0, reverse))


DTYPES = {
    # operand: result of cumsum
    "i8": (np.int8, np.int32),
    "i16": (np.int16, np.int32),
    "u8": (np.uint8, np.uint32),
    "i64": (np.int64, np.int64),
    "f16": (np.float16, np.float16),
    "bf16": (ml_dtypes.bfloat16, ml_dtypes.bfloat16),
    "f64": (np.float64, np.float64),
}


@pytest.mark.parametrize("layout", ["rows", "row_of_warps", "backwards"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes(device, dtype, layout):
    operand, result = DTYPES[dtype]
    x = np.abs(integers((32, 64), np.int32) % 3).astype(operand)
    expected = x.astype(np.float64).cumsum(axis=1).astype(result)
    out = device.to_device(np.zeros_like(expected))
    scan_kernel[(1,)](
        device.to_device(x), out, device.to_device(expected), function=gl.cumsum, M=32, N=64, AXIS=1, REVERSE=False,
        LAYOUT=named_layouts(device)[layout], debug=True,
    )  # fmt: skip
    np.testing.assert_array_equal(device.to_host(out), expected)


@hocket.jit
def widened_kernel(x, out, DTYPE: gl.constexpr, LAYOUT: gl.constexpr):
    i = gl.arange(0, 256, layout=LAYOUT)
    v = gl.load(x + i)
    gl.store(out + i, gl.cumprod(v, dtype=DTYPE) + v.cumsum(0, dtype=DTYPE))


def test_given_dtype(device):
    x = np.where(np.arange(256) % 64 == 63, 2, 1).astype(np.int8)
    out = device.to_device(np.zeros(256, np.int64))
    layout = gl.BlockedLayout([1], [lanes(device)], [4], [0])
    widened_kernel[(1,)](device.to_device(x), out, DTYPE=gl.int64, LAYOUT=layout)
    wide = x.astype(np.int64)
    np.testing.assert_array_equal(device.to_host(out), wide.cumprod() + wide.cumsum())


@hocket.jit
def either(a, b):
    return a | b


@hocket.jit
def flags_kernel(x, out, LAYOUT: gl.constexpr):
    i = gl.arange(0, 512, layout=LAYOUT)
    seen = gl.associative_scan(gl.load(x + i) > 5, 0, either)
    gl.store(out + i, seen.to(gl.int8))


@pytest.mark.parametrize("elements", [1, 4])
def test_bools(device, elements):
    x = np.zeros(512, np.float32)
    x[[300, 400]] = 6
    out = device.to_device(np.zeros(512, np.int8))
    flags_kernel[(1,)](device.to_device(x), out, LAYOUT=gl.BlockedLayout([elements], [lanes(device)], [4], [0]))
    np.testing.assert_array_equal(device.to_host(out), (np.arange(512) >= 300).astype(np.int8))


# Several operands ----------------------------------------------------------------------------------------------------


@hocket.jit
def after(a, b, c, d):
    # x -> a x + b, then x -> c x + d
    return a * c, b * c + d


@hocket.jit
def recurrence_kernel(
    a, b, out, shift, M: gl.constexpr, N: gl.constexpr, AXIS: gl.constexpr, REVERSE: gl.constexpr, LAYOUT: gl.constexpr
):
    offsets = tile_offsets(M, N, LAYOUT)
    factors, offset = gl.associative_scan((gl.load(a + offsets), gl.load(b + offsets)), AXIS, after, reverse=REVERSE)
    gl.store(out + offsets, offset)
    gl.store(shift + offsets, factors)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("layout", ["rows", "columns", "row_of_warps", "matrix", "swizzled", "steps"])
def test_recurrence(device, layout, axis, reverse):
    """y[i] = a[i] y[i-1] + b[i]: an associative function that is not commutative, of two dtypes' worth of numbers."""
    shape = (32, 64)
    a, b = np.abs(integers(shape, np.int64)) % 2 * 2 - 1, integers(shape, np.int64, 1)
    flip = functools.partial(np.flip, axis=axis) if reverse else np.asarray
    x, y = np.moveaxis(flip(a), axis, 0), np.moveaxis(flip(b), axis, 0)
    states = [y[0]]
    for k in range(1, len(x)):
        states.append(x[k] * states[-1] + y[k])
    expected = flip(np.moveaxis(np.stack(states), 0, axis))
    out, shift = (device.to_device(np.zeros(shape, np.int64)) for _ in range(2))
    recurrence_kernel[(1,)](
        device.to_device(a), device.to_device(b), out, shift, M=32, N=64, AXIS=axis, REVERSE=reverse,
        LAYOUT=named_layouts(device)[layout],
    )  # fmt: skip
    np.testing.assert_array_equal(device.to_host(out), expected)
    np.testing.assert_array_equal(device.to_host(shift), flip(np.cumprod(flip(a), axis=axis)))


@hocket.jit
def first_maximum(value, index, flag, other, other_index, other_flag):
    takes_other = other > value
    return (
        gl.where(takes_other, other, value),
        gl.where(takes_other, other_index, index),
        flag | other_flag,
    )


@hocket.jit
def mixed_kernel(x, values, indices, flags, N: gl.constexpr, LAYOUT: gl.constexpr):
    i = gl.arange(0, N, layout=LAYOUT)
    v = gl.load(x + i)
    best, index, flag = gl.associative_scan((v, i.to(gl.int64), v > 7), 0, first_maximum)
    gl.store(values + i, best)
    gl.store(indices + i, index)
    gl.store(flags + i, flag.to(gl.int8))


@pytest.mark.parametrize("elements", [1, 4])
def test_tensors_of_several_dtypes(device, elements):
    n = 1024
    x = integers(n, np.float16)
    values = device.to_device(np.zeros(n, np.float16))
    indices, flags = device.to_device(np.zeros(n, np.int64)), device.to_device(np.zeros(n, np.int8))
    layout = gl.BlockedLayout([elements], [lanes(device)], [4], [0])
    mixed_kernel[(1,)](device.to_device(x), values, indices, flags, N=n, LAYOUT=layout)
    best = np.maximum.accumulate(x)
    np.testing.assert_array_equal(device.to_host(values), best)
    np.testing.assert_array_equal(device.to_host(indices), [np.flatnonzero(x == value)[0] for value in best])
    np.testing.assert_array_equal(device.to_host(flags), np.logical_or.accumulate(x > 7))


# More dimensions, loops, partitions ----------------------------------------------------------------------------------


@hocket.jit
def cube_kernel(x, out, AXIS: gl.constexpr, LAYOUT: gl.constexpr):
    a = gl.arange(0, 8, layout=gl.SliceLayout(1, gl.SliceLayout(2, LAYOUT)))
    b = gl.arange(0, 16, layout=gl.SliceLayout(0, gl.SliceLayout(2, LAYOUT)))
    c = gl.arange(0, 32, layout=gl.SliceLayout(0, gl.SliceLayout(1, LAYOUT)))
    offsets = (a[:, None, None] * 16 + b[None, :, None]) * 32 + c[None, None, :]
    gl.store(out + offsets, gl.cumsum(gl.load(x + offsets), AXIS))


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
def test_three_dimensions(device, axis):
    x = integers((8, 16, 32), np.float32)
    out = device.to_device(np.zeros_like(x))
    layout = gl.BlockedLayout([1, 2, 2], [2, 4, lanes(device) // 8], [2, 1, 2], [2, 0, 1])
    cube_kernel[(1,)](device.to_device(x), out, AXIS=axis, LAYOUT=layout)
    np.testing.assert_array_equal(device.to_host(out), x.cumsum(axis))


@hocket.jit
def running_kernel(x, out, n, BLOCK: gl.constexpr, LAYOUT: gl.constexpr):
    """A scan of any length: each block of elements adds what is before it."""
    before = 0.0
    for start in range(0, n, BLOCK):
        i = start + gl.arange(0, BLOCK, layout=LAYOUT)
        v = gl.load(x + i, mask=i < n, other=0.0)
        gl.store(out + i, gl.cumsum(v, 0) + before, mask=i < n)
        before += gl.sum(v, 0)


def test_scan_in_a_loop(device):
    x = integers(5000, np.float32)
    out = device.to_device(np.zeros_like(x))
    layout = gl.BlockedLayout([2], [lanes(device)], [4], [0])
    running_kernel[(1,)](device.to_device(x), out, 5000, BLOCK=512, LAYOUT=layout)
    np.testing.assert_array_equal(device.to_host(out), x.cumsum())
