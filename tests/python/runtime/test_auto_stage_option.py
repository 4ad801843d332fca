"""The launch option `warp_pipeline="auto"` and HOCKET_WARP_PIPELINE: stages for all loops that can have them."""

import re

import numpy as np
import pytest

import hocket
from hocket import language as gl
from hocket.runtime.options import Options

PLAIN = 'no loop has warp_pipeline="auto"'


def exponents(x, y, n, OUTER: gl.constexpr = 1):
    ROWS: gl.constexpr = gl.BlockedLayout([1, 4], [8, 8], [8, 1], [1, 0])
    COLUMNS: gl.constexpr = gl.BlockedLayout([4, 1], [16, 4], [1, 8], [0, 1])
    rows = gl.arange(0, 64, gl.SliceLayout(1, ROWS))[:, None] * 32 + gl.arange(0, 32, gl.SliceLayout(0, ROWS))[None, :]
    ring = gl.allocate_shared_memory(gl.float32, [3, 64, 32], gl.SwizzledSharedLayout(1, 1, 1, [1, 0]))
    ring.index(0).store(gl.load(x + rows))
    acc = gl.zeros([64, 32], gl.float32, COLUMNS)
    for _ in range(OUTER):
        for k in range(n):
            tile = gl.load(x + (k + 1) % n * 2048 + rows)
            v = ring.index(k % 3).load(COLUMNS)
            for _ in gl.static_range(40):
                acc = gl.exp2(acc * 0.5) + v
            ring.index((k + 1) % 3).store(tile)
        gl.barrier()
    row, column = gl.arange(0, 64, gl.SliceLayout(1, COLUMNS)), gl.arange(0, 32, gl.SliceLayout(0, COLUMNS))
    gl.store(y + row[:, None] * 32 + column[None, :], acc)


def decisions(kernel, **options):
    # The stages with the best estimate: by the schedule model, they gain less than the model's error.
    options = {"stage_choice": 2, "num_warps": 8, "target": "gfx950", **options}
    compiled = kernel.warmup(gl.float32, gl.float32, 4, OUTER=2, **options)
    return compiled.explain_schedule()


def check_stages(report):
    """The inner loop has stages; the loop around it is not mentioned."""
    (loop,) = report
    assert loop.formed, loop
    assert loop.line == exponents.__code__.co_firstlineno + 8


def test_option_of_a_launch():
    kernel = hocket.jit(exponents)
    assert PLAIN in str(decisions(kernel))
    check_stages(decisions(kernel, warp_pipeline="auto"))
    assert PLAIN in str(decisions(kernel, warp_pipeline=None))


def test_option_of_the_decorator():
    kernel = hocket.jit(warp_pipeline="auto")(exponents)
    check_stages(decisions(kernel))
    assert PLAIN in str(decisions(kernel, warp_pipeline=None))


def test_environment_variable(monkeypatch):
    assert PLAIN in str(decisions(hocket.jit(exponents)))
    monkeypatch.setenv("HOCKET_WARP_PIPELINE", "auto")
    check_stages(decisions(hocket.jit(exponents)))
    assert PLAIN in str(decisions(hocket.jit(exponents), warp_pipeline=None))
    assert PLAIN in str(decisions(hocket.jit(warp_pipeline=None)(exponents)))
    monkeypatch.setenv("HOCKET_WARP_PIPELINE", "")
    assert PLAIN in str(decisions(hocket.jit(exponents)))


def test_the_cache_distinguishes_the_forms(monkeypatch, tmp_path):
    monkeypatch.setenv("HOCKET_CACHE_DIR", str(tmp_path))
    for how in (None, "auto", None, "auto"):
        report = decisions(hocket.jit(exponents), warp_pipeline=how)
        assert (PLAIN in str(report)) == (how is None)


def test_results_are_those_of_the_plain_loops():
    kernel, x = hocket.jit(exponents), np.random.default_rng(0).standard_normal((5, 64, 32), np.float32)
    outs = []
    for how in (None, "auto"):
        outs.append(np.zeros((64, 32), np.float32))
        with hocket.emulator.target("gfx950"):
            kernel[(1,)](x, outs[-1], 5, OUTER=2, num_warps=8, warp_pipeline=how)
    np.testing.assert_array_equal(*outs)


@hocket.jit
def written_and_plain(x, y, n):
    ROW: gl.constexpr = gl.row_layout()
    place = gl.arange(0, 512, ROW)
    total = gl.zeros([512], gl.float32, ROW)
    for k in range(n):
        with gl.warp_pipeline_stage("load"):
            value = gl.load(x + 512 * k + place)
        with gl.warp_pipeline_stage("add"):
            total += value
    for _ in range(n):
        gl.barrier()
    for k in range(n):
        if gl.load(x + k) > 3:
            break
    gl.store(y + place, total)


@pytest.mark.parametrize("target", ["gfx950", "sm_90a"])
def test_loops_that_cannot_have_stages_are_no_errors(target):
    options = {"num_warps": 8, "target": target, "warp_pipeline": "auto"}
    (barrier,) = written_and_plain.warmup(gl.float32, gl.float32, 4, **options).explain_schedule()
    assert barrier.reason == "the loop contains a barrier"


@pytest.mark.parametrize("value", ["on", True, 1, "AUTO", ["auto"]], ids=repr)
def test_other_values_are_errors(value):
    with pytest.raises(hocket.LaunchError, match=re.escape(f'warp_pipeline must be "auto" or None, not {value!r}')):
        Options(warp_pipeline=value)


def test_other_values_of_the_variable_are_errors(monkeypatch):
    monkeypatch.setenv("HOCKET_WARP_PIPELINE", "1")
    with pytest.raises(hocket.LaunchError, match=re.escape("HOCKET_WARP_PIPELINE must be \"auto\" or empty, not '1'")):
        decisions(hocket.jit(exponents))
