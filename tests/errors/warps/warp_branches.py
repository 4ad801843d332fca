"""Branches that may diverge between warps."""

from cases import mistake

import hocket.language as gl

LINE = gl.constexpr(gl.BlockedLayout([1], [32], [4], [0]))


@mistake("i32")
def any_in_warp_of_a_scalar(x):
    gl.any_in_warp(x > 3)


@mistake("")
def any_in_warp_of_numbers():
    gl.any_in_warp(gl.arange(0, 128, layout=LINE))


@mistake("*i32", lowered=True)
def store_in_a_branch_of_warps(x):
    i = gl.arange(0, 128, layout=LINE)
    if gl.any_in_warp(i > 100):
        gl.store(x + i, i)


@mistake("*i32", lowered=True)
def scalar_out_of_a_branch_of_warps(x):
    i = gl.arange(0, 128, layout=LINE)
    n = 1
    if gl.any_in_warp(i > 100):
        n = 2
    gl.store(x + i, i + n)


@mistake("*i32", lowered=True)
def tensor_that_warps_share_out_of_their_branch(x):
    i = gl.arange(0, 64, layout=LINE)
    y = i
    if gl.any_in_warp(i > 50):
        y = i + 1
    gl.store(x + i, y)


@mistake("*i32", lowered=True)
def sum_of_warps_in_their_branch(x):
    i = gl.arange(0, 128, layout=LINE)
    y = i
    if gl.any_in_warp(i > 100):
        y = i + gl.sum(i, axis=0)
    gl.store(x + i, y)
