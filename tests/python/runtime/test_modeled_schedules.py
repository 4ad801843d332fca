"""The modeled schedule of an AMD kernel in its report: text, JSON and picture."""

import json

import pytest

import hocket
from hocket import language as gl


@hocket.jit
def offsets(m: gl.constexpr, n: gl.constexpr, stride: gl.constexpr, layout: gl.constexpr):
    rows = gl.arange(0, m, gl.SliceLayout(1, layout))
    columns = gl.arange(0, n, gl.SliceLayout(0, layout))
    return rows[:, None] * stride + columns[None, :]


@hocket.jit
def multiply_in_turns(a, b, c, steps):
    """A warp pipeline of two groups; rows of A have 32 elements, those of B 64."""
    acc_layout: gl.constexpr = gl.amd.AMDMFMALayout(4, [32, 32, 16], True, [2, 4])
    rows: gl.constexpr = gl.BlockedLayout([1, 8], [16, 4], [8, 1], [1, 0])
    columns: gl.constexpr = gl.BlockedLayout([1, 8], [8, 8], [8, 1], [1, 0])
    plain: gl.constexpr = gl.SwizzledSharedLayout(8, 1, 1, [1, 0])
    a_smem = gl.allocate_shared_memory(gl.float16, [3, 128, 32], plain)
    b_smem = gl.allocate_shared_memory(gl.float16, [3, 32, 64], plain)
    acc = gl.zeros([128, 64], gl.float32, acc_layout)
    a_at = offsets(128, 32, 4096, rows)
    b_at = offsets(32, 64, 64, columns)
    a_next = gl.amd.cdna3.buffer_load(a, a_at)
    b_next = gl.amd.cdna3.buffer_load(b, b_at)
    for i in range(steps):
        with gl.amd.warp_pipeline_stage("store"):
            a_smem.index(i % 3).store(a_next)
            b_smem.index(i % 3).store(b_next)
            a_next = gl.amd.cdna3.buffer_load(a, a_at + i * 32)
            b_next = gl.amd.cdna3.buffer_load(b, b_at + i * 2048)
        with gl.amd.warp_pipeline_stage("nothing"):
            acc = acc + 1.0
        with gl.amd.warp_pipeline_stage("load"):
            x = a_smem.index(i % 3).load(gl.DotOperandLayout(0, acc_layout, 8))
            y = b_smem.index(i % 3).load(gl.DotOperandLayout(1, acc_layout, 8))
        with gl.amd.warp_pipeline_stage("multiply"):
            acc = gl.amd.cdna3.mfma(x, y, acc)
    gl.store(c + offsets(128, 64, 64, acc_layout), acc)


@pytest.fixture(scope="module")
def turns():
    types = [gl.float16, gl.float16, gl.float32, 7]
    return multiply_in_turns.warmup(*types, num_warps=8, target="gfx950").report()


def test_rows_of_tiles_in_global_memory(turns):
    stages = {stage.name: stage for stage in turns.loops[0].stages}
    # 8 KB of rows of 64 bytes, 4 KB of rows of 128.
    assert stages["store"].line_use == {"loads": (2 * 8 + 4) / (8 + 4)}
    assert stages["multiply"].line_use == {}


def test_the_report_tells_what_the_model_says(turns):
    schedule = turns.schedule
    assert [stage.name for stage in schedule.stages] == [stage.name for stage in turns.loops[0].stages]
    assert schedule.waves == 2 * turns.occupancy.blocks
    sentence = (
        f"model: {schedule.clocks:.0f} clocks per trip, {100 * schedule.matrix_share:.1f} % of the matrix cores' time, "
        f"bound by {schedule.bound}"
    )
    assert f"  {sentence} (never timed on hardware)" in str(turns).splitlines()
    assert sentence.replace("'", "&#x27;") in turns._repr_html_()
    told = turns.as_dict()["schedule"]
    assert told["clocks"] == schedule.clocks
    assert told["stages"][0]["name"] == schedule.stages[0].name
    json.dumps(told)


def test_the_picture_of_the_model(turns):
    svg = turns.draw_schedule().svg
    for text in ("wave 0", "wave 1", "multiply: ", "matrix core: ", "Computed by a model"):
        assert text in svg
    begin, end, _ = turns.schedule.mmas[0]
    assert end - begin == 32  # of the first product: 8 passes
    assert svg in turns._repr_html_()
