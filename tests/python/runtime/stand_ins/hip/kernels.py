"""Kernels that the tests of this folder launch."""

import hocket
from hocket import language as gl


@hocket.jit
def add(x, y, out, n, BLOCK: gl.constexpr):
    layout: gl.constexpr = gl.row_layout(4)
    i = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=layout)
    mask = i < n
    gl.store(out + i, gl.load(x + i, mask=mask) + gl.load(y + i, mask=mask), mask=mask)


@hocket.jit
def softmax(x, out, columns, BLOCK: gl.constexpr):
    layout: gl.constexpr = gl.row_layout(4)
    i = gl.arange(0, BLOCK, layout=layout)
    mask = i < columns
    row = gl.program_id(0) * columns
    value = gl.load(x + row + i, mask=mask, other=-float("inf"))
    exponential = gl.exp(value - gl.max(value, axis=0))
    gl.store(out + row + i, exponential / gl.sum(exponential, axis=0), mask=mask)


@hocket.jit
def store_scalars(out, enabled, factor, big, count, pair, huge):
    gl.store(out, big + count)
    gl.store(out + 1, gl.where(enabled, pair[0], 0))
    gl.store(out + 2, (factor * pair[1]).to(gl.int64))
    gl.store(out + 3, (huge >> 1).to(gl.int64))


@hocket.jit
def reverse(x, out, SIZE: gl.constexpr):
    """Through SIZE * 4 bytes of shared memory."""
    layout: gl.constexpr = gl.row_layout(4)
    plain: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [0])
    i = gl.arange(0, SIZE, layout=layout)
    memory = gl.allocate_shared_memory(gl.float32, [SIZE], plain, gl.load(x + i))
    gl.store(out + SIZE - 1 - i, memory.load(layout))
