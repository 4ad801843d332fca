"""Calls with the wrong arguments, or of what cannot be called."""

import math

from cases import jit, mistake

import hocket.language as gl


def plain(x):
    return x + 1


@jit
def scaled(x, factor, *, bias=0.0):
    return x * factor + bias


@jit
def outer(x):
    return inner(x)


@jit
def inner(x):
    return scaled(x)


@jit
def countdown(n):
    return countdown(n - 1)


@jit
def tile(x, BLOCK: gl.constexpr):
    return x + BLOCK


@mistake("*f32")
def missing_argument_in_a_callee(out):
    gl.store(out, outer(2.0))


@mistake("*f32")
def too_many_arguments(out):
    gl.store(out, scaled(1.0, 2.0, 3.0))


@mistake("*f32")
def misspelt_keyword(out):
    gl.store(out, 1.0, masks=True)


@mistake("*f32")
def argument_given_twice(out):
    gl.store(out, scaled(1.0, 2.0, factor=3.0))


@mistake("*f32")
def plain_python_function(out):
    gl.store(out, plain(1.0))


@mistake("*f32, i32")
def recursion(out, n):
    gl.store(out, countdown(n))


@mistake("*f32, i32")
def runtime_value_for_a_constexpr_parameter(out, n):
    gl.store(out, tile(1.0, n))


@mistake("*f32")
def call_of_a_number(out):
    gl.store(out, gl.float32.itemsize())


@mistake("*f32")
def unpacking_the_wrong_count(out):
    a, b = (1.0, 2.0, 3.0)
    gl.store(out, a + b)


@mistake("*f32, f32")
def python_builtin_on_a_runtime_value(out, x):
    gl.store(out, int(x))


@mistake("*f32")
def python_builtin_that_reads_the_world(out):
    gl.store(out, open("factor.txt"))


@mistake("*f32")
def function_of_math_on_a_runtime_value(x):
    return math.exp(gl.load(x))


def twice(function):
    @jit
    def both(x):
        return function(function(x))

    return both


@jit
def plus_one(x):
    return x + 1


many = plus_one
for _ in range(18):
    many = twice(many)


@mistake("*i32, i32")
def inlined_a_quarter_of_a_million_times(out, n):
    gl.store(out, many(n))
