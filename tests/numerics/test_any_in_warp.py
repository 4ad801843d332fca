"""gl.any_in_warp: branches that each warp takes for itself, and what it computes there alone."""

import numpy as np
import pytest
from test_scan import lanes

import hocket
from hocket import language as gl

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
def test_each_warp_for_itself(device, large, lanes_of_row):
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
