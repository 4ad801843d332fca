"""Attention backward for sequences of different lengths that are packed one after another, on Hopper."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ...errors import LaunchError
from ...launch_cache import LaunchCache
from .._common.arrays import ArrayFacts, check_target, facts_of, gpu_of, maker_of_empty, target_of
from .._common.checks import check_flags, given_scale
from .._common.work_counter import counters_for
from . import host_backward
from .backward_hopper import attention_backward_hopper
from .backward_rows import finish_dq, prepare_rows
from .host_nvidia import descriptor_form
from .host_varlen import as_one_sequence, sequences_of, with_rows
from .operands import LOG2_E, Attention, check_attention, checked_window

if TYPE_CHECKING:
    from collections.abc import Callable

NAME = "attention_varlen_backward"


class PackedBackward(NamedTuple):
    """Properties of the arrays of one call: those with rows of D elements as [1, heads, rows, D], and lse and dlse as
    [1, heads, queries]. `count`: number of sequences."""

    forward: Attention
    do: ArrayFacts
    lse: ArrayFacts
    dlse: ArrayFacts | None
    count: int


def attention_varlen_backward(
    do: Any,
    q: Any,
    k: Any,
    v: Any,
    out: Any,
    lse: Any,
    cu_seqlens_q: Any,
    cu_seqlens_k: Any,
    dlse: Any = None,
    *,
    causal: bool = False,
    window: tuple[int | None, int | None] | None = None,
    scale: float | None = None,
) -> tuple[Any, Any, Any]:
    """Returns the gradients (dq, dk, dv) of `out, lse = attention_varlen(q, k, v, ..., return_lse=True)`. The order of
    all additions is fixed, so the gradients have the same bits in each run.

    Args:
        do: gradient of `out`, [queries of all sequences, heads, D], of the dtype of q.
        q, k, v, cu_seqlens_q, cu_seqlens_k, causal, window, scale: as in `attention_varlen`. The scale may be negative.
        out, lse: the results of `attention_varlen`; lse is float32 [heads, queries of all sequences].
        dlse: gradient of `lse`, a float32 array of its shape; None if only `out` is differentiated.
    Returns: new contiguous arrays with the shapes and the dtype of q, k and v. The gradients of rows after the last
    sequence are 0, those of rows before the first sequence are undefined. NaN in a sequence does not change the
    gradients of other sequences.
    Raises: LaunchError for shapes that do not match, for unsupported dtypes and head sizes, and for targets without a
    kernel.
    """
    arrays = do, q, k, v, out, lse, cu_seqlens_q, cu_seqlens_k, dlse
    settings = causal, checked_window(NAME, window, causal)
    return _launches.find(arrays, settings)(*arrays, given_scale(NAME, scale))


def _prepare(
    do: Any,
    q: Any,
    k: Any,
    v: Any,
    out: Any,
    lse: Any,
    query_starts: Any,
    key_starts: Any,
    dlse: Any,
    causal: bool,
    window: tuple[int, int] | None,
) -> Callable[..., tuple[Any, Any, Any]]:
    """Checks the arguments, and returns a function of all arrays and the scale that computes the gradients."""
    named = {"do": do, "q": q, "k": k, "v": v, "out": out}
    facts = {name: facts_of(array, f"{NAME}: {name}") for name, array in named.items()}
    check_target(NAME, target_of(q), host_backward.TARGETS)
    check_flags(NAME, causal=causal)
    for name in ("q", "k", "v"):
        if len(facts[name].shape) != 3:
            raise LaunchError(f"{NAME}: {name} must be [rows, heads, D], not {list(facts[name].shape)}")
    _check_results(facts["q"], facts["do"], facts["out"])
    rows = {"lse": facts_of(lse, f"{NAME}: lse")}
    if dlse is not None:
        rows["dlse"] = facts_of(dlse, f"{NAME}: dlse")
    _check_rows(facts["q"], rows)
    count = sequences_of(NAME, query_starts, key_starts)
    viewed = {name: as_one_sequence(array) for name, array in facts.items()}
    inputs = (viewed[name] for name in ("q", "k", "v", "out"))
    forward = Attention(*inputs, bool(causal) and window is None, window=window)
    check_attention(with_rows(forward), NAME)
    of_rows = {
        name: array._replace(shape=(1, *array.shape), strides=(0, *array.strides)) for name, array in rows.items()
    }
    backward = PackedBackward(forward, viewed["do"], of_rows["lse"], of_rows.get("dlse"), count)
    new = [maker_of_empty(q, facts[name].shape, facts[name].dtype) for name in ("q", "k", "v")]
    if not (count and forward.q.shape[2] and forward.k.shape[2]):
        return lambda do, q, *_: _zeros(new, q)
    return _prepare_launch(backward, new, (do, q, k, v))


_launches = LaunchCache(_prepare)


def _check_results(q: ArrayFacts, do: ArrayFacts, out: ArrayFacts) -> None:
    """Raises a LaunchError unless `do` and `out` have the shape and dtype of q, and rows of contiguous elements."""
    for name, array in (("do", do), ("out", out)):
        if (array.shape, array.dtype) != (q.shape, q.dtype):
            raise LaunchError(
                f"{NAME}: {name} must have the shape and dtype of q, {list(q.shape)} of {q.dtype}, not "
                f"{list(array.shape)} of {array.dtype}"
            )
        if array.strides[2] != 1 and 0 not in array.shape:
            raise LaunchError(
                f"{NAME}: the elements of a row of {name} must be contiguous, but the strides are "
                f"{list(array.strides)}\n  hint: pass a contiguous copy"
            )


def _check_rows(q: ArrayFacts, rows: dict[str, ArrayFacts]) -> None:
    """Raises a LaunchError unless `lse` and `dlse` are float32 of [heads, queries]."""
    expected = q.shape[1::-1]
    for name, array in rows.items():
        if (array.shape, array.dtype) != (expected, "float32"):
            hint = "\n  hint: attention_varlen(..., return_lse=True) returns lse" if name == "lse" else ""
            raise LaunchError(
                f"{NAME}: {name} must be {list(expected)} of float32, not {list(array.shape)} of {array.dtype}{hint}"
            )


def _zeros(new: list[Callable[[Any], Any]], like: Any) -> tuple[Any, Any, Any]:
    """Returns gradients of calls in which no query sees a key."""
    gradients = tuple(make(like) for make in new)
    for gradient in gradients:
        gradient[...] = 0
    return gradients


def _prepare_launch(
    backward: PackedBackward, new: list[Callable[[Any], Any]], arrays: tuple[Any, ...]
) -> Callable[..., tuple[Any, Any, Any]]:
    """Returns a function of all arrays and the scale that computes the gradients. `new`: functions that make dq, dk and
    dv. `arrays`: an example of do, q, k, v. A scale of None is the default."""
    q, k, v, out, causal, _, window = backward.forward
    heads, queries, size = q.shape[1:]
    key_heads, keys = k.shape[1:3]
    cfg = host_backward.configure(size, causal, True, window is not None)
    # The rows after the last sequence form one more sequence.
    count = backward.count + 1
    row_blocks = queries // cfg.block_m + count
    most_tiles = key_heads * (keys // cfg.block_n + count)
    gpu = gpu_of(arrays[1])
    multiprocessors = host_backward.MULTIPROCESSORS if gpu is None else gpu.multiprocessors
    facts = backward.do, q, k, v
    rows = cfg.block_m, cfg.block_m, cfg.block_n, cfg.block_n
    do_form, q_form, k_form, v_form = (
        descriptor_form(NAME, name, array, fact, length)
        for name, array, fact, length in zip(("do", "q", "k", "v"), arrays, facts, rows, strict=True)
    )
    # dK and dV are contiguous.
    gradient = k._replace(strides=(0, size, key_heads * size, 1))
    gradient_form = descriptor_form(NAME, "dk", arrays[2], gradient, cfg.block_n)
    rows_shape = heads, row_blocks * cfg.block_m
    row_form = host_backward.workspace_form(arrays[1], rows_shape, [1, cfg.block_m])
    sums_form = host_backward.workspace_form(arrays[1], (*rows_shape, size), [1, cfg.block_m, size])
    sizes = key_heads, heads // key_heads, queries, keys, row_blocks, 0, 0
    blocks_of_rows = (heads * row_blocks,)
    new_rows, new_sums = (maker_of_empty(arrays[1], shape, "float32") for shape in (rows_shape, (*rows_shape, size)))
    new_added = maker_of_empty(arrays[1], blocks_of_rows, "int32")
    strides = [
        fact.strides[:3] if fact is not None else None for fact in (backward.do, out, backward.lse, backward.dlse)
    ]
    dq_strides = 0, size, heads * size
    new_dq, new_dk, new_dv = new
    options = {"ROWS": cfg.block_m, "SIZE": size, "num_warps": 4}
    launch = attention_backward_hopper[(min(most_tiles, multiprocessors),)]
    launch_before, launch_after = prepare_rows[blocks_of_rows], finish_dq[blocks_of_rows]

    def run(
        do: Any, q: Any, k: Any, v: Any, out: Any, lse: Any, query_starts: Any, key_starts: Any, dlse: Any,
        scale: float | None,
    ) -> tuple[Any, Any, Any]:  # fmt: skip
        scale = size**-0.5 if scale is None else scale
        lse2, delta, sums, added = new_rows(q), new_rows(q), new_sums(q), new_added(q)
        dq, dk, dv = new_dq(q), new_dk(k), new_dv(v)
        sequences = query_starts, count
        launch_before(
            do, out, lse, dlse, lse2, delta, added, *strides, heads, queries, row_blocks, sequences, **options
        )
        launch(
            q_form.on(q), k_form.on(k), v_form.on(v), do_form.on(do), row_form.on(lse2), row_form.on(delta),
            sums_form.on(sums), gradient_form.on(dk), gradient_form.on(dv), added, counters_for(q), (), scale,
            scale * LOG2_E, cfg=cfg, sequences=(query_starts, key_starts, dk, dv), lengths=(sizes, count),
            window=window, num_warps=8,
        )  # fmt: skip
        launch_after(sums, added, dq, dq_strides, scale, heads, queries, row_blocks, sequences, **options)
        return dq, dk, dv

    return run


__all__ = ["attention_varlen_backward"]
