"""Kernels whose warps race for shared memory, or would without the compiler's barriers."""

import hocket
from hocket import language as gl
from hocket.language import amd


@hocket.jit
def transpose(x, out, SIZE: gl.constexpr):
    """Right as it stands: the compiler puts a barrier between the two lines about `tile`."""
    rows: gl.constexpr = gl.BlockedLayout([1, 1], [1, gl.num_lanes()], [gl.num_warps(), 1], [1, 0])
    columns: gl.constexpr = gl.BlockedLayout([1, 1], [gl.num_lanes(), 1], [1, gl.num_warps()], [0, 1])
    tile = gl.allocate_shared_memory(gl.float32, [SIZE, SIZE], gl.SwizzledSharedLayout(1, 1, 1, [1, 0]))
    row, column = gl.arange(0, SIZE, gl.SliceLayout(1, rows)), gl.arange(0, SIZE, gl.SliceLayout(0, rows))
    tile.store(gl.load(x + row[:, None] * SIZE + column[None, :]))
    row, column = gl.arange(0, SIZE, gl.SliceLayout(1, columns)), gl.arange(0, SIZE, gl.SliceLayout(0, columns))
    gl.store(out + column[None, :] * SIZE + row[:, None], tile.load(columns))


@hocket.jit
def copy_without_waiting(x, out, waits):
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [4, 16], [gl.num_warps(), 1], [1, 0])
    rows = gl.arange(0, 32, layout=gl.SliceLayout(1, layout))[:, None]
    i = rows * 64 + gl.arange(0, 64, layout=gl.SliceLayout(0, layout))[None, :]
    tile = gl.allocate_shared_memory(gl.float32, [32, 64], gl.SwizzledSharedLayout(1, 1, 1, [1, 0]))
    amd.cdna4.async_copy.buffer_load_to_shared(tile, x, i)
    amd.cdna4.async_copy.commit_group()
    if waits:
        amd.cdna4.async_copy.wait_group(0)
    gl.store(out + i, tile.load(layout))
