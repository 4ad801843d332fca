"""Attention in float64, and its inputs."""

import ml_dtypes
import numpy as np

from hocket.kernels import attention_varlen


def mask_of(queries, keys, causal, window):
    """Returns True where a query sees a key, or None if all queries see all keys."""
    before, after = window or (None, None)
    after = 0 if causal else after
    if before is None and after is None:
        return None
    distance = np.arange(keys)[None, :] - np.arange(queries)[:, None] - (keys - queries)
    return (distance >= -(keys if before is None else before)) & (
        distance <= (keys + queries if after is None else after)
    )


def reference(q, k, v, causal, scale=None, window=None):
    """The result, and the logarithms of the sums."""
    q, k, v = (x.astype(np.float64) for x in (q, k, v))
    repeat = q.shape[1] // k.shape[1]
    k, v = np.repeat(k, repeat, axis=1), np.repeat(v, repeat, axis=1)
    scores = q @ k.swapaxes(2, 3) * (q.shape[3] ** -0.5 if scale is None else scale)
    visible = mask_of(*scores.shape[2:], causal, window)
    if visible is not None:
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


def gradients(do, q, k, v, causal, scale=None, dlse=None, window=None):
    """The gradients of q, k and v, each with the sum of the magnitudes of what is added up, to which errors of
    rounding are proportional."""
    out, logarithms = reference(q, k, v, causal, scale, window)
    do, q, k, v = (x.astype(np.float64) for x in (do, q, k, v))
    scale = q.shape[3] ** -0.5 if scale is None else scale
    repeat = q.shape[1] // k.shape[1]
    all_k, all_v = np.repeat(k, repeat, axis=1), np.repeat(v, repeat, axis=1)
    scores = q @ all_k.swapaxes(2, 3) * scale
    visible = mask_of(*scores.shape[2:], causal, window)
    if visible is not None:
        scores = np.where(visible, scores, -np.inf)
    finite = np.where(np.isinf(logarithms), 0, logarithms)[..., None]
    p = np.exp(scores - finite)
    dp = do @ all_v.swapaxes(2, 3)
    extra = 0 if dlse is None else dlse[..., None]
    ds = p * (dp - (p * dp).sum(axis=3, keepdims=True) + extra)
    # delta is computed from the rounded result.
    ds_magnitude = np.abs(ds) + p * np.abs(do * out).sum(axis=3, keepdims=True)

    def of_key_heads(x):
        return x.reshape(x.shape[0], k.shape[1], repeat, *x.shape[2:]).sum(axis=2)

    def pair(left, right, magnitude):
        return left @ right, magnitude @ np.abs(right)

    dq = pair(scale * ds, all_k, np.abs(scale) * ds_magnitude)
    dk = pair(scale * ds.swapaxes(2, 3), q, np.abs(scale) * ds_magnitude.swapaxes(2, 3))
    dv = pair(p.swapaxes(2, 3), do, p.swapaxes(2, 3))
    return dq, tuple(map(of_key_heads, dk)), tuple(map(of_key_heads, dv))


def packed_inputs(sequences, heads, key_heads, head_size, dtype="float16", seed=0):
    """Returns [q, k, v] and [cu_seqlens_q, cu_seqlens_k] of sequences (queries, keys)."""
    starts = [np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32) for lengths in zip(*sequences, strict=True)]
    rng, kind = np.random.default_rng(seed), np.dtype(getattr(ml_dtypes, dtype, dtype))
    shapes = (starts[0][-1], heads, head_size), *[(starts[1][-1], key_heads, head_size)] * 2
    return [rng.standard_normal(shape).astype(kind) for shape in shapes], starts


def check_packed(result, logarithms, arrays, starts, causal=False, scale=None, skipped=(), window=None):
    """Compares results and logarithms of the sums, if not None, sequence by sequence, except sequences `skipped`."""
    eps = float(ml_dtypes.finfo(result.dtype).eps)
    assert result.shape == arrays[0].shape
    for i in range(len(starts[0]) - 1):
        rows, keys = (slice(ends[i], ends[i + 1]) for ends in starts)
        if rows.stop == rows.start or i in skipped:
            continue
        expected, sums = np.zeros(result[rows].shape), np.full((result.shape[1], rows.stop - rows.start), -np.inf)
        if keys.stop > keys.start:
            q, k, v = (array[part].swapaxes(0, 1)[None] for array, part in zip(arrays, (rows, keys, keys), strict=True))
            expected, sums = reference(q, k, v, causal, scale, window)
            expected, sums = expected[0].swapaxes(0, 1), sums[0]
        error = np.abs(result[rows].astype(np.float64) - expected)
        assert (error <= 2 * eps * np.maximum(np.abs(expected), 1)).all(), (i, error.max())
        if logarithms is not None:
            np.testing.assert_allclose(logarithms[:, rows], sums, rtol=1e-5, atol=1e-5)


def run_varlen(device, arrays, starts, *longest, **options):
    """Returns the result of attention_varlen and the logarithms of the sums, as NumPy arrays."""
    arguments = [device.to_device(x) for x in (*arrays, *starts)]
    longest = longest or (int(np.diff(starts[0]).max()), int(np.diff(starts[1]).max()))
    return tuple(device.to_host(x) for x in attention_varlen(*arguments, *longest, return_lse=True, **options))


def forms_of(device, emulated):
    """Returns pairs (head size, causal): those of `emulated`, and on a GPU all."""
    return [(size, causal) for size in (64, 128) for causal in (False, True)] if device.is_gpu else emulated


def packed_results(arrays, starts, causal=False, scale=None, window=None):
    """Returns the result of packed sequences and the logarithms of the sums, in float64; NaN in rows of no sequence."""
    q, k, v = arrays
    out, logarithms = np.full(q.shape, np.nan), np.full(q.shape[1::-1], np.nan)
    for rows, keys in slices_of(starts):
        if rows.stop > rows.start:
            if keys.stop > keys.start:
                parts = [x[part].swapaxes(0, 1)[None] for x, part in ((q, rows), (k, keys), (v, keys))]
                expected, sums = reference(*parts, causal, scale, window)
                out[rows], logarithms[:, rows] = expected[0].swapaxes(0, 1), sums[0]
            else:
                out[rows], logarithms[:, rows] = 0, -np.inf
    return out, logarithms


def slices_of(starts):
    """Returns the rows of queries and the rows of keys of each sequence."""
    return [tuple(slice(ends[i], ends[i + 1]) for ends in starts) for i in range(len(starts[0]) - 1)]


def check_packed_gradients(results, do, arrays, starts, causal=False, scale=None, dlse=None, skipped=(), window=None):
    """Compares dq, dk and dv with those in float64, sequence by sequence, except sequences `skipped`. The gradients of
    rows after the last sequence must be 0."""
    eps = float(ml_dtypes.finfo(do.dtype).eps)
    expected = [np.zeros(array.shape) for array in arrays]
    magnitudes = [np.zeros(array.shape) for array in arrays]
    compared = [np.ones(len(array), bool) for array in arrays]
    for i, (rows, keys) in enumerate(slices_of(starts)):
        parts = rows, keys, keys
        for which, part in zip(compared, parts, strict=True):
            which[part] = i not in skipped
        if i in skipped or rows.stop == rows.start or keys.stop == keys.start:
            continue
        operands = [x[part].swapaxes(0, 1)[None] for x, part in zip((do, *arrays), (rows, *parts), strict=True)]
        of_lse = None if dlse is None else dlse[None, :, rows]
        for gradient, part, all_values, all_magnitudes in zip(
            gradients(*operands, causal, scale, of_lse, window), parts, expected, magnitudes, strict=True
        ):
            all_values[part], all_magnitudes[part] = (x[0].swapaxes(0, 1) for x in gradient)
    for name, result, array, values, sizes, which in zip(
        ("dq", "dk", "dv"), results, arrays, expected, magnitudes, compared, strict=True
    ):
        assert result.dtype == do.dtype and result.shape == array.shape
        error = np.abs(result.astype(np.float64) - values)[which]
        assert (error <= 1e-5 + eps * (sizes + np.abs(values))[which]).all(), (name, error.max())
