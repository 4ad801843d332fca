"""Functions of scalars, with branches and loops of their own, for each element."""

import numpy as np
import pytest
from tile_layouts import lanes

import hocket
from hocket import language as gl


@hocket.jit
def steps_to_one(n):
    steps = 0
    while n > 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


@hocket.jit
def collatz_kernel(x, out, N: gl.constexpr, LAYOUT: gl.constexpr):
    i = gl.arange(0, N, layout=LAYOUT)
    gl.store(out + i, gl.map_elementwise(steps_to_one, gl.load(x + i)))


def collatz(n):
    steps = 0
    while n > 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def layouts(device):
    n = lanes(device)
    return {
        "one": gl.BlockedLayout([1], [n], [4], [0]),
        "four": gl.BlockedLayout([4], [n], [4], [0]),
        "copies": gl.SliceLayout(1, gl.BlockedLayout([2, 2], [n // 4, 4], [2, 2], [1, 0])),
    }


@pytest.mark.parametrize("layout", ["one", "four", "copies"])
def test_loops_end_element_by_element(device, layout):
    x = np.random.default_rng(0).integers(1, 50, 256).astype(np.int32)
    out = device.to_device(np.zeros(256, np.int32))
    collatz_kernel[(1,)](device.to_device(x), out, N=256, LAYOUT=layouts(device)[layout])
    np.testing.assert_array_equal(device.to_host(out), [collatz(int(n)) for n in x])


@hocket.jit
def compare(a, b):
    if a < b:
        order, least = -1, a
    elif a > b:
        order, least = 1, b
    else:
        order, least = 0, a
    return order, least


@hocket.jit
def compare_kernel(x, y, order, least, N: gl.constexpr, LAYOUT: gl.constexpr):
    i = gl.arange(0, N, layout=LAYOUT)
    sign, lower = gl.map_elementwise(compare, gl.load(x + i), gl.load(y + i))
    gl.store(order + i, sign)
    gl.store(least + i, lower)


@pytest.mark.parametrize("layout", ["one", "four", "copies"])
@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int64])
def test_several_results(device, layout, dtype):
    x, y = (np.random.default_rng(k).integers(-3, 3, 512).astype(dtype) for k in range(2))
    order, least = device.to_device(np.zeros(512, np.int32)), device.to_device(np.zeros(512, dtype))
    compare_kernel[(1,)](device.to_device(x), device.to_device(y), order, least, N=512, LAYOUT=layouts(device)[layout])
    np.testing.assert_array_equal(device.to_host(order), np.sign(x.astype(np.float64) - y.astype(np.float64)))
    np.testing.assert_array_equal(device.to_host(least), np.minimum(x, y))


@hocket.jit
def exchange(a, b, scale, also):
    return b * scale, a * also, a > b, b > a


@hocket.jit
def pack_kernel(x, out, flags, factor, N: gl.constexpr, LAYOUT: gl.constexpr):
    i = gl.arange(0, N, layout=LAYOUT)
    exchanged, larger = gl.map_elementwise(exchange, gl.load(x + i), factor, pack=2)
    gl.store(out + i, exchanged)
    gl.store(flags + i, larger.to(gl.int8))


def test_pack(device):
    x = np.random.default_rng(0).integers(-9, 9, 1024).astype(np.float32)
    out, flags = device.to_device(np.zeros_like(x)), device.to_device(np.zeros(1024, np.int8))
    pack_kernel[(1,)](device.to_device(x), out, flags, 3.0, N=1024, LAYOUT=layouts(device)["four"])
    pairs = x.reshape(-1, 2)
    np.testing.assert_array_equal(device.to_host(out), pairs[:, ::-1].ravel() * 3)
    larger = np.stack([pairs[:, 0] > pairs[:, 1], pairs[:, 1] > pairs[:, 0]], -1)
    np.testing.assert_array_equal(device.to_host(flags), larger.ravel())


@hocket.jit
def add(a, b):
    return a + b


@hocket.jit
def outer_kernel(x, y, out, M: gl.constexpr, N: gl.constexpr, LAYOUT: gl.constexpr):
    rows = gl.arange(0, M, layout=gl.SliceLayout(1, LAYOUT))
    columns = gl.arange(0, N, layout=gl.SliceLayout(0, LAYOUT))
    sums = gl.map_elementwise(add, gl.load(x + rows)[:, None], gl.load(y + columns)[None, :])
    gl.store(out + rows[:, None] * N + columns[None, :], sums)


def test_operands_are_stretched(device):
    x, y = np.arange(16, dtype=np.float32), np.arange(32, dtype=np.float32) * 100
    out = device.to_device(np.zeros((16, 32), np.float32))
    layout = gl.BlockedLayout([1, 2], [4, lanes(device) // 4], [4, 1], [1, 0])
    outer_kernel[(1,)](device.to_device(x), device.to_device(y), out, M=16, N=32, LAYOUT=layout)
    np.testing.assert_array_equal(device.to_host(out), x[:, None] + y[None, :])
