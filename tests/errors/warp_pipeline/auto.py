"""Mistakes with `warp_pipeline` of gl.range."""

from cases import mistake

import hocket.language as gl
from hocket.language import amd


@mistake("*f32, i32", target="gfx950", num_warps=8)
def another_word(x, n):
    for k in gl.range(n, warp_pipeline="on"):
        gl.store(x + k, 1.0)


@mistake("*f32, i32", target="gfx950", num_warps=8)
def a_bool(x, n):
    for k in gl.range(n, warp_pipeline=True):
        gl.store(x + k, 1.0)


@mistake("*f32, i32", target="gfx950", num_warps=8)
def known_at_run_time_only(x, n):
    for k in gl.range(n, warp_pipeline=n):
        gl.store(x + k, 1.0)


@mistake("*f32, i32", target="gfx950", num_warps=8)
def loop_that_breaks(x, n):
    for k in gl.range(n, warp_pipeline="auto"):
        if gl.load(x + k) > 0:
            break


@mistake("*f32, i32", target="gfx950", num_warps=8, lowered=True)
def loop_with_stages(x, n):
    for k in gl.range(n, warp_pipeline="auto"):
        with amd.warp_pipeline_stage("load"):
            value = gl.load(x + k)
        with amd.warp_pipeline_stage("store"):
            gl.store(x + k + n, value)
