"""Features of the language besides functions, on all four targets: types, operators, control flow, calls, layouts.

tests/COVERAGE.md lists the test of each row of the language. Functions have their examples
(tests/python/language/test_examples.py).
"""

from typing import NamedTuple

import ml_dtypes
import numpy as np
import pytest
from tile_layouts import lanes

import hocket
from hocket import language as gl
from hocket.language import amd

pytestmark = pytest.mark.quick

N = 256


@hocket.jit
def line():
    return gl.arange(0, 256, gl.row_layout(2))


def run(device, kernel, *arguments, size=N, dtype=np.int32, **constexprs):
    out = device.to_device(np.zeros(size, dtype))
    kernel[(1,)](*arguments, out, **constexprs)
    return device.to_host(out)


# Types ---------------------------------------------------------------------------------------------------------------

INTEGERS = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]
FLOATS = [np.float16, ml_dtypes.bfloat16, np.float32, np.float64]
FLOAT8 = [ml_dtypes.float8_e5m2, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2fnuz, ml_dtypes.float8_e4m3fnuz]


@hocket.jit
def copy_kernel(x, out):
    i = line()
    v = gl.load(x + i)
    gl.static_assert(v.dtype == x.dtype.element_ty)
    gl.static_assert(v.shape == [256])
    gl.static_assert(v.numel == 256 and v.type.layout == i.type.layout)
    gl.store(out + i, v)


@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS, *FLOAT8, np.bool_], ids=lambda dtype: np.dtype(dtype).name)
def test_types(every_device, dtype):
    x = np.arange(N).astype(np.uint8).view(dtype) if np.dtype(dtype).itemsize == 1 else np.arange(N).astype(dtype)
    if dtype is np.bool_:
        x = np.arange(N) % 3 == 0
    out = run(every_device, copy_kernel, every_device.to_device(x), dtype=dtype)
    np.testing.assert_array_equal(out.view(np.uint8), x.view(np.uint8))


@hocket.jit
def scalar_kernel(n, x, flag, out):
    gl.static_assert(n.dtype == gl.int32 and x.dtype == gl.float32 and flag.dtype == gl.int1)
    loaded = gl.load(out)
    gl.static_assert(loaded.shape == [] and loaded.shape == ())
    gl.store(out, n + loaded)
    gl.store(out + 1, (x * 2).to(gl.int32))
    gl.store(out + 2, flag)


def test_scalars(every_device):
    assert run(every_device, scalar_kernel, 41, 2.5, True, size=3).tolist() == [41, 5, 1]


# Operators -----------------------------------------------------------------------------------------------------------


@hocket.jit
def operator_kernel(x, y, out):
    i = line()
    a, b = gl.load(x + i), gl.load(y + i)
    whole = ((a + b) * 3 - a // 3) ^ (a % 5) | (b & 12)
    whole = (whole << 2) + (a >> 1) + ~b - (-a)
    truth = ((a < b) | (a == b)) & (a != 7) & ((a >= 3) | (b <= 4)) & ~(a > 200)
    quotient = a / (b + 1)
    gl.static_assert(quotient.dtype == gl.float32)
    whole += gl.where(truth and b > 2, 1, 0) + gl.where(not truth or a < 5, 2, 0)
    gl.store(out + i, whole + quotient.to(gl.int32))


def test_operators(every_device):
    a, b = np.arange(N, dtype=np.int32), (np.arange(N, dtype=np.int32) * 7) % 31
    whole = ((a + b) * 3 - a // 3) ^ (a % 5) | (b & 12)
    whole = (whole << 2) + (a >> 1) + ~b - (-a)
    truth = ((a < b) | (a == b)) & (a != 7) & ((a >= 3) | (b <= 4)) & ~(a > 200)
    whole += (truth & (b > 2)) + 2 * (~truth | (a < 5))
    expected = whole + (a / (b + 1)).astype(np.int32)
    out = run(every_device, operator_kernel, every_device.to_device(a), every_device.to_device(b))
    np.testing.assert_array_equal(out, expected)


@hocket.jit
def promotion_kernel(x, y, out):
    i = line()
    half, brain, small, wide = gl.load(x + i), gl.load(y + i), i.to(gl.int8), i.to(gl.uint32)
    gl.static_assert((half + 1).dtype == gl.float16 and (half + 1.5).dtype == gl.float16)
    gl.static_assert((half + brain).dtype == gl.float16 and (brain + brain).dtype == gl.bfloat16)
    gl.static_assert((half / half).dtype == gl.float32 and (small + i).dtype == gl.int32)
    gl.static_assert((i + wide).dtype == gl.uint32 and (small + 1.5).dtype == gl.float32)
    gl.store(out + i, half + brain + small + i)


def test_promotion(every_device):
    x = np.arange(N).astype(np.float16) / 4
    y = (np.arange(N) % 8).astype(ml_dtypes.bfloat16)
    out = run(every_device, promotion_kernel, every_device.to_device(x), every_device.to_device(y), dtype=np.float32)
    small = np.arange(N).astype(np.int8).astype(np.float16)
    expected = (x + y.astype(np.float16) + small + np.arange(N).astype(np.float16)).astype(np.float32)
    np.testing.assert_array_equal(out, expected)


@hocket.jit
def broadcast_kernel(out):
    tile: gl.constexpr = gl.BlockedLayout([1, 2], [gl.num_lanes() // 4, 4], [gl.num_warps(), 1], [1, 0])
    rows, columns = gl.arange(0, 16, gl.SliceLayout(1, tile)), gl.arange(0, 16, gl.SliceLayout(0, tile))
    sums = rows[:, None] * 16 + columns[None, :]
    a, b = gl.broadcast(rows[:, None], columns[None, :])
    sums += gl.where(a > b, 1000, 0) + gl.expand_dims(rows, 1).broadcast_to(16, 16)
    gl.store(out + rows[:, None] * 16 + columns[None, :], sums)


def test_broadcasting_and_subscripts(every_device):
    rows, columns = np.meshgrid(np.arange(16), np.arange(16), indexing="ij")
    expected = rows * 16 + columns + np.where(rows > columns, 1000, 0) + rows
    np.testing.assert_array_equal(run(every_device, broadcast_kernel).reshape(16, 16), expected)


# Control flow and calls ----------------------------------------------------------------------------------------------


@hocket.jit
def control_kernel(n, out, UNROLLED: gl.constexpr):
    total = 0
    for k in range(n):
        if k % 2 == 0:
            total += k
        else:
            total -= 1
    for k in range(n, 0, -2):
        total += k
    for k in gl.range(2, n, 3, loop_unroll_factor=2):
        total += 100 * k
    while total % 7 != 0:
        total += 1
    for k in gl.static_range(UNROLLED):
        total += k if k > 1 else 10
    if UNROLLED > 2 and n > 3:
        total = -total
    gl.store(out, total)
    if n == 9:
        return
    gl.store(out + 1, 1)


@pytest.mark.parametrize("n", [9, 10])
def test_control_flow(every_device, n):
    total = sum(k if k % 2 == 0 else -1 for k in range(n)) + sum(range(n, 0, -2)) + 100 * sum(range(2, n, 3))
    total += -total % 7
    total += 10 + 10 + 2 + 3
    assert run(every_device, control_kernel, n, size=2, UNROLLED=4).tolist() == [-total, n != 9]


class Pair(NamedTuple):
    first: int
    second: int


@hocket.jit
def swap(pair, *others, scale=1, name: gl.constexpr = "none"):
    gl.static_assert(name != "wrong", f"{name!r} is {len(others)} long, {scale}")
    rest = 0
    for other in gl.static_range(len(others)):
        rest += others[other]
    return Pair(pair.second * scale, pair.first), rest


@gl.constexpr_function
def doubled(number):
    return [number, number * 2]


OFFSET = gl.constexpr(1000)


@hocket.jit
def call_kernel(n, out):
    both = (n, n + 1)
    pair, rest = swap(Pair(*both), 1, *both, scale=10, name="right")
    pair, _ = swap(pair)
    sizes: gl.constexpr = doubled(4)
    squares = [k * k for k in (1, 2, 3)]
    gl.store(out, pair.first)
    gl.store(out + 1, pair.second)
    gl.store(out + 2, rest + OFFSET)
    gl.store(out + 3, sizes[1] + squares[2] + len(squares))
    gl.store(out + 4, (seen := n * 2) + seen)


def test_calls(every_device):
    """Positional, keyword and star arguments, defaults, tuples, compile-time functions, globals, f-strings."""
    assert run(every_device, call_kernel, 5, size=5).tolist() == [5, 60, 1012, 20, 20]


# Layouts --------------------------------------------------------------------------------------------------------------


def distributed(device):
    """By kind, those that the device has."""
    threads = lanes(device)
    tile = gl.BlockedLayout([1, 2], [threads // 4, 4], [2, 2], [1, 0])
    rows = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 0]][: threads.bit_length() - 1]
    # A register that is the sum of two warps, and a bit of the lane that changes nothing.
    linear = gl.DistributedLinearLayout([[0, 1], [0, 2], [16, 8]], rows, [[0, 8], [16, 0]], [], [32, 16])
    kinds = {
        "blocked": tile,
        "slice": gl.SliceLayout(1, gl.BlockedLayout([1, 1, 1], [4, 2, threads // 8], [2, 1, 2], [2, 1, 0])),
        "linear": linear,
        "operand": gl.DotOperandLayout(0, tile),
        "mma": gl.NVMMADistributedLayout([2, 0], [2, 2], [16, 8]),
        "mma_operand": gl.DotOperandLayout(1, gl.NVMMADistributedLayout([2, 0], [2, 2], [16, 8]), 2),
        "wgmma": gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 16, 16]),
        "mfma": amd.AMDMFMALayout(3, [32, 32, 8], True, [2, 2]),
        "mfma_operand": gl.DotOperandLayout(0, amd.AMDMFMALayout(3, [16, 16, 16], False, [2, 2]), 4),
    }
    absent = ("mma", "wgmma") if threads == 64 else ("mfma",)
    if getattr(device, "target", "sm_90a") == "sm_80":
        absent += ("wgmma",)
    return {name: layout for name, layout in kinds.items() if not name.startswith(absent)}


@hocket.jit
def through_kernel(x, out, KIND: gl.constexpr, SHARED: gl.constexpr):
    plain: gl.constexpr = gl.BlockedLayout([1, 1], [gl.num_lanes() // 8, 8], [gl.num_warps(), 1], [1, 0])
    rows, columns = gl.arange(0, 32, gl.SliceLayout(1, plain)), gl.arange(0, 16, gl.SliceLayout(0, plain))
    offsets = rows[:, None] * 16 + columns[None, :]
    smem = gl.allocate_shared_memory(gl.float32, [32, 16], SHARED)
    smem.store(gl.convert_layout(gl.load(x + offsets), KIND))
    gl.store(out + offsets, gl.convert_layout(smem.load(KIND) * 2, plain))


SHARED = {
    "swizzled": gl.SwizzledSharedLayout(2, 1, 8, [1, 0]),
    "padded": gl.PaddedSharedLayout.with_identity_for([[32, 4]], [32, 16], [1, 0]),
    "mma": gl.NVMMASharedLayout(64, 32, 2),
    "linear": gl.SharedLinearLayout([[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0]]),
}


@pytest.mark.parametrize("shared", SHARED)
def test_layouts(every_device, shared):
    """Every kind of registers' layouts to and from every kind of shared memory."""
    x = np.random.default_rng(0).standard_normal((32, 16)).astype(np.float32)
    for kind, layout in distributed(every_device).items():
        out = every_device.to_device(np.zeros_like(x))
        through_kernel[(1,)](every_device.to_device(x), out, layout, SHARED[shared])
        np.testing.assert_array_equal(every_device.to_host(out), 2 * x, err_msg=kind)
