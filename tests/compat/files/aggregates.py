"""Aggregates in aggregates, with methods, properties and static methods."""

import torch
import triton
import triton.language as tl
from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@gluon.aggregate
class Range:
    start: gl.tensor
    size: gl.constexpr

    @gluon.constexpr_function
    def __init__(self, start, size):
        self.start = start
        self.size = gl.constexpr(size)

    @gluon.jit
    def offsets(self, layout: gl.constexpr):
        return self.start + gl.arange(0, self.size, layout=layout)


@gluon.aggregate
class Tile:
    rows: Range
    cols: Range
    stride: gl.tensor

    @gluon.constexpr_function
    def __init__(self, rows, cols, stride):
        self.rows = rows
        self.cols = cols
        self.stride = stride

    @staticmethod
    @gluon.jit
    def at(row, col, stride, ROWS: gl.constexpr, COLS: gl.constexpr):
        return Tile(Range(row * ROWS, ROWS), Range(col * COLS, COLS), stride)

    @gluon.jit
    def pointers(self, base, layout: gl.constexpr):
        rows = self.rows.offsets(gl.SliceLayout(1, layout))
        cols = self.cols.offsets(gl.SliceLayout(0, layout))
        return base + rows[:, None] * self.stride + cols[None, :]


@gluon.jit
def scale_kernel(x_ptr, y_ptr, x_stride, y_stride, factor, layout: gl.constexpr):
    source = Tile.at(gl.program_id(0), gl.program_id(1), x_stride, 16, 32)
    target = Tile.at(gl.program_id(0), gl.program_id(1), y_stride, 16, 32)
    value = gl.load(source.pointers(x_ptr, layout))
    for _ in tl.range(0, 2):
        value = value * factor
    gl.store(target.pointers(y_ptr, layout), value)


x = torch.randn((32, 64), device="cuda", dtype=torch.float32)
y = torch.zeros_like(x)
lanes = triton.runtime.driver.active.get_current_target().warp_size
layout = gl.BlockedLayout([1, 1], [lanes // 16, 16], [4, 1], [1, 0])
scale_kernel[(2, 2)](x, y, x.stride(0), y.stride(0), 3.0, layout)
torch.testing.assert_close(y, 9.0 * x)
print("aggregates: ok")
