"""Properties of the IR on which linear compile time of long code depends."""

import re

import pytest

import hocket
from hocket import language as gl


@hocket.jit
def trips_with_masks(x, out, n, TRIPS: gl.constexpr):
    layout: gl.constexpr = gl.row_layout()
    i = gl.arange(0, 2 * gl.num_lanes() * gl.num_warps(), layout=layout)
    for trip in gl.static_range(TRIPS):
        gl.store(out + trip * n + i, gl.load(x + trip * n + i, mask=i + trip < n), mask=i + trip < n)


@hocket.jit
def masked_rows(x, out, n, ROWS: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1, 1], [1, gl.num_lanes()], [gl.num_warps(), 1], [1, 0])
    rows = gl.arange(0, ROWS * gl.num_warps(), layout=gl.SliceLayout(1, layout))[:, None]
    columns = gl.arange(0, gl.num_lanes(), layout=gl.SliceLayout(0, layout))[None, :]
    mask = (rows < n) & (columns < n)
    gl.store(out + rows * n + columns, gl.load(x + rows * n + columns, mask=mask, other=0.0) + 1.0, mask=mask)


def longest_block(text):
    return max(block.count("\n") for block in re.split(r"^ *\^bb\d+.*$", text, flags=re.MULTILINE))


def test_unrolled_loops_are_cut_before_tiles_become_registers():
    lane = trips_with_masks.warmup(gl.float32, gl.float32, 1 << 20, target="sm_90a", TRIPS=300).asm["lane"]
    assert lane.count("lane.load") == 600
    assert longest_block(lane) < 1000  # 5,000 lines in one block otherwise


@pytest.mark.parametrize("rows", [64, 256])
@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
def test_masked_tiles_of_many_rows_spill_nothing(target, rows):
    text = masked_rows.warmup(gl.float32, gl.float32, 1 << 20, target=target, ROWS=rows).asm["amdgcn"]
    assert re.findall(r"\.[sv]gpr_spill_count: *(\d+)", text) == ["0", "0"]
    assert int(re.search(r"\.vgpr_count: *(\d+)", text)[1]) < rows + 40  # what is loaded, and little else
