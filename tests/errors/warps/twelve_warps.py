"""Kernels of 12 warps, whose layouts have 16 warps: elements of warps that do not exist cannot be used."""

from cases import jit, mistake

import hocket.language as gl

ROWS = gl.constexpr(gl.BlockedLayout([1, 4], [8, 8], [16, 1], [1, 0]))


@mistake("*f32", target="gfx942", num_warps=12)
def layout_of_eight_warps(x):
    gl.store(x + gl.arange(0, 512, layout=gl.BlockedLayout([1], [64], [8], [0])), 1.0)


@mistake("*f32", target="gfx942", num_warps=12, lowered=True)
def tile_without_a_layout(x):
    gl.store(x + gl.arange(0, 512), 1.0)


@mistake("*f32", target="gfx942", num_warps=12, lowered=True)
def reduction_between_groups(x):
    tile = gl.full([128, 32], 1.0, gl.float32, ROWS)
    gl.store(x + gl.arange(0, 32, layout=gl.SliceLayout(0, ROWS)), gl.sum(tile, axis=0))


@mistake("*f32", target="sm_90a", num_warps=12, lowered=True)
def conversion_between_groups(x):
    rows: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [16, 1], [1, 0])
    columns: gl.constexpr = gl.BlockedLayout([4, 1], [8, 4], [4, 4], [0, 1])
    i = gl.arange(0, 128, layout=gl.SliceLayout(1, rows))
    j = gl.arange(0, 32, layout=gl.SliceLayout(0, rows))
    tile = gl.load(x + i[:, None] * 32 + j[None, :])
    turned = gl.convert_layout(tile, columns)
    gl.store(x + gl.arange(0, 128, layout=gl.SliceLayout(1, columns)), gl.sum(turned, axis=1))


@jit
def add(a, b):
    return a + b


@mistake("*i32", target="sm_90a", num_warps=12, lowered=True)
def scan_of_a_tile(x):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [16], [0])
    i = gl.arange(0, 512, layout=layout)
    gl.store(x + i, gl.associative_scan(i, 0, add))
