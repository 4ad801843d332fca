"""Mistakes with descriptors of tensors that kernels make."""

from cases import mistake

import hocket.language as gl
from hocket.language.nvidia.hopper import tma

ROWS = gl.constexpr(gl.NVMMASharedLayout(128, 16, 2))


@mistake("*f16, i32", target="sm_80")
def descriptor_before_hopper(x, n):
    tma.make_tensor_descriptor(x, [n, n], [n, 1], [16, 64], ROWS)


@mistake("*f16, i32")
def descriptor_of_a_number(x, n):
    tma.make_tensor_descriptor(n, [n, n], [n, 1], [16, 64], ROWS)


@mistake("*f16, i32")
def sizes_of_one_dimension(x, n):
    tma.make_tensor_descriptor(x, [n], [n, 1], [16, 64], ROWS)


@mistake("*f16, i32")
def strides_without_brackets(x, n):
    tma.make_tensor_descriptor(x, [n, n], n, [16, 64], ROWS)


@mistake("*f16, i32")
def columns_side_by_side(x, n):
    tma.make_tensor_descriptor(x, [n, n], [1, n], [16, 64], ROWS)


@mistake("*f16, i32")
def a_last_stride_known_later(x, n):
    tma.make_tensor_descriptor(x, [n, n], [n, n // n], [16, 64], ROWS)


@mistake("*f16, i32, f32")
def sizes_that_are_floats(x, n, size):
    tma.make_tensor_descriptor(x, [size, n], [n, 1], [16, 64], ROWS)


@mistake("*f16, i32")
def blocks_of_any_size(x, n):
    tma.make_tensor_descriptor(x, [n, n], [n, 1], [n, 64], ROWS)


@mistake("*f16, i32")
def blocks_of_three_rows(x, n):
    tma.make_tensor_descriptor(x, [n, n], [n, 1], [3, 64], ROWS)


@mistake("*f16, i32")
def blocks_of_six_dimensions(x, n):
    tma.make_tensor_descriptor(x, [n, n, n, n, n, n], [n, n, n, n, n, 1], [1, 1, 1, 1, 1, 8], ROWS)


@mistake("*f16, i32")
def a_layout_of_other_elements(x, n):
    tma.make_tensor_descriptor(x, [n, n], [n, 1], [16, 64], gl.NVMMASharedLayout(128, 32, 2))


@mistake("*f16, i32")
def a_layout_that_tma_does_not_know(x, n):
    tma.make_tensor_descriptor(x, [n, n], [n, 1], [16, 64], gl.SwizzledSharedLayout(1, 1, 1, [1, 0]))


@mistake("*f16, i32")
def a_transposed_layout(x, n):
    tma.make_tensor_descriptor(x, [n, n], [n, 1], [64, 64], gl.NVMMASharedLayout(128, 16, 2, transposed=True))


@mistake("*f16, i32")
def short_rows(x, n):
    tma.make_tensor_descriptor(x, [n, n], [n, 1], [16, 4], gl.NVMMASharedLayout(0, 16, 2))


@mistake("*i32, i32")
def integers_that_are_nan(x, n):
    tma.make_tensor_descriptor(x, [n, n], [n, 1], [16, 32], gl.NVMMASharedLayout(128, 32, 2), "nan")


@mistake("*f16, i32")
def unknown_padding(x, n):
    tma.make_tensor_descriptor(x, [n, n], [n, 1], [16, 64], ROWS, "edge")
