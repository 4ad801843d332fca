"""Calls: jit functions, compile-time functions, Python's builtins, namedtuples."""

import math
from typing import NamedTuple

import pytest

import hocket
import hocket.language as gl

pytestmark = pytest.mark.quick


class Pair(NamedTuple):
    first: object
    second: object = 3

    @hocket.jit
    def plus(self, other):
        return Pair(self.first + other.first, self.second + other.second)


@hocket.jit
def axpy(x, y, a=2.0, *, bias=None):
    result = a * x + y
    if bias is not None:
        result += bias
    return result


def keywords_and_defaults(out):
    gl.store(out, axpy(1.0, y=gl.load(out)))
    gl.store(out, axpy(1.0, 3.0, bias=gl.load(out)))


def test_arguments_and_defaults(emit, check):
    ir = emit(keywords_and_defaults, "*f32")
    check(ir, "2.000000e+00\nhk.store\n5.000000e+00\nhk.store")
    assert "call" not in ir


def test_locations_of_callees_hold_the_call(emit, check):
    ir = emit(keywords_and_defaults, "*f32", _locations=True)
    product = axpy.fn.__code__.co_firstlineno + 2
    call = keywords_and_defaults.__code__.co_firstlineno + 1
    check(ir, f"= {__file__}:{product}:14\n= {__file__}:{call}:19\n{{{{#loc[0-9]+ = #loc[0-9]+}}}}\n at #loc")


@hocket.jit
def minmax(a, b):
    return gl.minimum(a, b), gl.maximum(a, b)


def several_results(out, n):
    low, high = minmax(n, 5)
    nested, (deep, _) = low, (high, 1)
    gl.store(out, nested - deep)


def test_tuples_are_returned_and_unpacked(emit, check):
    check(emit(several_results, "*i32, i32"), "arith.minsi\narith.maxsi\narith.subi")


@hocket.jit
def total(first, *rest):
    for i in gl.static_range(len(rest)):
        first += rest[i]
    return first


def starred(out, n):
    values = (n, n * 2)
    gl.store(out, total(1, *values, 4))


def test_stars(emit, check):
    check(emit(starred, "*i32, i32"), "arith.muli\narith.addi\narith.addi\narith.constant 4\narith.addi")


@hocket.jit
def apply(fn, x: gl.tensor):
    return fn(x)


@hocket.jit
def negated(x):
    return -x


def function_as_argument(out):
    gl.store(out, apply(negated, gl.load(out)))


def test_functions_are_compile_time_values(emit, check):
    check(emit(function_as_argument, "*f32"), "arith.negf")


@hocket.jit
def use_pair(pair):
    return pair.first * pair.second + pair[1]


def named_tuples(out, n):
    gl.store(out, use_pair(Pair(n)))
    gl.store(out, use_pair(Pair(n, second=n)))


def test_namedtuples(emit, check):
    check(emit(named_tuples, "*i32, i32"), "constant 3\nmuli\nconstant 3\naddi\nstore\nmuli %arg1, %arg1\naddi\nstore")


def methods_of_named_tuples(out, n):
    pair = Pair(n, n).plus(other=Pair(1, 2))
    add: gl.constexpr = hasattr(pair, "plus") and not hasattr(pair, "minus")
    gl.static_assert(add)
    gl.store(out, pair.first * pair.second)


def test_methods_of_namedtuples(emit, check):
    check(emit(methods_of_named_tuples, "*i32, i32"), "constant 1\naddi\nconstant 2\naddi\nmuli\nstore")


@gl.constexpr_function
def half(n):
    return n // 2


def compile_time_calls(out, N: gl.constexpr):
    size: gl.constexpr = half(N) + len([1, 2, 3]) + min(4, 9) + int(math.sqrt(16)) + abs(-1)
    gl.static_assert(size == N // 2 + 3 + 4 + 4 + 1)
    gl.static_assert(isinstance(N, int) and isinstance(N, gl.constexpr) and not isinstance(N, float))
    gl.static_assert(float("inf") > 10 and gl.float16.primitive_bitwidth == 16)
    text: gl.constexpr = f"{N:>4}|{gl.float32}|{'a'!r}"
    gl.static_assert(text == "  16|float32|'a'")
    gl.static_assert(max(*(1, 5, 2)) == 5)
    gl.store(out, size)


def test_compile_time_calls(emit, check):
    check(emit(compile_time_calls, "*i32", N=16), "arith.constant 20 : i32")


def python_builtins(out, n):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    i = gl.arange(0, 128, layout)
    gl.static_assert(isinstance(n, gl.tensor) and isinstance(i, gl.tensor) and not isinstance(n, int))
    gl.static_assert(hasattr(i, "shape") and not hasattr(i, "spahe"))
    gl.static_assert(getattr(i, "shape")[0] == 128)  # noqa: B009
    gl.store(out + i, min(i, n, 7))


def test_python_builtins_on_run_time_values(emit, check):
    check(emit(python_builtins, "*i32, i32"), "arith.minsi\narith.minsi\nhk.store")


def printing(out, n, N: gl.constexpr):
    gl.static_print("n:", n, "N:", N, "both:", (n, N), sep=" ", end=".\n")
    gl.store(out, n)


def test_static_print(emit, capfd):
    emit(printing, "*i32, i32", N=4)
    assert capfd.readouterr().out == "n: a run-time int32 N: 4 both: (a run-time int32, the constexpr 4).\n"
