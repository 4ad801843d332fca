"""Mistakes with to_linear_layout, and with sizes that are not powers of two."""

from cases import mistake

import hocket.language as gl

LINE = gl.constexpr(gl.BlockedLayout([1], [32], [4], [0]))
TILE = gl.constexpr(gl.BlockedLayout([1, 1], [4, 8], [4, 1], [1, 0]))
PADDED = gl.constexpr(gl.PaddedSharedLayout([[32, 4]], [[1], [2], [4], [8], [16], [32]], [], [64]))


@mistake()
def linear_layout_of_another_rank():
    layout: gl.constexpr = gl.to_linear_layout(TILE, [128])


@mistake()
def linear_layout_of_padding():
    layout: gl.constexpr = gl.to_linear_layout(PADDED, [64])


@mistake()
def linear_layout_of_padding_and_another_shape():
    layout: gl.constexpr = gl.to_linear_layout(PADDED, [32])


@mistake()
def linear_layout_of_a_swizzle_and_a_short_row():
    layout: gl.constexpr = gl.to_linear_layout(gl.NVMMASharedLayout(128, 16, 2), [8, 32])


@mistake()
def linear_layout_that_is_not_found_yet():
    layout: gl.constexpr = gl.to_linear_layout(gl.AutoLayout(), [64])


@mistake()
def linear_layout_of_a_tensor():
    i = gl.arange(0, 128, LINE)
    layout: gl.constexpr = gl.to_linear_layout(i, [128])


@mistake()
def linear_layout_of_a_name():
    layout: gl.constexpr = gl.to_linear_layout("blocked", [128])


@mistake()
def linear_layout_of_a_shape_that_is_no_power_of_two():
    layout: gl.constexpr = gl.to_linear_layout(LINE, [96])


@mistake()
def zeros_of_a_size_that_is_no_power_of_two():
    gl.zeros([96], gl.float32, LINE)


@mistake()
def shared_memory_of_a_size_that_is_no_power_of_two():
    gl.allocate_shared_memory(gl.float32, [96, 64], gl.SwizzledSharedLayout(1, 1, 1, [1, 0]))


@mistake()
def a_reshape_to_sizes_that_are_no_powers_of_two():
    i = gl.arange(0, 128, LINE)
    i.reshape(3, 43)


@mistake()
def an_odd_broadcast():
    i = gl.arange(0, 128, gl.SliceLayout(1, TILE))
    i[:, None].broadcast_to(128, 3)
