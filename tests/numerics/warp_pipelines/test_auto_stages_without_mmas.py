"""gl.range(..., warp_pipeline="auto"): loops without MMAs get stages only if both models expect a gain."""

import auto_stage_loops
import compared_programs
import numpy as np
import pytest

import hocket
from hocket import emulator
from hocket import language as gl

ROWS, COLUMNS, SLOTS, TILES = 16, 256, 3, 6
WHOLE_ROWS = gl.BlockedLayout([1, 1], [2, 32], [8, 1], [1, 0])
#: Targets and numbers of random loops for which the estimate predicts a gain of at least 7 percent. By the schedule
#: model of the machine code, the stages of some loops take longer than the plain loop, and those of others gain little.
LOOPS = [("gfx942", 1), ("gfx942", 5), ("gfx942", 6), ("gfx950", 8), ("gfx950", 9)]


@hocket.jit
def softmax(x, y, tiles, HOW: gl.constexpr):
    shared: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [1, 0])
    ring = gl.allocate_shared_memory(gl.float32, [SLOTS, ROWS, COLUMNS], shared)
    rows = gl.arange(0, ROWS, layout=gl.SliceLayout(1, WHOLE_ROWS))[:, None]
    offsets = rows * COLUMNS + gl.arange(0, COLUMNS, layout=gl.SliceLayout(0, WHOLE_ROWS))[None, :]
    size: gl.constexpr = ROWS * COLUMNS
    for k in gl.static_range(2):
        ring.index(k).store(gl.load(x + k * size + offsets, mask=offsets < (tiles - k) * size, other=0))
    for k in gl.range(tiles, warp_pipeline=HOW):
        tile = ring.index(k % SLOTS).load(WHOLE_ROWS)
        largest = gl.max(tile, 1)
        fetched = gl.load(x + (k + 2) * size + offsets, mask=offsets < (tiles - 2 - k) * size, other=0)
        tile = gl.exp(tile - largest[:, None])
        total = gl.sum(tile, 1)
        ring.index((k + 2) % SLOTS).store(fetched)
        gl.store(y + k * size + offsets, tile / total[:, None])


@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
def test_softmax_of_whole_rows_stays_plain(target):
    # A stage waits for its masked loads, whose results it selects, and for the exchanges of its reductions.
    kernel = softmax.warmup(gl.float32, gl.float32, TILES, HOW="auto", num_warps=8, target=target)
    (loop,) = kernel.explain_schedule()
    assert not loop.formed and loop.reason == "the expected gain is below the model's error", loop
    x = np.random.default_rng(0).standard_normal((TILES * ROWS, COLUMNS)).astype(np.float32)
    y = np.zeros_like(x)
    with emulator.target(target):
        (loop,) = softmax[(1,)](x, y, TILES, HOW="auto", num_warps=8).explain_schedule()
    assert not loop.formed, loop
    expected = np.exp(x - x.max(1, keepdims=True))
    np.testing.assert_allclose(y, expected / expected.sum(1, keepdims=True), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("target, number", LOOPS)
def test_stages_gain_more_than_the_error_by_the_schedule_model(target, number):
    source = auto_stage_loops.Loop(number, target).source
    kernel = compared_programs.load(f"<loop {number}>", source, {"__name__": "loops"})[f"loop_{number}"]
    x = np.zeros((auto_stage_loops.TILES, 64, 32), np.int32)

    def decision_and_clocks(how, **options):
        compiled = kernel.warmup(x, x, 4, HOW=how, num_warps=8, target=target, **options)
        return (*compiled.explain_schedule(),), compiled.report().schedule.clocks

    _, plain = decision_and_clocks(None)
    (estimated,), of_estimate = decision_and_clocks("auto", stage_choice=2)
    (chosen,), of_chosen = decision_and_clocks("auto")
    assert estimated.formed, estimated
    if chosen.formed:
        assert of_chosen * (1 + chosen.error_percent / 100) < plain
    else:
        assert chosen.reason == "by the schedule model of the machine code, the gain of stages is too small"
        assert of_chosen == plain and of_estimate * (1 + chosen.error_percent / 100) >= plain
