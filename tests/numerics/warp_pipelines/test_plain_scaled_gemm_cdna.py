"""examples/plain_scaled_gemm_cdna.py: the stages that the compiler forms are those of `matmul_scaled`."""

import importlib.util
import pathlib

import numpy as np
import pytest
import scaled_cases

from hocket import emulator
from hocket.kernels import shuffle_scales

EXAMPLES = pathlib.Path(__file__).resolve().parents[3] / "examples"


@pytest.fixture(scope="module")
def example():
    spec = importlib.util.spec_from_file_location("plain_scaled_gemm_cdna", EXAMPLES / "plain_scaled_gemm_cdna.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_result(example):
    random = np.random.default_rng(1)
    a, a_scales, left = scaled_cases.scaled(random, 256, 512, "float8_e4m3fn")
    b, b_scales, right = scaled_cases.scaled(random, 256, 512, "float8_e4m3fn")
    arguments = a, shuffle_scales(a_scales), b.T, shuffle_scales(b_scales)
    results = []
    for schedule, seed in ((None, 0), ("auto", 0), ("auto", 1)):
        with emulator.target("gfx950"), emulator.schedule(seed=seed):
            results.append(example.matmul_scaled(*arguments, schedule))
    np.testing.assert_allclose(results[0], left @ right.T, rtol=1e-5, atol=1e-3)
    np.testing.assert_array_equal(results[1], results[0])
    np.testing.assert_array_equal(results[2], results[0])


@pytest.mark.parametrize("dtype", ["float8_e4m3fn", "uint8"])
def test_stages_are_those_of_the_written_kernel(example, dtype):
    kernel = example.compiled("auto", dtype)
    loop = kernel.explain_schedule()[0]
    assert [stage.label.split()[0] for stage in loop.best.stages[1::2]] == ["matrix"] * 4, loop
    assert [stage.wait for stage in loop.best.stages] == [None, 6] * 4
    auto, written, plain = (example.clocks_of(each) for each in (kernel, *_others(example, dtype)))
    assert auto <= 1.02 * written
    assert auto < plain
    assert kernel.report().resources["registers_spilled"] == 0


def _others(example, dtype):
    return (example.compiled(how, dtype) for how in ("written", None))
