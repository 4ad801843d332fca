"""examples/plain_registers_cdna.py: stages that the compiler forms of loops that copy through registers, on CDNA3."""

import numpy as np
import plain_registers_cdna as example
import pytest

from hocket import emulator

SCHEDULES = ((None, 0), ("auto", 0), ("auto", 1))


def test_gemm():
    random = np.random.default_rng(1)
    a = random.integers(-4, 5, (256, 256)).astype(np.float16)
    b = random.integers(-4, 5, (256, 256)).astype(np.float16)
    for schedule, seed in SCHEDULES:
        with emulator.target("gfx942"), emulator.schedule(seed=seed):
            np.testing.assert_array_equal(example.matmul(a, b, schedule), a.astype(np.float32) @ b.astype(np.float32))


def expected_attention(q, k, v):
    scores = np.einsum("bhqd,bhkd->bhqk", q, k, dtype=np.float64) * q.shape[-1] ** -0.5
    p = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.einsum("bhqk,bhkd->bhqd", p / p.sum(axis=-1, keepdims=True), v)


@pytest.mark.parametrize("head_size", example.HEAD_SIZES)
def test_attention(head_size):
    random = np.random.default_rng(head_size)
    q, k, v = (random.standard_normal((1, 1, rows, head_size)).astype(np.float16) for rows in (200, 256, 256))
    results = []
    for schedule, seed in SCHEDULES:
        with emulator.target("gfx942"), emulator.schedule(seed=seed):
            results.append(example.attention(q, k, v, schedule))
    np.testing.assert_allclose(results[0], expected_attention(q, k, v), rtol=2e-2, atol=2e-3)
    for result in results[1:]:
        np.testing.assert_array_equal(result, results[0])


def test_keys_that_are_no_whole_blocks():
    q = np.zeros((1, 1, 256, 64), np.float16)
    for keys in (64, 130):
        k = np.zeros((1, 1, keys, 64), np.float16)
        with pytest.raises(ValueError, match=f"{keys} keys are not two or more blocks of 64"):
            example.attention(q, k, k)


@pytest.mark.parametrize("order", example.ORDERS)
def test_clocks_of_the_gemm(order):
    kernel = example.compiled_gemm("auto", example.ORDERS[order])
    stages = kernel.explain_schedule()[0].best.stages
    assert [stage.label.startswith("matrix") for stage in stages] == [False, True] * 4
    plain, written = (example.clocks_of(example.compiled_gemm(how, example.ORDERS[order])) for how in (None, "written"))
    assert example.clocks_of(kernel) <= 1.02 * written
    assert example.clocks_of(kernel) < 0.85 * plain
    assert kernel.report().resources["registers_spilled"] == 0


@pytest.mark.parametrize("head_size", example.HEAD_SIZES)
def test_clocks_of_attention(head_size):
    plain, auto, written = (
        example.clocks_of(example.compiled_attention(how, head_size)) for how in (None, "auto", "written")
    )
    assert auto <= 1.02 * written
    assert auto < 0.8 * plain
