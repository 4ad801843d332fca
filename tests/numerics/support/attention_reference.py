"""Attention in float64, and its inputs."""

import ml_dtypes
import numpy as np


def reference(q, k, v, causal, scale=None):
    """The result, and the logarithms of the sums."""
    q, k, v = (x.astype(np.float64) for x in (q, k, v))
    repeat = q.shape[1] // k.shape[1]
    k, v = np.repeat(k, repeat, axis=1), np.repeat(v, repeat, axis=1)
    scores = q @ k.swapaxes(2, 3) * (q.shape[3] ** -0.5 if scale is None else scale)
    if causal:
        queries, keys = scores.shape[2:]
        visible = np.arange(keys)[None, :] <= np.arange(queries)[:, None] + keys - queries
        scores = np.where(visible, scores, -np.inf)
    peak = np.maximum(scores.max(axis=3, keepdims=True), -1e30)
    weights = np.exp(scores - peak)
    total = weights.sum(axis=3, keepdims=True)
    with np.errstate(divide="ignore"):
        logarithms = np.where(total == 0, -np.inf, peak + np.log(total))[..., 0]
    return weights / np.where(total == 0, 1, total) @ v, logarithms


def inputs(size, head_size, dtype="float16", batch=1):
    heads, key_heads, queries, keys = size
    rng = np.random.default_rng(0)
    kind = np.dtype(getattr(ml_dtypes, dtype, dtype))
    shapes = (batch, heads, queries, head_size), *[(batch, key_heads, keys, head_size)] * 2
    return [rng.standard_normal(shape).astype(kind) for shape in shapes]
