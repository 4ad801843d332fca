"""Row-major tiles in memory, for kernels of several tests."""

import hocket
from hocket import language as gl


@hocket.jit
def tile_offsets(M: gl.constexpr, N: gl.constexpr, layout: gl.constexpr):
    """Returns the offsets of an M x N tile in `layout`."""
    rows = gl.arange(0, M, layout=gl.SliceLayout(1, layout))
    columns = gl.arange(0, N, layout=gl.SliceLayout(0, layout))
    return rows[:, None] * N + columns[None, :]
