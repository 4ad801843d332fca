"""Kernels that the tests of tuning decorate."""

import hocket
from hocket import language as gl


def add_one(x, out, n, BLOCK: gl.constexpr):
    layout: gl.constexpr = gl.row_layout()
    i = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=layout)
    gl.store(out + i, gl.load(x + i, mask=i < n) + 1, mask=i < n)


def increment(x, n, BLOCK: gl.constexpr):
    layout: gl.constexpr = gl.row_layout()
    i = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=layout)
    gl.store(x + i, gl.load(x + i, mask=i < n) + 1, mask=i < n)


def convert(x, out, n, DTYPE: gl.constexpr, BLOCK: gl.constexpr):
    layout: gl.constexpr = gl.row_layout()
    i = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=layout)
    gl.store(out + i, gl.load(x + i, mask=i < n).to(DTYPE), mask=i < n)


def needs_shared_memory(x, out, n, BLOCK: gl.constexpr):
    layout: gl.constexpr = gl.row_layout()
    i = gl.arange(0, BLOCK, layout=layout)
    tile = gl.allocate_shared_memory(gl.float32, [BLOCK], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    tile.store(gl.load(x + i, mask=i < n))
    gl.store(out + i, tile.load(layout) + 1, mask=i < n)


def kernel_of_warps(out, num_warps: gl.constexpr):
    i = gl.arange(0, 256, layout=gl.BlockedLayout([1], [gl.num_lanes()], [num_warps], [0]))
    gl.store(out + i, gl.num_warps())


def grid(meta):
    return (hocket.cdiv(meta["n"], meta["BLOCK"]),)


def blocks(*sizes, **options):
    return [hocket.Config({"BLOCK": size}, **options) for size in sizes]
