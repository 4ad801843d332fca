"""Attention with functions for scores and masks in float64, and functions for its tests as pairs: for kernels, and for
NumPy."""

import attention_mods
import numpy as np

import hocket
from hocket import language as gl


def reference(q, k, v, score=None, mask=None, scale=None):
    """The result, and the logarithms of the sums. `score` and `mask` are functions of arrays."""
    q, k, v = (x.astype(np.float64) for x in (q, k, v))
    repeat = q.shape[1] // k.shape[1]
    k, v = np.repeat(k, repeat, axis=1), np.repeat(v, repeat, axis=1)
    scores = q @ k.swapaxes(2, 3) * (q.shape[3] ** -0.5 if scale is None else scale)
    indices = np.ogrid[tuple(slice(n) for n in scores.shape)]
    if score is not None:
        scores = score(scores, *indices)
    if mask is not None:
        scores = np.where(mask(*indices), scores, -np.inf)
    peak = np.maximum(scores.max(axis=3, keepdims=True), -1e30)
    weights = np.exp(scores - peak)
    total = weights.sum(axis=3, keepdims=True)
    with np.errstate(divide="ignore"):
        logarithms = np.where(total == 0, -np.inf, peak + np.log(total))[..., 0]
    return weights / np.where(total == 0, 1, total) @ v, logarithms


@hocket.jit
def drawn_mask(batch, head, query, key, bits, batches, heads, queries, keys):
    """Loads the mask from an array of [batches, heads, queries, keys], where batches and heads may be 1."""
    row = ((batch % batches) * heads + head % heads) * queries
    return gl.load(bits + (row + query) * keys + key) != 0


@hocket.jit
def drawn_bias(score, batch, head, query, key, bias, heads, queries, keys):
    """Adds an element of an array of [batches, heads, queries, keys]."""
    return score + gl.load(bias + ((batch * heads + head) * queries + query) * keys + key)


def draw_mask(rng, shape):
    """Returns a mask that is constant on blocks of drawn sizes, with noise in some of them, and some masked rows."""
    *_, queries, keys = shape
    height, width = (int(rng.choice(sizes)) for sizes in ((7, 64, 96, 128, 192), (16, 100, 128, 256)))
    grid = *shape[:2], -(-queries // height), -(-keys // width)
    kinds = rng.choice(3, grid, p=rng.dirichlet(np.ones(3)))
    kinds = np.repeat(np.repeat(kinds, height, axis=2), width, axis=3)[:, :, :queries, :keys]
    mask = (kinds == 2) | ((kinds == 1) & (rng.random(shape) < rng.choice([0.02, 0.5, 0.98])))
    rows = rng.random(shape[:3]) < rng.choice([0, 0.1])
    mask[rows] = False
    start = rng.integers(0, queries)
    mask[:, :, start : start + int(rng.choice([0, 70, 200]))] = False
    return mask


def cases(rng, batch, heads, queries, keys):
    """The functions of examples/attention_mods.py: name, `score_mod` and `mask_mod`, arguments of both, and both as
    functions of arrays."""
    document = np.sort(rng.integers(0, 4, max(queries, keys))).astype(np.int32)
    prefix = rng.integers(1, keys, batch).astype(np.int32)
    slope = (2.0 ** -rng.uniform(1, 8, heads)).astype(np.float32)
    window = int(rng.integers(1, max(queries, 2)))
    mods = attention_mods

    def near(b, h, i, j):
        return (j <= i) & (i - j < window)

    return {
        "causal": (None, mods.causal, (), None, lambda b, h, i, j: j <= i),
        "sliding window": (None, mods.sliding_window, (window,), None, near),
        "window and first keys": (
            None, mods.window_and_first_keys, (window, 3), None,
            lambda b, h, i, j: near(b, h, i, j) | ((j < 3) & (j <= i)),
        ),
        "prefix LM": (None, mods.prefix_lm, (prefix,), None, lambda b, h, i, j: (j <= i) | (j < prefix[b])),
        "same document": (
            None, mods.same_document, (document,), None,
            lambda b, h, i, j: (document[i] == document[j]) & (j <= i),
        ),
        "ALiBi": (mods.alibi, None, (slope,), lambda s, b, h, i, j: s + slope[h].astype(np.float64) * (j - i), None),
        "soft cap": (mods.soft_cap, None, (1.5,), lambda s, b, h, i, j: 1.5 * np.tanh(s / 1.5), None),
    }  # fmt: skip
