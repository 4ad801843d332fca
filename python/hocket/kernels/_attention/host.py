"""Attention forward, softmax(scale x Q K^T) V, on matrix cores."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ...errors import LaunchError
from .._common.arrays import ArrayFacts, check_target, empty_like, facts_of, target_of
from .._common.checks import check_flags, checked_scale, checked_shape
from .._common.explain import with_explain
from . import host_cdna, host_nvidia
from .mods import Modifiers, check_modifiers
from .operands import Attention, check_attention

if TYPE_CHECKING:
    from .block_mask import BlockMask

TARGETS = (*host_cdna.TARGETS, *host_nvidia.TARGETS)


def explain(shape: tuple[int, int, int, int], target: str, *, causal: bool = False) -> str:
    """Returns sentences that describe the kernel that `attention` launches for contiguous arrays of the given shape.

    Args:
        shape: (batch, heads, sequence, head size).
        target: "gfx942", "gfx950" or "sm_90a".
    """
    check_target("attention", target, TARGETS)
    check_flags("attention.explain", causal=causal)
    _, heads, sequence, size = checked_shape("attention", shape, "(batch, heads, sequence, head size)")
    facts = ArrayFacts(shape, (heads * sequence * size, sequence * size, size, 1), "float16", 16)
    attention = Attention(facts, facts, facts, facts, causal)
    check_attention(attention)
    vendor = host_cdna if target in host_cdna.TARGETS else host_nvidia
    return vendor.explain(attention, target)


@with_explain(explain)
def attention(
    q: Any,
    k: Any,
    v: Any,
    out: Any = None,
    *,
    causal: bool = False,
    scale: float | None = None,
    return_lse: bool = False,
    pipelined: bool | None = None,
    score_mod: Any = None,
    mask_mod: Any = None,
    mod_args: tuple = (),
    block_mask: BlockMask | None = None,
) -> Any:
    """Returns softmax(scale x Q K^T) V per head, with float32 scores and sums. The kernel runs on the device of the
    arrays.

    Args:
        q: [batch, heads, queries, D], a NumPy array or a PyTorch tensor of float16 or bfloat16; D is 64 or 128. AMD
            GPUs take any strides; NVIDIA GPUs need contiguous rows of D elements at multiples of 16 bytes.
        k, v: [batch, key heads, keys, D] of the same dtype. `heads` is a multiple of the number of key heads. Each key
            head is shared by (heads / key heads) consecutive heads of queries (grouped-query attention).
        out: [batch, heads, queries, D] to write the result to; a new array of q's dtype if None.
        causal: if True, query i sees only keys 0 ... i + keys - queries, so the last query sees all keys. The result of
            a query that sees no key is 0.
        scale: factor of the scores; 1 / sqrt(D) if None. On NVIDIA GPUs, the scale must not be negative.
        return_lse: also return ln(sum of exp(scale x score) over the keys) of each query, as a float32 array of
            [batch, heads, queries]. The value is -inf for a query that sees no key. NVIDIA GPUs only.
        pipelined: True for a kernel whose warps alternate: half of the warps read memory while the other half computes
            (AMD), or warpgroups issue their wgmmas one after another (NVIDIA, ping-pong). If None, a rule decides,
            which `attention.explain` describes.
        score_mod: a `@hocket.jit` function `(score, batch, head, query, key, *mod_args)` that returns changed scores.
            `score` is a float32 tile, already scaled; `query` and `key` are int32 tiles of shape [rows, 1] and
            [1, columns] with the indices of queries and keys; `batch` and `head` (of q) are scalars. `score_mod`,
            `mask_mod` and `block_mask` are supported on NVIDIA GPUs only.
        mask_mod: a `@hocket.jit` function `(batch, head, query, key, *mod_args)` that returns a bool tile: True where
            the query sees the key. The result of a query that sees no key is 0.
        mod_args: arrays, from which functions load through pointers, and numbers.
        block_mask: the result of `attention_block_mask` for `mask_mod`: blocks that are wholly masked are skipped.
    Returns: `out`. If `return_lse` is True: `out`, and the array of logarithms that is described at `return_lse`.
    Raises: LaunchError for shapes that do not match, for unsupported dtypes and head sizes, and for targets without a
    kernel.
    """
    target = target_of(q)
    check_target("attention", target, TARGETS)
    check_flags("attention", causal=causal, return_lse=return_lse, pipelined=pipelined)
    facts = [facts_of(array, f"attention: {name}") for name, array in (("q", q), ("k", k), ("v", v))]
    if out is None:
        out = empty_like(q, facts[0].shape, facts[0].dtype)
    request = Attention(*facts, facts_of(out, "attention: out"), bool(causal), bool(return_lse))
    check_attention(request)
    modifiers = Modifiers(score_mod, mask_mod, tuple(mod_args) if isinstance(mod_args, list) else mod_args, block_mask)
    if not modifiers.is_empty or type(mod_args) is not tuple or mod_args or block_mask is not None:
        check_modifiers(modifiers, (*request.q.shape[:3], request.k.shape[2]), request.causal)
    # The hardware computes exponentials as powers of two, so the scale includes the factor log2(e).
    log2_scale = checked_scale("attention", scale, facts[0].shape[3]) * math.log2(math.e)
    if target in host_nvidia.TARGETS:
        lse = host_nvidia.launch(request, pipelined, q, k, v, out, log2_scale, modifiers)
        return (out, lse) if return_lse else out
    if not modifiers.is_empty:
        raise LaunchError(f"attention: score_mod and mask_mod are not supported for {target} yet; they are for sm_90a")
    if return_lse:
        raise LaunchError(f"attention: return_lse is not supported for {target} yet; it is for sm_90a")
    host_cdna.launch(request, target, pipelined, q, k, v, out, log2_scale)
    return out
