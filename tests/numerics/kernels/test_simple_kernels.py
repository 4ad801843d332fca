"""The plain versions of the GEMM and of attention on Hopper against NumPy: edges, dtypes, masks, and mistakes."""

import ml_dtypes
import numpy as np
import pytest
from attention_reference import gradients, inputs, reference

import hocket
from hocket.errors import LaunchError
from hocket.kernels._attention.attention_backward_simple import attention_backward_simple
from hocket.kernels._attention.attention_simple import attention_simple
from hocket.kernels._matmul.matmul_simple import matmul_simple

BF16 = np.dtype(ml_dtypes.bfloat16)


def normal(*shape, dtype="float16", seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


@pytest.mark.parametrize(("m", "n", "k"), [(128, 256, 64), (136, 264, 328), (8, 8, 8)])
def test_matmul(hopper_device, m, n, k):
    a, b = normal(m, k), normal(k, n, seed=1)
    result = hopper_device.to_host(matmul_simple(*map(hopper_device.to_device, (a, b))))
    np.testing.assert_allclose(result, a.astype(np.float32) @ b.astype(np.float32), rtol=2e-3, atol=2e-2)


def test_matmul_of_bfloat16_into_an_array():
    a, b, out = normal(64, 64, dtype=BF16), normal(64, 128, dtype=BF16), np.zeros((64, 128), BF16)
    with hocket.emulator.target("sm_90a"):
        assert matmul_simple(a, b, out) is out
    expected = a.astype(np.float32) @ b.astype(np.float32)
    np.testing.assert_allclose(out.astype(np.float32), expected, rtol=2e-2, atol=0.1)


def expected_attention(q, k, v, causal, scale):
    scores = scale * (q.astype(np.float32) @ k.astype(np.float32).swapaxes(-1, -2))
    if causal:
        queries, keys = scores.shape[-2:]
        scores = np.where(np.tri(queries, keys, keys - queries, dtype=bool), scores, -np.inf)
    highest = scores.max(axis=-1, keepdims=True)
    p = np.exp(scores - np.where(np.isinf(highest), 0, highest))
    total = p.sum(axis=-1, keepdims=True)
    return p / np.where(total == 0, 1, total) @ v.astype(np.float32)


@pytest.mark.parametrize("causal", [False, True], ids=["full", "causal"])
@pytest.mark.parametrize(
    ("queries", "keys", "size"), [(128, 128, 64), (72, 200, 64), (200, 72, 64), (130, 260, 128)], ids=str
)
def test_attention(hopper_device, queries, keys, size, causal):
    q, k, v = (normal(1, 2, length, size, seed=i) for i, length in enumerate((queries, keys, keys)))
    arrays = map(hopper_device.to_device, (q, k, v))
    result = hopper_device.to_host(attention_simple(*arrays, causal=causal, scale=0.2))
    np.testing.assert_allclose(result, expected_attention(q, k, v, causal, 0.2), rtol=1e-2, atol=5e-3)


def test_every_schedule_gives_the_same():
    q = normal(1, 1, 64, 64, dtype=BF16)
    with hocket.emulator.target("sm_90a"):
        expected = attention_simple(q, q, q, causal=True)
    for seed, completion in ((1, "late"), (2, "random"), (3, "now")):
        with hocket.emulator.target("sm_90a", seed=seed, completion=completion):
            assert np.array_equal(attention_simple(q, q, q, causal=True), expected)


@pytest.mark.parametrize("causal", [False, True], ids=["full", "causal"])
@pytest.mark.parametrize(
    ("queries", "keys", "size"), [(128, 128, 64), (72, 200, 64), (200, 72, 64), (1, 1, 64), (130, 260, 128)], ids=str
)
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_attention_backward(hopper_device, queries, keys, size, causal, dtype):
    q, k, v = inputs((2, 2, queries, keys), size, dtype)
    do = normal(*q.shape, dtype=q.dtype, seed=9)
    out, lse = reference(q, k, v, causal, 0.2)
    arrays = map(hopper_device.to_device, (do, q, k, v, out.astype(q.dtype), lse.astype(np.float32)))
    results = attention_backward_simple(*arrays, causal=causal, scale=0.2)
    eps = float(ml_dtypes.finfo(q.dtype).eps)
    for result, (expected, magnitudes) in zip(results, gradients(do, q, k, v, causal, 0.2), strict=True):
        error = np.abs(hopper_device.to_host(result).astype(np.float64) - expected)
        assert (error <= 1e-5 + eps * (magnitudes + np.abs(expected))).all(), error.max()


MISTAKES = {
    "matmul on another target": (
        lambda: matmul_simple(normal(16, 16), normal(16, 16)),
        "gfx950",
        "matmul_simple runs on sm_90a, not on gfx950\n  hint: call hocket.kernels.matmul",
    ),
    "shapes": (
        lambda: matmul_simple(normal(16, 16), normal(32, 16)),
        "sm_90a",
        "matmul_simple: the shapes [16, 16] and [32, 16] do not match",
    ),
    "dtypes": (
        lambda: matmul_simple(normal(16, 16), normal(16, 16, dtype="float32")),
        "sm_90a",
        "matmul_simple: a and b must both be float16 or bfloat16, but are float16 and float32",
    ),
    "attention on another target": (
        lambda: attention_simple(*[normal(1, 1, 16, 64)] * 3),
        "gfx950",
        "attention_simple runs on sm_90a, not on gfx950\n  hint: call hocket.kernels.attention",
    ),
    "size of heads": (
        lambda: attention_simple(*[normal(1, 1, 16, 32)] * 3),
        "sm_90a",
        "attention: D must be 64 or 128, not 32",
    ),
    "heads that share keys": (
        lambda: attention_simple(normal(1, 2, 16, 64), normal(1, 1, 16, 64), normal(1, 1, 16, 64)),
        "sm_90a",
        "attention_simple: q has 2 heads and k has 1; they must be equal",
    ),
    "gradient on another target": (
        lambda: attention_backward_simple(*[normal(1, 1, 16, 64)] * 5, normal(1, 1, 16, dtype="float32")),
        "gfx950",
        "attention_backward_simple runs on sm_90a, not on gfx950",
    ),
    "gradient of another shape": (
        lambda: attention_backward_simple(normal(1, 1, 8, 64), *[normal(1, 1, 16, 64)] * 5),
        "sm_90a",
        "attention_backward_simple: do must have the shape and the dtype of q",
    ),
    "gradient of heads that share keys": (
        lambda: attention_backward_simple(*[normal(1, 2, 16, 64)] * 2, *[normal(1, 1, 16, 64)] * 2, None, None),
        "sm_90a",
        "attention_backward_simple: q has 2 heads and k has 1; they must be equal",
    ),
    "values of another shape": (
        lambda: attention_simple(*[normal(1, 2, 16, 64)] * 2, normal(1, 2, 8, 64)),
        "sm_90a",
        "attention: k and v must have one shape, but have [1, 2, 16, 64] and [1, 2, 8, 64]",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(name):
    call, target, message = MISTAKES[name]
    with hocket.emulator.target(target), pytest.raises(LaunchError) as caught:
        call()
    assert str(caught.value) == message
