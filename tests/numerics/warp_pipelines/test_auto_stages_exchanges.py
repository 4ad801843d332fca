"""gl.range(..., warp_pipeline="auto"): exchanges between warps are divided over the stages that the compiler forms."""

import numpy as np
import plain_gemm_cdna as example
import pytest

import hocket
from hocket import emulator

CFG = example.Config(128, 128, 2)
SCHEDULES = ((None, 0), ("auto", 0), ("auto", 1), ("auto", 2))


def expected(a, b, axis):
    acc, largest = np.zeros((CFG.block, CFG.block)), np.ones(CFG.block)
    for k in range(0, a.shape[1], CFG.block_k):
        part = a[:, k : k + CFG.block_k].astype(np.float32) @ b[k : k + CFG.block_k]
        acc = np.maximum(acc, part - np.expand_dims(largest, axis))
        largest = part.max(axis)
    return acc


def run(a, b, axis, how, seed=0):
    c = np.full((CFG.block, CFG.block), np.nan, np.float32)
    with emulator.target("gfx950", seed=seed):
        kernel = example.largest_parts[(1,)](
            a, b, c, CFG.block, a.shape[1] // CFG.block_k, cfg=CFG, AXIS=axis, HOW=how, num_warps=8
        )
    return c, kernel


def operands(steps):
    random = np.random.default_rng(steps)
    shapes = (CFG.block, steps * CFG.block_k), (steps * CFG.block_k, CFG.block)
    return [random.standard_normal(shape).astype(np.float16) for shape in shapes]


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("steps", [1, 2, 5])
def test_results(steps, axis):
    a, b = operands(steps)
    results = [run(a, b, axis, how, seed) for how, seed in SCHEDULES]
    np.testing.assert_allclose(results[0][0], expected(a, b, axis), rtol=1e-3, atol=1e-3)
    for c, kernel in results[1:]:
        (loop,) = kernel.explain_schedule()
        assert loop.formed, loop
        np.testing.assert_array_equal(c, results[0][0])


@pytest.mark.parametrize("axis", [0, 1])
def test_clocks_of_the_schedule_model(axis):
    plain, auto = (example.compiled_parts(CFG, axis, how) for how in (None, "auto"))
    (loop,) = auto.explain_schedule()
    assert loop.formed, loop
    assert auto.report().schedule.clocks < plain.report().schedule.clocks


@pytest.mark.slow
@pytest.mark.parametrize("axis", [0, 1])
def test_no_schedule_changes_the_result(axis):
    a, b = operands(4)
    report = hocket.check(lambda: run(a, b, axis, "auto")[0], target="gfx950", schedules=100)
    assert report.ok, report
    assert report.results == 1
