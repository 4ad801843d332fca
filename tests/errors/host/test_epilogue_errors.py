"""Mistakes with functions as epilogues of GEMMs, and their messages."""

import dataclasses
import pathlib

import numpy as np
import pytest

import hocket
from hocket import emulator
from hocket import language as gl
from hocket.errors import CompileError, LaunchError
from hocket.kernels import matmul
from hocket.kernels.plans import FewRowsPlan, HopperTile, choose_hopper_plan


def half(*shape):
    return np.zeros(shape, np.float16)


A, B = half(64, 32), half(32, 128)


def plain(acc, row, column):
    return acc


same = hocket.jit(plain)


@hocket.jit
def add_bias(acc, row, column, bias):
    return acc + gl.load(bias + column)


@hocket.jit
def twice(acc, row, column):
    return acc, acc


@hocket.jit
def total(acc, row, column):
    return gl.sum(acc, axis=1)


@hocket.jit
def index(acc, row, column):
    return row + column


@hocket.jit
def nothing(acc, row, column):
    acc * 2.0


@hocket.jit
def first(acc, row, column):
    return gl.sum(acc)


@hocket.jit
def all_in_a_list(acc, row, column):
    return [acc]


@hocket.jit
def times_constant(acc, row, column, factor: gl.constexpr):
    return acc * factor


@hocket.jit
def half_and_number(acc, row, column):
    return acc, 1.0


@hocket.jit
def bad_sum(acc, row, column):
    return acc + gl.arange(0, 3)


def call(**options):
    return lambda: matmul(A, B, **options)


FEW_ROWS = FewRowsPlan(1, 8, True, 8, 8, 256, 1)


def plan_for(bits=16, **changes):
    return dataclasses.replace(
        choose_hopper_plan(64, 128, 32, 1, 16, bits, 232448, 132, tile=HopperTile(64, 128, 1)), **changes
    )


#: Function to call, and the message.
MISTAKES = {
    "a plain function": (
        call(epilogue=plain),
        "matmul: epilogue must be a @hocket.jit function, not function\n  hint: write @hocket.jit above its def",
    ),
    "a name": (call(epilogue="silu"), "matmul: epilogue must be a @hocket.jit function, not str"),
    "a missing argument": (
        call(epilogue=add_bias),
        "matmul: epilogue is called with (acc, row, column), but its parameters are add_bias(acc, row, column, bias)",
    ),
    "too many arguments": (
        call(epilogue=same, epilogue_args=(1, 2)),
        "matmul: epilogue is called with (acc, row, column, *epilogue_args), with 2 epilogue_args, but its parameters "
        "are plain(acc, row, column)",
    ),
    "an array of arguments": (
        call(epilogue=add_bias, epilogue_args=half(128)),
        "matmul: epilogue_args must be a tuple of arrays and numbers, not ndarray\n"
        "  hint: write epilogue_args=(array,)",
    ),
    "an argument that is a list": (
        call(epilogue=add_bias, epilogue_args=([1.0, 2.0],)),
        "matmul: epilogue_args[0] is a list, not an array or a number",
    ),
    "a complex number": (
        call(epilogue=add_bias, epilogue_args=(1 + 2j,)), "matmul: epilogue_args[0] is a complex, not a real number",
    ),
    "a complex number of NumPy": (
        call(epilogue=add_bias, epilogue_args=(np.complex64(2),)),
        "matmul: epilogue_args[0] is a complex64, not a real number",
    ),
    "an array for a constant": (
        call(epilogue=times_constant, epilogue_args=(half(1),)),
        "matmul: epilogue_args[0] is an array, but the parameter `factor` of times_constant is a gl.constexpr\n"
        "  hint: pass a number, or write `factor` without the annotation",
    ),
    "arguments without a function": (
        call(epilogue_args=(3,)), "matmul: epilogue_args needs a function as epilogue, but there is none",
    ),
    "columns without a function": (
        call(out_columns=64), "matmul: out_columns needs a function as epilogue, but there is none",
    ),
    "outputs without a function": (
        call(out=(half(64, 128),)), "matmul: a tuple as out needs a function as epilogue, but there is none",
    ),
    "an activation and a function": (
        call(epilogue=same, activation="relu"),
        "matmul: activation and epilogue exclude each other\n  hint: apply the activation in the function",
    ),
    "no outputs": (
        call(epilogue=same, out=()),
        "matmul: out, out_dtype and out_columns must have an element for each output, not none",
    ),
    "an output and its dtype": (
        call(epilogue=same, out=half(64, 128), out_dtype="float16"),
        "matmul: out_dtype is for new outputs, but `out` is given",
    ),
    "an output of other rows": (
        call(epilogue=same, out=half(63, 128)),
        "matmul: out must be 64 x 128, or have fewer columns, but its shape is [63, 128]",
    ),
    "an output with a third of the columns": (
        call(epilogue=twice, out=(half(64, 128), half(64, 43))),
        "matmul: the number of columns of out[1] is 43, but an output has the 128 columns of a x b, or these divided "
        "by 2, 4, ... 128 without a remainder",
    ),
    "a new output with more columns": (
        call(epilogue=same, out_columns=256),
        "matmul: out_columns is 256, but an output has the 128 columns of a x b, or these divided by 2, 4, ... 128 "
        "without a remainder",
    ),
    "columns that are a float": (
        call(epilogue=same, out_columns=64.0),
        "matmul: out_columns must be a number, or a tuple of numbers, not 64.0",
    ),
    "different numbers of outputs": (
        call(epilogue=same, out_columns=(128, 128), out_dtype=("float16", "float16", "float32")),
        "matmul: out_columns has 2 elements and out_dtype has 3; both have one for each output",
    ),
    "a dtype of no output": (
        call(epilogue=same, out_dtype="fp16"),
        "matmul: out_dtype is one of float16, bfloat16, float32, float8_e4m3fn, float8_e5m2, int8, uint8, int32, not "
        "'fp16'\n  hint: write \"float16\"",
    ),
    "an output of doubles": (
        call(epilogue=same, out=np.zeros((64, 128))),
        "matmul: elements of out are float16, bfloat16, float32, float8_e4m3fn, float8_e5m2, int8, uint8, int32, not "
        "float64",
    ),
    "an output that is a number": (
        call(epilogue=same, out=3.0), "matmul: out is a float, not an array\n  hint: pass a NumPy array or a PyTorch "
        "tensor",
    ),
    "operands that no target multiplies": (
        lambda: matmul(np.zeros((64, 32)), np.zeros((32, 128)), epilogue=same, out_dtype="float32"),
        "matmul on sm_90a multiplies float16, bfloat16, float32, float8_e4m3fn, float8_e5m2, not float64",
    ),
    "operands that no target multiplies, and new outputs": (
        lambda: matmul(np.zeros((64, 32)), np.zeros((32, 128)), epilogue=same),
        "matmul on sm_90a multiplies float16, bfloat16, float32, float8_e4m3fn, float8_e5m2, not float64",
    ),
    "a plan of another kernel": (
        call(epilogue=same, plan=FEW_ROWS),
        "matmul with epilogue: plan must be a hocket.kernels.plans.HopperPlan or a hocket.kernels.plans.AmperePlan on "
        f"this target, not {FEW_ROWS!r}",
    ),
    "groups wider than a subtile": (
        call(epilogue=twice, out_columns=(128, 1), plan=plan_for()),
        "matmul: an output has 1 / 128 of the columns, but the epilogue subtiles of this plan have 64 columns\n"
        "  hint: choose a smaller factor, or outputs of narrower dtypes",
    ),
    "a plan with one stage": (
        lambda: plan_for(stages=1),
        "matmul: a HopperPlan needs at least 2 stages, not 1: a stage is released after the wgmmas of the next stage "
        "start",
    ),
    "subtiles wider than a staging buffer": (
        call(epilogue=same, out_dtype="float32", plan=plan_for()),
        "matmul: `plan` has epilogue subtiles of 64 columns, but 128 bytes hold 32 columns of the widest output\n"
        "  hint: pass out_bits=32 to `choose_hopper_plan`",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(name):
    function, message = MISTAKES[name]
    with emulator.target("sm_90a"), pytest.raises(LaunchError) as error:
        function()
    assert str(error.value) == message


#: Functions whose results are wrong: the function, options of the call, and the part of the message after its line.
RESULTS = {
    "two tiles": (twice, {}, "must return 1 tile, because there is 1 output, not 2"),
    "one tile": (
        same, {"out_dtype": ("float16", "float32")}, "must return 2 tiles, because there are 2 outputs, not 1",
    ),
    "nothing": (nothing, {}, "must return 1 tile, because there is 1 output, not None"),
    "a list": (all_in_a_list, {}, "must return 1 tile, because there is 1 output, not a list or a constant"),
    "a sum of rows": (
        total, {}, "must return a tile of floats of shape [64, 64] for out, which is float16, not float32 of shape [64]"
    ),
    "all columns": (
        same, {"out_columns": 64},
        "must return a tile of floats of shape [64, 32] for out, which is float16, not float32 of shape [64, 64]",
    ),
    "integers for floats": (
        index, {}, "must return a tile of floats of shape [64, 64] for out, which is float16, not int32 of shape "
        "[64, 64]",
    ),
    "floats for integers": (
        twice, {"out_dtype": ("float16", "int8")},
        "must return a tile of int8 of shape [64, 64] for out[1], which is int8, not float32 of shape [64, 64]",
    ),
    "a scalar": (
        first, {}, "must return a tile of floats of shape [64, 64] for out, which is float16, not a scalar",
    ),
    "a number": (
        half_and_number, {"out_dtype": ("float16", "float16")},
        "must return a tile of floats of shape [64, 64] for out[1], which is float16, not a scalar",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", RESULTS)
def test_results_of_wrong_types(name):
    function, options, message = RESULTS[name]
    with emulator.target("sm_90a"), pytest.raises(CompileError) as error:
        matmul(A, B, epilogue=function, **options)
    code = function.fn.__code__
    place = f"({pathlib.Path(__file__).name}:{code.co_firstlineno})"
    assert f"static assertion failed: matmul: epilogue {code.co_name} {place} {message}\n" in str(error.value)


def test_an_error_inside_the_function_has_its_line():
    with emulator.target("sm_90a"), pytest.raises(CompileError) as error:
        matmul(A, B, epilogue=bad_sum)
    line = bad_sum.fn.__code__.co_firstlineno + 2
    assert f"{pathlib.Path(__file__).name}:{line}" in str(error.value)
    assert "return acc + gl.arange(0, 3)" in str(error.value)
