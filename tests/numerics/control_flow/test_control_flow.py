"""Loops, branches and calls, on constexprs and on run-time scalars."""

import numpy as np
import pytest

import hocket
from hocket import language as gl

BLOCK = 256


@hocket.jit
def iota(BLOCK: gl.constexpr):
    return gl.arange(0, BLOCK, layout=gl.row_layout())


def run(device, kernel, *arguments, size=BLOCK, dtype=np.float32, grid=(1,), **constexprs):
    out = device.to_device(np.zeros(size, dtype))
    kernel[grid](*(device.to_device(a) if isinstance(a, np.ndarray) else a for a in arguments), out, **constexprs)
    return device.to_host(out)


@hocket.jit
def loop_kernel(start, stop, step, out, BLOCK: gl.constexpr):
    i = iota(BLOCK)
    total = gl.zeros([BLOCK], gl.int32, i.type.layout)
    for k in range(start, stop, step):
        total += i * k
    gl.store(out + i, total)


RANGES = [
    (0, 10, 1),
    (3, 17, 4),
    (5, 5, 1),
    (7, 3, 1),
    (10, 0, -1),
    (17, 3, -4),
    (0, 10, -2),
    (5, 5, -3),
    (-3, -20, -5),
]


@pytest.mark.parametrize("bounds", RANGES)
def test_for_range_with_run_time_bounds(device, bounds):
    actual = run(device, loop_kernel, *bounds, dtype=np.int32, BLOCK=BLOCK)
    np.testing.assert_array_equal(actual, np.arange(BLOCK) * sum(range(*bounds)))


@hocket.jit
def digits_kernel(start, stop, step, out, BLOCK: gl.constexpr):
    value = iota(BLOCK) * 0
    for k in range(start, stop, step):
        value = value * 10 + k
    gl.store(out + iota(BLOCK), value)


@pytest.mark.parametrize("bounds", [(9, 0, -2), (1, 9, 3), (9, 8, -7)])
def test_the_order_of_a_range_follows_the_sign_of_its_step(device, bounds):
    expected = int("".join(map(str, range(*bounds))))
    assert (run(device, digits_kernel, *bounds, dtype=np.int32, BLOCK=BLOCK) == expected).all()


def test_a_run_time_step_of_zero_makes_no_iteration(device):
    assert (run(device, digits_kernel, 1, 9, 0, dtype=np.int32, BLOCK=BLOCK) == 0).all()


def test_a_run_time_step_of_zero_fails_the_assertion_of_debug(device):
    if device.is_gpu:
        pytest.skip("a failed assertion ends the CUDA context")
    with pytest.raises(hocket.errors.DeviceAssertError, match="the step of range is 0"):
        run(device, digits_kernel, 1, 9, 0, dtype=np.int32, BLOCK=BLOCK, debug=True)


@hocket.jit
def around_zero_kernel(out):
    i = gl.arange(-64, 64, layout=gl.row_layout(4))
    gl.store(out + 64 + i, i * 2, mask=i < 32)


def test_arange_from_below_zero(device):
    expected = np.where(np.arange(128) < 96, np.arange(-128, 128, 2), 0)
    np.testing.assert_array_equal(run(device, around_zero_kernel, dtype=np.int32, size=128), expected)


@hocket.jit
def countdown_kernel(out, BLOCK: gl.constexpr):
    i = iota(BLOCK)
    value = i * 0
    for k in range(9, 0, -2):
        value = value * 10 + k
    gl.store(out + i, value)


def test_for_range_counts_down(device):
    assert (run(device, countdown_kernel, dtype=np.int32, BLOCK=BLOCK) == 97531).all()


@hocket.jit
def static_kernel(out, STEPS: gl.constexpr, BLOCK: gl.constexpr):
    i = iota(BLOCK)
    value = i
    for k in gl.static_range(STEPS):
        if k % 2 == 0:
            value = value + k
        else:
            value = value * 2
    gl.store(out + i, value)


def test_static_range_unrolls_with_constexpr_branches(device):
    expected = np.arange(BLOCK)
    for k in range(5):
        expected = expected + k if k % 2 == 0 else expected * 2
    np.testing.assert_array_equal(run(device, static_kernel, dtype=np.int32, STEPS=5, BLOCK=BLOCK), expected)


@hocket.jit
def collatz_kernel(n, out, BLOCK: gl.constexpr):
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    i = iota(BLOCK)
    gl.store(out + i, i + steps)


@pytest.mark.parametrize("n, steps", [(1, 0), (6, 8), (27, 111)])
def test_while_and_run_time_if(device, n, steps):
    np.testing.assert_array_equal(run(device, collatz_kernel, n, dtype=np.int32, BLOCK=BLOCK), np.arange(BLOCK) + steps)


@hocket.jit
def clamp_index(value, limit):
    if value < 0:
        return 0
    if value > limit:
        return limit
    return value


@hocket.jit
def early_return_kernel(value, out, BLOCK: gl.constexpr):
    if gl.program_id(0) == 1:
        return
    i = iota(BLOCK)
    gl.store(out + gl.program_id(0) * BLOCK + i, i + clamp_index(value, 100))


@pytest.mark.parametrize("value", [-5, 50, 500])
def test_early_return_from_kernel_and_callee(device, value):
    actual = run(device, early_return_kernel, value, size=3 * BLOCK, grid=(3,), dtype=np.int32, BLOCK=BLOCK)
    expected = np.arange(BLOCK) + min(max(value, 0), 100)
    np.testing.assert_array_equal(actual.reshape(3, BLOCK), [expected, 0 * expected, expected])


@hocket.jit
def swap(pair):
    a, b = pair
    return b, a


@hocket.jit
def tuple_kernel(x, y, out, BLOCK: gl.constexpr):
    i = iota(BLOCK)
    a, b = swap((gl.load(x + i), gl.load(y + i)))
    gl.store(out + i, a - b)


def test_tuples_through_calls(device):
    x, y = np.random.default_rng(0).standard_normal((2, BLOCK)).astype(np.float32)
    np.testing.assert_array_equal(run(device, tuple_kernel, x, y, BLOCK=BLOCK), y - x)


@hocket.jit
def select_kernel(x, flag, scale, out, BLOCK: gl.constexpr):
    i = iota(BLOCK)
    value = gl.load(x + i)
    factor = scale if flag else 1.0
    if scale is not None and BLOCK > 1:
        value = value * factor
    gl.store(out + i, value)


@pytest.mark.parametrize("flag", [True, False])
def test_conditional_expression_on_a_run_time_bool(device, flag):
    x = np.random.default_rng(0).standard_normal(BLOCK).astype(np.float32)
    np.testing.assert_array_equal(run(device, select_kernel, x, flag, 2.5, BLOCK=BLOCK), x * 2.5 if flag else x)


@hocket.jit
def nested_kernel(n, out, BLOCK: gl.constexpr):
    i = iota(BLOCK)
    total = gl.zeros([BLOCK], gl.int32, i.type.layout)
    for a in range(n):
        for b in range(a):
            if (a + b) % 2 == 0:
                total += i + b
            else:
                total -= a
    gl.store(out + i, total)


def test_nested_loops_and_branches(device):
    expected = np.zeros(BLOCK, np.int32)
    for a in range(6):
        for b in range(a):
            expected = expected + np.arange(BLOCK) + b if (a + b) % 2 == 0 else expected - a
    np.testing.assert_array_equal(run(device, nested_kernel, 6, dtype=np.int32, BLOCK=BLOCK), expected)


@hocket.jit
def grid_kernel(out):
    x, y, z = gl.program_id(0), gl.program_id(1), gl.program_id(2)
    index = (z * gl.num_programs(1) + y) * gl.num_programs(0) + x
    gl.store(out + index, x + 100 * y + 10000 * z)


def test_grid_of_three_axes(device):
    out = device.to_device(np.zeros((4, 3, 2), np.int32))
    grid_kernel[(2, 3, 4)](out)
    z, y, x = np.indices((4, 3, 2))
    np.testing.assert_array_equal(device.to_host(out), x + 100 * y + 10000 * z)


@hocket.jit
def unread_kernel(n, out, BLOCK: gl.constexpr):
    i = iota(BLOCK)
    _, total = i, i * 0
    for k in range(n):
        _, part = k * 0.5, i * k
        total += part
    gl.store(out + i, total)


def test_what_is_called_underscore_may_change_its_type(device):
    np.testing.assert_array_equal(run(device, unread_kernel, 5, dtype=np.int32, BLOCK=BLOCK), np.arange(BLOCK) * 10)


@hocket.jit
def one_variable_for_two_loops(n, out, P: gl.constexpr, KIND: gl.constexpr):
    """Each loop inside a loop at run time has the variable of the first one, which is a constant."""
    total = 0
    for p in gl.static_range(P):
        total += p
    if KIND == "for":
        for k in range(n):
            for p in gl.static_range(P):
                total += p * k
    elif KIND == "while":
        k = 0
        while k < n:
            for p in gl.static_range(P - 1):
                total += p * k
            k += 1
    elif KIND == "break":
        for k in range(2 * n):
            for p in range(P):
                total += p * k
            if k == n - 1:
                break
    else:
        for k in range(n):
            for p in (1, 2, 3):
                total += p * k
    for p in gl.static_range(P):
        total += 1000 * p
    gl.store(out, total)


@pytest.mark.parametrize("kind, weight", [("for", 6), ("while", 3), ("break", 6), ("tuple", 6)])
def test_one_variable_for_two_loops(device, kind, weight):
    out = run(device, one_variable_for_two_loops, 5, size=1, dtype=np.int32, P=4, KIND=kind)
    assert out[0] == 6 + weight * 10 + 6000


@hocket.jit
def a_dtype_for_two_loops(n, out):
    total = 0
    for kind in (gl.int8, gl.int16):
        total += kind.primitive_bitwidth
    for _ in range(n):
        total += 100 * kind.primitive_bitwidth
        for kind in (gl.int32, gl.int16):
            total += kind.primitive_bitwidth
    gl.store(out, total + 10000 * kind.primitive_bitwidth)


def test_a_constant_that_is_no_number_may_be_read_between(device):
    """Each iteration ends with the dtype that it begins with."""
    assert run(device, a_dtype_for_two_loops, 3, size=1, dtype=np.int32)[0] == 24 + 3 * (1600 + 48) + 160000
