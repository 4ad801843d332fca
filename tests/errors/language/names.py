"""Names that are unknown, have no value here, or may not be read."""

from cases import mistake

import hocket.language as gl

SETTINGS = {"scale": 2.0}


@mistake("*f32")
def misspelt_local(out):
    offset = gl.program_id(0)
    gl.store(out + ofset, 1.0)


@mistake("*f32")
def misspelt_builtin(out):
    gl.store(out + gl.programid(0), 1.0)


@mistake("*f32")
def builtin_of_no_vendor(out):
    product = gl.mfma(out, out, out)
    gl.store(out, product)


@mistake("*f32")
def builtin_of_two_vendors(out):
    gl.amd.commit_group()


@mistake("*f32")
def stage_that_is_not_imported(out):
    with warp_pipeline_stage("load"):
        gl.store(out, 1.0)


@mistake("*f32", BLOCK=64)
def misspelt_attribute(out, BLOCK: gl.constexpr):
    i = gl.arange(0, BLOCK, layout=gl.BlockedLayout([1], [32], [4], [0]))
    gl.store(out + i, i.typo(gl.float32))


@mistake("*f32")
def used_before_assignment(out):
    gl.store(out, value)
    value = 1.0


@mistake("*f32, i32")
def assigned_in_one_branch(out, n):
    if n > 0:
        value = 1.0
    gl.store(out, value)


@mistake("*f32, i32")
def assigned_in_a_loop_only(out, n):
    for _ in range(n):
        value = 1.0
    gl.store(out, value)


@mistake("*f32, i32")
def assigned_in_a_branch_of_a_loop_that_is_not_taken(out, n):
    for _ in range(n):
        if n is None:
            value = 1.0
    gl.store(out, value)


@mistake("*f32, i32")
def loop_variable_after_the_loop(out, n):
    for i in range(n):
        gl.store(out + i, 1.0)
    gl.store(out + i, 2.0)


@mistake("*f32")
def mutable_global(out):
    gl.store(out, SETTINGS["scale"])
