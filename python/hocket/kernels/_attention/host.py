"""Attention forward, softmax(scale x Q K^T) V, on matrix cores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...errors import LaunchError
from ...launch_cache import LaunchCache
from .._common.arrays import ArrayFacts, check_target, facts_of, maker_of_empty, target_of
from .._common.checks import check_flags, checked_shape, given_scale
from .._common.explain import with_explain
from . import host_cdna, host_nvidia
from .mods import Modifiers, check_modifiers
from .operands import LOG2_E, Attention, check_attention, check_window_target, checked_window

if TYPE_CHECKING:
    from collections.abc import Callable

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
    window: tuple[int | None, int | None] | None = None,
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
        out: [batch, heads, queries, D] to write the result to; a new array of q's dtype if None. On NVIDIA GPUs, `out`
            must have q's dtype.
        causal: if True, query i sees only keys 0 ... i + keys - queries, so the last query sees all keys. The result of
            a query that sees no key is 0.
        window: (before, after): a query sees only keys of which at most `before` are before its position, and at most
            `after` after it; None for no limit. The position of query i is i + keys - queries, as with `causal`, which
            is equal to window=(None, 0), and which may be combined with (before, 0). Blocks of keys outside of all
            windows of a tile are skipped. NVIDIA GPUs only.
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
    scale = given_scale("attention", scale)
    is_negative = scale is not None and scale < 0
    has_block_mask = block_mask is not None
    modifiers = None
    if score_mod is not None or mask_mod is not None or has_block_mask or type(mod_args) is not tuple or mod_args:
        args = tuple(mod_args) if isinstance(mod_args, list) else mod_args
        modifiers = Modifiers(score_mod, mask_mod, args, block_mask)
    window = checked_window("attention", window, causal)
    settings = causal, return_lse, pipelined, is_negative, score_mod, mask_mod, has_block_mask, window
    return _launches.find((q, k, v, out), settings)(q, k, v, out, scale, modifiers)


def _prepare(
    q: Any,
    k: Any,
    v: Any,
    out: Any,
    causal: bool,
    return_lse: bool,
    pipelined: bool | None,
    is_negative: bool,
    score_mod: Any,
    mask_mod: Any,
    has_block_mask: bool,
    window: tuple[int, int] | None,
) -> Callable[[Any, Any, Any, Any, float | None, Modifiers | None], Any]:
    """Checks arrays and flags, chooses a plan, and returns a function `(q, k, v, out, scale, modifiers)` that checks
    the modifiers, launches the kernel and returns the result. `is_negative`: whether the scale is negative."""
    facts = [facts_of(array, f"attention: {name}") for name, array in (("q", q), ("k", k), ("v", v))]
    target = target_of(q)
    check_target("attention", target, TARGETS)
    check_flags("attention", causal=causal, return_lse=return_lse, pipelined=pipelined)
    new_out = maker_of_empty(q, facts[0].shape, facts[0].dtype)
    if out is None:
        out = new_out(q)
    causal = bool(causal) and window is None
    request = Attention(*facts, facts_of(out, "attention: out"), causal, bool(return_lse), window)
    check_attention(request)
    check_window_target("attention", window, target)
    if window is not None and has_block_mask:
        raise LaunchError(
            "attention: window and block_mask exclude each other\n  hint: let mask_mod return False for keys outside "
            "of the window, and compute block_mask again"
        )
    has_functions = score_mod is not None or mask_mod is not None
    if target in host_nvidia.TARGETS:
        functions = score_mod, mask_mod, has_block_mask
        launch = host_nvidia.prepare(request, pipelined, is_negative, functions, (q, k, v, out))
    elif return_lse and not has_functions:
        raise LaunchError(f"attention: return_lse is not supported for {target} yet; it is for sm_90a")
    else:
        launch = host_cdna.prepare(request, target, pipelined, is_negative)
    # The hardware computes exponentials as powers of two, so the scale includes the factor log2(e).
    default_log2_scale = facts[0].shape[3] ** -0.5 * LOG2_E
    sizes, is_causal = (*request.q.shape[:3], request.k.shape[2]), request.causal

    def run(q: Any, k: Any, v: Any, out: Any, scale: float | None, modifiers: Modifiers | None) -> Any:
        further = ()
        if modifiers is not None:
            check_modifiers(modifiers, sizes, is_causal)
            further = _arguments_of(modifiers, target)
        if out is None:
            out = new_out(q)
        lse = launch(q, k, v, out, default_log2_scale if scale is None else scale * LOG2_E, *further)
        return (out, lse) if return_lse else out

    return run


_launches = LaunchCache(_prepare)


def _arguments_of(modifiers: Modifiers, target: str) -> tuple:
    """Returns the arguments of a prepared launch that depend on the modifiers."""
    if modifiers.is_empty:
        return ()
    if target not in host_nvidia.TARGETS:
        raise LaunchError(f"attention: score_mod and mask_mod are not supported for {target} yet; they are for sm_90a")
    return modifiers.args, modifiers.block_mask
