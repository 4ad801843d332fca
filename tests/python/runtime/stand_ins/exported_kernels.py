"""Kernels that the tests of exports share."""

import hocket
from hocket import language as gl
from hocket.language.nvidia.hopper import mbarrier, tma


@hocket.jit
def add(x, y, out, n, BLOCK: gl.constexpr):
    layout: gl.constexpr = gl.row_layout(4)
    i = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=layout)
    gl.store(out + i, gl.load(x + i, mask=i < n) + gl.load(y + i, mask=i < n), mask=i < n)


@hocket.jit
def scale(out, factor, enabled, count: gl.int64, pair):
    layout: gl.constexpr = gl.row_layout()
    i = gl.arange(0, 128, layout=layout)
    gl.store(out + i, gl.where(enabled, factor, 0.0) + count + pair[0] * pair[1], mask=i < 100)


@hocket.jit
def double_tile(source, out, columns):
    """Doubles a tile of 16 x 64 elements of `source`."""
    layout: gl.constexpr = gl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0])
    tile = gl.allocate_shared_memory(source.dtype, source.block_shape, source.layout)
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    mbarrier.expect(bar, source.nbytes_per_cta)
    tma.async_load(source, [gl.program_id(0) * 16, 0], bar, tile)
    mbarrier.wait(bar, 0)
    values = tile.load(layout)
    rows = gl.program_id(0) * 16 + gl.arange(0, 16, layout=gl.SliceLayout(1, layout))
    inside = (rows < source.shape[0])[:, None]
    offsets = rows[:, None] * columns + gl.arange(0, 64, layout=gl.SliceLayout(0, layout))[None, :]
    gl.store(out + offsets, values * 2, mask=inside)


@hocket.jit
def says(n):
    print("n is", n)
