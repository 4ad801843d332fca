"""Layouts that do not fit the kernel, the target or the tensor."""

from cases import mistake

import hocket.language as gl

LINE = gl.constexpr(gl.BlockedLayout([1], [32], [4], [0]))
TILE = gl.constexpr(gl.BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0]))
SHARED = gl.constexpr(gl.SwizzledSharedLayout(1, 1, 1, [1, 0]))


@mistake("")
def other_number_of_warps():
    gl.arange(0, 128, layout=gl.BlockedLayout([1], [32], [8], [0]))


@mistake("")
def lanes_of_another_target():
    gl.arange(0, 128, layout=gl.BlockedLayout([1], [64], [4], [0]))


@mistake("")
def slice_of_a_layout_for_one_warp():
    parent: gl.constexpr = gl.BlockedLayout([1, 4], [8, 4], [1, 1], [1, 0])
    gl.arange(0, 128, layout=gl.SliceLayout(0, parent))


@mistake("")
def rank_of_the_layout():
    gl.zeros([64, 64], gl.float32, LINE)


@mistake("")
def shared_layout_for_a_tensor():
    gl.zeros([64, 64], gl.float32, SHARED)


@mistake("")
def number_as_a_layout():
    gl.zeros([64, 64], gl.float32, 4)


@mistake("*f32")
def layout_known_at_run_time(x):
    gl.zeros([64, 64], gl.float32, x)


@mistake("")
def invalid_layout():
    gl.BlockedLayout([1, 3], [8, 4], [4, 1], [1, 0])


@mistake("")
def conversion_that_moves_data():
    x = gl.zeros([64, 64], gl.float32, TILE)
    gl.convert_layout(x, gl.BlockedLayout([4, 1], [4, 8], [1, 4], [0, 1]), assert_trivial=True)


@mistake("f32")
def scalar_converted(x):
    gl.convert_layout(x, LINE)


@mistake("")
def another_layout_pinned():
    gl.set_auto_layout(gl.arange(0, 128, layout=LINE), gl.BlockedLayout([2], [32], [4], [0]))


@mistake("")
def dot_operand_of_another_accumulator():
    a = gl.zeros([64, 16], gl.float32, TILE)
    b = gl.zeros([16, 64], gl.float32, gl.DotOperandLayout(1, TILE))
    gl.dot_fma(a, b, gl.zeros([64, 64], gl.float32, TILE))


@mistake("")
def dot_shapes():
    a = gl.zeros([64, 16], gl.float32, gl.DotOperandLayout(0, TILE))
    b = gl.zeros([32, 64], gl.float32, gl.DotOperandLayout(1, TILE))
    gl.dot_fma(a, b, gl.zeros([64, 64], gl.float32, TILE))


@mistake("")
def dot_dtypes():
    a = gl.zeros([64, 16], gl.float32, gl.DotOperandLayout(0, TILE))
    b = gl.zeros([16, 64], gl.float32, gl.DotOperandLayout(1, TILE))
    gl.dot_fma(a, b, gl.zeros([64, 64], gl.float16, TILE))


@mistake("*f32")
def dot_of_float8(x):
    a = gl.zeros([64, 32], gl.float8e4nv, gl.DotOperandLayout(0, TILE))
    b = gl.zeros([32, 64], gl.float8e4nv, gl.DotOperandLayout(1, TILE))
    gl.dot_fma(a, b, gl.zeros([64, 64], gl.float32, TILE))


@mistake("*f32")
def layout_of_more_lanes_than_a_map_holds(out):
    layout: gl.constexpr = gl.BlockedLayout([1, 1], [1048576, 4], [4, 1], [1, 0])
    gl.store(out, gl.sum(gl.sum(gl.zeros([64, 64], gl.float32, layout), 1), 0))


@mistake("*f32")
def class_of_a_layout_without_arguments(x):
    gl.arange(0, 128, layout=gl.AutoLayout)


@mistake("*f32")
def class_of_a_layout(x):
    gl.arange(0, 128, layout=gl.BlockedLayout)


@mistake("*f32")
def class_of_a_shared_layout(x):
    gl.allocate_shared_memory(gl.float32, [128], gl.SwizzledSharedLayout)


@mistake("*f32")
def misspelt_parameter_of_a_layout(x):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], ordr=[0])
    gl.arange(0, 128, layout=layout)


@mistake("*f32")
def missing_parameter_of_a_layout(x):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4])
    gl.arange(0, 128, layout=layout)
