"""Functions and lambdas inside kernels, tuples, and what else of Python kernels can be written in."""

from collections import namedtuple
from typing import NamedTuple

import numpy as np
import pytest

import hocket
from hocket import language as gl


def run(device, kernel, *arguments, size=1, dtype=np.int32, **constexprs):
    out = device.to_device(np.zeros(size, dtype))
    kernel[(1,)](*arguments, out, **constexprs)
    return device.to_host(out)


@hocket.jit
def apply(f, *args):
    return f(*args)


@hocket.jit
def inner_kernel(n, out, SCALE: gl.constexpr):
    offset = n * 10

    def shifted(x, by=3, *, twice=False):
        if twice:
            x = x * 2
        return x + by + offset

    def both(x):
        return shifted(x) + shifted(x, 1, twice=True)

    gl.store(out, shifted(1))
    gl.store(out + 1, both(2))
    offset = n  # read when it is called
    gl.store(out + 2, apply(shifted, 1, SCALE))
    square = lambda x: x * x * SCALE  # noqa: E731
    gl.store(out + 3, apply(square, n))
    total = 0
    for i in range(n):

        def add(x):
            return total + x * i  # noqa: B023

        total = add(2)
        if total > 10:
            break
    gl.store(out + 4, total)


def test_inner_functions_read_the_names_around_them(every_device):
    out = run(every_device, inner_kernel, 5, size=5, SCALE=7)
    assert out.tolist() == [54, 2 + 3 + 50 + 4 + 1 + 50, 1 + 7 + 5, 175, 12]


@hocket.jit
def annotations_kernel(n, out, FORM: gl.constexpr):
    def named(n: gl.constexpr):
        return n

    def with_type(n: gl.constexpr[int]):
        return n

    def text(n: "gl.constexpr"):
        return n

    def text_with_type(n: "gl.constexpr[int]"):
        return n

    def other(n: "gl.notconstexpr"):
        return n

    function = (named, with_type, text, text_with_type, other)[FORM]
    gl.store(out, function(3) if n < 0 else function(n))


@pytest.mark.parametrize("form", range(4))
def test_constexpr_parameters_of_inner_functions(device, form):
    with pytest.raises(hocket.CompileError, match="must be known at compile time"):
        run(device, annotations_kernel, 5, FORM=form)


def test_other_annotations_of_inner_functions(device):
    assert run(device, annotations_kernel, 5, FORM=4).tolist() == [5]


@hocket.jit
def reduce_kernel(x, out, POWER: gl.constexpr):
    i = gl.arange(0, 128, gl.row_layout())
    value = gl.load(x + i)
    limit = 100
    gl.store(out, gl.reduce(value, 0, lambda a, b: a + b))

    def largest(a, b):
        return gl.maximum(a, b) if POWER == 1 else gl.minimum(a, b)

    gl.store(out + 1, gl.reduce(value, 0, largest))
    gl.store(out + 2, gl.reduce(value, 0, lambda a, b: gl.minimum(a + b, limit)))


@pytest.mark.parametrize("power", [1, 2])
def test_combine_functions_inside_a_kernel(every_device, power):
    x = np.random.default_rng(power).integers(0, 1000, 128).astype(np.int32)
    out = run(every_device, reduce_kernel, every_device.to_device(x), size=3, POWER=power)
    assert out.tolist() == [x.sum(), x.max() if power == 1 else x.min(), 100]


@hocket.jit
def chain_kernel(n, out):
    count = 0
    for i in range(20):
        if 3 <= i < n <= 15:
            count += 1
        if 0 < 1 < i != 5:
            count += 100
    gl.store(out, count)
    gl.static_assert(1 < 2 < 3)
    gl.static_assert(not 3 > 2 > 2)


@pytest.mark.parametrize("n", [2, 9, 15, 16])
def test_chained_comparisons(every_device, n):
    expected = sum((3 <= i < n <= 15) + 100 * (1 < i != 5) for i in range(20))
    assert run(every_device, chain_kernel, n)[0] == expected


class Range(NamedTuple):
    start: int
    stop: int = 9

    @hocket.jit
    def length(self):
        return self.stop - self.start


Point = namedtuple("Point", "x y")


@hocket.jit
def spread(first, *rest, scale=1, **_):
    total = first * scale
    for value in rest:
        total = total * 10 + value
    return total, len(rest)


@hocket.jit
def tuples_kernel(n, pair, out):
    span = Range(n)
    points = [Point(i, n + i) for i in gl.static_range(5) if i != 2]
    total = 0
    for index, (x, y) in enumerate(points):
        total += index * (x + y)
    for a, b in zip((1, n), reversed((n, 2)), strict=True):
        total += a * b
    gl.store(out, total)
    joined = (1, n) + pair[:2] + (span.length(),)  # noqa: RUF005
    gl.static_assert(len(joined) == 5)
    value, count = spread(*joined, scale=2)
    gl.store(out + 1, value + count)
    gl.store(out + 2, (pair == (4, n, 6)).to(gl.int32) + 2 * (pair != (4, 5, 6)).to(gl.int32))
    gl.static_assert((1, "a") == (1, "a") and (1, 2) < (1, 3) and [1, 2] != [1])
    gl.static_assert((n, 1) != (n, 1, 2))
    if (half := n // 2) > 1:
        span = Range(half, stop=n)
    for _ in range(2):
        span = Range(span.start + 1, span.stop)
    gl.store(out + 3, span.start * 100 + span.stop)
    name: gl.constexpr = f"{len(joined):02}-{'x'!r}"
    gl.static_assert(name == "05-'x'")


@pytest.mark.parametrize("n", [3, 5, 7])
def test_tuples_and_namedtuples(every_device, n):
    pair = (4, 5, 6)
    out = run(every_device, tuples_kernel, n, pair, size=4)
    points = [(i, n + i) for i in range(5) if i != 2]
    total = sum(i * (x + y) for i, (x, y) in enumerate(points)) + 2 + n * n
    joined = [1, n, 4, 5, 9 - n]
    value = joined[0] * 2
    for item in joined[1:]:
        value = value * 10 + item
    span = (n // 2, n) if n // 2 > 1 else (n, 9)
    equal = int(pair == (4, n, 6)) + 2 * int(pair != (4, 5, 6))
    assert out.tolist() == [total, value + 4, equal, (span[0] + 2) * 100 + span[1]]


@hocket.jit
def tuple_loop_kernel(n, out):
    """Loops over tuples are unrolled, and may be left."""
    total = 0
    for value in (n, 5, n * 2, 7):
        if value == 6:
            continue
        if value > 12:
            break
        total += value
    for name, weight in (("a", 1), ("b", 2)):
        if name == "b":
            total += weight * 100
    gl.store(out, total)


@pytest.mark.parametrize("n", [1, 3, 6, 8])
def test_loops_over_tuples(every_device, n):
    total = 0
    for value in (n, 5, n * 2, 7):
        if value == 6:
            continue
        if value > 12:
            break
        total += value
    assert run(every_device, tuple_loop_kernel, n)[0] == total + 200
