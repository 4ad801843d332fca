"""Layouts left to the compiler where it finds none, or two different ones."""

from cases import mistake

import hocket.language as gl

LINE = gl.constexpr(gl.BlockedLayout([1], [32], [4], [0]))
WIDE = gl.constexpr(gl.BlockedLayout([2], [32], [4], [0]))
TILE = gl.constexpr(gl.BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0]))


@mistake("*f32", lowered=True)
def two_layouts_for_one_value(x):
    value = gl.load(x + gl.arange(0, 128))
    gl.store(x + gl.arange(0, 128, layout=LINE), value)
    gl.store(x + gl.arange(0, 128, layout=WIDE), value)


@mistake("*f32", lowered=True)
def two_operands_that_name_layouts(x):
    value = gl.load(x + gl.arange(0, 128))
    left = value + gl.zeros([128], gl.float32, LINE)
    right = value + gl.zeros([128], gl.float32, WIDE)
    gl.store(x + gl.arange(0, 128, layout=LINE), left + gl.convert_layout(right, LINE))


@mistake("*f32", lowered=True)
def a_loop_that_needs_two_layouts(x):
    total = gl.zeros([128], gl.float32)
    for _ in range(10):
        total = total + gl.load(x + gl.arange(0, 128, layout=LINE))
    gl.store(x + gl.arange(0, 128, layout=WIDE), total)


@mistake("*f32", lowered=True)
def set_twice(x):
    value = gl.load(x + gl.arange(0, 128))
    first = gl.set_auto_layout(value, LINE)
    second = gl.set_auto_layout(value, WIDE)
    gl.store(x + gl.arange(0, 128, layout=LINE), first)
    gl.store(x + gl.arange(0, 128, layout=WIDE), second)


@mistake("*f32", lowered=True)
def a_view_and_its_source(x):
    flat = gl.load(x + gl.arange(0, 64))
    column = flat[:, None] + gl.zeros([64, 1], gl.float32, TILE)
    gl.store(x + gl.arange(0, 64, layout=LINE), flat)
    gl.store(x + gl.arange(0, 64, layout=gl.SliceLayout(1, TILE))[:, None], column)


@mistake("*f32")
def set_to_an_open_layout(x):
    gl.set_auto_layout(gl.load(x + gl.arange(0, 128)), gl.AutoLayout())


@mistake("*f32")
def converted_to_an_open_layout(x):
    gl.convert_layout(gl.load(x + gl.arange(0, 128, layout=LINE)), gl.CoalescedLayout())


@mistake("*f32")
def trivial_conversion_of_a_coalesced_value(x):
    value = gl.load(x + gl.arange(0, 128, layout=gl.CoalescedLayout()))
    gl.convert_layout(value, LINE, assert_trivial=True)


@mistake("*f32")
def set_where_a_layout_is_known(x):
    gl.set_auto_layout(gl.load(x + gl.arange(0, 128, layout=LINE)), WIDE)


@mistake("")
def slice_of_an_open_layout():
    gl.arange(0, 128, layout=gl.SliceLayout(0, gl.AutoLayout()))


@mistake("")
def product_without_layouts():
    a = gl.zeros([16, 16], gl.float32)
    gl.dot_fma(a, a, a)


@mistake("*f32")
def ranks_differ(x):
    gl.arange(0, 128) + gl.zeros([128, 1], gl.int32)


@mistake("*f32")
def mask_that_is_a_number(x):
    gl.store(x + gl.arange(0, 128), 1.0, mask=2)


@mistake("")
def warps_of_a_linear_layout():
    layout: gl.constexpr = gl.DistributedLinearLayout([], [[1], [2], [4], [8], [16]], [[32], [64]], [], [128])
    gl.warps_per_cta(layout)


@mistake("")
def rows_that_miss_elements():
    gl.DistributedLinearLayout([], [[1], [2], [3], [4], [8]], [[16], [32]], [], [128])
