"""IR of reductions: widened types, sliced layouts, combine regions."""

from typing import NamedTuple

import pytest

import hocket
from hocket import CompileError
from hocket import language as gl

L = gl.BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0])


@hocket.jit
def kernel(x, layout: gl.constexpr, function: gl.constexpr, expected: gl.constexpr):
    rows = gl.arange(0, 16, layout=gl.SliceLayout(1, layout))
    columns = gl.arange(0, 32, layout=gl.SliceLayout(0, layout))
    value = gl.load(x + rows[:, None] * 32 + columns[None, :])
    result = function(value, 1)
    gl.static_assert(result.dtype == expected)
    gl.static_assert(result.shape == (16,))
    gl.static_assert(result.layout == gl.SliceLayout(1, layout))
    gl.static_assert(function(value, axis=-2).layout == gl.SliceLayout(0, layout))
    kept = function(value, axis=1, keep_dims=True)
    gl.static_assert(kept.shape == (16, 1))
    gl.static_assert(kept.layout == layout)
    everything = function(value)
    gl.static_assert(everything.shape == ())


CASES = [
    ("sum", "f32", gl.float32, "arith.addf"), ("sum", "f16", gl.float16, "arith.addf"),
    ("sum", "bf16", gl.bfloat16, "arith.addf"), ("sum", "i8", gl.int32, "arith.addi"),
    ("sum", "u16", gl.uint32, "arith.addi"), ("sum", "i64", gl.int64, "arith.addi"),
    ("sum", "i1", gl.uint32, "arith.addi"), ("max", "f32", gl.float32, "arith.maxnumf"),
    ("max", "f16", gl.float32, "arith.maxnumf"), ("max", "i8", gl.int32, "arith.maxsi"),
    ("max", "u32", gl.uint32, "arith.maxui"), ("min", "bf16", gl.float32, "arith.minnumf"),
    ("min", "i32", gl.int32, "arith.minsi"), ("min", "u64", gl.uint64, "arith.minui"),
    ("xor_sum", "i32", gl.int32, "arith.xori"), ("reduce_or", "u8", gl.uint8, "arith.ori"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "type", "expected", "operation"), CASES)
def test_named_reductions(emit, name, type, expected, operation):
    ir = emit(kernel, f"*{type}", layout=L, function=getattr(gl, name), expected=expected)
    assert ir.count("hk.reduce ") == 4
    assert operation in ir


@pytest.mark.parametrize("name", ["xor_sum", "reduce_or"])
def test_bit_reductions_are_for_integers(emit, name):
    with pytest.raises(CompileError, match=f"{name} needs integers, but this is float32"):
        emit(kernel, "*f32", layout=L, function=getattr(gl, name), expected=gl.float32)


def test_sum_in_a_given_dtype(emit):
    def kernel(layout: gl.constexpr):
        x = gl.zeros([16, 32], gl.float16, layout)
        gl.static_assert(gl.sum(x, 0, dtype=gl.float32).dtype == gl.float32)
        gl.static_assert(x.sum(0, dtype=gl.float32).dtype == gl.float32)

    emit(kernel, layout=L)


@hocket.jit
def largest_magnitude(a, b):
    return gl.where(gl.abs(a) > gl.abs(b), a, b)


@hocket.jit
def larger_with_index(value_a, index_a, value_b, index_b):
    is_a = (value_a > value_b) | ((value_a == value_b) & (index_a < index_b))
    return gl.where(is_a, value_a, value_b), gl.where(is_a, index_a, index_b)


def test_custom_combine(emit):
    def kernel(layout: gl.constexpr):
        x = gl.zeros([16, 32], gl.float32, layout)
        gl.static_assert(gl.reduce(x, 1, largest_magnitude).shape == (16,))
        gl.static_assert(x.reduce(0, largest_magnitude, keep_dims=True).shape == (1, 32))

    ir = emit(kernel, layout=L)
    assert ir.count("math.absf") == 4
    assert ir.count("hk.combine.return") == 2


def test_tuples_reduce_together(emit):
    def kernel(layout: gl.constexpr):
        x = gl.zeros([16, 32], gl.float32, layout)
        i = gl.zeros([16, 32], gl.int32, layout)
        value, index = gl.reduce((x, i), 1, larger_with_index)
        gl.static_assert(value.dtype == gl.float32)
        gl.static_assert(index.dtype == gl.int32)
        gl.static_assert(index.shape == (16,))

    assert "^bb0(%arg0: f32, %arg1: i32, %arg2: f32, %arg3: i32)" in emit(kernel, layout=L)


class Best(NamedTuple):
    value: gl.tensor
    places: tuple


@hocket.jit
def larger_with_places(value_a, places_a, value_b, places_b):
    value, row = larger_with_index(value_a, places_a[0], value_b, places_b[0])
    return value, (row, places_a[1] + places_b[1])


def test_nested_tuples_reduce_together(emit):
    def kernel(layout: gl.constexpr):
        x = gl.zeros([16, 32], gl.float32, layout)
        i = gl.zeros([16, 32], gl.int32, layout)
        best = gl.reduce(Best(x, (i, i)), 1, larger_with_places)
        gl.static_assert(best.value.dtype == gl.float32)
        gl.static_assert(best.places[1].shape == (16,))

    expected = "^bb0(%arg0: f32, %arg1: i32, %arg2: i32, %arg3: f32, %arg4: i32, %arg5: i32)"
    assert expected in emit(kernel, layout=L)


def test_one_dimension_reduces_to_a_scalar(emit):
    def kernel(layout: gl.constexpr):
        x = gl.zeros([32], gl.float32, gl.SliceLayout(0, layout))
        gl.static_assert(gl.sum(x, 0).shape == ())
        gl.static_assert(gl.sum(x, 0, keep_dims=True).shape == (1,))

    emit(kernel, layout=L)


def test_dot_fma(emit):
    def kernel(layout: gl.constexpr, acc_dtype: gl.constexpr):
        a = gl.zeros([16, 8], gl.float16, gl.DotOperandLayout(0, layout))
        b = gl.zeros([8, 32], gl.float16, gl.DotOperandLayout(1, layout, 0))
        acc = gl.zeros([16, 32], acc_dtype, layout)
        gl.static_assert(gl.dot_fma(a, b, acc).type == acc.type)

    for dtype in (gl.float16, gl.float32):
        assert "hk.dot_fma" in emit(kernel, layout=L, acc_dtype=dtype)
