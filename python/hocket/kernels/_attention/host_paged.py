"""Attention of packed queries to keys in pages, which a block table lists for each sequence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...errors import LaunchError
from ...launch_cache import LaunchCache
from .._common.arrays import ArrayFacts, check_target, facts_of, maker_of_empty, target_of
from .._common.checks import check_flags, given_scale
from . import host_nvidia, host_varlen_nvidia
from .host_varlen import as_one_sequence, checked_longest, checked_out, with_rows
from .host_varlen_nvidia import Lengths, Pages
from .operands import LOG2_E, Attention, check_attention, checked_window

if TYPE_CHECKING:
    from collections.abc import Callable


def attention_paged(
    q: Any,
    k_pages: Any,
    v_pages: Any,
    block_table: Any,
    key_lengths: Any,
    cu_seqlens_q: Any,
    max_seqlen_q: int,
    out: Any = None,
    *,
    causal: bool = False,
    window: tuple[int | None, int | None] | None = None,
    scale: float | None = None,
    return_lse: bool = False,
) -> Any:
    """Computes `attention_varlen` of keys and values that lie in pages (a paged KV cache), on Hopper GPUs.

    Args:
        q: [queries of all sequences, heads, D], a NumPy array or a PyTorch tensor of float16 or bfloat16; D is 64 or
            128.
        k_pages, v_pages: [pages, page size, key heads, D] of the same dtype. TMA copies pages of 16, 32, 64, 128 keys,
            or a multiple of 128. Pages of other sizes, e.g. of one key, are copied row by row by cp.async.
        block_table: contiguous int32 of [sequences, pages of the longest sequence, or more]: key j of sequence i is key
            j % page size of page block_table[i, j // page size]. Entries past the end of a sequence are not read. The
            values are not checked.
        key_lengths: contiguous int32 of [sequences], the number of keys of each sequence. The values are not checked.
        cu_seqlens_q, max_seqlen_q, out: as in `attention_varlen`.
        causal, window, scale, return_lse: as in `attention_varlen`.

    Returns: `out`. If `return_lse` is True: `out`, and the array of logarithms.
    Raises: LaunchError for shapes that do not match, for unsupported dtypes and head sizes, and for targets
    without a kernel.
    """
    scale = given_scale("attention_paged", scale)
    longest = checked_longest("max_seqlen_q", max_seqlen_q, "attention_paged")
    arrays = q, k_pages, v_pages, block_table, key_lengths, cu_seqlens_q, out
    window = checked_window("attention_paged", window, causal)
    settings = longest, causal, return_lse, scale is not None and scale < 0, window
    return _launches.find(arrays, settings)(*arrays, scale)


def _prepare(
    q: Any,
    k: Any,
    v: Any,
    table: Any,
    key_lengths: Any,
    query_starts: Any,
    out: Any,
    longest: int,
    causal: bool,
    return_lse: bool,
    is_negative: bool,
    window: tuple[int, int] | None,
) -> Callable[..., Any]:
    """Checks the arguments, and returns a function `(q, k, v, table, key_lengths, query_starts, out, scale)` that
    launches the kernel and returns the result."""
    check_target("attention_paged", target_of(q), host_nvidia.TARGETS)
    check_flags("attention_paged", causal=causal, return_lse=return_lse)
    named = ("q", q, 3), ("k_pages", k, 4), ("v_pages", v, 4)
    facts = []
    for name, array, rank in named:
        facts.append(facts_of(array, f"attention_paged: {name}"))
        if len(facts[-1].shape) != rank or 0 in facts[-1].shape[1 if rank == 3 else 0 :]:
            form = "[queries, heads, D]" if rank == 3 else "[pages, page size, key heads, D] with elements"
            raise LaunchError(f"attention_paged: {name} must be {form}, not {list(facts[-1].shape)}")
    pages, page_size = facts[1].shape[:2]
    count, per_sequence = _check_tables(table, key_lengths, query_starts)
    new_out = maker_of_empty(q, facts[0].shape, facts[0].dtype)
    if out is None:
        out = new_out(q)
    queries, outs = (as_one_sequence(x) for x in (facts[0], checked_out("attention_paged", out, facts[0])))
    keys = [_by_pages(x) for x in facts[1:]]
    # The dimension of pages is left out of the check, because q has none.
    paged = [x._replace(shape=(1, *x.shape[1:])) for x in keys]
    check_attention(with_rows(Attention(queries, *paged, outs, False)), "attention_paged")
    if keys[0].shape != keys[1].shape:
        raise LaunchError("attention_paged: k_pages and v_pages must have equal numbers of pages")
    request = Attention(queries, *keys, outs, bool(causal) and window is None, bool(return_lse), window)
    lengths = Lengths(count, max(longest, 1), max(per_sequence * page_size, 1))
    launch = None
    if count and facts[0].shape[0]:
        launch = host_varlen_nvidia.prepare(
            request, lengths, None, is_negative, (q, k, v, out), Pages(page_size, pages, per_sequence)
        )
    new_lse = maker_of_empty(q, facts[0].shape[1::-1], "float32") if return_lse and launch is None else None
    default_log2_scale = facts[0].shape[2] ** -0.5 * LOG2_E

    def run(
        q: Any, k: Any, v: Any, table: Any, key_lengths: Any, query_starts: Any, out: Any, scale: float | None
    ) -> Any:
        if out is None:
            out = new_out(q)
        lse = None if new_lse is None else new_lse(q)
        if launch is not None:
            log2_scale = default_log2_scale if scale is None else scale * LOG2_E
            lse = launch(q, k, v, out, log2_scale, query_starts, key_lengths, table)
        return (out, lse) if return_lse else out

    return run


_launches = LaunchCache(_prepare)


def _check_tables(table: Any, key_lengths: Any, query_starts: Any) -> tuple[int, int]:
    """Returns the number of sequences, and of entries of the block table per sequence. Raises a LaunchError if one of
    the arrays is not contiguous int32 of its shape."""
    named = ("block_table", table, "[sequences, pages]", 2), ("key_lengths", key_lengths, "[sequences]", 1)
    shapes = []
    for name, array, form, rank in (*named, ("cu_seqlens_q", query_starts, "[sequences + 1]", 1)):
        facts = facts_of(array, f"attention_paged: {name}")
        if facts.dtype != "int32" or len(facts.shape) != rank or not _is_contiguous(facts):
            raise LaunchError(
                f"attention_paged: {name} must be contiguous int32 of {form}, but it is {facts.dtype} of shape "
                f"{list(facts.shape)}"
            )
        shapes.append(facts.shape)
    (count, per_sequence), (lengths,), (starts,) = shapes
    if lengths != count or starts != count + 1:
        raise LaunchError(
            f"attention_paged: block_table is of {count} sequences, key_lengths of {lengths}, cu_seqlens_q of "
            f"{starts - 1}"
        )
    return count, per_sequence


def _is_contiguous(facts: ArrayFacts) -> bool:
    """Returns True if an array of one or two dimensions is contiguous, or has no elements."""
    return 0 in facts.shape or facts.strides == (*facts.shape[1:], 1)


def _by_pages(facts: ArrayFacts) -> ArrayFacts:
    """Returns the ArrayFacts of [pages, page size, heads, D], viewed as [pages, heads, page size, D]."""
    (pages, rows, heads, size), (page, row, head, column) = facts.shape, facts.strides
    return facts._replace(shape=(pages, heads, rows, size), strides=(page, head, row, column))
