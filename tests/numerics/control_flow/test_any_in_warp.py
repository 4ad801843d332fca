"""gl.any_in_warp: branches that may diverge between warps, and what it computes there alone."""

import numpy as np
import pytest
from tile_layouts import lanes

import hocket
from hocket import language as gl
from hocket.language.nvidia.ampere import mma_v2

WARPS, COLUMNS = 4, 8


@hocket.jit
def kernel(x, out, ROWS: gl.constexpr, COLUMNS: gl.constexpr, LAYOUT: gl.constexpr):
    rows = gl.arange(0, ROWS, layout=gl.SliceLayout(1, LAYOUT))
    columns = gl.arange(0, COLUMNS, layout=gl.SliceLayout(0, LAYOUT))
    places = rows[:, None] * COLUMNS + columns[None, :]
    tile = gl.load(x + places)
    for _ in range(2):
        if gl.any_in_warp(tile > 100):
            tile = tile - gl.max(tile, axis=1)[:, None]
        else:
            tile = tile + 1
    gl.store(out + places, tile)


def expected(tile, rows_of_warp):
    tile = tile.copy()
    for first in range(0, len(tile), rows_of_warp):
        part = tile[first : first + rows_of_warp]
        for _ in range(2):
            part[:] = part - part.max(axis=1, keepdims=True) if (part > 100).any() else part + 1
    return tile


@pytest.mark.parametrize("lanes_of_row", [1, 4])
@pytest.mark.parametrize("large", [(), (0,), (37, 38), range(128)], ids=["none", "one warp", "two rows", "every row"])
def test_each_warp_takes_its_own_branch(device, large, lanes_of_row):
    """With an exchange between lanes in the branch, and without."""
    rows_of_warp = lanes(device) // lanes_of_row
    rows = WARPS * rows_of_warp
    layout = gl.BlockedLayout([1, COLUMNS // lanes_of_row], [rows_of_warp, lanes_of_row], [WARPS, 1], [1, 0])
    tile = np.arange(rows * COLUMNS, dtype=np.int32).reshape(rows, COLUMNS) % 50
    for row in large:
        if row < rows:
            tile[row, row % COLUMNS] = 170 + row % 3 * 100
    out = device.to_device(np.zeros_like(tile))
    kernel[(1,)](device.to_device(tile), out, ROWS=rows, COLUMNS=COLUMNS, LAYOUT=layout, num_warps=WARPS)
    np.testing.assert_array_equal(device.to_host(out), expected(tile, rows_of_warp))


@hocket.jit
def products_where_needed(x, y, out, ACC: gl.constexpr):
    LEFT: gl.constexpr = gl.DotOperandLayout(0, ACC, 2)
    RIGHT: gl.constexpr = gl.DotOperandLayout(1, ACC, 2)
    SHARED: gl.constexpr = gl.SwizzledSharedLayout(8, 1, 8, order=[1, 0])
    LOADED: gl.constexpr = gl.BlockedLayout([1, 8], [16, 2], [4, 1], [1, 0])
    rows = gl.arange(0, 64, layout=gl.SliceLayout(1, LOADED))
    columns = gl.arange(0, 16, layout=gl.SliceLayout(0, LOADED))
    left = gl.allocate_shared_memory(gl.float16, [64, 16], SHARED, gl.load(x + rows[:, None] * 16 + columns[None, :]))
    right = gl.allocate_shared_memory(gl.float16, [64, 16], SHARED, gl.load(y + rows[:, None] * 16 + columns[None, :]))
    out_rows = gl.arange(0, 64, layout=gl.SliceLayout(1, ACC))
    out_columns = gl.arange(0, 64, layout=gl.SliceLayout(0, ACC))
    acc = gl.zeros([64, 64], gl.float32, ACC)
    # Warps read what others have written: the barrier is before the branch.
    if gl.any_in_warp((out_rows > 40)[:, None] & (acc == 0)):
        acc = mma_v2(left.load(LEFT), right.permute([1, 0]).load(RIGHT), acc)
    gl.store(out + out_rows[:, None] * 64 + out_columns[None, :], acc)


def test_products_of_shared_tiles(nvidia_device):
    rng = np.random.default_rng(0)
    x, y = (rng.standard_normal((64, 16)).astype(np.float16) for _ in range(2))
    out = nvidia_device.to_device(np.ones((64, 64), np.float32))
    layout = gl.NVMMADistributedLayout([2, 0], [4, 1], [16, 8])
    products_where_needed[(1,)](nvidia_device.to_device(x), nvidia_device.to_device(y), out, ACC=layout, num_warps=4)
    expected = x.astype(np.float32) @ y.astype(np.float32).T
    expected[:32] = 0
    np.testing.assert_allclose(nvidia_device.to_host(out), expected, rtol=1e-5, atol=1e-5)
