"""examples/plain_quadrants_cdna.py: the stages that the compiler forms are as good as those of `matmul`."""

import importlib.util
import pathlib

import numpy as np
import pytest

from hocket import emulator

EXAMPLES = pathlib.Path(__file__).resolve().parents[3] / "examples"


def _example():
    spec = importlib.util.spec_from_file_location("plain_quadrants_cdna", EXAMPLES / "plain_quadrants_cdna.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


example = _example()


@pytest.mark.parametrize(("schedule", "seed"), [(None, 0), ("auto", 0), ("auto", 1)])
def test_result(schedule, seed):
    random = np.random.default_rng(1)
    a = random.integers(-4, 5, (256, 256)).astype(np.float16)
    b = random.integers(-4, 5, (256, 256)).astype(np.float16)
    with emulator.target("gfx950"), emulator.schedule(seed=seed):
        np.testing.assert_array_equal(example.matmul(a, b, schedule), a.astype(np.float32) @ b.astype(np.float32))


@pytest.mark.parametrize("order", example.ORDERS)
def test_clocks_of_the_schedule_model(order):
    plain, auto, written = (
        example.clocks_of(example.compiled(how, example.ORDERS[order])) for how in (None, "auto", "written")
    )
    assert auto <= 1.02 * written
    assert auto < 0.8 * plain
