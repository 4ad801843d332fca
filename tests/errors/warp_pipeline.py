"""Mistakes with the stages of warp pipelines."""

from cases import jit, mistake

import hocket.language as gl
from hocket.language import amd

# In the source ------------------------------------------------------------------------------------------------------


@mistake("*f32", target="gfx950", num_warps=8)
def stage_that_is_not_called(x):
    with amd.warp_pipeline_stage:
        gl.store(x, 1.0)


@mistake("*f32", target="gfx950", num_warps=8)
def stage_without_with(x):
    amd.warp_pipeline_stage("load")
    gl.store(x, 1.0)


@mistake("*f32", target="gfx950", num_warps=8)
def stage_with_a_name(x):
    with amd.warp_pipeline_stage("load") as stage:
        gl.store(x, stage)


@mistake("*f32", target="gfx950", num_warps=8)
def two_stages_in_one_with(x):
    with amd.warp_pipeline_stage("load"), amd.warp_pipeline_stage("compute"):
        gl.store(x, 1.0)


@mistake("*f32", target="gfx950", num_warps=8)
def another_function_in_with(x):
    with gl.load(x):
        gl.store(x, 1.0)


@jit
def one_stage(x):
    with amd.warp_pipeline_stage("inner"):
        gl.store(x, 1.0)


@mistake("*f32", target="gfx950", num_warps=8)
def stage_in_a_stage(x):
    with amd.warp_pipeline_stage("outer"):
        one_stage(x)


@mistake("*f32, i32", target="gfx950", num_warps=8)
def return_from_a_stage(x, n):
    with amd.warp_pipeline_stage("load"):
        if n > 0:
            return
        gl.store(x, 1.0)


@mistake("*f32", target="sm_90a", num_warps=8)
def stage_on_another_vendors_gpu(x):
    with amd.warp_pipeline_stage("load"):
        gl.store(x, 1.0)


@mistake("*f32", target="gfx950", num_warps=8)
def priority_too_high(x):
    with amd.warp_pipeline_stage("load", priority=4):
        gl.store(x, 1.0)


@mistake("*f32", target="gfx950", num_warps=8)
def priority_below_zero(x):
    with amd.warp_pipeline_stage("load", priority=-1):
        gl.store(x, 1.0)


@mistake("*f32, i32", target="gfx950", num_warps=8)
def priority_known_at_run_time(x, n):
    with amd.warp_pipeline_stage("load", priority=n):
        gl.store(x, 1.0)


@mistake("*f32", target="gfx950", num_warps=8)
def priority_without_its_name(x):
    with amd.warp_pipeline_stage("load", 1):
        gl.store(x, 1.0)


@mistake("*f32", target="gfx950", num_warps=8)
def phase_gap_too_large(x):
    with amd.warp_pipeline_stage("load", phase_gap=3):
        gl.store(x, 1.0)


@mistake("*f32", target="gfx950", num_warps=8)
def label_that_is_no_string(x):
    with amd.warp_pipeline_stage(1):
        gl.store(x, 1.0)


@mistake("*f32, i32", target="gfx950", num_warps=8)
def no_iterations_in_flight(x, n):
    for i in gl.range(n, num_stages=0):
        gl.store(x + i, 1.0)


@mistake("*f32, i32", target="gfx950", num_warps=8)
def unrolling_by_a_run_time_value(x, n):
    for i in gl.range(n, loop_unroll_factor=n):
        gl.store(x + i, 1.0)


@mistake("*f32, i32", target="gfx950", num_warps=8)
def unknown_wish(x, n):
    for i in gl.range(n, stages=2):
        gl.store(x + i, 1.0)
