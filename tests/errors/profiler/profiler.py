"""Mistakes with what a kernel records of itself."""

from cases import jit, mistake

import hocket.language as gl
from hocket import profiler as host
from hocket.language import profiler


@mistake("*f32")
def scope_without_with(x):
    profiler.scope("load")
    gl.store(x, 1.0)


@mistake("*f32")
def scope_that_is_not_called(x):
    with profiler.scope:
        gl.store(x, 1.0)


@mistake("*f32")
def scope_with_a_name(x):
    with profiler.scope("load") as time:
        gl.store(x, time)


@mistake("*f32")
def two_scopes_in_one_with(x):
    with profiler.scope("a"), profiler.scope("b"):
        gl.store(x, 1.0)


@mistake("*f32")
def scope_without_a_name(x):
    with profiler.scope():
        gl.store(x, 1.0)


@mistake("*f32")
def scope_with_an_empty_name(x):
    with profiler.scope(""):
        gl.store(x, 1.0)


@mistake("*f32")
def name_of_two_lines(x):
    profiler.mark("a\nb")


@mistake("*f32, i32")
def name_that_is_not_known(x, n):
    profiler.mark(n)


@mistake("*f32")
def payload_that_is_a_float(x):
    profiler.mark("loaded", gl.load(x))


@mistake("*f32")
def payload_that_is_a_tile(x):
    i = gl.arange(0, 128, layout=gl.BlockedLayout([1], [32], [4], [0]))
    profiler.mark("loaded", i)


@mistake("*f32")
def condition_that_is_a_tile(x):
    i = gl.arange(0, 128, layout=gl.BlockedLayout([1], [32], [4], [0]))
    with profiler.scope("load", when=i < 3):
        gl.store(x, 1.0)


@mistake("*f32")
def end_without_a_token(x):
    token = profiler.begin("copy")
    profiler.end("copy")


@mistake("*f32")
def end_of_a_float(x):
    profiler.end(gl.load(x))


@mistake("*f32, i32")
def token_of_a_branch(x, n):
    if n > 0:
        token = profiler.begin("copy")
    gl.store(x, 1.0)
    profiler.end(token)


@mistake("*f32, i32")
def return_from_a_scope(x, n):
    with profiler.scope("all"):
        if n > 0:
            return
        gl.store(x, 1.0)


@jit
def returning(x, n):
    with profiler.scope("inside"):
        return n + 1


@mistake("*f32, i32")
def return_from_a_scope_in_a_function(x, n):
    gl.store(x, returning(x, n).to(gl.float32))


@mistake("*f32")
def a_name_of_another_profiler(x):
    profiler.enter_scope("load")


@jit
def marked_sum(a, b):
    profiler.mark("added")
    return a + b


@mistake("*f32")
def mark_in_a_reduction(x):
    i = gl.arange(0, 128, layout=gl.BlockedLayout([1], [32], [4], [0]))
    gl.store(x, gl.reduce(gl.load(x + i), 0, marked_sum))


@mistake("*f32")
def something_else_in_with(x):
    with profiler.mark("load"):
        gl.store(x, 1.0)


@mistake("*f32")
def record_for_each_element(x):
    i = gl.arange(0, 128, layout=gl.BlockedLayout([1], [32], [4], [0]))

    def marked(element):
        gl.profiler.mark("element")
        return element

    gl.store(x + i, gl.map_elementwise(marked, i))


@mistake("*f32")
def token_that_is_lost(x):
    profiler.begin("copy")
    gl.store(x, 1.0)


@mistake("*f32")
def end_of_nothing(x):
    profiler.end()


@mistake("*f32")
def end_of_a_function(x):
    profiler.end(profiler.null_token)


@mistake("*f32")
def end_by_name(x):
    token = profiler.begin("copy")
    profiler.end(name="copy")


@mistake("*f32, i32")
def token_that_is_none_at_first(x, n):
    token = None
    for k in range(n):
        profiler.end(token)
        token = profiler.begin("copy", k)


@mistake("*f32, i32")
def break_out_of_a_scope(x, n):
    for k in range(n):
        with profiler.scope("turn"):
            if k > 3:
                break
            gl.store(x, 1.0)


@mistake("*f32, i32")
def name_with_the_number_of_a_turn(x, n):
    for k in range(n):
        profiler.mark(f"turn {k}")


@mistake("*f32")
def name_that_is_a_number(x):
    profiler.mark(3)


@mistake("*f32")
def condition_that_is_a_text(x):
    profiler.mark("loaded", when="yes")


@mistake("*f32")
def begin_in_with(x):
    with profiler.begin("load"):
        gl.store(x, 1.0)


@mistake("*f32")
def scope_that_is_kept(x):
    scope = profiler.scope("load")
    with scope:
        gl.store(x, 1.0)


@mistake("*f32")
def session_in_a_kernel(x):
    with host.session("load"):
        gl.store(x, 1.0)


@mistake("*f32")
def session_of_the_language(x):
    with profiler.session("load"):
        gl.store(x, 1.0)


@mistake("*f32")
def start_of_a_range(x):
    profiler.start("load")


@mistake("*f32")
def parameter_of_another_profiler(x):
    with profiler.scope("load", value=3):
        gl.store(x, 1.0)


@mistake("*f32")
def end_of_a_number(x):
    profiler.end(3)


@mistake("*f32")
def end_of_a_name(x):
    profiler.end("load")
