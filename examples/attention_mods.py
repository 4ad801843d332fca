"""Functions for the scores and masks of attention.

`hocket.kernels.attention(q, k, v, score_mod=f, mask_mod=g)` takes two functions:

    f(score, batch, head, query, key, *mod_args)    returns changed scores
    g(batch, head, query, key, *mod_args)           returns True where the query sees the key

`query` and `key` are tiles of indices, [rows, 1] and [1, columns]. `attention_block_mask` evaluates `g` once, and
stores which blocks of queries and keys it masks. `attention` then skips fully masked blocks, and calls `g` only for
blocks that are masked in part.

    python attention_mods.py
"""

import numpy as np

import hocket
from hocket import language as gl
from hocket.kernels import attention, attention_block_mask


@hocket.jit
def causal(batch, head, query, key):
    return key <= query


@hocket.jit
def sliding_window(batch, head, query, key, window):
    """Each query sees itself and the keys before it, `window` in all."""
    return (key <= query) & (query - key < window)


@hocket.jit
def window_and_first_keys(batch, head, query, key, window, first):
    """A sliding window that keeps the first keys, which take the attention that no other key deserves (StreamingLLM's
    attention sinks)."""
    return (key <= query) & ((query - key < window) | (key < first))


@hocket.jit
def prefix_lm(batch, head, query, key, prefix):
    """All queries see the prefix of their sequence; `prefix` has its length for each batch."""
    return (key <= query) | (key < gl.load(prefix + batch))


@hocket.jit
def same_document(batch, head, query, key, document):
    """Causal attention within documents that are packed into one sequence; `document` has the number of each token's
    document."""
    return (gl.load(document + query) == gl.load(document + key)) & (key <= query)


@hocket.jit
def alibi(score, batch, head, query, key, slope):
    """Lowers a score by the distance of query and key, times the slope of the head."""
    return score + gl.load(slope + head) * (key.to(gl.float32) - query.to(gl.float32))


@hocket.jit
def soft_cap(score, batch, head, query, key, cap):
    """Returns cap tanh(score / cap), which is between -cap and cap, by tanh x = 1 - 2 / (e^2x + 1)."""
    power = gl.exp2(score * (2 * 1.4426950408889634 / cap), flush_denormals=True)
    return cap - 2 * cap * gl.fdiv(1.0, power + 1.0)


def attention_with_sink(q, k, v, sink, **options):
    """Attention whose softmax has a further logit for each head, without a value (the sink of gpt-oss). exp(sink) is
    added to the sum of exponentials, which is exp(lse) without it."""
    out, lse = attention(q, k, v, return_lse=True, **options)
    factor = 1 / (1 + np.exp(sink[:, None] - lse))
    return (out * factor[..., None]).astype(out.dtype)


def expected(q, k, v, score=lambda score, *indices: score, mask=lambda *indices: True):
    """Attention with functions of NumPy arrays, in float64."""
    q, k, v = (x.astype(np.float64) for x in (q, k, v))
    indices = np.ogrid[tuple(slice(n) for n in (*q.shape[:3], k.shape[2]))]
    scores = score(q @ k.swapaxes(2, 3) * q.shape[3] ** -0.5, *indices)
    scores = np.where(mask(*indices), scores, -np.inf)
    p = np.exp(scores - scores.max(axis=3, keepdims=True))
    return p / p.sum(axis=3, keepdims=True) @ v


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    q, k, v = (rng.standard_normal((1, 2, 384, 64)).astype(np.float16) for _ in range(3))
    document = np.sort(rng.integers(0, 4, 384)).astype(np.int32)
    slope = np.array([0.25, 0.0625], np.float32)

    def in_document(b, h, i, j):
        return (document[i] == document[j]) & (j <= i)

    with hocket.emulator.target("sm_90a"):
        blocks = attention_block_mask(same_document, None, None, 384, 384, like=q, mod_args=(document,))
        out = attention(q, k, v, mask_mod=same_document, mod_args=(document,), block_mask=blocks)
        biased = attention(q, k, v, score_mod=alibi, mod_args=(slope,), causal=True)
    error = np.abs(out - expected(q, k, v, mask=in_document)).max()
    print(f"documents: kinds of blocks {blocks.kinds[0, 0].tolist()}, largest error {error:.3g}")
    right = expected(q, k, v, lambda s, b, h, i, j: s + slope[h] * (j - i), lambda b, h, i, j: j <= i)
    print(f"ALiBi: largest error {np.abs(biased - right).max():.3g}")
