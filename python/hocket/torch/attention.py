"""`hocket.kernels.attention` as the operators `hocket::attention` and `hocket::attention_backward`, and with the
signature of PyTorch's `scaled_dot_product_attention`."""

from __future__ import annotations

from typing import Any

import torch

from ..kernels import attention as kernel
from ..kernels import attention_backward as backward_kernel
from ._operator import Operator

_SCHEMA = (
    "(Tensor q, Tensor k, Tensor v, bool causal=False, float? scale=None, int? before=None,"
    " int? after=None) -> (Tensor, Tensor)"
)
_BACKWARD = (
    "(Tensor do, Tensor q, Tensor k, Tensor v, Tensor out, Tensor lse, Tensor? dlse, bool causal=False,"
    " float? scale=None, int? before=None, int? after=None) -> (Tensor, Tensor, Tensor)"
)


def attention(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    causal: bool = False,
    scale: float | None = None,
    return_lse: bool = False,
    window: tuple[int | None, int | None] | None = None,
) -> torch.Tensor | tuple[torch.Tensor, torch.Tensor]:
    """Returns softmax(scale x Q K^T) V per head, on Hopper. The results are differentiable; gradients have the same
    bits in each run.

    Args:
        q: [batch, heads, queries, D], float16 or bfloat16; D is 64 or 128.
        k, v: [batch, key heads, keys, D]; `heads` is a multiple of the number of key heads.
        causal: mask keys. The last query attends to all keys. Every other query attends to one key fewer than the next
            query.
        scale: factor of the scores; 1 / sqrt(D) if None.
        return_lse: also return the logarithms of the sums of exponentials, float32 [batch, heads, queries].
        window: (before, after): largest numbers of keys before and after its position that a query sees; None for no
            limit.

    See `hocket.kernels.attention` for the arguments, and `hocket.kernels.attention.explain` for the implementation.
    """
    arguments = q, k, v, causal, scale, *limits_of(window)
    if return_lse:
        return _attention(*arguments)
    return _attention(*arguments, run=_run_without_lse)[0]


def scaled_dot_product_attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attn_mask: torch.Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> torch.Tensor:
    """`torch.nn.functional.scaled_dot_product_attention`, by `attention`, with the same arguments.

    Raises: NotImplementedError for masks, for dropout, and for a causal mask of different numbers of queries and keys;
    ValueError for different numbers of heads without `enable_gqa`.
    """
    instead = "use torch.nn.functional.scaled_dot_product_attention"
    if attn_mask is not None:
        raise NotImplementedError(
            f"hocket.torch.scaled_dot_product_attention has no masks except the causal mask\n  hint: {instead}"
        )
    if dropout_p != 0.0:
        raise NotImplementedError(
            f"hocket.torch.scaled_dot_product_attention has no dropout, but dropout_p is {dropout_p}\n  hint: pass "
            f"dropout_p=0.0, or {instead}"
        )
    if is_causal and query.shape[-2] != key.shape[-2]:
        raise NotImplementedError(
            "hocket.torch.scaled_dot_product_attention: the causal mask of PyTorch lets the first query see one key, "
            f"and Hocket has no such mask for {query.shape[-2]} queries and {key.shape[-2]} keys\n  hint: "
            "hocket.torch.attention(q, k, v, causal=True) lets the last query see all keys"
        )
    if not enable_gqa and query.shape[-3] != key.shape[-3]:
        raise ValueError(
            f"hocket.torch.scaled_dot_product_attention: query has {query.shape[-3]} heads and key has "
            f"{key.shape[-3]}\n  hint: pass enable_gqa=True"
        )
    return attention(query, key, value, is_causal, scale)


def limits_of(window: Any) -> tuple[int | None, int | None]:
    """Returns the arguments `before` and `after` of operators."""
    if window is None:
        return None, None
    if not isinstance(window, tuple | list) or len(window) != 2:
        raise ValueError(f"window must be (before, after), numbers of keys or None, not {window!r}")
    return window[0], window[1]


def window_of(before: int | None, after: int | None) -> tuple[int | None, int | None] | None:
    """Returns the argument `window` of kernels."""
    return None if before is None and after is None else (before, after)


def _run(q, k, v, causal=False, scale=None, before=None, after=None):
    return kernel(q, k, v, causal=causal, scale=scale, window=window_of(before, after), return_lse=True)


def _run_without_lse(q, k, v, causal, scale, before, after):
    return kernel(q, k, v, causal=causal, scale=scale, window=window_of(before, after)), None


def _fake(q, k, v, causal=False, scale=None, before=None, after=None):
    """Returns empty tensors with the shapes and dtypes of the results, for torch.compile."""
    torch._check(q.dim() == 4, lambda: "attention: q must be [batch, heads, queries, D]")
    return q.new_empty(q.shape), q.new_empty(q.shape[:3], dtype=torch.float32)


def _is_addressable(tensor: torch.Tensor) -> bool:
    """Returns True if TMA can address a tensor of 16-bit elements: rows are contiguous, at multiples of 16 bytes."""
    apart = [stride for stride, length in zip(tensor.stride()[:-1], tensor.shape[:-1], strict=True) if length > 1]
    return tensor.stride(-1) == 1 and all(stride > 0 and stride % 8 == 0 for stride in apart)


def addressable(gradient: torch.Tensor) -> torch.Tensor:
    """Returns the tensor, or a contiguous copy if TMA cannot address it. Autograd chooses the strides of gradients: the
    gradient of a sum, e.g., has strides of 0."""
    if _is_addressable(gradient) and gradient.data_ptr() % 16 == 0:
        return gradient
    return gradient.clone(memory_format=torch.contiguous_format)


def _run_backward(do, q, k, v, out, lse, dlse, causal=False, scale=None, before=None, after=None):
    options = {"causal": causal, "scale": scale, "window": window_of(before, after)}
    return backward_kernel(addressable(do), q, k, v, out, lse, dlse, **options)


def _fake_backward(do, q, k, v, out, lse, dlse, causal=False, scale=None, before=None, after=None):
    return tuple(tensor.new_empty(tensor.shape) for tensor in (q, k, v))


def _save(ctx, inputs, output):
    q, k, v, *ctx.options = inputs
    ctx.save_for_backward(q, k, v, *output)
    ctx.set_materialize_grads(False)


def _backward(ctx, of_out, of_lse):
    q, k, v, out, lse = ctx.saved_tensors
    if of_out is None and of_lse is None:
        return (None,) * 7
    do = torch.zeros_like(out) if of_out is None else of_out
    return *_attention_backward(do, q, k, v, out, lse, of_lse, *ctx.options), *(None,) * 4


_attention_backward = Operator("attention_backward", _BACKWARD, _run_backward, _fake_backward)
_attention = Operator("attention", _SCHEMA, _run, _fake, _backward, _save)
