"""Kernels that use values which nothing has defined, and some that only look as if they did."""

import hocket
from hocket import language as gl
from hocket.language import amd


@hocket.jit
def store_masked_load(x, out, n, SIZE: gl.constexpr):
    layout: gl.constexpr = gl.row_layout(2)
    i = gl.arange(0, SIZE, layout=layout)
    loaded = gl.load(x + i, mask=i < n)
    gl.store(out + i, loaded + 1)


@hocket.jit
def choose_after_masked_load(x, out, n, SIZE: gl.constexpr):
    layout: gl.constexpr = gl.row_layout(2)
    i = gl.arange(0, SIZE, layout=layout)
    value = gl.load(x + i, mask=i < n)
    gl.store(out + i, gl.where(i < n, value * 2, 0))
    gl.store(out + i, value, mask=i < n)
    gl.store(out + i, gl.load(x + i, mask=i < n, other=0))
    gl.store(out, gl.sum(gl.where(i < n, value, 0), 0))
    gl.store(out + i, (i < n) & (value > 0))


@hocket.jit
def reduce_masked_load(x, out, n, SIZE: gl.constexpr):
    layout: gl.constexpr = gl.row_layout(2)
    i = gl.arange(0, SIZE, layout=layout)
    value = gl.load(x + i, mask=i < n)
    gl.store(out, gl.max(value, 0))


@hocket.jit
def branch_on_masked_load(x, out, n):
    flag = gl.load(x, mask=n > 0)
    if flag > 5:
        gl.store(out, 1)


@hocket.jit
def access_by_masked_load(x, out, n):
    index = gl.load(x, mask=n > 0)
    gl.store(out + (index & 1), 1)


@hocket.jit
def access_by_multiplied_load(x, out, n):
    index = gl.load(x, mask=n > 0)
    gl.store(out + index * 3, 1)


@hocket.jit
def count_in_a_loop(x, out, n, steps):
    """The value is undefined only after the first iteration."""
    value = gl.load(x)
    for i in range(steps):
        value += gl.load(x + i, mask=i < n)
    gl.store(out, value)


@hocket.jit
def read_part_that_was_not_written(x, out, SIZE: gl.constexpr, WRITTEN: gl.constexpr):
    layout: gl.constexpr = gl.row_layout()
    tile = gl.allocate_shared_memory(gl.int32, [SIZE], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    tile.slice(0, WRITTEN).store(gl.load(x + gl.arange(0, WRITTEN, layout=layout)))
    whole = tile.load(layout)
    gl.store(out + gl.arange(0, SIZE, layout=layout), whole)


@hocket.jit
def convert_masked_load(x, out, n, SIZE: gl.constexpr):
    """From two registers of a lane to others, through packed shuffles or shared memory: each element for itself."""
    layout: gl.constexpr = gl.row_layout(4)
    other: gl.constexpr = gl.row_layout()
    i = gl.arange(0, SIZE, layout=layout)
    value = gl.convert_layout(gl.load(x + i, mask=i < n), other)
    j = gl.arange(0, SIZE, layout=other)
    gl.store(out + j, value, mask=j < n)


@hocket.jit
def multiply_masked(a, b, out, rows, WARPS: gl.constexpr, VERSION: gl.constexpr):
    """Rows of `a` from `rows` on are undefined; so are those of the result."""
    result: gl.constexpr = gl.amd.AMDMFMALayout(VERSION, [16, 16, 16], True, [WARPS, 1])
    left: gl.constexpr = gl.DotOperandLayout(0, result, 4)
    right: gl.constexpr = gl.DotOperandLayout(1, result, 4)
    m = gl.arange(0, 16 * WARPS, layout=gl.SliceLayout(1, left))[:, None]
    k = gl.arange(0, 16, layout=gl.SliceLayout(0, left))[None, :]
    x = gl.load(a + m * 16 + k, mask=(m < rows) & (k < 16))
    k = gl.arange(0, 16, layout=gl.SliceLayout(1, right))[:, None]
    n = gl.arange(0, 16, layout=gl.SliceLayout(0, right))[None, :]
    y = gl.load(b + k * 16 + n)
    acc = gl.amd.cdna3.mfma(x, y, gl.zeros([16 * WARPS, 16], gl.float32, result))
    m = gl.arange(0, 16 * WARPS, layout=gl.SliceLayout(1, result))[:, None]
    n = gl.arange(0, 16, layout=gl.SliceLayout(0, result))[None, :]
    gl.store(out + m * 16 + n, acc, mask=m < 16)


@hocket.jit
def add_one(x, out, n, SIZE: gl.constexpr):
    i = gl.arange(0, SIZE, layout=gl.row_layout(2))
    plus_one = gl.load(x + i, mask=i < n, other=0) + 1
    gl.store(out + i, plus_one, mask=i < n)


@hocket.jit
def store_every_other(out, SIZE: gl.constexpr):
    i = gl.arange(0, SIZE, layout=gl.row_layout())
    gl.store(out + 2 * i, 5)


@hocket.jit
def use_atomics(x, out, KIND: gl.constexpr):
    if KIND == "add":
        gl.atomic_add(x, 1)
    elif KIND == "cas":
        gl.atomic_cas(x, 0, 1)
    elif KIND == "xchg":
        gl.atomic_xchg(x, 1)
    else:
        gl.store(out, gl.atomic_xchg(x, 1) + 2)


@hocket.jit
def store_by_way_of_shared_memory(x, out, SIZE: gl.constexpr):
    layout: gl.constexpr = gl.row_layout()
    i = gl.arange(0, SIZE, layout=layout)
    buffer = gl.allocate_shared_memory(gl.float32, [SIZE], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    buffer.store(gl.load(x + i))
    gl.barrier()
    gl.store(out + i, buffer.load(layout) * 2)


@hocket.jit
def store_copied(x, out, SIZE: gl.constexpr):
    layout: gl.constexpr = gl.row_layout()
    buffer = gl.allocate_shared_memory(gl.float32, [SIZE], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    amd.cdna4.async_copy.global_load_to_shared(buffer, x + gl.arange(0, SIZE, layout=layout))
    amd.cdna4.async_copy.commit_group()
    amd.cdna4.async_copy.wait_group(0)
    gl.barrier()
    gl.store(out + gl.arange(0, SIZE, layout=layout), buffer.load(layout))


@hocket.jit
def read_buffer(x, out, SIZE: gl.constexpr):
    i = gl.arange(0, SIZE, layout=gl.row_layout())
    gl.store(out + i, amd.cdna3.buffer_load(x, i))
