"""`hocket.kernels.attention_paged` as the operator `hocket::attention_paged`."""

from __future__ import annotations

import torch

from ..kernels import attention_paged as kernel
from ._operator import Operator
from .attention import limits_of, window_of

_SCHEMA = (
    "(Tensor q, Tensor k_pages, Tensor v_pages, Tensor block_table, Tensor key_lengths, Tensor cu_seqlens_q,"
    " SymInt max_seqlen_q, bool causal=False, float? scale=None, int? before=None, int? after=None) -> (Tensor, Tensor)"
)


def attention_paged(
    q: torch.Tensor,
    k_pages: torch.Tensor,
    v_pages: torch.Tensor,
    block_table: torch.Tensor,
    key_lengths: torch.Tensor,
    cu_seqlens_q: torch.Tensor,
    max_seqlen_q: int,
    causal: bool = False,
    scale: float | None = None,
    return_lse: bool = False,
    window: tuple[int | None, int | None] | None = None,
) -> torch.Tensor | tuple[torch.Tensor, torch.Tensor]:
    """Returns `attention_varlen` of keys and values in pages (a paged KV cache), on Hopper. Only the forward pass is
    supported.

    Args:
        q: [queries of all sequences, heads, D], float16 or bfloat16; D is 64 or 128.
        k_pages, v_pages: [pages, page size, key heads, D] of the same dtype.
        block_table: int32 [sequences, pages of the longest sequence, or more]: key j of sequence i is key
            j % page size of page block_table[i, j // page size].
        key_lengths: int32 [sequences], the number of keys of each sequence.
        cu_seqlens_q, max_seqlen_q, causal, scale, return_lse, window: as in `attention_varlen`.

    See `hocket.kernels.attention_paged` for the arguments.
    """
    lengths = key_lengths, cu_seqlens_q, max_seqlen_q
    arguments = q, k_pages, v_pages, block_table, *lengths, causal, scale, *limits_of(window)
    if return_lse:
        return _attention_paged(*arguments)
    return _attention_paged(*arguments, run=_run_without_lse)[0]


def _run(q, k, v, table, key_lengths, query_starts, longest, causal=False, scale=None, before=None, after=None):
    options = {"causal": causal, "scale": scale, "window": window_of(before, after)}
    return kernel(q, k, v, table, key_lengths, query_starts, longest, **options, return_lse=True)


def _run_without_lse(q, k, v, table, key_lengths, query_starts, longest, causal, scale, before, after):
    options = {"causal": causal, "scale": scale, "window": window_of(before, after)}
    return kernel(q, k, v, table, key_lengths, query_starts, longest, **options), None


def _fake(q, k, v, table, key_lengths, query_starts, longest, causal=False, scale=None, before=None, after=None):
    """Returns empty tensors with the shapes and dtypes of the results, for torch.compile."""
    torch._check(q.dim() == 3, lambda: "attention_paged: q must be [queries, heads, D]")
    return q.new_empty(q.shape), q.new_empty((q.shape[1], q.shape[0]), dtype=torch.float32)


def _backward(ctx, *gradients):
    raise NotImplementedError(
        "attention of paged keys has no backward pass\n  hint: call it under torch.no_grad(), or use "
        "hocket.torch.attention_varlen for training"
    )


_attention_paged = Operator("attention_paged", _SCHEMA, _run, _fake, _backward)
