"""Sliding windows of attention on Hopper, forward and backward, dense, packed and paged, against NumPy."""

import ml_dtypes
import numpy as np
import pytest
from attention_reference import (
    check_packed,
    check_packed_gradients,
    gradients,
    inputs,
    mask_of,
    packed_inputs,
    reference,
    run_varlen,
)

from hocket import emulator, jit
from hocket.errors import LaunchError
from hocket.kernels import attention, attention_backward, attention_paged, attention_varlen, attention_varlen_backward
from hocket.kernels._attention import host, host_backward, host_varlen
from hocket.launch_cache import LaunchCache

pytestmark = pytest.mark.usefixtures("unoptimized")

#: Windows that are narrower than a block, that end inside and at the ends of blocks, and that begin after a query.
WINDOWS = ((0, 0), (5, 3), (127, 0), (128, 128), (200, 0), (None, 40), (70, None))


@pytest.fixture(autouse=True)
def no_prepared_launches(monkeypatch):
    for module in (host, host_backward, host_varlen):
        monkeypatch.setattr(module, "_launches", LaunchCache(module._launches.prepare))


def few_multiprocessors(monkeypatch, count):
    """Makes plans for some number of SMs, also on a GPU."""
    for name in ("host_nvidia", "host_varlen_nvidia", "host_backward"):
        monkeypatch.setattr(f"hocket.kernels._attention.{name}.gpu_of", lambda array: None)
    for name in ("host_nvidia", "host_backward"):
        monkeypatch.setattr(f"hocket.kernels._attention.{name}.MULTIPROCESSORS", count)


def check(device, arrays, causal=False, window=None):
    """Compares the result and the gradients of `attention` with those in float64."""
    q, k, v = arrays
    moved = [device.to_device(x) for x in arrays]
    out, lse = attention(*moved, causal=causal, window=window, return_lse=True)
    expected, logarithms = reference(q, k, v, causal, window=window)
    eps = float(ml_dtypes.finfo(q.dtype).eps)
    assert (
        np.abs(device.to_host(out).astype(np.float64) - expected) <= 2 * eps * np.maximum(np.abs(expected), 1)
    ).all()
    np.testing.assert_allclose(device.to_host(lse), logarithms, rtol=1e-5, atol=1e-5)
    do = np.random.default_rng(7).standard_normal(q.shape).astype(q.dtype)
    operands = [device.to_device(x) for x in (do, q, k, v, expected.astype(q.dtype))]
    sums = device.to_device(logarithms.astype(np.float32))
    results = attention_backward(*operands, sums, causal=causal, window=window)
    for name, result, (values, sizes) in zip(
        ("dq", "dk", "dv"), results, gradients(do, q, k, v, causal, window=window), strict=True
    ):
        error = np.abs(device.to_host(result).astype(np.float64) - values)
        assert (error <= 1e-5 + eps * (sizes + np.abs(values))).all(), (name, error.max())


@pytest.mark.parametrize("window", WINDOWS, ids=str)
def test_windows(hopper_device, monkeypatch, window):
    """More keys than queries, and few CTAs, which process several tiles one after another."""
    few_multiprocessors(monkeypatch, 3)
    head_size = 64 if WINDOWS.index(window) % 2 else 128
    check(hopper_device, inputs((2, 1, 290, 400), head_size, "bfloat16"), window=window)


def test_more_queries_than_keys(hopper_device):
    """The first queries see no key."""
    for window in ((30, 0), (10, 60)):
        check(hopper_device, inputs((1, 1, 260, 100), 64), window=window)


def test_blocks_outside_of_all_windows_are_skipped(hopper_device):
    """They hold NaN, which a masked block would add as 0 x NaN."""
    q, k, v = inputs((2, 1, 64, 600), 64)
    k[:, :, :384], v[:, :, :384] = np.nan, np.nan
    moved = [hopper_device.to_device(x) for x in (q, k, v)]
    out, lse = attention(*moved, window=(100, 0), return_lse=True)
    dq, dk, dv = attention_backward(moved[0], *moved, out, lse, window=(100, 0))
    out, dq, dk, dv = map(hopper_device.to_host, (out, dq, dk, dv))
    assert np.isfinite(out).all() and np.isfinite(dq).all()
    assert (dk[:, :, :436] == 0).all() and (dv[:, :, :436] == 0).all() and (dv[:, :, 436:] != 0).any()


def test_causal_windows(hopper_device):
    check(hopper_device, inputs((2, 2, 200, 330), 128), causal=True, window=(40, 0))
    check(hopper_device, inputs((1, 1, 70, 70), 64), causal=True, window=(None, None))


def test_few_queries_share_tiles_of_heads_and_divide_keys(hopper_device, monkeypatch):
    few_multiprocessors(monkeypatch, 6)
    monkeypatch.setattr("hocket.kernels._attention.split_kv.ADDING_BLOCKS", 0)
    monkeypatch.setattr("hocket.kernels._attention.split_kv.START_BLOCKS", 0)
    for queries in (1, 5):
        q, k, v = inputs((4, 1, queries, 700), 64)
        for window in ((300, 0), (3, 0)):
            out = attention(*map(hopper_device.to_device, (q, k, v)), window=window)
            error = np.abs(hopper_device.to_host(out).astype(np.float64) - reference(q, k, v, False, window=window)[0])
            assert (error <= 2e-3).all()


@jit
def falling(score, batch, head, query, key):
    return score + (key - query) * 0.01


@jit
def two_of_three(batch, head, query, key):
    return (query + key) % 3 != 0


@pytest.mark.parametrize("window", [(20, 3), (0, 0)], ids=str)
def test_functions_for_scores_and_masks_in_windows(hopper_device, window):
    """Every third query sees no key if it sees only one."""
    q, k, v = inputs((2, 2, 70, 200), 64)
    options = {"score_mod": falling, "mask_mod": two_of_three, "window": window}
    out, lse = attention(*map(hopper_device.to_device, (q, k, v)), return_lse=True, **options)
    rows, keys = np.arange(70)[:, None], np.arange(200)[None]
    visible = mask_of(70, 200, False, window) & ((rows + keys) % 3 != 0)
    scores = q.astype(np.float64) @ k.astype(np.float64).swapaxes(2, 3) / 8 + (keys - rows) * 0.01
    weights = np.exp(np.where(visible, scores, -np.inf))
    sums = weights.sum(axis=3, keepdims=True)
    expected = weights / np.where(sums == 0, 1, sums) @ v.astype(np.float64)
    assert (np.abs(hopper_device.to_host(out).astype(np.float64) - expected) <= 2e-3).all()
    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(hopper_device.to_host(lse), np.log(sums)[..., 0], rtol=1e-5, atol=1e-5)


#: (queries, keys) of each sequence.
SEQUENCES = ((170, 290), (0, 3), (5, 400), (20, 0), (129, 40), (1, 1))


@pytest.mark.parametrize("window", [(100, 0), (20, 150)], ids=str)
def test_packed_sequences(hopper_device, window):
    head_size = 64 if window[1] else 128
    arrays, starts = packed_inputs(SEQUENCES, 4, 2, head_size)
    result, logarithms = run_varlen(hopper_device, arrays, starts, window=window)
    check_packed(result, logarithms, arrays, starts, window=window)
    do = np.random.default_rng(7).standard_normal(arrays[0].shape).astype(arrays[0].dtype)
    operands = [hopper_device.to_device(x) for x in (do, *arrays, result, logarithms, *starts)]
    results = [hopper_device.to_host(x) for x in attention_varlen_backward(*operands, window=window)]
    check_packed_gradients(results, do, arrays, starts, window=window)


def test_paged_keys(hopper_device):
    arrays, starts = packed_inputs([(3, 290)], 4, 2, 64)
    pages = [np.concatenate([x, np.full((14, 2, 64), np.nan, x.dtype)]).reshape(19, 16, 2, 64) for x in arrays[1:]]
    table = np.arange(19, dtype=np.int32)[None]
    arguments = arrays[0], *pages, table, np.array([290], np.int32), starts[0]
    result = attention_paged(*map(hopper_device.to_device, arguments), 3, causal=True, window=(60, 0))
    check_packed(hopper_device.to_host(result), None, arrays, starts, True, window=(60, 0))


@pytest.mark.parametrize("seed, completion", [(1, "random"), (2, "now"), (3, "late")])
def test_every_schedule_gives_the_same(monkeypatch, seed, completion):
    few_multiprocessors(monkeypatch, 3)
    arrays, starts = packed_inputs(((150, 340), (60, 60)), 2, 1, 64, "bfloat16")

    def run():
        out, lse = attention_varlen(*arrays, *starts, 150, window=(90, 0), return_lse=True)
        return out, lse, *attention_varlen_backward(out, *arrays, out, lse, *starts, window=(90, 0))

    with emulator.target("sm_90a"):
        expected = run()
    with emulator.target("sm_90a", seed=seed, completion=completion):
        results = run()
    assert all(np.array_equal(*pair) for pair in zip(results, expected, strict=True))


MISTAKES = {
    "number": (
        {"window": 100},
        "attention: window must be (before, after), numbers of keys or None, not 100\n  hint: with window=(1023, 0), a "
        "query sees the key at its position and 1023 keys before it",
    ),
    "negative": (
        {"window": (-1, 0)},
        "attention: window must be (before, after), numbers of keys or None, not (-1, 0)\n  hint: with "
        "window=(1023, 0), a query sees the key at its position and 1023 keys before it",
    ),
    "causal": (
        {"window": (100, 1), "causal": True},
        "attention: with causal=True, a query sees no keys after its position, but window is (100, 1)\n  hint: pass "
        "window=(100, 0)",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(name):
    options, message = MISTAKES[name]
    q = np.zeros((1, 1, 4, 64), np.float16)
    with emulator.target("sm_90a"), pytest.raises(LaunchError) as caught:
        attention(q, q, q, **options)
    assert str(caught.value) == message


def test_other_targets():
    q = np.zeros((1, 1, 4, 64), np.float16)
    with emulator.target("gfx950"), pytest.raises(LaunchError) as caught:
        attention(q, q, q, window=(3, 0))
    assert str(caught.value) == "attention: window is not supported for gfx950 yet; it is for sm_90a"
