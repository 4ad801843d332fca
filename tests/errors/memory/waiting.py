"""Mistakes with atomic_poll, atomic_load and atomic_store."""

from cases import mistake

import hocket.language as gl

LINE = gl.constexpr(gl.BlockedLayout([1], [32], [4], [0]))


@mistake("*f32")
def poll_for_a_float(x):
    gl.atomic_poll(x, 1.0)


@mistake("*i32")
def poll_without_a_pointer(x):
    v = gl.load(x)
    gl.atomic_poll(v, 1)


@mistake("*i32")
def poll_that_releases(x):
    gl.atomic_poll(x, 1, sem="release")


@mistake("*i32")
def poll_for_a_scope_of_a_warp(x):
    gl.atomic_poll(x, 1, scope="warp")


@mistake("*i32")
def poll_with_a_timeout_for_each_element(x):
    i = gl.arange(0, 128, LINE)
    gl.atomic_poll(x + i, 1, timeout_ns=i)


@mistake("*i32", num_ctas=2)
def poll_with_a_timeout_in_a_cluster(x):
    gl.atomic_poll(x, 1, timeout_ns=1000)


@mistake("*i32")
def poll_for_values_of_another_shape(x):
    i, j = gl.arange(0, 128, LINE), gl.arange(0, 256, LINE)
    gl.atomic_poll(x + i, j)


@mistake("*f16")
def an_atomic_load_of_16_bits(x):
    gl.atomic_load(x)


@mistake("*i32")
def an_atomic_load_that_releases(x):
    gl.atomic_load(x, sem="acq_rel")


@mistake("*i32")
def an_atomic_store_that_acquires(x):
    gl.atomic_store(x, 1, sem="acquire")
