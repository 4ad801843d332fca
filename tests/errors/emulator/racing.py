"""Kernels whose blocks are in each other's way."""

import hocket
from hocket import language as gl


@hocket.jit
def one_result_for_all(x, out, SIZE: gl.constexpr):
    layout: gl.constexpr = gl.row_layout()
    i = gl.program_id(0) * SIZE + gl.arange(0, SIZE, layout=layout)
    total = gl.sum(gl.load(x + i), axis=0)
    gl.store(out, total)


@hocket.jit
def count_without_atomics(x, counts, SIZE: gl.constexpr):
    layout: gl.constexpr = gl.row_layout()
    value = gl.load(x + gl.program_id(0) * SIZE + gl.arange(0, SIZE, layout=layout))
    gl.store(counts + value, gl.load(counts + value) + 1)


@hocket.jit
def left_neighbor(x, i):
    return gl.load(x + i - 1, mask=i > 0, other=0.0)


@hocket.jit
def smooth_in_place(x, SIZE: gl.constexpr):
    layout: gl.constexpr = gl.row_layout()
    i = gl.program_id(0) * SIZE + gl.arange(0, SIZE, layout=layout)
    gl.store(x + i, (left_neighbor(x, i) + gl.load(x + i)) / 2)


@hocket.jit
def count_blocks(finished, out):
    gl.atomic_add(finished, 1, sem="relaxed", scope="cta")
    gl.store(out + gl.program_id(0), 1)


@hocket.jit
def look_at_a_counter(finished, out):
    gl.store(out + gl.program_id(0), gl.load(finished))
    gl.atomic_add(finished, 1)


@hocket.jit
def copy_bytes(x, out, SIZE: gl.constexpr):
    layout: gl.constexpr = gl.row_layout(16)
    i = gl.program_id(0) * SIZE + gl.arange(0, 2 * SIZE, layout=layout)
    gl.store(out + i, gl.load(x + i))


@hocket.jit
def mirror(out, result, SIZE: gl.constexpr):
    layout: gl.constexpr = gl.row_layout()
    i = gl.arange(0, SIZE, layout=layout)
    gl.store(out + i, i)
    gl.store(result + i, gl.load(out + SIZE - 1 - i))


@hocket.jit
def reverse_in_place(x, SIZE: gl.constexpr):
    layout: gl.constexpr = gl.row_layout()
    i = gl.arange(0, SIZE, layout=layout)
    gl.store(x + i, gl.load(x + SIZE - 1 - i))


@hocket.jit
def last_one_wins(x, out, SIZE: gl.constexpr):
    layout: gl.constexpr = gl.row_layout()
    i = gl.arange(0, SIZE, layout=layout)
    gl.store(out + gl.load(x + i), i)


@hocket.jit
def count_and_look(x, counts, SIZE: gl.constexpr):
    layout: gl.constexpr = gl.row_layout()
    i = gl.arange(0, SIZE, layout=layout)
    gl.atomic_add(counts + gl.load(x + i), 1)
    gl.store(x + i, gl.load(counts + i))
