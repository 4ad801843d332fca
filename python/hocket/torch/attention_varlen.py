"""`hocket.kernels.attention_varlen` as the operators `hocket::attention_varlen` and
`hocket::attention_varlen_backward`."""

from __future__ import annotations

import torch

from ..kernels import attention_varlen as kernel
from ..kernels import attention_varlen_backward as backward_kernel
from ._operator import Operator
from .attention import addressable, limits_of, window_of

_SCHEMA = (
    "(Tensor q, Tensor k, Tensor v, Tensor cu_seqlens_q, Tensor cu_seqlens_k, SymInt max_seqlen_q,"
    " SymInt? max_seqlen_k=None, bool causal=False, float? scale=None, int? before=None, int? after=None)"
    " -> (Tensor, Tensor)"
)
_BACKWARD = (
    "(Tensor do, Tensor q, Tensor k, Tensor v, Tensor out, Tensor lse, Tensor cu_seqlens_q, Tensor cu_seqlens_k,"
    " Tensor? dlse, bool causal=False, float? scale=None, int? before=None, int? after=None)"
    " -> (Tensor, Tensor, Tensor)"
)


def attention_varlen(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    cu_seqlens_q: torch.Tensor,
    cu_seqlens_k: torch.Tensor,
    max_seqlen_q: int,
    max_seqlen_k: int | None = None,
    causal: bool = False,
    scale: float | None = None,
    return_lse: bool = False,
    window: tuple[int | None, int | None] | None = None,
) -> torch.Tensor | tuple[torch.Tensor, torch.Tensor]:
    """Returns `attention` of sequences of different lengths that are packed one after another. The results are
    differentiable on Hopper; gradients have the same bits in each run.

    Args:
        q: [queries of all sequences, heads, D], float16 or bfloat16; D is 64 or 128.
        k, v: [keys of all sequences, key heads, D]; `heads` is a multiple of the number of key heads.
        cu_seqlens_q, cu_seqlens_k: int32 [sequences + 1]: sequence i has the queries cu_seqlens_q[i] to
            cu_seqlens_q[i + 1] - 1, and the keys cu_seqlens_k[i] to cu_seqlens_k[i + 1] - 1. The first elements must
            be 0, or the gradients of the rows before the first sequence are undefined. The results of rows of no
            sequence are undefined.
        max_seqlen_q, max_seqlen_k: number of queries and of keys of the longest sequence, or more.
        causal: mask keys. The last query of a sequence attends to all of its keys. Every other query attends to one key
            fewer than the next query.
        scale: factor of the scores; 1 / sqrt(D) if None.
        return_lse: also return the logarithms of the sums of exponentials, float32 [heads, queries of all sequences].
        window: (before, after), as in `attention`.

    See `hocket.kernels.attention_varlen` for the arguments, and `hocket.kernels.attention_varlen.explain` for the
    implementation.
    """
    arguments = q, k, v, cu_seqlens_q, cu_seqlens_k, max_seqlen_q, max_seqlen_k, causal, scale, *limits_of(window)
    if return_lse:
        return _attention_varlen(*arguments)
    return _attention_varlen(*arguments, run=_run_without_lse)[0]


def _run(
    q, k, v, query_starts, key_starts, max_queries, max_keys=None, causal=False, scale=None, before=None, after=None
):
    lengths = query_starts, key_starts, max_queries, max_keys
    options = {"causal": causal, "scale": scale, "window": window_of(before, after)}
    return kernel(q, k, v, *lengths, **options, return_lse=True)


def _run_without_lse(q, k, v, query_starts, key_starts, max_queries, max_keys, causal, scale, before, after):
    options = {"causal": causal, "scale": scale, "window": window_of(before, after)}
    return kernel(q, k, v, query_starts, key_starts, max_queries, max_keys, **options), None


def _fake(
    q, k, v, query_starts, key_starts, max_queries, max_keys=None, causal=False, scale=None, before=None, after=None
):
    """Returns empty tensors with the shapes and dtypes of the results, for torch.compile."""
    torch._check(q.dim() == 3, lambda: "attention_varlen: q must be [rows, heads, D]")
    return q.new_empty(q.shape), q.new_empty((q.shape[1], q.shape[0]), dtype=torch.float32)


def _run_backward(
    do, q, k, v, out, lse, query_starts, key_starts, dlse, causal=False, scale=None, before=None, after=None
):
    arrays = addressable(do), q, k, v, out, lse, query_starts, key_starts, dlse
    return backward_kernel(*arrays, causal=causal, scale=scale, window=window_of(before, after))


def _fake_backward(
    do, q, k, v, out, lse, query_starts, key_starts, dlse, causal=False, scale=None, before=None, after=None
):
    return tuple(tensor.new_empty(tensor.shape) for tensor in (q, k, v))


def _save(ctx, inputs, output):
    q, k, v, query_starts, key_starts, _, _, *ctx.options = inputs
    ctx.save_for_backward(q, k, v, query_starts, key_starts, *output)
    ctx.set_materialize_grads(False)


def _backward(ctx, of_out, of_lse):
    q, k, v, query_starts, key_starts, out, lse = ctx.saved_tensors
    if of_out is None and of_lse is None:
        return (None,) * 11
    do = torch.zeros_like(out) if of_out is None else of_out
    arrays = do, q, k, v, out, lse, query_starts, key_starts, of_lse
    return *_attention_varlen_backward(*arrays, *ctx.options), *(None,) * 8


_attention_varlen_backward = Operator("attention_varlen_backward", _BACKWARD, _run_backward, _fake_backward)
_attention_varlen = Operator("attention_varlen", _SCHEMA, _run, _fake, _backward, _save)
