"""Kernels whose indices overflow 32 bits."""

import hocket
from hocket import language as gl


@hocket.jit
def read_row(x, out, row, stride):
    start = row * stride
    gl.store(out, gl.load(x + start + 1))


@hocket.jit
def read_row_if(x, out, row, stride, limit):
    start = stride * row
    gl.store(out, gl.load(x + start, mask=row < limit, other=7))


@hocket.jit
def read_row_wide(x, out, row, stride):
    gl.store(out, gl.load(x + row.to(gl.int64) * stride % 64))


@hocket.jit
def wrap_on_purpose(x, out, seed):
    """A hash; and a sum that wraps around and back."""
    h = seed * 1664525 + 1013904223
    h = (h ^ (h >> 16)) * 1664525
    gl.store(out, gl.load(x + (h & 63)) + gl.load(x + (h % 64 + 63) % 64))
    u = seed.to(gl.uint32) * 2654435761
    gl.store(out + 1, gl.load(x + (u >> 26)))
    gl.store(out + 2, gl.load(x + (seed + 2147483000 - 2147483000 - seed + 5)))


@hocket.jit
def walk(x, out, stride, steps):
    """The offset overflows in a loop."""
    offset = gl.program_id(0)
    for i in range(steps):
        offset += stride
    gl.store(out, gl.load(x + offset))


@hocket.jit
def read_buffer(x, out, start, SIZE: gl.constexpr):
    layout: gl.constexpr = gl.row_layout()
    i = gl.arange(0, SIZE, layout=layout)
    value = gl.amd.cdna3.buffer_load(x, start + i)
    gl.store(out + i, value)
