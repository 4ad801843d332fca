"""Bytes of the cache lines that a loop's accesses of global memory touch, divided by the requested bytes."""

import pytest

import hocket
from hocket import _core
from hocket import language as gl

TILE = gl.constexpr(gl.BlockedLayout([1, 1, 1], [1, 64, 1], [4, 1, 1], [2, 1, 0]))


@hocket.jit
def load_tiles(x, y, steps, stride, sizes: gl.constexpr, strides: gl.constexpr, known: gl.constexpr):
    """Reads what is `strides` bytes apart along the last two dimensions, and the launch's `stride` along the first."""
    layout: gl.constexpr = TILE
    rows = gl.arange(0, sizes[0], layout=gl.SliceLayout(1, gl.SliceLayout(2, layout)))[:, None, None]
    lanes = gl.arange(0, sizes[1], layout=gl.SliceLayout(0, gl.SliceLayout(2, layout)))[None, :, None]
    bytes = gl.arange(0, sizes[2], layout=gl.SliceLayout(0, gl.SliceLayout(1, layout)))[None, None, :]
    offsets = rows * stride + lanes * strides[0] + bytes * strides[1]
    if not known:
        offsets = gl.where(rows < steps, offsets, offsets + 4096)
    total = gl.zeros(sizes, gl.int32, layout)
    for i in range(steps):
        total += gl.load(x + i + offsets).to(gl.int32)
    gl.store(y + offsets, total)


@pytest.mark.parametrize(
    ("sizes", "strides", "lines"),
    [
        ([4, 64, 4], (4, 1), 4 * 2),  # 256 consecutive elements of each row
        ([4, 64, 2], (4, 1), 4 * 2),  # two bytes of each four
        ([4, 64, 4], (16, 1), 4 * 8),
        ([4, 64, 1], (128, 1), 4 * 64),
        ([4, 64, 1], (1, 1), 4),  # half of a line
        ([4, 64, 4], (1, 64), 4 * 2),  # adjacent elements of another dimension
        ([4, 64, 2], (1, 1), 4),  # overlapping
        ([4, 64, 2], (0, 1), 4),
    ],
)
def test_lines_of_rows_far_apart(sizes, strides, lines):
    arguments = [gl.uint8, gl.int32, 7, 4096]
    kernel = load_tiles.warmup(*arguments, sizes=tuple(sizes), strides=strides, known=True, target="gfx950")
    [(_, _, _, [(unit, stage, line_bytes, tile_bytes)])] = _core.loop_accesses(kernel.asm["hk"])
    assert (unit, stage, tile_bytes) == ("loads", 0, sizes[0] * sizes[1] * sizes[2])
    assert line_bytes == 128 * lines


def test_of_chosen_addresses_only_neighbors_are_known():
    """Each row of four bytes is taken for a line."""
    kernel = load_tiles.warmup(
        gl.uint8, gl.int32, 7, 4096, sizes=(4, 64, 4), strides=(4, 1), known=False, target="gfx950"
    )
    [(_, _, _, [(_, _, line_bytes, _)])] = _core.loop_accesses(kernel.asm["hk"])
    assert line_bytes == 128 * 4 * 64
