"""`hocket.kernels.attention` as the operator `hocket::attention`."""

from __future__ import annotations

import torch

from ..kernels import attention as kernel

_SCHEMA = "(Tensor q, Tensor k, Tensor v, bool causal=False, float? scale=None) -> (Tensor, Tensor)"

torch.library.define("hocket::attention", _SCHEMA, tags=torch.Tag.pt2_compliant_tag)


def attention(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    causal: bool = False,
    scale: float | None = None,
    return_lse: bool = False,
) -> torch.Tensor | tuple[torch.Tensor, torch.Tensor]:
    """Returns softmax(scale x Q K^T) V per head, on Hopper. Only the forward pass is supported.

    Args:
        q: [batch, heads, queries, D], float16 or bfloat16; D is 64 or 128.
        k, v: [batch, key heads, keys, D]; `heads` is a multiple of the number of key heads.
        causal: mask keys. The last query attends to all keys. Every other query attends to one key fewer than the next
            query.
        scale: factor of the scores; 1 / sqrt(D) if None.
        return_lse: also return the logarithms of the sums of exponentials, float32 [batch, heads, queries].

    See `hocket.kernels.attention` for the arguments, and `hocket.kernels.attention.explain` for the implementation.
    """
    out, lse = torch.ops.hocket.attention(q, k, v, causal, scale)
    return (out, lse) if return_lse else out


@torch.library.impl("hocket::attention", ("cuda", "cpu"))
def _run(q, k, v, causal=False, scale=None):
    return kernel(
        q, k, v, torch.empty(q.shape, dtype=q.dtype, device=q.device), causal=causal, scale=scale, return_lse=True
    )


@torch.library.register_fake("hocket::attention")
def _fake(q, k, v, causal=False, scale=None):
    """Returns empty tensors with the shapes and dtypes of the results, for torch.compile."""
    torch._check(q.dim() == 4, lambda: "attention: q must be [batch, heads, queries, D]")
    return q.new_empty(q.shape), q.new_empty(q.shape[:3], dtype=torch.float32)


def _backward(ctx, *gradients):
    raise NotImplementedError(
        "hocket.torch.attention has no backward pass yet\n  hint: call it under torch.no_grad(), or use "
        "torch.nn.functional.scaled_dot_product_attention for training"
    )


torch.library.register_autograd("hocket::attention", _backward)
