"""examples/plain_gemm_cdna.py: the plain loop's stages are as good as those written by hand, by the schedule model."""

import dataclasses
import importlib.util
import pathlib

import numpy as np
import pytest

from hocket import emulator

EXAMPLES = pathlib.Path(__file__).resolve().parents[3] / "examples"


@pytest.fixture(scope="module")
def example():
    spec = importlib.util.spec_from_file_location("plain_gemm_cdna", EXAMPLES / "plain_gemm_cdna.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("schedule", [None, "auto", "written"])
def test_result(example, schedule):
    random = np.random.default_rng(1)
    a = random.integers(-4, 5, (256, 192)).astype(np.float16)
    b = random.integers(-4, 5, (192, 128)).astype(np.float16)
    cfg = example.Config(128, 64, 4, schedule)
    for seed in range(2):
        with emulator.target("gfx950"), emulator.schedule(seed=seed):
            np.testing.assert_array_equal(example.matmul(a, b, cfg), (a.astype(np.float32) @ b).astype(np.float16))


@pytest.mark.parametrize("number", range(3))
def test_clocks_of_the_schedule_model(example, number):
    cfg = example.CONFIGS[number]
    plain, auto, written = (
        example.clocks_of(dataclasses.replace(cfg, schedule=how)) for how in (None, "auto", "written")
    )
    assert auto <= 1.02 * written
    assert auto < plain
