"""hocket.kernels.attention with functions for scores and masks against float64: examples/attention_mods.py, drawn masks
with and without their block masks, and scores whose row maxima change."""

import attention_mods
import ml_dtypes
import numpy as np
import ptxas
import pytest
from attention_mods_reference import cases, draw_mask, drawn_bias, drawn_mask, reference
from attention_reference import inputs

import hocket
from hocket import emulator
from hocket import language as gl
from hocket.kernels import attention, attention_block_mask
from hocket.kernels._attention import host as attention_host
from hocket.kernels._attention import host_nvidia

pytestmark = pytest.mark.usefixtures("unoptimized")

NAMES = tuple(cases(np.random.default_rng(0), 1, 1, 1, 2))


def on_device(device, arguments):
    return tuple(device.to_device(x) if isinstance(x, np.ndarray) else x for x in arguments)


def check(device, q, k, v, score=None, mask=None, **options):
    """`score` and `mask`: the functions in `options` as functions of arrays."""
    arrays = [device.to_device(x) for x in (q, k, v)]
    options["mod_args"] = on_device(device, options.get("mod_args", ()))
    result, logarithms = (device.to_host(x) for x in attention(*arrays, return_lse=True, **options))
    expected, sums = reference(q, k, v, score, mask, options.get("scale"))
    eps = float(ml_dtypes.finfo(q.dtype).eps)
    error = np.abs(result.astype(np.float64) - expected)
    assert (error <= 2 * eps * np.maximum(np.abs(expected), 1)).all(), error.max()
    np.testing.assert_allclose(logarithms, sums, rtol=1e-5, atol=1e-5)
    return result


def block_mask(device, function, batch, heads, q, k, arguments):
    queries, keys = q.shape[2], k.shape[2]
    args = on_device(device, arguments)
    return attention_block_mask(function, batch, heads, queries, keys, like=device.to_device(q), mod_args=args)


@pytest.mark.parametrize("head_size", [64, 128])
@pytest.mark.parametrize("name", NAMES)
def test_examples(hopper_device, name, head_size):
    q, k, v = inputs((4, 2, 300, 300), head_size, "bfloat16", batch=2)
    score_mod, mask_mod, args, score, mask = cases(np.random.default_rng(head_size), 2, 4, 300, 300)[name]
    options = {"score_mod": score_mod, "mask_mod": mask_mod, "mod_args": args}
    plain = check(hopper_device, q, k, v, score, mask, **options)
    if mask_mod is not None:
        blocks = block_mask(hopper_device, mask_mod, 2 if name == "prefix LM" else None, None, q, k, args)
        listed = check(hopper_device, q, k, v, score, mask, **options, block_mask=blocks)
        np.testing.assert_allclose(listed.astype(np.float32), plain.astype(np.float32), atol=0.02)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("head_size", [64, 128])
def test_drawn_masks(hopper_device, head_size, seed):
    """Random sizes; masks of each batch and head, or shared; with a drawn bias or without; blocks listed or not."""
    rng = np.random.default_rng(100 * head_size + seed)
    batch, key_heads, heads = (int(rng.integers(1, 3)) for _ in range(3))
    heads *= key_heads
    queries, keys = int(rng.integers(1, 450)), int(rng.integers(1, 600))
    dtype = ("float16", "bfloat16")[seed % 2]
    q, k, v = inputs((heads, key_heads, queries, keys), head_size, dtype, batch)
    k = (k * rng.choice([0.5, 4, 30])).astype(k.dtype)
    batches, mask_heads = (int(rng.choice([1, size])) for size in (batch, heads))
    bits = draw_mask(rng, (batches, mask_heads, queries, keys))
    sizes = batches, mask_heads, queries, keys
    args = bits.astype(np.int8), *sizes
    options = {"mask_mod": drawn_mask, "mod_args": args}

    def mask(b, h, i, j):
        return bits[b % batches, h % mask_heads, i, j]

    plain = check(hopper_device, q, k, v, None, mask, **options)
    shared = [size if size > 1 else None for size in (batches, mask_heads)]
    blocks = block_mask(hopper_device, drawn_mask, *shared, q, k, args)
    listed = check(hopper_device, q, k, v, None, mask, **options, block_mask=blocks)
    unseen = ~np.broadcast_to(bits, (batch, heads, queries, keys)).any(axis=3)
    assert (plain[unseen] == 0).all() and (listed[unseen] == 0).all()


@pytest.mark.parametrize("seed", range(8))
def test_kinds_of_blocks(hopper_device, seed):
    """Against the mask itself; headers and lists against the kinds."""
    rng = np.random.default_rng(seed)
    queries, keys = int(rng.integers(1, 700)), int(rng.integers(1, 900))
    bits = draw_mask(rng, (2, 3, queries, keys))
    blocks = block_mask(
        hopper_device, drawn_mask, 2, 3, np.zeros((2, 3, queries, 64)), np.zeros((2, 3, keys, 64)),
        (bits.astype(np.int8), 2, 3, queries, keys),
    )  # fmt: skip
    kinds = hopper_device.to_host(blocks.kinds)
    for row in range(kinds.shape[2]):
        for column in range(kinds.shape[3]):
            block = bits[:, :, row * 64 : row * 64 + 64, column * 128 : column * 128 + 128]
            is_full = block.all(axis=(2, 3)) & (column * 128 + 128 <= keys)
            expected = np.where(is_full, 2, block.any(axis=(2, 3)))
            assert (kinds[:, :, row, column] == expected).all()
    check_lists(
        kinds, min(kinds.shape[2], 2), hopper_device.to_host(blocks.headers), hopper_device.to_host(blocks.entries)
    )


def check_lists(kinds, consumers, headers, entries):
    for batch, head in np.ndindex(kinds.shape[:2]):
        lengths = headers[batch, head, :, 3]
        assert (np.diff(lengths) >= 0).all()
        tiles = headers[batch, head, :, 0]
        assert sorted(tiles) == list(range(len(tiles)))
        for tile, end_before, end_full, length, *ends in headers[batch, head]:
            rows = kinds[batch, head, tile * consumers : (tile + 1) * consumers]
            listed = list(entries[batch, head, tile, :length])
            seen = set(np.flatnonzero(rows.any(axis=0))) or {kinds.shape[3] - 1}
            assert len(listed) == len(seen) and set(listed) == seen
            assert set(listed[end_before:end_full]) == set(np.flatnonzero((rows == 2).all(axis=0)))
            for consumer, row in enumerate(rows):
                steps = [step for step, block in enumerate(listed) if row[block]] or [0]
                assert ends[2 * consumer : 2 * consumer + 2] == [steps[0], steps[-1] + 1]


@pytest.mark.parametrize("head_size, dtype", [(64, "bfloat16"), (128, "float16")])
@pytest.mark.parametrize("growth", [-3.0, 3.0, 40.0])
def test_scores_that_grow_along_the_keys(hopper_device, head_size, dtype, growth):
    """By `growth` per key, in all or some rows: row maxima change in each block, also beyond the range of float32. The
    row maxima are those of the changed scores."""
    q, k, v = inputs((2, 1, 200, 640), head_size, dtype)

    @hocket.jit
    def grow(score, batch, head, query, key, growth):
        return score + gl.where(query % 5 == 0, 0.0, growth) * key.to(gl.float32)

    def score(s, b, h, i, j):
        return s + np.where(i % 5 == 0, 0.0, growth) * j

    check(hopper_device, q, k, v, score, score_mod=grow, mod_args=(growth,))
    causal = {"score_mod": grow, "mod_args": (-growth,), "causal": True}
    check(
        hopper_device, q, k, v, lambda s, b, h, i, j: s - np.where(i % 5 == 0, 0.0, growth) * j,
        lambda b, h, i, j: j <= i + 440, **causal,
    )  # fmt: skip


@pytest.mark.parametrize("head_size", [64, 128])
def test_a_bias_of_each_score(hopper_device, head_size):
    """Large biases force new row maxima, and a bias of -inf masks."""
    rng = np.random.default_rng(5)
    q, k, v = inputs((2, 2, 130, 333), head_size, "float16", batch=2)
    bias = (rng.standard_normal((2, 2, 130, 333)) * 30).astype(np.float32)
    bias[rng.random(bias.shape) < 0.3] = -np.inf
    bias[:, :, 17] = -np.inf
    check(
        hopper_device, q, k, v, lambda s, b, h, i, j: s + bias[b, h, i, j],
        score_mod=drawn_bias, mod_args=(bias, 2, 130, 333),
    )  # fmt: skip


@pytest.mark.parametrize("head_size", [64, 128])
def test_both_functions_and_a_scale_of_zero(hopper_device, head_size):
    q, k, v = inputs((2, 2, 100, 260), head_size)
    slope, window = np.array([0.5, 0.01], np.float32), 64

    @hocket.jit
    def bias(score, batch, head, query, key, slope, window):
        return score + gl.load(slope + head) * (key - query).to(gl.float32)

    @hocket.jit
    def near(batch, head, query, key, slope, window):
        return (query - key < window) & (key - query < window)

    blocks = block_mask(hopper_device, near, None, None, q, k, (slope, window))
    for scale in (0.0, 0.3):
        check(
            hopper_device, q, k, v,
            lambda s, b, h, i, j: s + slope[h] * (j - i), lambda b, h, i, j: abs(i - j) < window,
            score_mod=bias, mask_mod=near, mod_args=(slope, window), scale=scale, block_mask=blocks,
        )  # fmt: skip


@pytest.mark.parametrize("is_listed", [False, True], ids=["all blocks", "listed blocks"])
@pytest.mark.parametrize("head_size", [64, 128])
def test_tiles_that_ctas_take_one_after_the_other(hopper_device, monkeypatch, head_size, is_listed):
    """With a work counter if blocks are listed. The last tiles are divided otherwise."""
    monkeypatch.setattr("hocket.kernels._attention.host_nvidia.MULTIPROCESSORS", 3)
    monkeypatch.setattr("hocket.kernels._attention.host_nvidia.gpu_of", lambda array: None)
    monkeypatch.setattr("hocket.kernels._attention.split_kv.ADDING_BLOCKS", 0)
    monkeypatch.setattr("hocket.kernels._attention.split_kv.START_BLOCKS", 0)
    attention_host._launches.clear()
    q, k, v = inputs((2, 1, 450, 700), head_size, "bfloat16", batch=2)
    bits = draw_mask(np.random.default_rng(3), (2, 2, 450, 700))
    args = bits.astype(np.int8), 2, 2, 450, 700
    blocks = block_mask(hopper_device, drawn_mask, 2, 2, q, k, args) if is_listed else None
    check(hopper_device, q, k, v, None, lambda *at: bits[at], mask_mod=drawn_mask, mod_args=args, block_mask=blocks)
    attention_host._launches.clear()


@pytest.mark.parametrize("head_size", [64, 128])
def test_a_few_queries_of_long_contexts(hopper_device, head_size):
    """One consumer warpgroup; a split of each tile has keys of a window that ends with the last key."""
    q, k, v = inputs((4, 1, 5, 1100), head_size, "bfloat16")

    @hocket.jit
    def recent(batch, head, query, key, keys, window):
        return (key <= query + keys - 5) & (query + keys - 5 - key < window)

    args = 1100, 200
    options = {"mask_mod": recent, "mod_args": args}
    mask = lambda b, h, i, j: (j <= i + 1095) & (i + 1095 - j < 200)  # noqa: E731
    check(hopper_device, q, k, v, None, mask, **options)
    check(
        hopper_device,
        q,
        k,
        v,
        None,
        mask,
        **options,
        block_mask=block_mask(hopper_device, recent, None, None, q, k, args),
    )


def test_a_sink_of_each_head(hopper_device):
    q, k, v = inputs((2, 2, 70, 140), 64)
    sink = np.array([0.5, 3.0], np.float32)
    if hopper_device.is_gpu:
        pytest.skip("the example computes with NumPy")
    with emulator.target("sm_90a"):
        result = attention_mods.attention_with_sink(q, k, v, sink)
    scores = q.astype(np.float64) @ k.swapaxes(2, 3).astype(np.float64) / 8
    p = np.exp(scores)
    p /= p.sum(axis=3, keepdims=True) + np.exp(sink)[:, None, None]
    np.testing.assert_allclose(result.astype(np.float64), p @ v.astype(np.float64), atol=2e-3)


@pytest.mark.parametrize("seed, completion", [(1, "random"), (2, "late"), (3, "now"), (7, "random")])
@pytest.mark.parametrize("head_size", [64, 128])
def test_every_schedule_gives_the_same(monkeypatch, head_size, seed, completion):
    """Warpgroups skip blocks at both ends of a list, while others of their tile compute them."""
    monkeypatch.setattr("hocket.kernels._attention.host_nvidia.MULTIPROCESSORS", 2)
    q, k, v = inputs((2, 1, 400, 900), head_size, "bfloat16")
    results = []
    for options in ({}, {"seed": seed, "completion": completion}):
        with emulator.target("sm_90a", **options):
            blocks = attention_block_mask(attention_mods.sliding_window, None, None, 400, 900, like=q, mod_args=(150,))
            results.append(
                attention(q, k, v, mask_mod=attention_mods.sliding_window, mod_args=(150,), block_mask=blocks)
            )
    assert np.array_equal(*results)


def ptx_of(head_size, name, is_listed):
    """Returns the PTX of a kernel, and of one of the same form without functions."""
    kernels = []
    score_mod, mask_mod, args, *_ = cases(np.random.default_rng(0), 1, 1, 384, 384)[name]
    q, k, v = inputs((1, 1, 384, 384), head_size, "bfloat16")
    blocks = attention_block_mask(mask_mod, None, None, 384, 384, like=q, mod_args=args) if is_listed else None
    with pytest.MonkeyPatch.context() as patch:
        launcher = host_nvidia.attention_hopper

        class Compiles:
            def __getitem__(self, grid):
                return lambda *args, **options: kernels.append(
                    launcher.warmup(*args, **options, grid=grid, target="sm_90a")
                )

        patch.setattr(host_nvidia, "attention_hopper", Compiles())
        attention_host._launches.clear()
        attention(q, k, v, score_mod=score_mod, mask_mod=mask_mod, mod_args=args, block_mask=blocks)
        attention_host._launches.clear()
    return kernels[0].asm["ptx"]


@ptxas.needed
@pytest.mark.parametrize(
    "name, is_listed, head_size", [("ALiBi", False, 64), ("soft cap", False, 128), ("same document", True, 128)]
)
def test_the_assembler_warns_of_nothing(head_size, name, is_listed):
    """ptxas must not warn of serialized wgmmas or ignored register budgets."""
    with emulator.target("sm_90a"):
        messages = ptxas.messages(ptx_of(head_size, name, is_listed))
    assert "Performance Loss" not in messages
