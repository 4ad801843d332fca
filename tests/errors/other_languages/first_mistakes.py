"""Typical first mistakes of users of Triton and NumPy."""

import types

import numpy as np
from cases import mistake

import hocket
import hocket.language as gl

LINE = gl.BlockedLayout([1], [32], [4], [0])
TABLE = np.ones(4)
tl = types.ModuleType("triton.language")


@hocket.jit
def launched(a):
    gl.store(a, 1.0)


@mistake("*f32, i32")
def comparison_inside_of_a_join(x, n):
    i = gl.arange(0, 128, LINE)
    mask = i > 3
    gl.store(x + i, 1.0, mask=mask & i < n)


@mistake("*f32, i32")
def comparison_before_a_join(x, n):
    i = gl.arange(0, 128, LINE)
    mask = i > 3
    gl.store(x + i, 1.0, mask=i < n & mask)


@mistake()
def barrier_that_is_not_called():
    gl.barrier


@mistake()
def function_that_is_not_called():
    launched


@mistake("*f32")
def method_that_is_not_called(x):
    v = gl.load(x + gl.arange(0, 128, LINE))
    v.sum


@mistake("*f32")
def launch_in_a_kernel(x):
    launched[(1,)](x)


@mistake("i32")
def list_that_grows(n):
    items = []
    items.append(n)


@mistake()
def dict_called():
    settings = dict(scale=2.0)


@mistake()
def shape_that_is_a_number():
    gl.zeros(128, gl.float32, LINE)


@mistake(BLOCK=256)
def size_divided_with_a_slash(BLOCK: gl.constexpr):
    gl.arange(0, gl.constexpr(BLOCK / 2), LINE)


@mistake("*f32, i32")
def range_of_a_quotient(x, n):
    for i in range(n / 2):
        gl.store(x + i, 1.0)


@mistake("i32")
def power_of_two(n):
    2**n


@mistake("*f32")
def value_of_a_store(x):
    done = gl.store(x, 1.0)
    gl.store(x, done + 1)


@mistake("*f32")
def dtype_as_text(x):
    if x.dtype.element_ty == "float32":
        gl.store(x, 1.0)


@mistake("*f32")
def dtype_of_python(x):
    if gl.load(x).dtype is float:
        gl.store(x, 1.0)


@mistake("*f32")
def array_of_the_module(x):
    gl.store(x, TABLE[0])


@mistake("*f32, i32")
def early_return_of_a_value(x, n):
    if n > 0:
        return gl.load(x)


@mistake("*f32, i32")
def item_of_a_pointer_assigned(x, n):
    x[n] = 1.0


@mistake("*f32")
def scalar_accumulator_of_a_tile(x):
    total = 0.0
    for k in range(4):
        total += gl.load(x + gl.arange(0, 128, LINE))


@mistake("*f32, i32")
def branch_on_a_tile(x, n):
    if gl.arange(0, 128, LINE) < n:
        gl.store(x, 1.0)


@mistake("*f32")
def layout_for_other_warps(x):
    gl.arange(0, 128, gl.BlockedLayout([1], [32], [2], [0]))


@mistake("*f32")
def module_of_triton(x):
    tl.store(x, 1.0)
