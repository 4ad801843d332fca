"""Scans, gathers, histograms, pairs, and functions for each element."""

from cases import jit, mistake

import hocket.language as gl

LINE = gl.constexpr(gl.BlockedLayout([1], [32], [4], [0]))
TILE = gl.constexpr(gl.BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0]))


@jit
def add(a, b):
    return a + b


# Scans ---------------------------------------------------------------------------------------------------------------


@mistake("")
def scan_along_an_axis_outside():
    gl.associative_scan(gl.zeros([64, 64], gl.float32, TILE), 2, add)


@mistake("f32")
def scan_of_a_scalar(x):
    gl.cumsum(x, 0)


@mistake("")
def scan_without_a_function():
    gl.associative_scan(gl.arange(0, 64, layout=LINE), 0, None)


@jit
def add_three(a, b, c):
    return a + b + c


@mistake("")
def scan_by_a_function_of_three():
    gl.associative_scan(gl.arange(0, 64, layout=LINE), 0, add_three)


@mistake("")
def scan_of_a_pair_by_a_function_of_two():
    i = gl.arange(0, 64, layout=LINE)
    gl.associative_scan((i, i), 0, add)


@jit
def larger_is(a, b):
    return a > b


@mistake("")
def scan_by_a_function_of_another_type():
    gl.associative_scan(gl.arange(0, 64, layout=LINE), 0, larger_is)


@jit
def first_two(a, b, c, d):
    return a, b, c


@mistake("")
def scan_by_a_function_that_returns_too_much():
    i = gl.arange(0, 64, layout=LINE)
    gl.associative_scan((i, i), 0, first_two)


@mistake("")
def scan_of_two_layouts():
    i = gl.arange(0, 64, layout=LINE)
    gl.associative_scan((i, gl.convert_layout(i, gl.SliceLayout(0, TILE))), 0, first_two)


@jit
def tabled(a, b):
    return a + gl.sum(gl.full([32], b, gl.int32, LINE), 0)


@mistake("")
def scan_by_a_function_that_makes_a_tensor():
    gl.associative_scan(gl.arange(0, 64, layout=LINE), 0, tabled)


@mistake("*f32")
def sum_of_pointers(x):
    gl.cumsum(x + gl.arange(0, 64, layout=LINE))


@mistake("i1")
def direction_known_at_run_time(reverse):
    gl.cumsum(gl.arange(0, 64, layout=LINE), 0, reverse)


# Gathers and histograms ----------------------------------------------------------------------------------------------


@mistake("*f32")
def gather_by_floats(x):
    i = gl.arange(0, 64, layout=LINE)
    gl.gather(i, gl.load(x + i), 0)


@mistake("")
def gather_by_bools():
    i = gl.arange(0, 64, layout=LINE)
    gl.gather(i, i > 3, 0)


@mistake("")
def gather_by_a_number():
    gl.gather(gl.arange(0, 64, layout=LINE), 3, 0)


@mistake("")
def gather_of_another_rank():
    gl.gather(gl.zeros([64, 64], gl.float32, TILE), gl.arange(0, 64, layout=LINE), 0)


@mistake("")
def gather_of_other_sizes():
    gl.gather(gl.zeros([64, 64], gl.float32, TILE), gl.zeros([32, 32], gl.int32, TILE), 1)


@mistake("")
def gather_along_an_axis_outside():
    i = gl.arange(0, 64, layout=LINE)
    gl.gather(i, i, 1)


@mistake("*f32")
def histogram_of_floats(x):
    gl.histogram(gl.load(x + gl.arange(0, 64, layout=LINE)), 16, layout=LINE)


@mistake("")
def histogram_of_a_tile():
    gl.histogram(gl.zeros([64, 64], gl.int32, TILE), 16, layout=LINE)


@mistake("")
def histogram_of_ten_bins():
    gl.histogram(gl.arange(0, 64, layout=LINE), 10, layout=LINE)


@mistake("")
def histogram_of_no_bins():
    gl.histogram(gl.arange(0, 64, layout=LINE), 0, layout=LINE)


@mistake("")
def histogram_with_a_mask_of_another_size():
    gl.histogram(gl.arange(0, 64, layout=LINE), 16, mask=gl.arange(0, 32, layout=LINE) > 3, layout=LINE)


@mistake("", lowered=True, num_ctas=2)
def histogram_in_a_cluster():
    pairs: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0], cga_layout=[[1]])
    counts = gl.histogram(gl.arange(0, 256, layout=pairs), 16, layout=gl.BlockedLayout([1], [32], [4], [0]))
    gl.device_print("counts:", counts)


# Pairs ---------------------------------------------------------------------------------------------------------------


@mistake("")
def join_of_two_types():
    gl.join(gl.arange(0, 64, layout=LINE), gl.zeros([64], gl.float32, LINE))


@mistake("")
def join_of_two_layouts():
    gl.join(gl.arange(0, 64, layout=LINE), gl.arange(0, 64, layout=gl.SliceLayout(0, TILE)))


@mistake("i32")
def join_of_scalars(n):
    gl.join(n, n + 1)


@mistake("")
def join_of_too_many_dimensions():
    five: gl.constexpr = gl.BlockedLayout([1] * 5, [1, 1, 1, 1, 32], [4, 1, 1, 1, 1], [4, 3, 2, 1, 0])
    x = gl.zeros([2, 2, 2, 2, 2], gl.int32, five)
    gl.join(x, x)


@mistake("")
def split_of_four():
    gl.split(gl.zeros([64, 4], gl.float32, TILE))


@mistake("")
def split_between_lanes():
    gl.split(gl.zeros([64, 2], gl.float32, gl.BlockedLayout([1, 1], [16, 2], [4, 1], [1, 0])))


# Functions of elements -----------------------------------------------------------------------------------------------


@jit
def negate(a):
    return -a


@mistake("f32")
def map_over_a_scalar(x):
    gl.map_elementwise(negate, x)


@mistake("")
def map_over_nothing():
    gl.map_elementwise(negate)


@mistake("")
def map_of_more_than_a_lane_has():
    gl.map_elementwise(negate, gl.arange(0, 128, layout=LINE), pack=2)


@mistake("")
def map_of_three():
    gl.map_elementwise(negate, gl.arange(0, 128, layout=LINE), pack=3)


@jit
def only_one(a, b, c, d):
    return a + b + c + d


@mistake("")
def map_that_returns_one_of_four():
    gl.map_elementwise(only_one, gl.zeros([64, 64], gl.float32, TILE), pack=4)


@jit
def one_of_each(a, b):
    return a, a > b


@mistake("")
def map_that_returns_two_types():
    gl.map_elementwise(one_of_each, gl.zeros([64, 64], gl.float32, TILE), pack=2)


@jit
def look_up(p):
    return gl.load(p)


@mistake("*f32")
def map_that_loads(x):
    gl.map_elementwise(look_up, x + gl.arange(0, 128, layout=LINE))


@mistake("")
def map_over_two_layouts():
    gl.map_elementwise(add, gl.arange(0, 64, layout=LINE), gl.arange(0, 64, layout=gl.SliceLayout(0, TILE)))


# Assembly ------------------------------------------------------------------------------------------------------------


@mistake("")
def assembly_with_too_few_constraints():
    x = gl.zeros([128], gl.float32, LINE)
    gl.inline_asm_elementwise("add.f32 $0, $1, $2;", "=f,f", [x, x], gl.float32, is_pure=True, pack=1)


@mistake("")
def assembly_of_packed_bytes():
    x = gl.zeros([512], gl.int8, gl.BlockedLayout([4], [32], [4], [0]))
    gl.inline_asm_elementwise("not.b32 $0, $1;", "=r,r,r,r,r", [x], gl.int8, is_pure=True, pack=4)


@mistake("")
def assembly_without_a_type():
    x = gl.zeros([128], gl.float32, LINE)
    gl.inline_asm_elementwise("neg.f32 $0, $1;", "=f,f", [x], None, is_pure=True, pack=1)


@mistake("")
def assembly_for_three():
    x = gl.zeros([128], gl.float32, LINE)
    gl.inline_asm_elementwise("neg.f32 $0, $1;", "=f,f", [x], gl.float32, is_pure=True, pack=3)


@mistake("*f32", lowered=True)
def assembly_with_a_constraint_that_is_none(p):
    x = gl.load(p + gl.arange(0, 128, layout=LINE))
    y = gl.inline_asm_elementwise("neg.f32 $0, $1;", "=f,{", [x], gl.float32, is_pure=True, pack=1)
    gl.store(p + gl.arange(0, 128, layout=LINE), y)
