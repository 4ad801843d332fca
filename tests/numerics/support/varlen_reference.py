"""Inputs of hocket.kernels.attention_varlen, and the check of its results against NumPy."""

import ml_dtypes
import numpy as np
from attention_reference import reference

from hocket.kernels import attention_varlen


def packed_inputs(sequences, heads, key_heads, head_size, dtype="float16", seed=0):
    """Returns [q, k, v] and [cu_seqlens_q, cu_seqlens_k] of sequences (queries, keys)."""
    starts = [np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32) for lengths in zip(*sequences, strict=True)]
    rng, kind = np.random.default_rng(seed), np.dtype(getattr(ml_dtypes, dtype, dtype))
    shapes = (starts[0][-1], heads, head_size), *[(starts[1][-1], key_heads, head_size)] * 2
    return [rng.standard_normal(shape).astype(kind) for shape in shapes], starts


def check_packed(result, logarithms, arrays, starts, causal=False, scale=None, skipped=()):
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
            expected, sums = reference(q, k, v, causal, scale)
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
