"""Reductions along an axis and of whole tiles: every lane that holds a result must have it."""

import ml_dtypes
import numpy as np
import pytest
from tiles import tile_offsets

import hocket
from hocket import language as gl

pytestmark = pytest.mark.usefixtures("unoptimized")


@hocket.jit
def store_result(out, result, expected, AXIS: gl.constexpr, SIZE: gl.constexpr, LAYOUT: gl.constexpr):
    i = gl.arange(0, SIZE, layout=gl.SliceLayout(AXIS, LAYOUT))
    # The store writes each element once; the assertion sees the lanes that hold copies too.
    gl.device_assert(result == gl.load(expected + i), "a lane holds another result")
    gl.store(out + i, result)


@hocket.jit
def reduce_kernel(
    x, out, expected, function: gl.constexpr, M: gl.constexpr, N: gl.constexpr, AXIS: gl.constexpr, LAYOUT: gl.constexpr
):
    result = function(gl.load(x + tile_offsets(M, N, LAYOUT)), AXIS)
    store_result(out, result, expected, AXIS, N if AXIS == 0 else M, LAYOUT)


@hocket.jit
def scalar_kernel(x, out, function: gl.constexpr, N: gl.constexpr, LAYOUT: gl.constexpr):
    gl.store(out, function(gl.load(x + gl.arange(0, N, layout=LAYOUT)), 0))


def lanes(device):
    return 64 if device.name.startswith("gfx") else 32


def named_layouts(device):
    n = lanes(device)
    return {
        "rows": gl.BlockedLayout([1, 4], [4, n // 4], [4, 1], [1, 0]),
        "columns": gl.BlockedLayout([4, 1], [n // 4, 4], [1, 4], [0, 1]),
        "boxes": gl.BlockedLayout([2, 2], [n // 8, 8], [2, 2], [1, 0]),
        "row_of_warps": gl.BlockedLayout([1, 2], [1, n], [1, 4], [1, 0]),
        "in_lanes": gl.BlockedLayout([1, 16], [n, 1], [4, 1], [1, 0]),
        "slice": gl.SliceLayout(1, gl.BlockedLayout([1, 2, 1], [4, n // 8, 2], [2, 1, 2], [2, 1, 0])),
    }


LAYOUTS = ["rows", "columns", "boxes", "row_of_warps", "in_lanes", "slice"]


@hocket.jit
def larger(a, b):
    return gl.maximum(a, b)


@hocket.jit
def reduce_larger(x, axis: gl.constexpr):
    return gl.reduce(x, axis, larger)


FUNCTIONS = {
    "sum": (gl.sum, np.sum),
    "max": (gl.max, np.max),
    "min": (gl.min, np.min),
    "custom": (reduce_larger, np.max),
}


def integers(shape, dtype):
    """Small enough that every sum is exact, in any order."""
    return np.random.default_rng(0).integers(-9, 10, shape).astype(dtype)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("shape", [(32, 64), (8, 8), (1, 128), (128, 1)])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_axis_of_a_tile(device, name, layout, shape, axis):
    function, reference = FUNCTIONS[name]
    x = integers(shape, np.float32)
    expected = reference(x, axis=axis).astype(np.float32)
    out = device.to_device(np.zeros_like(expected))
    reduce_kernel[(1,)](
        device.to_device(x), out, device.to_device(expected), function=function, M=shape[0], N=shape[1], AXIS=axis,
        LAYOUT=named_layouts(device)[layout], debug=True,
    )  # fmt: skip
    np.testing.assert_array_equal(device.to_host(out), expected)


@pytest.mark.parametrize("warps", [1, 2, 8])
@pytest.mark.parametrize("n", [1, 16, 256, 4096])
@pytest.mark.parametrize("name", ["sum", "max", "custom"])
def test_row_to_scalar(device, name, n, warps):
    function, reference = FUNCTIONS[name]
    x = integers(n, np.int32)
    out = device.to_device(np.zeros(1, np.int32))
    layout = gl.BlockedLayout([2], [lanes(device)], [warps], [0])
    scalar_kernel[(1,)](device.to_device(x), out, function=function, N=n, LAYOUT=layout, num_warps=warps)
    assert device.to_host(out)[0] == reference(x)


DTYPES = {
    # operand: result of sum
    "i8": (np.int8, np.int32),
    "i16": (np.int16, np.int32),
    "u8": (np.uint8, np.uint32),
    "i64": (np.int64, np.int64),
    "f16": (np.float16, np.float16),
    "bf16": (ml_dtypes.bfloat16, ml_dtypes.bfloat16),
    "f64": (np.float64, np.float64),
}


@pytest.mark.parametrize("layout", ["rows", "row_of_warps"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes(device, dtype, layout):
    operand, result = DTYPES[dtype]
    x = np.abs(integers((16, 64), np.int32) % 3).astype(operand)
    expected = x.astype(np.float64).sum(axis=1).astype(result)
    out = device.to_device(np.zeros_like(expected))
    reduce_kernel[(1,)](
        device.to_device(x), out, device.to_device(expected), function=gl.sum, M=16, N=64, AXIS=1,
        LAYOUT=named_layouts(device)[layout], debug=True,
    )  # fmt: skip
    np.testing.assert_array_equal(device.to_host(out), expected)


# Several operands -----------------------------------------------------------------------------------------------------


@hocket.jit
def larger_first(a, i, b, j):
    is_first = (a > b) | ((a == b) & (i < j))
    return gl.where(is_first, a, b), gl.where(is_first, i, j)


@hocket.jit
def argmax_kernel(
    x, out_value, out_index, value, index, M: gl.constexpr, N: gl.constexpr, AXIS: gl.constexpr, LAYOUT: gl.constexpr
):
    offsets = tile_offsets(M, N, LAYOUT)
    i = offsets // N if AXIS == 0 else offsets % N
    best, place = gl.reduce((gl.load(x + offsets), i.to(gl.int16)), AXIS, larger_first)
    store_result(out_value, best, value, AXIS, N if AXIS == 0 else M, LAYOUT)
    store_result(out_index, place, index, AXIS, N if AXIS == 0 else M, LAYOUT)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_argmax(device, layout, axis):
    x = integers((64, 32), np.float64)
    value, index = x.max(axis=axis), x.argmax(axis=axis).astype(np.int16)
    out_value, out_index = device.to_device(np.zeros_like(value)), device.to_device(np.zeros_like(index))
    argmax_kernel[(1,)](
        device.to_device(x), out_value, out_index, device.to_device(value), device.to_device(index), M=64, N=32,
        AXIS=axis, LAYOUT=named_layouts(device)[layout], debug=True,
    )  # fmt: skip
    np.testing.assert_array_equal(device.to_host(out_value), value)
    np.testing.assert_array_equal(device.to_host(out_index), index)


# Branches and loops in the combine function: lanes part inside, and meet before the next shuffle ----------------------


@hocket.jit
def greatest_common_divisor(a, b):
    while b != 0:
        a, b = b, a % b
    return a


@hocket.jit
def first_with_quotient(a, i, b, j):
    if b > a:
        # A division cannot be speculated: this stays a branch.
        return b, j + a // b
    return a, i


@hocket.jit
def branching_kernel(x, out, expected, function: gl.constexpr, WITH_INDEX: gl.constexpr, LAYOUT: gl.constexpr):
    value = gl.load(x + tile_offsets(32, 64, LAYOUT))
    if WITH_INDEX:
        result = gl.reduce((value, value - value), 1, function)[0]
    else:
        result = gl.reduce(value, 1, function)
    store_result(out, result, expected, 1, 32, LAYOUT)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("function", [greatest_common_divisor, first_with_quotient], ids=["loop", "branch"])
def test_control_flow_in_the_combine_function(device, function, layout):
    x = np.random.default_rng(0).integers(1, 1000, (32, 64)).astype(np.int32) * 12
    is_loop = function is greatest_common_divisor
    expected = np.gcd.reduce(x, axis=1) if is_loop else x.max(axis=1)
    out = device.to_device(np.zeros_like(expected))
    branching_kernel[(1,)](
        device.to_device(x), out, device.to_device(expected), function=function, WITH_INDEX=not is_loop,
        LAYOUT=named_layouts(device)[layout], debug=True,
    )  # fmt: skip
    np.testing.assert_array_equal(device.to_host(out), expected)


# Chains: scratch is used again while other warps may still read it ----------------------------------------------------


@hocket.jit
def chain_kernel(x, out, N: gl.constexpr, STEPS: gl.constexpr, LAYOUT: gl.constexpr):
    i = gl.arange(0, N, layout=LAYOUT)
    value = gl.load(x + i)
    for _ in range(STEPS):
        value = value * 3 + gl.sum(value, 0)
        value = value ^ gl.max(value, 0)
    gl.store(out + i, value)


@pytest.mark.parametrize("seed", range(4))
def test_chain_of_reductions(device, seed):
    x = integers(512, np.int32)
    expected = x.copy()
    with np.errstate(over="ignore"):
        for _ in range(5):
            expected = expected * np.int32(3) + expected.sum(dtype=np.int32)
            expected ^= expected.max()
    out = device.to_device(np.zeros_like(x))
    layout = gl.BlockedLayout([1], [lanes(device)], [4], [0])
    with hocket.emulator.schedule(seed=seed):
        chain_kernel[(1,)](device.to_device(x), out, N=512, STEPS=5, LAYOUT=layout)
    np.testing.assert_array_equal(device.to_host(out), expected)


@hocket.jit
def items_kernel(x, out, LAYOUT: gl.constexpr):
    index = gl.full([1, 1], 3, gl.int32, LAYOUT)
    gl.store(out, index.item())
    gl.store(out + 1, (index > 2).item())
    gl.store(out + 2, gl.load((x + index).item()))
    gl.store(out + 3, gl.full([1], 7, gl.int32, gl.AutoLayout()).item())


def test_the_only_element(device):
    """Tensors of numbers, bools and pointers have one."""
    lanes = 64 if device.name.startswith("gfx") else 32
    x, out = np.arange(10, 20, dtype=np.int32), device.to_device(np.zeros(4, np.int32))
    items_kernel[(1,)](device.to_device(x), out, gl.BlockedLayout([1, 1], [1, lanes], [1, 4], [1, 0]))
    np.testing.assert_array_equal(device.to_host(out), [3, 1, 13, 7])
