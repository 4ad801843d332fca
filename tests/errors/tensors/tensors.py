"""Tensors that cannot exist, and views that do not fit."""

from cases import jit, mistake

import hocket.language as gl

LINE = gl.constexpr(gl.BlockedLayout([1], [32], [4], [0]))
TILE = gl.constexpr(gl.BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0]))


@mistake("")
def arange_of_another_size():
    gl.arange(0, 100, layout=LINE)


@mistake("")
def arange_of_nothing():
    gl.arange(8, 8, layout=LINE)


@mistake("")
def size_not_a_power_of_two():
    gl.zeros([64, 48], gl.float32, TILE)


@mistake("")
def too_many_elements():
    gl.zeros([2048, 1024], gl.float32, TILE)


@mistake("i32")
def size_known_at_run_time(n):
    gl.zeros([64, n], gl.float32, TILE)


@mistake("")
def dtype_given_as_a_string():
    gl.zeros([64, 64], "float32", TILE)


@mistake("*f32")
def tensor_as_fill_value(x):
    gl.full([128], gl.load(x + gl.arange(0, 128, layout=LINE)), gl.float32, LINE)


@mistake("")
def expanded_along_another_axis():
    gl.arange(0, 64, layout=gl.SliceLayout(1, TILE))[None, :]


@mistake("")
def expanded_without_a_slice():
    gl.arange(0, 64, layout=LINE)[:, None]


@mistake("f32")
def scalar_expanded(x):
    gl.expand_dims(x, 0)


@mistake("")
def tensor_indexed():
    gl.arange(0, 64, layout=LINE)[0]


@mistake("")
def tensor_sliced():
    gl.arange(0, 64, layout=LINE)[0:32]


@mistake("")
def too_many_subscripts():
    gl.arange(0, 64, layout=LINE)[:, :]


@mistake("*f32")
def pointer_indexed(x):
    x[0]


@mistake("")
def broadcast_of_another_size():
    gl.arange(0, 64, layout=LINE).broadcast_to(128)


@mistake("")
def reshape_to_more_elements():
    gl.arange(0, 64, layout=LINE).reshape(8, 16)


@mistake("")
def permutation_with_a_repetition():
    gl.zeros([64, 64], gl.float32, TILE).permute(0, 0)


@mistake("")
def axis_outside():
    gl.sum(gl.zeros([64, 64], gl.float32, TILE), axis=2)


@mistake("f32")
def reduction_of_a_scalar(x):
    gl.sum(x, 0)


@mistake("")
def everything_reduced_but_kept():
    gl.max(gl.zeros([64, 64], gl.float32, TILE), keep_dims=True)


@mistake("*f32")
def bits_of_floats_reduced(x):
    gl.xor_sum(gl.load(x + gl.arange(0, 128, layout=LINE)), 0)


@jit
def through_a_tensor(a, b):
    return a + gl.sum(gl.full([128], 1, gl.int32, LINE), 0)


@mistake("")
def combine_function_that_makes_a_tensor():
    gl.reduce(gl.arange(0, 128, layout=LINE), 0, through_a_tensor)


@jit
def waiting(a, b):
    gl.barrier()
    return a + b


@mistake("")
def combine_function_that_waits():
    gl.reduce(gl.arange(0, 128, layout=LINE), 0, waiting)


@mistake("")
def tensor_as_condition():
    if gl.arange(0, 64, layout=LINE) > 3:
        pass


@mistake("i32")
def program_id_of_a_fourth_axis(n):
    gl.program_id(3)


@mistake("*f32")
def print_of_pointers(x):
    gl.device_print("x:", x)


@mistake("")
def print_of_two_layouts():
    gl.device_print("both:", gl.arange(0, 64, layout=LINE), 1, gl.arange(0, 32, layout=LINE))


@mistake("i32")
def print_with_sep(n):
    print("n", n, sep="")


@mistake("")
def static_range_as_a_value():
    gl.static_range(4)


@mistake("")
def reshape_to_more_dimensions_than_there_are():
    gl.arange(0, 64, layout=LINE).reshape(2, 2, 2, 2, 2, 2)


@mistake("")
def a_sixth_dimension():
    gl.zeros([64], gl.float32).reshape(4, 2, 2, 2, 2)[:, None]


@mistake("")
def zeros_of_six_dimensions():
    gl.zeros([2, 2, 2, 2, 2, 2], gl.float32)
