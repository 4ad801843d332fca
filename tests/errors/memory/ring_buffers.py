"""Mistakes with gl.RingBuffer."""

from cases import mistake

import hocket.language as gl

LINE = gl.constexpr(gl.SwizzledSharedLayout(1, 1, 1, [0]))


@mistake()
def buffers_of_two_lengths():
    a = gl.allocate_shared_memory(gl.int32, [3, 64], LINE)
    b = gl.allocate_shared_memory(gl.int32, [4, 64], LINE)
    gl.RingBuffer((a, b))


@mistake()
def stages_that_differ_from_those_of_the_buffers():
    gl.RingBuffer(gl.allocate_shared_memory(gl.int32, [3, 64], LINE), stages=4)


@mistake()
def no_buffers_and_no_stages():
    gl.RingBuffer(fill="stores")


@mistake()
def no_stage():
    gl.RingBuffer(fill="stores", stages=0)


@mistake()
def an_unknown_fill():
    gl.RingBuffer(fill="copies", stages=2)


@mistake()
def a_negative_number_of_consumers():
    gl.RingBuffer(fill="stores", stages=2, consumers=-1)


@mistake()
def consumers_of_commit_groups():
    gl.RingBuffer(gl.allocate_shared_memory(gl.int32, [3, 64], LINE), fill="groups")


@mistake()
def tma_copies_of_unknown_size():
    gl.RingBuffer(stages=2)


@mistake()
def bytes_of_stores():
    gl.RingBuffer(stages=2, fill="stores", fill_bytes=64)


@mistake(target="gfx950")
def mbarriers_on_cdna():
    gl.RingBuffer(gl.allocate_shared_memory(gl.int32, [3, 64], LINE), fill="stores")


@mistake(target="sm_80")
def tma_before_hopper():
    ring = gl.RingBuffer(gl.allocate_shared_memory(gl.int32, [3, 64], LINE))
    ring.producer().acquire(0)


@mistake()
def a_release_by_the_producer():
    gl.RingBuffer(stages=2, fill="stores").producer().release(0)


@mistake()
def an_acquire_by_the_consumer():
    gl.RingBuffer(stages=2, fill="stores").consumer().acquire(0)


@mistake()
def a_wait_without_a_view():
    gl.RingBuffer(stages=2, fill="stores").wait(0)


@mistake()
def a_release_without_consumers():
    gl.RingBuffer(stages=2, fill="stores", consumers=0).consumer().release(0)


@mistake()
def a_commit_of_tma_copies():
    gl.RingBuffer(stages=2, fill_bytes=128).producer().commit(0)


@mistake()
def a_commit_without_a_position():
    gl.RingBuffer(stages=2, fill="stores").producer().commit()


@mistake()
def outstanding_stores():
    gl.RingBuffer(stages=2, fill="stores").consumer().wait(0, 1)


@mistake()
def the_buffer_of_a_ring_without_buffers():
    gl.RingBuffer(stages=2, fill="stores").consumer().wait(0).buffer


@mistake()
def a_next_position_that_is_dropped():
    gl.RingBuffer(stages=2, fill="stores").position(0).next()
