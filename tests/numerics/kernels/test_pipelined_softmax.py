"""examples/pipelined_softmax.py: reductions between stages of warp pipelines, under several schedules."""

import numpy as np
import pipelined_softmax as example
import pytest

import hocket
from hocket import emulator

KERNELS = {
    "softmax": (example.softmax, example.expected_softmax),
    "rms_norm": (example.rms_norm, example.expected_rms_norm),
}


@pytest.mark.parametrize("target", example.LANES)
@pytest.mark.parametrize("rows, columns", [(16, 64), (48, 128), (80, 256)])
@pytest.mark.parametrize("name", KERNELS)
def test_results(name, rows, columns, target):
    run, expected = KERNELS[name]
    x = np.random.default_rng(0).standard_normal((rows, columns), dtype=np.float32)
    for seed in range(3):
        with emulator.target(target, seed=seed):
            np.testing.assert_allclose(run(x, target), expected(x), rtol=2e-5, atol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("target", example.LANES)
@pytest.mark.parametrize("name", KERNELS)
def test_no_schedule_changes_a_result(name, target):
    x = np.random.default_rng(1).standard_normal((80, 64), dtype=np.float32)
    report = hocket.check(lambda: KERNELS[name][0](x, target), target=target, schedules=100)
    assert report.ok, report
    assert report.results == 1
