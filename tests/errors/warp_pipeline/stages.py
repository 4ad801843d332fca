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


@mistake("*f32", target="sm_90a", num_warps=4, lowered=True)
def too_few_warps_on_nvidia(x):
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


@mistake("*f32", target="gfx950", num_warps=8)
def priority_that_is_a_bool(x):
    with amd.warp_pipeline_stage("load", priority=True):
        pass


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


@mistake("*f32", target="gfx950", num_warps=16)
def a_lag_too_few(x):
    with amd.warp_pipeline_stage("load", phase_gap=(0, 1, 2)):
        gl.store(x, 1.0)


@mistake("*f32", target="gfx950", num_warps=16)
def lags_that_begin_with_one(x):
    with amd.warp_pipeline_stage("load", phase_gap=(1, 1, 2, 3)):
        gl.store(x, 1.0)


@mistake("*f32", target="gfx950", num_warps=16)
def lags_that_decrease(x):
    with amd.warp_pipeline_stage("load", phase_gap=(0, 2, 1, 3)):
        gl.store(x, 1.0)


@mistake("*f32", target="gfx950", num_warps=8)
def lags_that_are_equal(x):
    with amd.warp_pipeline_stage("load", phase_gap=(0, 0)):
        gl.store(x, 1.0)


@mistake("*f32", target="gfx950", num_warps=8)
def label_that_is_no_string(x):
    with amd.warp_pipeline_stage(1):
        gl.store(x, 1.0)


@mistake("*f32, i32", target="gfx950", num_warps=8)
def no_iterations_in_flight(x, n):
    for i in gl.range(n, num_stages=0):
        gl.store(x + i, 1.0)


@mistake("*f32, i32", target="sm_90a")
def too_many_iterations_in_one(x, n):
    for i in gl.range(n, loop_unroll_factor=1000):
        gl.store(x + i, 1.0)


@mistake("*f32, i32", target="gfx950", num_warps=8)
def unrolling_by_a_run_time_value(x, n):
    for i in gl.range(n, loop_unroll_factor=n):
        gl.store(x + i, 1.0)


@mistake("*f32, i32", target="gfx950", num_warps=8)
def unknown_option(x, n):
    for i in gl.range(n, stages=2):
        gl.store(x + i, 1.0)


# Found by the partition pass -----------------------------------------------------------------------------------------

ROWS = gl.constexpr(gl.BlockedLayout([1, 8], [8, 8], [8, 1], [1, 0]))
COLUMNS = gl.constexpr(gl.BlockedLayout([1, 8], [8, 8], [1, 8], [1, 0]))
PLAIN = gl.constexpr(gl.SwizzledSharedLayout(1, 1, 1, [1, 0]))


@mistake("*f32", target="gfx950", num_warps=4, lowered=True)
def too_few_warps(x):
    for i in range(8):
        with amd.warp_pipeline_stage("load"):
            value = gl.load(x + i)
        with amd.warp_pipeline_stage("store"):
            gl.store(x + i, value)


@mistake("*f32", target="sm_90a", num_warps=32, lowered=True)
def too_many_warps(x):
    for i in range(8):
        with amd.warp_pipeline_stage("load"):
            value = gl.load(x + i)
        with amd.warp_pipeline_stage("store"):
            gl.store(x + i, value)


@mistake("*f32", target="gfx950", num_warps=8, lowered=True)
def one_stage_only(x):
    for i in range(8):
        with amd.warp_pipeline_stage("all"):
            gl.store(x + i, gl.load(x + i))


@mistake("*f32", target="gfx950", num_warps=8, lowered=True)
def stages_with_work_between(x):
    with amd.warp_pipeline_stage("load"):
        value = gl.load(x)
    gl.store(x + 1, value)
    with amd.warp_pipeline_stage("compute"):
        gl.store(x, value * value)


@mistake("*f32", target="gfx950", num_warps=8, lowered=True)
def store_between_stages_of_a_loop(x):
    for i in range(8):
        with amd.warp_pipeline_stage("load"):
            value = gl.load(x + i)
        gl.store(x + i, value)
        with amd.warp_pipeline_stage("compute"):
            gl.store(x, value * value)


@mistake("*f32", target="gfx950", num_warps=8, lowered=True)
def tensor_after_the_stages(x):
    offsets = gl.arange(0, 512, layout=gl.BlockedLayout([1], [64], [8], [0]))
    for i in range(8):
        with amd.warp_pipeline_stage("load"):
            value = gl.load(x + offsets)
        with amd.warp_pipeline_stage("store"):
            gl.store(x + offsets, value)
        offsets += 512


@mistake("*f32", target="gfx950", num_warps=8, lowered=True)
def loop_in_a_stage(x):
    for i in range(8):
        with amd.warp_pipeline_stage("load"):
            value = 0.0
            for j in range(gl.num_programs(0)):
                value += gl.load(x + j)
        with amd.warp_pipeline_stage("store"):
            gl.store(x + i, value)


@mistake("*f32", target="gfx950", num_warps=8, lowered=True)
def pipeline_in_a_pipeline(x):
    for i in range(8):
        with amd.warp_pipeline_stage("load"):
            value = gl.load(x + i)
        for j in range(gl.num_programs(0)):
            with amd.warp_pipeline_stage("inner load"):
                value = gl.load(x + j)
            with amd.warp_pipeline_stage("inner store"):
                gl.store(x + j, value)
        with amd.warp_pipeline_stage("store"):
            gl.store(x + i, value)


@mistake("*f32", target="gfx950", num_warps=8, lowered=True)
def loop_between_stages(x):
    for i in range(8):
        with amd.warp_pipeline_stage("load"):
            value = gl.load(x + i)
        for j in range(gl.num_programs(0)):
            value += gl.load(x + j)
        with amd.warp_pipeline_stage("store"):
            gl.store(x + i, value)


@mistake("*f32", target="gfx950", num_warps=8, lowered=True)
def wait_in_a_stage(x):
    for i in range(8):
        with amd.warp_pipeline_stage("load"):
            amd.cdna4.async_copy.wait_group(0)
            value = gl.load(x + i)
        with amd.warp_pipeline_stage("store"):
            gl.store(x + i, value)


@mistake("*f32", target="gfx950", num_warps=8, lowered=True)
def barrier_in_a_stage(x):
    for i in range(8):
        with amd.warp_pipeline_stage("load"):
            value = gl.load(x + i)
        with amd.warp_pipeline_stage("store"):
            if gl.program_id(0) == 0:
                gl.barrier()
            gl.store(x + i, value)


@mistake("*f32", target="gfx950", num_warps=8, lowered=True)
def two_waits_in_a_gap(x):
    for i in range(8):
        with amd.warp_pipeline_stage("load"):
            value = gl.load(x + i)
        amd.cdna4.async_copy.wait_group(1)
        gl.barrier()
        with amd.warp_pipeline_stage("store"):
            gl.store(x + i, value)


@mistake("*f32", target="gfx950", num_warps=8, lowered=True)
def waits_at_top_and_bottom(x):
    for i in range(8):
        amd.cdna4.async_copy.wait_group(1)
        with amd.warp_pipeline_stage("load"):
            value = gl.load(x + i)
        with amd.warp_pipeline_stage("store"):
            gl.store(x + i, value)
        amd.cdna4.async_copy.wait_group(1)


@mistake("*f32", target="gfx950", num_warps=8, lowered=True)
def stage_in_a_branch(x):
    for i in range(8):
        with amd.warp_pipeline_stage("load"):
            value = gl.load(x + i)
        if gl.program_id(0) == 0:
            with amd.warp_pipeline_stage("store"):
                gl.store(x + i, value)


@mistake("*f32", target="gfx950", num_warps=8, lowered=True)
def stage_in_a_while_loop(x):
    i = gl.num_programs(0)
    while i > 0:
        with amd.warp_pipeline_stage("load"):
            value = gl.load(x + i)
        with amd.warp_pipeline_stage("store"):
            gl.store(x + i, value)
        i -= 1


@mistake("*f32", target="gfx950", num_warps=8, lowered=True)
def reduction_over_warps(x):
    rows = gl.arange(0, 64, layout=gl.SliceLayout(1, ROWS))
    columns = gl.arange(0, 64, layout=gl.SliceLayout(0, ROWS))
    for i in range(8):
        with amd.warp_pipeline_stage("load"):
            tile = gl.load(x + i + rows[:, None] * 64 + columns[None, :])
        with amd.warp_pipeline_stage("sum"):
            gl.store(x + columns, gl.sum(tile, axis=0))


@mistake("*f32", target="gfx950", num_warps=8, lowered=True)
def reduction_of_all_elements(x):
    i = gl.arange(0, 512, layout=gl.BlockedLayout([1], [64], [8], [0]))
    for k in range(8):
        with amd.warp_pipeline_stage("load"):
            tile = gl.load(x + k * 512 + i)
        with amd.warp_pipeline_stage("scale"):
            gl.store(x + k * 512 + i, tile / gl.max(tile))


@mistake("*f32", target="gfx950", num_warps=8, lowered=True)
def conversion_between_warps(x):
    rows = gl.arange(0, 64, layout=gl.SliceLayout(1, ROWS))
    columns = gl.arange(0, 64, layout=gl.SliceLayout(0, ROWS))
    for i in range(8):
        with amd.warp_pipeline_stage("load"):
            tile = gl.load(x + i + rows[:, None] * 64 + columns[None, :])
        with amd.warp_pipeline_stage("turn"):
            turned = gl.convert_layout(tile * 2.0, COLUMNS)
            gl.store(x + gl.convert_layout(rows[:, None] * 64 + columns[None, :], COLUMNS), turned)


@mistake("*f32", target="gfx950", num_warps=8, lowered=True)
def atomic_for_all_warps(x):
    for i in range(8):
        with amd.warp_pipeline_stage("add"):
            old = gl.atomic_add(x, 1.0)
        with amd.warp_pipeline_stage("store"):
            gl.store(x + i, old)


@mistake("*f32", target="gfx950", num_warps=8, lowered=True)
def phase_gap_of_a_later_stage(x):
    for i in range(8):
        with amd.warp_pipeline_stage("load"):
            value = gl.load(x + i)
        with amd.warp_pipeline_stage("store", phase_gap=1):
            gl.store(x + i, value)


@mistake("*f32", target="gfx950", num_warps=8, lowered=True)
def phase_gap_of_all_stages(x):
    for i in range(8):
        with amd.warp_pipeline_stage("load", phase_gap=2):
            value = gl.load(x + i)
        with amd.warp_pipeline_stage("store"):
            gl.store(x + i, value)


@mistake("*f32", target="gfx950", num_warps=16, lowered=True)
def four_groups_with_two_stages(x):
    for i in range(8):
        with amd.warp_pipeline_stage("load"):
            value = gl.load(x + i)
        with amd.warp_pipeline_stage("store"):
            gl.store(x + i, value)


@mistake("*f32", target="gfx950", num_warps=16, lowered=True)
def lag_as_long_as_the_pipeline(x):
    for i in range(8):
        with amd.warp_pipeline_stage("load", phase_gap=(0, 1, 1, 2)):
            value = gl.load(x + i)
        with amd.warp_pipeline_stage("store"):
            gl.store(x + i, value)


@mistake("*f32", target="gfx950", num_warps=8, lowered=True)
def pipelined_by_two(x):
    for i in gl.range(8, num_stages=2):
        with amd.warp_pipeline_stage("load"):
            value = gl.load(x + i)
        with amd.warp_pipeline_stage("store"):
            gl.store(x + i, value)


@mistake("*f32", target="gfx950", num_warps=8, lowered=True)
def iterations_by_what_the_kernel_writes(x):
    count = gl.load(x).to(gl.int32)
    for i in range(count * 2):
        with amd.warp_pipeline_stage("load"):
            value = gl.load(x + i)
        with amd.warp_pipeline_stage("store"):
            gl.store(x + i, value)


@mistake("*f32, *f32", target="gfx950", num_warps=8, lowered=True)
def pipeline_after_a_volatile_flag(x, flag):
    if gl.load(flag, volatile=True) > 0.0:
        for i in range(8):
            with amd.warp_pipeline_stage("load"):
                value = gl.load(x + i)
            with amd.warp_pipeline_stage("store"):
                gl.store(x + i, value)


@mistake("*f32", target="gfx950", num_warps=8, lowered=True)
def phase_gap_that_leaves_a_stage_alone(x):
    with amd.warp_pipeline_stage("load"):
        value = gl.load(x)
    with amd.warp_pipeline_stage("compute", phase_gap=1):
        value = value * 2
    with amd.warp_pipeline_stage("store"):
        gl.store(x, value)


@mistake("*f32", target="gfx950", num_warps=8)
def label_of_two_lines(x):
    with amd.warp_pipeline_stage("load\nand compute"):
        gl.store(x, 1.0)
