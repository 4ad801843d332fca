"""Attention for sequences of different lengths that are packed one after another."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

from ...errors import LaunchError
from ...launch_cache import LaunchCache
from .._common.arrays import ArrayFacts, check_target, facts_of, maker_of_empty, target_of
from .._common.checks import check_flags, checked_shape, given_scale
from .._common.explain import with_explain
from . import host_cdna, host_nvidia, host_varlen_nvidia
from .host_varlen_nvidia import Lengths
from .operands import LOG2_E, Attention, Sequences, check_attention, check_window_target, checked_window

if TYPE_CHECKING:
    from collections.abc import Callable

#: Rows that each argument with a length counts.
LENGTH_NAMES = {"max_seqlen_q": "queries", "max_seqlen_k": "keys"}

TARGETS = (*host_cdna.TARGETS, *host_nvidia.TARGETS)


def explain(shape: tuple[int, int, int, int], target: str, *, causal: bool = False) -> str:
    """Returns sentences that describe the kernel that `attention_varlen` launches.

    Args:
        shape: (sequences, heads, queries of the longest sequence, head size); each head of queries has its own key
            head.
        target: "gfx942", "gfx950" or "sm_90a".
    """
    check_target("attention_varlen", target, TARGETS)
    check_flags("attention_varlen.explain", causal=causal)
    count, heads, longest, size = checked_shape("attention_varlen", shape, "(sequences, heads, queries, head size)")
    facts = ArrayFacts((count, heads, longest, size), (0, size, heads * size, 1), "float16", 16)
    attention = Attention(facts, facts, facts, facts, causal)
    check_attention(attention)
    if target in host_nvidia.TARGETS:
        return host_varlen_nvidia.explain(attention)
    return (
        host_cdna.explain(attention, target) + "\n- blocks of queries beyond the end of a shorter sequence end at once"
    )


@with_explain(explain)
def attention_varlen(
    q: Any,
    k: Any,
    v: Any,
    cu_seqlens_q: Any,
    cu_seqlens_k: Any,
    max_seqlen_q: int,
    max_seqlen_k: int | None = None,
    out: Any = None,
    *,
    causal: bool = False,
    window: tuple[int | None, int | None] | None = None,
    scale: float | None = None,
    return_lse: bool = False,
    pipelined: bool | None = None,
) -> Any:
    """Computes `attention` of sequences of different lengths, with the arguments of flash-attn's
    `flash_attn_varlen_func`.

    Args:
        q: [queries of all sequences, heads, D], a NumPy array or a PyTorch tensor of float16 or bfloat16; D is 64 or
            128.
        k, v: [keys of all sequences, key heads, D] of the same dtype; heads share keys as in `attention`.
        cu_seqlens_q, cu_seqlens_k: contiguous int32 of [sequences + 1]: sequence i has queries cu_seqlens_q[i] to
            cu_seqlens_q[i + 1] - 1, and keys cu_seqlens_k[i] to cu_seqlens_k[i + 1] - 1. Sequences may be empty. The
            values of both arrays are not checked.
        max_seqlen_q: number of queries of the longest sequence, or more. If a sequence is longer, the results of its
            further queries are undefined.
        max_seqlen_k: number of keys of the longest sequence, or more, by which a plan is chosen on NVIDIA GPUs. It has
            no effect on results.
        out: [queries of all sequences, heads, D] to write the result to; a new array of q's dtype if None. On NVIDIA
            GPUs, `out` must have q's dtype.
        causal: if True, query i of a sequence sees only keys 0 ... i + keys - queries of this sequence, as in
            `attention`. The result of a query that sees no key is 0.
        window: (before, after), as in `attention`. NVIDIA GPUs only.
        scale: factor of the scores; 1 / sqrt(D) if None. On NVIDIA GPUs, the scale must not be negative.
        return_lse: also return ln(sum of exp(scale x score) over the keys) of each query, as a float32 array of
            [heads, queries of all sequences]. The value is -inf for a query that sees no key. NVIDIA GPUs only.
        pipelined: as in `attention`. If None, a rule decides, which `attention_varlen.explain` describes.

    Returns: `out`. If `return_lse` is True: `out`, and the array of logarithms.
    Raises: LaunchError for shapes that do not match, for unsupported dtypes and head sizes, and for targets without a
    kernel.

    Example: three sequences, of which the second has no queries.
        >>> starts = np.array([0, 5, 5, 12], np.int32)
        >>> attention_varlen(q, k, v, starts, starts, 7).shape == q.shape
        True
    """
    scale = given_scale("attention_varlen", scale)
    is_negative = scale is not None and scale < 0
    arrays = q, k, v, cu_seqlens_q, cu_seqlens_k, out
    longest = checked_longest("max_seqlen_q", max_seqlen_q)
    if max_seqlen_k is not None:
        max_seqlen_k = checked_longest("max_seqlen_k", max_seqlen_k)
    window = checked_window("attention_varlen", window, causal)
    settings = longest, max_seqlen_k, causal, return_lse, pipelined, is_negative, window
    return _launches.find(arrays, settings)(*arrays, scale)


def _prepare(
    q: Any,
    k: Any,
    v: Any,
    cu_seqlens_q: Any,
    cu_seqlens_k: Any,
    out: Any,
    longest: int,
    longest_keys: int | None,
    causal: bool,
    return_lse: bool,
    pipelined: bool | None,
    is_negative: bool,
    window: tuple[int, int] | None,
) -> Callable[[Any, Any, Any, Any, Any, Any, float | None], Any]:
    """Checks the arguments, and returns a function `(q, k, v, cu_seqlens_q, cu_seqlens_k, out, scale)` that launches
    the kernel and returns the result. `is_negative`: whether the scale is negative."""
    target = target_of(q)
    check_target("attention_varlen", target, TARGETS)
    facts = [facts_of(array, f"attention_varlen: {name}") for name, array in (("q", q), ("k", k), ("v", v))]
    for name, array in zip("qkv", facts, strict=True):
        if len(array.shape) != 3:
            raise LaunchError(f"attention_varlen: {name} must be [rows, heads, D], not {list(array.shape)}")
    new_out = maker_of_empty(q, facts[0].shape, facts[0].dtype)
    if out is None:
        out = new_out(q)
    out_facts = checked_out("attention_varlen", out, facts[0])
    count = sequences_of("attention_varlen", cu_seqlens_q, cu_seqlens_k)
    check_flags("attention_varlen", causal=causal, return_lse=return_lse, pipelined=pipelined)
    viewed = [as_one_sequence(array) for array in (*facts, out_facts)]
    request = Attention(*viewed, bool(causal) and window is None, bool(return_lse), window)
    check_attention(with_rows(request), "attention_varlen")
    check_window_target("attention_varlen", window, target)
    is_nvidia = target in host_nvidia.TARGETS
    if return_lse and not is_nvidia:
        raise LaunchError(f"attention_varlen: return_lse is not supported for {target} yet; it is for sm_90a")
    is_empty = not (count and longest and facts[0].shape[0])
    has_keys = facts[1].shape[0] > 0
    launch = None
    if has_keys and not is_empty:
        if is_nvidia:
            keys = facts[1].shape[0]
            lengths = Lengths(count, longest, keys if longest_keys is None else max(min(longest_keys, keys), 1))
            launch = host_varlen_nvidia.prepare(request, lengths, pipelined, is_negative, (q, k, v, out))
        else:
            launch = host_cdna.prepare(request, target, pipelined, is_negative, Sequences(count, longest))
    new_lse = maker_of_empty(q, facts[0].shape[1::-1], "float32") if return_lse else None
    default_log2_scale = facts[0].shape[2] ** -0.5 * LOG2_E

    def run(q: Any, k: Any, v: Any, query_starts: Any, key_starts: Any, out: Any, scale: float | None) -> Any:
        if out is None:
            out = new_out(q)
        lse = None if new_lse is None or launch is not None else new_lse(q)
        if launch is not None:
            log2_scale = default_log2_scale if scale is None else scale * LOG2_E
            lse = launch(q, k, v, out, log2_scale, query_starts, key_starts)
        elif not is_empty:
            out[...] = 0
            if lse is not None:
                lse[...] = float("-inf")
        return (out, lse) if return_lse else out

    return run


_launches = LaunchCache(_prepare)


def sequences_of(kernel: str, query_starts: Any, key_starts: Any) -> int:
    """Returns the number of packed sequences. Raises a LaunchError if `cu_seqlens_q` or `cu_seqlens_k` is not a
    contiguous int32 vector, or if their lengths differ."""
    for name, starts in (("cu_seqlens_q", query_starts), ("cu_seqlens_k", key_starts)):
        facts = facts_of(starts, f"{kernel}: {name}")
        if facts.dtype != "int32" or len(facts.shape) != 1 or facts.shape[0] < 1 or facts.strides[0] != 1:
            raise LaunchError(
                f"{kernel}: {name} must be contiguous int32 of [sequences + 1], but it is {facts.dtype} of "
                f"shape {list(facts.shape)}"
            )
    if query_starts.shape != key_starts.shape:
        raise LaunchError(
            f"{kernel}: cu_seqlens_q is of {query_starts.shape[0] - 1} sequences, cu_seqlens_k of "
            f"{key_starts.shape[0] - 1}"
        )
    return query_starts.shape[0] - 1


def checked_longest(name: str, longest: Any, kernel: str = "attention_varlen") -> int:
    """Returns `max_seqlen_q` or `max_seqlen_k` as an int. Raises a LaunchError if it is not a valid length; `name`
    names the argument in the message."""
    is_integer = hasattr(longest, "__index__") and not isinstance(longest, bool) and not getattr(longest, "shape", ())
    if not is_integer or longest < 0:
        raise LaunchError(
            f"{kernel}: {name} must be the number of {LENGTH_NAMES[name]} of the longest sequence, not {longest!r}"
        )
    return operator.index(longest)


def checked_out(kernel: str, out: Any, q: ArrayFacts) -> ArrayFacts:
    """Returns the ArrayFacts of `out`. Raises a LaunchError if its shape is not that of q."""
    facts = facts_of(out, f"{kernel}: out")
    if facts.shape != q.shape:
        raise LaunchError(f"{kernel}: out must have the shape of q, {list(q.shape)}, not {list(facts.shape)}")
    return facts


def with_rows(request: Attention) -> Attention:
    """Returns `request` with at least one row in each array, to check the other sizes of arrays without rows."""
    arrays = [
        facts._replace(shape=(1, heads, max(rows, 1), size))
        for facts in request.arrays
        for _, heads, rows, size in [facts.shape]
    ]
    return Attention(*arrays, request.causal)


def as_one_sequence(facts: ArrayFacts) -> ArrayFacts:
    """Returns the ArrayFacts of [rows, heads, D], viewed as [1, heads, rows, D]; kernels add the offset of each
    sequence's first row."""
    (rows, heads, size), (row, head, column) = facts.shape, facts.strides
    return ArrayFacts((1, heads, rows, size), (0, head, row, column), facts.dtype, facts.element_bits)
