"""Tiles of 128 x 32 numbers for kernels with warp pipelines: layouts and offsets."""

import hocket
from hocket import language as gl

TARGETS = ["gfx942", "gfx950"]
ROWS = gl.constexpr(gl.BlockedLayout([1, 4], [8, 8], [8, 1], [1, 0]))
COLUMNS = gl.constexpr(gl.BlockedLayout([4, 1], [4, 16], [1, 8], [0, 1]))
SHARED = gl.constexpr(gl.SwizzledSharedLayout(1, 1, 1, [1, 0]))


@hocket.jit
def offsets(layout: gl.constexpr):
    rows = gl.arange(0, 128, layout=gl.SliceLayout(1, layout))
    columns = gl.arange(0, 32, layout=gl.SliceLayout(0, layout))
    return rows[:, None] * 32 + columns[None, :]
