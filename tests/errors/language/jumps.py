"""break, continue and return in loops."""

from cases import jit, mistake

import hocket.language as gl


@mistake("*f32, i32")
def name_bound_before_a_break_only(out, n):
    for i in range(n):
        found = i
        if i * i > n:
            break
    gl.store(out, found)


@mistake("*f32, i32")
def carried_value_changes_before_a_break(out, n):
    total = 0
    for i in range(n):
        if i > 3:
            total = 1.5
            break
        total += i
    gl.store(out, total)


@jit
def first_multiple(n):
    for i in range(1, n):
        if i % 7 == 0:
            return i
    return 0.5


@mistake("*f32, i32")
def loop_and_end_return_different_types(out, n):
    gl.store(out, first_multiple(n))


@jit
def nothing_after(n):
    for i in range(1, n):
        if i % 7 == 0:
            return i


@mistake("*f32, i32")
def function_that_may_return_nothing(out, n):
    gl.store(out, nothing_after(n))


@jit
def two_types(n):
    for i in range(1, n):
        if i % 7 == 0:
            return i
        if i % 5 == 0:
            return 1.0
    return 0


@mistake("*f32, i32")
def loop_returns_different_types(out, n):
    gl.store(out, two_types(n))


@jit
def buffer_of(n):
    for i in range(n):
        if i > 2:
            return gl.allocate_shared_memory(gl.float32, [64], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    return gl.allocate_shared_memory(gl.float32, [64], gl.SwizzledSharedLayout(1, 1, 1, [0]))


@mistake("*f32, i32")
def loop_returns_shared_memory(out, n):
    gl.store(out, gl.sum(buffer_of(n).load(gl.BlockedLayout([1], [32], [4], [0])), 0))


@mistake("*f32, i32")
def kernel_returns_a_value_in_a_loop(out, n):
    for i in range(n):
        if i > 3:
            return i


@mistake("*f32, i32", num_warps=8)
def break_inside_a_stage(out, n):
    for i in range(n):
        with gl.warp_pipeline_stage("load"):
            if i > n:
                break
            gl.store(out + i, 1.0)
        with gl.warp_pipeline_stage("compute"):
            gl.store(out, 2.0)


@mistake("*f32, i32", num_warps=8)
def stages_in_a_loop_with_break(out, n):
    for i in range(n):
        if i * i > n:
            break
        with gl.warp_pipeline_stage("load"):
            gl.store(out + i, 1.0)
        with gl.warp_pipeline_stage("compute"):
            gl.store(out, 2.0)


@mistake("*f32, i32")
def continue_inside_a_scope(out, n):
    for i in range(n):
        with gl.profiler.scope("store"):
            if i > n:
                continue
            gl.store(out + i, 1.0)


@mistake("*f32, i32")
def prefetched_loop_with_break(out, n):
    for i in gl.range(0, n, num_stages=3):
        if i > 5:
            break
        gl.store(out + i, 1.0)


@mistake("*f32, i32")
def unrolled_loop_with_return(out, n):
    for i in gl.range(0, n, loop_unroll_factor=2):
        if i > 5:
            return
        gl.store(out + i, 1.0)


@mistake("*f32, i32")
def else_after_a_loop_with_break(out, n):
    for i in range(n):
        if i > 5:
            break
    else:
        gl.store(out, 1.0)


@mistake("*f32, i32")
def while_true_with_continue_only(out, n):
    while True:
        if n > 3:
            continue
        gl.store(out, 1.0)


@mistake("*f32, i32")
def unrolled_loop_changes_a_type_after_a_break(out, n):
    total = 0
    for i in gl.static_range(3):
        if n > i:
            break
        total = total + 0.5
    gl.store(out, total)
