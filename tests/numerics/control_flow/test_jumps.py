"""break, continue, and return in loops, at run time and unrolled."""

import numpy as np
import pytest

import hocket
from hocket import language as gl


def run(device, kernel, *arguments, size=1, dtype=np.int32, **constexprs):
    out = device.to_device(np.zeros(size, dtype))
    kernel[(1,)](*arguments, out, **constexprs)
    return device.to_host(out)


@hocket.jit
def break_kernel(n, stop, out):
    total = 0
    last = -1
    for i in range(3, n):
        if i == stop:
            break
        total += i
        last = i
    gl.store(out, total)
    gl.store(out + 1, last)


@pytest.mark.parametrize("n, stop", [(10, 7), (10, 3), (10, 20), (3, 3), (0, 1)])
def test_break_leaves_a_loop_with_the_names_so_far(every_device, n, stop):
    taken = [i for i in range(3, n) if i < stop]
    assert run(every_device, break_kernel, n, stop, size=2).tolist() == [sum(taken), taken[-1] if taken else -1]


@hocket.jit
def steps_kernel(start, stop, step, limit, out):
    digits = 0
    for i in range(start, stop, step):
        if i == limit:
            break
        digits = digits * 100 + i
    gl.store(out, digits)


@pytest.mark.parametrize("bounds", [(1, 9, 3), (9, 0, -4), (2, 11, 100), (5, 5, 1), (7, 9, -1)])
@pytest.mark.parametrize("limit", [99, 4, 1])
def test_break_in_ranges_of_any_step(every_device, bounds, limit):
    expected = 0
    for i in range(*bounds):
        if i == limit:
            break
        expected = expected * 100 + i
    assert run(every_device, steps_kernel, *bounds, limit)[0] == expected


@hocket.jit
def edge_kernel(start, step, limit, out):
    count = 0
    for _ in range(start, 2147483647, step):
        if count == limit:
            break
        count += 1
    gl.store(out, count)


def test_the_number_after_the_last_need_not_fit(every_device):
    assert run(every_device, edge_kernel, 2147483640, 5, 100)[0] == 2
    assert run(every_device, edge_kernel, 2147483640, 5, 1)[0] == 1


@hocket.jit
def continue_kernel(n, out):
    total = 0
    for i in range(n):
        if i % 3 == 0:
            continue
        if i % 5 == 0:
            total += 100
            continue
        total += i
    gl.store(out, total)


def test_continue(every_device):
    assert run(every_device, continue_kernel, 20)[0] == sum(100 if i % 5 == 0 else i for i in range(20) if i % 3)


@hocket.jit
def nested_jumps_kernel(n, out):
    """Jumps deep in branches, of which several reach what follows."""
    total = 0
    for i in range(n):
        if i % 2 == 0:
            if i % 3 == 0:
                continue
            total += 1
        elif i > 20:
            if i % 5 == 0:
                total += 10000
                break
            total += 2
        else:
            total += 3
        for j in range(i):
            if j == 4:
                break
            if (i + j) % 4 == 1:
                continue
            total += 100
        total += 1000
    gl.store(out, total)


def nested_jumps(n):
    total = 0
    for i in range(n):
        if i % 2 == 0:
            if i % 3 == 0:
                continue
            total += 1
        elif i > 20:
            if i % 5 == 0:
                total += 10000
                break
            total += 2
        else:
            total += 3
        for j in range(i):
            if j == 4:
                break
            if (i + j) % 4 == 1:
                continue
            total += 100
        total += 1000
    return total


@pytest.mark.parametrize("n", [0, 1, 5, 23, 40])
def test_jumps_in_nested_branches_and_loops(every_device, n):
    assert run(every_device, nested_jumps_kernel, n)[0] == nested_jumps(n)


@hocket.jit
def while_kernel(n, out):
    steps = 0
    while True:
        if n == 1:
            break
        steps += 1
        if n % 2 == 0:
            n = n // 2
            continue
        n = 3 * n + 1
    gl.store(out, steps)


def collatz(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


@pytest.mark.parametrize("n", [1, 7, 27])
def test_while_true_ends_by_break(every_device, n):
    assert run(every_device, while_kernel, n)[0] == collatz(n)


@hocket.jit
def walrus_kernel(x, n, out):
    i = 0
    total = 0
    while (value := gl.load(x + i)) >= 0:
        i += 1
        if i >= n:
            break
        if value % 2 == 1:
            continue
        total += value
    gl.store(out, total)
    gl.store(out + 1, i)


def test_while_with_a_condition_and_jumps(every_device):
    numbers = np.array([4, 3, 8, 6, -1, 10], np.int32)
    x = every_device.to_device(numbers)
    assert run(every_device, walrus_kernel, x, 100, size=2).tolist() == [18, 4]
    assert run(every_device, walrus_kernel, x, 2, size=2).tolist() == [4, 2]


@hocket.jit
def find(x, n, wanted):
    for i in range(n):
        if gl.load(x + i) == wanted:
            return i
    return -1


@hocket.jit
def find_pair(x, n, wanted):
    for i in range(n):
        for j in range(i):
            if gl.load(x + i) + gl.load(x + j) == wanted:
                return (i, j), 1.5
    return (-1, -1), 0.5


@hocket.jit
def return_kernel(x, n, wanted, out):
    gl.store(out, find(x, n, wanted))
    (i, j), weight = find_pair(x, n, wanted)
    gl.store(out + 1, i)
    gl.store(out + 2, j)
    gl.store(out + 3, (weight * 2.0).to(gl.int32))


@pytest.mark.parametrize("wanted", [4, 9, 11, 77])
def test_functions_return_out_of_loops(every_device, wanted):
    numbers = [4, 3, 8, 6, 1]
    x = every_device.to_device(np.array(numbers, np.int32))
    pair = next(((i, j) for i in range(5) for j in range(i) if numbers[i] + numbers[j] == wanted), None)
    expected = [numbers.index(wanted) if wanted in numbers else -1, *(pair or (-1, -1)), 3 if pair else 1]
    assert run(every_device, return_kernel, x, 5, wanted, size=4).tolist() == expected


@hocket.jit
def tile_kernel(x, n, out, BLOCK: gl.constexpr):
    i = gl.arange(0, BLOCK, gl.row_layout())
    gl.store(out + i, first_large(x, n, i))


@hocket.jit
def first_large(x, n, i):
    """Tiles that are carried and returned."""
    total = gl.zeros([128], gl.float32, i.layout)
    for k in range(n):
        total += gl.load(x + k * 128 + i)
        if gl.max(total, 0) > 10.0:
            return total * 2.0
    return total


@pytest.mark.parametrize("n", [1, 3, 6])
def test_tiles_are_returned_out_of_loops(every_device, n):
    data = np.linspace(0, 4, 6 * 128, dtype=np.float32).reshape(6, 128)
    expected = np.zeros(128, np.float32)
    for row in data[:n]:
        expected = expected + row
        if expected.max() > 10:
            expected = expected * 2
            break
    out = run(every_device, tile_kernel, every_device.to_device(data), n, size=128, dtype=np.float32, BLOCK=128)
    np.testing.assert_allclose(out, expected, rtol=1e-6)


@hocket.jit
def early_kernel(n, out):
    for i in range(n):
        if i == 5:
            gl.store(out, 1)
            return
        gl.store(out + 1, i)
    gl.store(out, 2)


def test_kernels_return_out_of_loops(every_device):
    assert run(every_device, early_kernel, 9, size=2).tolist() == [1, 4]
    assert run(every_device, early_kernel, 4, size=2).tolist() == [2, 3]


@hocket.jit
def unrolled_kernel(n, out, LAST: gl.constexpr):
    total = 0
    for i in gl.static_range(10):
        if i == LAST:
            break
        if i % 2 == 1:
            continue
        if i > n:
            total += 1000
            break
        if i * 2 == n:
            continue
        total += i
    gl.store(out, total)


@pytest.mark.parametrize("n", [3, 4, 20])
@pytest.mark.parametrize("last", [1, 7, 99])
def test_jumps_in_unrolled_loops(every_device, n, last):
    total = 0
    for i in range(10):
        if i == last:
            break
        if i % 2 == 1:
            continue
        if i > n:
            total += 1000
            break
        if i * 2 == n:
            continue
        total += i
    assert run(every_device, unrolled_kernel, n, LAST=last)[0] == total


@hocket.jit
def unrolled_search(n):
    for i in gl.static_range(6):
        for j in range(i):
            if i * j == n:
                return i * 10 + j
    return -1


@hocket.jit
def unrolled_return_kernel(n, out):
    gl.store(out, unrolled_search(n))


@pytest.mark.parametrize("n", [0, 6, 12, 13])
def test_return_out_of_a_loop_in_an_unrolled_one(every_device, n):
    expected = next((i * 10 + j for i in range(6) for j in range(i) if i * j == n), -1)
    assert run(every_device, unrolled_return_kernel, n)[0] == expected


@hocket.jit
def buffered_kernel(x, n, out):
    """Shared memory and barriers inside a loop that ends early."""
    i = gl.arange(0, 128, gl.row_layout())
    smem = gl.allocate_shared_memory(gl.int32, [128], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    total = i * 0
    for k in range(100):
        smem.store(gl.load(x + 127 - i) + k)
        value = smem.load(i.layout)
        if gl.max(value, 0) > n:
            break
        total += value
    gl.store(out + i, total)


def test_shared_memory_in_a_loop_with_break(every_device):
    x = np.arange(128, dtype=np.int32)
    expected = sum(x[::-1] + k for k in range(100) if 127 + k <= 131)
    np.testing.assert_array_equal(
        run(every_device, buffered_kernel, every_device.to_device(x), 131, size=128), expected
    )


@hocket.jit
def descending_unsigned_kernel(start, out):
    total = 0
    for i in range(start.to(gl.uint32), 2, -3):
        if total > 1000:
            break
        total += i.to(gl.int32)
    gl.store(out, total)


def test_break_in_a_range_of_unsigned_numbers(every_device):
    assert run(every_device, descending_unsigned_kernel, 20)[0] == sum(range(20, 2, -3))
