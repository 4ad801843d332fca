"""Tiles in memory, for kernels of several tests. Kernels with warp pipelines have tiles of 128 x 32 numbers."""

import hocket
from hocket import language as gl

TARGETS = ["gfx942", "gfx950"]
ROWS = gl.constexpr(gl.BlockedLayout([1, 4], [8, 8], [8, 1], [1, 0]))
COLUMNS = gl.constexpr(gl.BlockedLayout([4, 1], [4, 16], [1, 8], [0, 1]))
SHARED = gl.constexpr(gl.SwizzledSharedLayout(1, 1, 1, [1, 0]))


@hocket.jit
def tile_offsets(M: gl.constexpr, N: gl.constexpr, layout: gl.constexpr):
    """Returns the offsets of an M x N tile in `layout`."""
    rows = gl.arange(0, M, layout=gl.SliceLayout(1, layout))
    columns = gl.arange(0, N, layout=gl.SliceLayout(0, layout))
    return rows[:, None] * N + columns[None, :]


@hocket.jit
def offsets(layout: gl.constexpr):
    """Returns the offsets of a 128 x 32 tile in `layout`."""
    return tile_offsets(128, 32, layout)
