"""`with`: the stages of warp pipelines, and what is bound inside them. gl.range with requests about its loop."""

import pytest

import hocket
import hocket.language as gl
from hocket.language import amd

pytestmark = pytest.mark.quick

GFX950 = {"_target": "gfx950", "_num_warps": 8}


def stages(x, out, n):
    total = 0.0
    for i in range(n):
        with amd.warp_pipeline_stage("load", priority=1, phase_gap=2):
            value = gl.load(x + i)
        with gl.amd.warp_pipeline_stage(label=None):
            total += value
        with amd.warp_pipeline_stage("pause"):
            pass
        total += value * 2.0
    gl.store(out, total)


def test_markers_bracket_the_body(emit, check):
    check(
        emit(stages, "*f32, *f32, i32", **GFX950),
        """
        scf.for
        hk.stage_begin "load" in_loop {phase_gap = 2 : i32, priority = 1 : i32}
        hk.load
        hk.stage_end
        hk.stage_begin "" in_loop
        arith.addf
        hk.stage_end
        hk.stage_begin "pause" in_loop
        hk.stage_end
        arith.mulf
        scf.yield
        """,
    )


def turns(x, out, n):
    for i in range(n):
        with gl.warp_pipeline_stage("load"):
            value = gl.load(x + i)
        with gl.warp_pipeline_stage("store", exclusive=True):
            gl.store(out + i, value)


def test_stages_of_every_target(emit, check):
    assert gl.amd.warp_pipeline_stage is gl.warp_pipeline_stage
    check(
        emit(turns, "*f32, *f32, i32", _target="sm_90a", _num_warps=8),
        """
        hk.stage_begin "load" in_loop {phase_gap = 1 : i32}
        hk.load
        hk.stage_end
        hk.stage_begin "store" exclusive in_loop
        hk.store
        hk.stage_end
        """,
    )


@hocket.jit
def load_with_default(x, i):
    if i < 3:
        return gl.load(x + i)
    return 0.0


def calls_in_a_stage(x, out, n):
    with amd.warp_pipeline_stage("load"):
        for i in gl.static_range(2):
            gl.store(out + i, load_with_default(x, n + i))
    with amd.warp_pipeline_stage("branch"):
        if n > 3:
            value = 1.0
        else:
            value = 2.0
    gl.store(out, value)


def test_a_stage_may_call_functions_that_return(emit, check):
    check(
        emit(calls_in_a_stage, "*f32, *f32, i32", **GFX950),
        """
        hk.stage_begin "load"
        scf.if
        hk.store
        scf.if
        hk.store
        hk.stage_end
        hk.stage_begin "branch"
        scf.if
        hk.stage_end
        hk.store
        """,
    )


LABELS = ("even", "odd")


def computed_arguments(out):
    for i in gl.static_range(2):
        with amd.warp_pipeline_stage(LABELS[i], priority=2 * i):
            gl.store(out + i, 1.0)


def test_arguments_are_computed_while_compiling(emit, check):
    expected = """
        hk.stage_begin "even" {phase_gap = 1 : i32, priority = 0 : i32}
        hk.stage_end
        hk.stage_begin "odd" {priority = 2 : i32}
        hk.stage_end
        """
    check(emit(computed_arguments, "*f32", **GFX950), expected)


def pipelines_in_a_row(out, n):
    with amd.warp_pipeline_stage("a"):
        gl.store(out, 1.0)
    with amd.warp_pipeline_stage("b"):
        pass
    for i in range(n):
        with amd.warp_pipeline_stage("c"):
            gl.store(out + i, 1.0)
        with amd.warp_pipeline_stage("d"):
            pass
    with amd.warp_pipeline_stage("e"):
        gl.store(out, 1.0)
    with amd.warp_pipeline_stage("f", phase_gap=2):
        pass


def test_each_pipeline_says_where_it_begins(emit, check):
    """If the loop has one iteration, it is a straight line, and still a separate pipeline."""
    expected = """
        hk.stage_begin "a" {phase_gap = 1 : i32}
        hk.stage_begin "b"
        hk.stage_end
        scf.for
        hk.stage_begin "c" in_loop {phase_gap = 1 : i32}
        hk.stage_begin "d" in_loop
        hk.stage_end
        hk.stage_begin "e" {phase_gap = 1 : i32}
        hk.stage_begin "f" {phase_gap = 2 : i32}
        """
    text = emit(pipelines_in_a_row, "*f32, i32", **GFX950)
    check(text, expected)
    assert str(text).count("phase_gap") == 4


def untaken(out, USE: gl.constexpr):
    if USE:
        with open("file"):
            pass
    gl.store(out, 1.0)


def test_what_is_not_compiled_may_hold_anything(emit):
    assert "hk.store" in emit(untaken, "*f32", USE=False)


# gl.range ------------------------------------------------------------------------------------------------------------


def requests(out, n):
    for i in gl.range(1, n, 2, num_stages=3, loop_unroll_factor=2):
        gl.store(out + i, 1.0)


def no_requests(out, n):
    for i in gl.range(n, num_stages=None, loop_unroll_factor=1):
        gl.store(out + i, 1.0)


def plain(out, n):
    for i in range(n):
        gl.store(out + i, 1.0)


def test_requests_are_attributes_of_the_loop(emit, check):
    check(emit(requests, "*f32, i32"), "scf.for\n} {hk.num_stages = 3 : i32, hk.unroll = 2 : i32}")


def test_a_range_without_requests_is_that_of_python(emit):
    assert emit(no_requests, "*f32, i32").replace("no_requests", "plain") == emit(plain, "*f32, i32")
