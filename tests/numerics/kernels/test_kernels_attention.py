"""hocket.kernels.attention against NumPy on emulated CDNA3 and CDNA4."""

import ml_dtypes
import numpy as np
import pytest
from attention_reference import inputs, reference

import hocket
from hocket.kernels import attention
from hocket.kernels._attention import host as attention_host
from hocket.kernels._attention import host_cdna as attention_cdna
from hocket.kernels._attention.layouts_cdna import configure
from hocket.kernels._attention.operands import Attention
from hocket.kernels._common.arrays import ArrayFacts
from hocket.launch_cache import LaunchCache

pytestmark = pytest.mark.usefixtures("unoptimized")

#: Heads, heads of keys, queries, keys: none a multiple of the 128 queries or 64 keys of a block, but the last.
SIZES = ((1, 1, 1, 1), (2, 1, 70, 50), (1, 1, 150, 140), (1, 1, 40, 200), (1, 1, 128, 128))


@pytest.fixture(params=["gfx942", "gfx950"], autouse=True)
def target(request):
    with hocket.emulator.target(request.param):
        yield request.param


def check(result, expected):
    # Probabilities and the result are rounded to the dtype of the operands.
    eps = float(ml_dtypes.finfo(result.dtype).eps)
    error = np.abs(result.astype(np.float64) - expected)
    assert (error <= 2 * eps * np.maximum(np.abs(expected), 1)).all(), error.max()


@pytest.mark.parametrize("causal", [False, True], ids=["full", "causal"])
@pytest.mark.parametrize("head_size", [64, 128])
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_sizes_that_fit_no_block(size, head_size, causal):
    q, k, v = inputs(size, head_size, "float16")
    check(attention(q, k, v, causal=causal), reference(q, k, v, causal)[0])


@pytest.mark.parametrize("causal", [False, True], ids=["full", "causal"])
def test_bfloat16_in_batches_with_shared_keys(causal):
    q, k, v = inputs((4, 2, 33, 97), 64, "bfloat16", batch=2)
    check(attention(q, k, v, causal=causal), reference(q, k, v, causal)[0])


each_form = pytest.mark.parametrize("pipelined", [False, True], ids=["plain", "pipelined"])


@each_form
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_large_scores_do_not_overflow(dtype, pipelined):
    q, k, v = inputs((1, 1, 64, 192), 64, dtype)
    q, k = q * q.dtype.type(30), k * k.dtype.type(30)
    check(attention(q, k, v, scale=1.0, pipelined=pipelined), reference(q, k, v, False, scale=1.0)[0])


@each_form
@pytest.mark.parametrize(
    "rows", [slice(5, 6), slice(5, 22, 16), slice(None)], ids=["one", "two that share lanes", "all"]
)
def test_a_key_that_outweighs_all_before_it(rows, pipelined):
    """By more than float16 holds, in the third block and in the last one; of some rows only."""
    q, k, v = inputs((1, 1, 40, 300), 64, "float16")
    q, k = q / 8, k / 8
    q[..., 0], k[..., 0] = 0, 0
    q[:, :, rows, 0] = 10
    k[:, :, 130, 0], k[:, :, 299, 0] = 3, 6
    check(attention(q, k, v, scale=1.0, pipelined=pipelined), reference(q, k, v, False, scale=1.0)[0])


@each_form
@pytest.mark.parametrize("falls", [False, True], ids=["rising", "falling"])
def test_maxima_that_change_little_or_much(falls, pipelined):
    """From block to block by 0 to 12 in each row: weights reach 2^8, and only some rows of a warp are scaled."""
    q, k, v = inputs((1, 1, 256, 384), 64, "float16")
    q[..., 1:], k[..., 1:] = q[..., 1:] / 8, k[..., 1:] / 8
    q[..., 0] = np.random.default_rng(1).permutation(256) * 12 / 255
    block = np.arange(384) // 64
    k[..., 0] = -block if falls else block
    check(attention(q, k, v, scale=1.0, pipelined=pipelined), reference(q, k, v, False, scale=1.0)[0])


@pytest.mark.parametrize("scale", [0.0, -0.25])
@pytest.mark.parametrize("causal", [False, True], ids=["full", "causal"])
def test_scales_that_are_not_positive(scale, causal):
    q, k, v = inputs((1, 1, 40, 100), 64, "float16")
    check(attention(q, k, v, scale=scale, causal=causal), reference(q, k, v, causal, scale=scale)[0])


def test_sequences_between_heads_in_memory():
    """[batch, sequence, heads, D] seen as [batch, heads, sequence, D]."""
    q, k, v = (x.swapaxes(1, 2).copy().swapaxes(1, 2) for x in inputs((2, 2, 70, 90), 64, "float16"))
    out = np.zeros((1, 70, 2, 64), np.float16).swapaxes(1, 2)
    assert attention(q, k, v, out) is out
    check(out, reference(q, k, v, False)[0])


def test_rows_that_are_not_aligned():
    q, k, v = inputs((1, 1, 50, 60), 65, "float16")
    q, k, v = (x[..., 1:] for x in (q, k, v))
    check(attention(q, k, v), reference(q, k, v, False)[0])


def test_queries_without_any_key_give_zero():
    q, k, v = inputs((1, 1, 70, 20), 64, "float16")
    result = attention(q, k, v, causal=True)
    assert (result[:, :, :50] == 0).all()
    check(result, reference(q, k, v, True)[0])


@pytest.mark.parametrize("causal", [False, True], ids=["full", "causal"])
@pytest.mark.parametrize("head_size", [64, 128])
@pytest.mark.parametrize("size", [(1, 1, 1, 1), (2, 1, 300, 70), (1, 1, 256, 320)], ids=str)
def test_pipelines_compute_the_same(size, head_size, causal):
    """To the last bit; also with fewer blocks of keys than stages of the ring."""
    q, k, v = inputs(size, head_size, "float16")
    pipelined, plain = (attention(q, k, v, causal=causal, pipelined=choice) for choice in (True, False))
    assert np.array_equal(pipelined, plain)
    check(pipelined, reference(q, k, v, causal)[0])


@pytest.mark.parametrize("causal", [False, True], ids=["full", "causal"])
@pytest.mark.parametrize(("queries", "blocks"), [(40, blocks) for blocks in range(1, 8)] + [(300, 3), (300, 6)])
@pytest.mark.parametrize("head_size", [64, 128])
def test_pipelines_of_whole_blocks_compute_the_same(monkeypatch, head_size, queries, blocks, causal):
    """To the last bit, as kernels with two loops. What they fetch after the last block stays inside of K and V."""
    q, k, v = inputs((2, 1, queries, 64 * blocks), head_size, "float16")
    forms = []
    monkeypatch.setattr(attention_host, "_launches", LaunchCache(attention_host._launches.prepare))
    monkeypatch.setattr(attention_cdna, "configure", lambda *args: forms.append(args[-1]) or configure(*args))
    whole = attention(q, k, v, causal=causal, pipelined=True)
    monkeypatch.setattr(attention_cdna, "has_whole_blocks", lambda attention: False)
    attention_host._launches.clear()
    assert np.array_equal(whole, attention(q, k, v, causal=causal, pipelined=True))
    assert forms == [True, False]
    check(whole, reference(q, k, v, causal)[0])


@pytest.mark.parametrize("causal", [False, True], ids=["full", "causal"])
@pytest.mark.parametrize("completion", ["late", "random"])
@pytest.mark.parametrize("seed", range(1, 5))
def test_pipelines_of_whole_blocks_compute_the_same_in_any_order(seed, completion, causal):
    q, k, v = inputs((1, 1, 200, 320), 64, "bfloat16")
    with hocket.emulator.schedule(seed=seed, races=True, completion=completion):
        pipelined, plain = (attention(q, k, v, causal=causal, pipelined=choice) for choice in (True, False))
    assert np.array_equal(pipelined, plain)


@pytest.mark.parametrize("causal", [False, True], ids=["full", "causal"])
def test_pipelines_of_whole_blocks_with_a_negative_scale(causal):
    q, k, v = inputs((1, 1, 100, 192), 64, "float16")
    pipelined = attention(q, k, v, causal=causal, scale=-0.25, pipelined=True)
    check(pipelined, reference(q, k, v, causal, scale=-0.25)[0])


@pytest.mark.parametrize("size", [(64, 65), (64, 0)], ids=["a rest", "no keys"])
def test_keys_that_are_not_whole_blocks_are_masked(size):
    keys = ArrayFacts((1, 1, size[1], 64), (0, 0, 64, 1), "float16", 16)
    assert not attention_cdna.has_whole_blocks(Attention(keys, keys, keys, keys, False))


@pytest.mark.parametrize("stride", [-64, 1 << 25])
def test_steps_that_are_no_32_bits_are_taken_with_masks(stride):
    keys = ArrayFacts((1, 1, 128, 64), (0, 0, stride, 1), "float16", 16)
    assert not attention_cdna.has_whole_blocks(Attention(keys, keys, keys, keys, False))


@pytest.mark.parametrize("completion", ["late", "random"])
@pytest.mark.parametrize("seed", range(1, 5))
def test_pipelines_compute_the_same_in_any_order(seed, completion):
    q, k, v = inputs((1, 1, 200, 330), 64, "bfloat16")
    with hocket.emulator.schedule(seed=seed, races=True, completion=completion):
        pipelined, plain = (attention(q, k, v, causal=True, pipelined=choice) for choice in (True, False))
    assert np.array_equal(pipelined, plain)


@pytest.mark.parametrize("keys", [192, 200])
def test_pipelines_of_rows_that_are_not_aligned(keys):
    """Through registers, on both targets."""
    q, k, v = (x[..., 1:] for x in inputs((1, 1, 50, keys), 65, "float16"))
    assert np.array_equal(attention(q, k, v, pipelined=True), attention(q, k, v, pipelined=False))
