"""Mistakes with gl.sched_group_barrier."""

from cases import jit, mistake

import hocket.language as gl
from hocket.language import amd

LINE = gl.constexpr(gl.BlockedLayout([1], [32], [4], [0]))


@mistake("")
def unknown_kind():
    gl.sched_group_barrier("mma", 1)


@mistake("")
def unknown_kind_among_others():
    gl.sched_group_barrier(["mfma", "ds_read"], 1)


@mistake("")
def kinds_as_a_mask():
    gl.sched_group_barrier(8, 1)


@mistake("")
def no_kind():
    gl.sched_group_barrier((), 1)


@mistake("")
def group_of_no_instructions():
    gl.sched_group_barrier("mfma", 0)


@mistake("i32")
def count_at_run_time(n):
    gl.sched_group_barrier("mfma", n)


@mistake("")
def negative_group():
    gl.sched_group_barrier("mfma", 1, -1)


@mistake(target="gfx950")
def unknown_bit_of_the_mask():
    amd.cdna4.sched_group_barrier(1 << 12, 1)


@jit
def ordered(a):
    gl.sched_group_barrier("valu", 1)
    return 2 * a


@mistake("")
def in_a_map():
    gl.map_elementwise(ordered, gl.arange(0, 128, layout=LINE))


@jit
def ordered_sum(a, b):
    gl.sched_group_barrier("valu", 1)
    return a + b


@mistake("")
def in_a_reduction():
    gl.reduce(gl.arange(0, 128, layout=LINE), 0, ordered_sum)
