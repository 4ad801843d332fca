"""Values that are not known at compile time where they must be, and mistakes in those that are."""

import os
import random

from cases import mistake

import hocket.language as gl


@gl.constexpr_function
def checked_half(n):
    if n % 2:
        raise ValueError(f"{n} is odd")
    return n // 2


SEEDED = random.Random(0)


def rows_of_the_environment():
    return int(os.environ.get("ROWS", "4"))


@gl.constexpr_function
def rows_by_way_of_a_function():
    return 2 * rows_of_the_environment()


@gl.constexpr_function
def rows_of_a_local_import():
    from time import time as now

    return int(now())


@gl.constexpr_function
def rows_of_a_file():
    with open("rows.txt") as file:
        return int(file.read())


@gl.constexpr_function
def rows_of_a_generator():
    return SEEDED.randrange(8)


@mistake("*f32")
def environment_in_a_constexpr_function(out):
    gl.store(out, rows_by_way_of_a_function())


@mistake("*f32")
def time_in_a_constexpr_function(out):
    gl.store(out, rows_of_a_local_import())


@mistake("*f32")
def file_in_a_constexpr_function(out):
    gl.store(out, rows_of_a_file())


@mistake("*f32")
def random_numbers_in_a_constexpr_function(out):
    gl.store(out, rows_of_a_generator())


@mistake("*f32, i32")
def parameter_as_a_size(out, n):
    i = gl.arange(0, n, layout=gl.BlockedLayout([1], [32], [4], [0]))
    gl.store(out + i, 1.0)


@mistake("*f32")
def plain_assignment_as_a_size(out):
    size = 128
    i = gl.arange(0, size, layout=gl.BlockedLayout([1], [32], [4], [0]))
    gl.store(out + i, 1.0)


@mistake("*f32, i32")
def constexpr_of_a_runtime_value(out, n):
    size: gl.constexpr = n
    gl.store(out, size)


@mistake("*f32")
def constexpr_declared_twice(out):
    size: gl.constexpr = 4
    size: gl.constexpr = 8
    gl.store(out, size)


@mistake("*f32", N=0)
def division_by_zero(out, N: gl.constexpr):
    gl.store(out, 1 / N)


@mistake("*f32", N=3)
def exception_in_a_constexpr_function(out, N: gl.constexpr):
    gl.store(out, checked_half(N))


@mistake("*f32", N=3)
def failed_static_assert(out, N: gl.constexpr):
    gl.static_assert(N % 4 == 0, f"N must be a multiple of 4, got {N}")
    gl.store(out, 1.0)


@mistake("*f32", N=3)
def false_assert(out, N: gl.constexpr):
    assert N == 4, "four only"
    gl.store(out, 1.0)


@mistake("*f32, i32")
def runtime_value_in_an_f_string(out, n):
    gl.static_print(f"n is {n}")
    gl.store(out, 1.0)


@mistake("*f32")
def bad_layout(out):
    layout: gl.constexpr = gl.BlockedLayout([1, 1], [32], [4], [0])
    gl.store(out + gl.arange(0, 128, layout), 1.0)


@mistake("*f32")
def tuple_index_out_of_range(out):
    values = (1.0, 2.0)
    gl.store(out, values[2])
