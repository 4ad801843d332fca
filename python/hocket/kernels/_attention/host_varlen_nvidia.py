"""Host side of attention on Hopper for packed sequences of different lengths."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from ... import cdiv
from ... import language as gl
from ...nvidia.hopper import DescriptorForm, TensorDescriptor
from .._common.arrays import ArrayFacts, gpu_of, maker_of_empty
from .._common.cached_hash import canonical
from .._common.work_counter import COUNTERS, counters_for
from . import host_nvidia
from .host_nvidia import (
    BLOCK_N,
    ROWS_PER_WARPGROUP,
    check_scale_and_result,
    check_tma,
    configure,
    consumers_for,
    groups_in_cache,
)
from .kernel_hopper import attention_hopper
from .operands import ELEMENTS, LEAST_SCALE, Attention
from .split_kv import choose_splits

if TYPE_CHECKING:
    from collections.abc import Callable


class Lengths(NamedTuple):
    """Properties of packed sequences that the host knows: their number, and the largest numbers of queries and of keys
    of a sequence."""

    count: int
    queries: int
    keys: int


class Pages(NamedTuple):
    """Pages of keys: the number of keys of a page, the number of pages, and the number of entries of the block table
    per sequence."""

    size: int
    count: int
    per_sequence: int

    @property
    def by_tma(self) -> bool:
        """True if TMA copies a block of keys in boxes of a page, or a part of a page."""
        return self.size in (16, 32, 64) or self.size % BLOCK_N == 0


class VarlenPlan(NamedTuple):
    """The division of a launch into tiles.

    Fields:
        rows_per_query: number of heads of a query that are consecutive rows of a tile.
        consumers: number of consumer warpgroups.
        tiles: largest possible number of tiles.
        uses_work_counter: True if CTAs take tiles from a work counter.
        splits: number of splits per tile.
    """

    rows_per_query: int
    consumers: int
    tiles: int
    uses_work_counter: bool
    splits: int


def choose_plan(
    attention: Attention, lengths: Lengths, multiprocessors: int, most_consumers: int | None = None
) -> VarlenPlan:
    """Returns the `VarlenPlan` for arrays [1, heads, rows of all sequences, D]. `most_consumers`: largest number of
    consumer warpgroups, or None."""

    def consumers_of(rows: int) -> int:
        return min(consumers_for(size, rows), most_consumers or rows)

    heads, queries, size = attention.q.shape[1:]
    group = heads // attention.k.shape[1]
    rows = ROWS_PER_WARPGROUP * consumers_of(lengths.queries * group)
    # TMA copies the heads of each query that share a key head as consecutive rows. A block of 64 rows must hold whole
    # queries. Packing pays if the queries of one head would leave most rows of a tile empty.
    packs = group in (2, 4, 8, 16, 32, 64) and cdiv(lengths.queries * group, rows) < group * cdiv(lengths.queries, rows)
    rows_per_query = group if packs else 1
    consumers = consumers_of(lengths.queries * rows_per_query)
    rows = ROWS_PER_WARPGROUP * consumers
    at_most = min(
        queries * rows_per_query // rows + lengths.count,
        lengths.count * cdiv(lengths.queries * rows_per_query, rows),
    )
    tiles = at_most * (heads // rows_per_query)
    if tiles > multiprocessors:
        return VarlenPlan(rows_per_query, consumers, tiles, True, 1)
    blocks = host_nvidia.blocks_of_tile(lengths.keys, lengths.queries, attention.window)
    splits = choose_splits(tiles, blocks, multiprocessors).splits
    # Each consumer warpgroup of a divided tile needs a counter of arrived splits.
    return VarlenPlan(rows_per_query, consumers, tiles, False, splits if tiles * consumers <= COUNTERS else 1)


def queries_form(kernel: str, name: str, array: Any, facts: ArrayFacts, rows_per_query: int) -> DescriptorForm:
    """Returns the DescriptorForm of an array [1, heads, queries, D], viewed as [heads / rows_per_query, queries,
    rows_per_query, D], for blocks of 64 rows of the last two dimensions but one."""
    check_tma(kernel, name, array, facts)
    _, heads, queries, size = facts.shape
    _, per_head, per_query, _ = facts.strides
    # The stride of a dimension of size 1 has no effect, but TMA requires a valid stride for every dimension.
    per_head = per_head if heads > 1 else size
    per_query = per_query if queries > 1 else size
    shape = [heads // rows_per_query, queries, rows_per_query, size]
    strides = [per_head * rows_per_query, per_query, per_head, 1]
    block = [1, ROWS_PER_WARPGROUP // rows_per_query, rows_per_query, size]
    layout = gl.NVMMASharedLayout.get_default_for(block, ELEMENTS[facts.dtype])
    return DescriptorForm(TensorDescriptor(array, shape, strides, block, layout))


def prepare(
    attention: Attention,
    lengths: Lengths,
    pipelined: bool | None,
    is_negative: bool,
    arrays: tuple[Any, ...],
    pages: Pages | None = None,
) -> Callable[..., Any]:
    """Returns a function `(q, k, v, out, log2_scale, query_starts, key_starts, table=None)` that computes attention of
    packed sequences, and writes the result to `out`. The function returns the logarithms of the sums of exponentials,
    or None if `attention.returns_lse` is False.

    Args:
        attention: properties of the arrays, viewed as [1, heads, rows of all sequences, D].
        is_negative: whether the scale is negative.
        arrays: q, k, v and out.
        pages: the pages of keys, or None. With pages, `attention` has arrays of keys [pages, heads, page size, D], and
            the returned function takes the number of keys of each sequence, and the block table.

    Raises: LaunchError for arrays that TMA cannot address, for results of another dtype than q's, and for negative
    scales.
    """
    kernel, box = "attention_paged" if pages else "attention_varlen", BLOCK_N
    copies_rows = pages is not None and not pages.by_tma
    if pages is not None and pages.by_tma:
        box = min(pages.size, BLOCK_N)
    check_scale_and_result(kernel, attention, is_negative)
    gpu = gpu_of(arrays[0])
    multiprocessors = host_nvidia.MULTIPROCESSORS if gpu is None else gpu.multiprocessors
    _, heads, queries, size = attention.q.shape
    # The registers of a CTA suffice for one consumer warpgroup beside the warps that copy rows.
    plan = choose_plan(attention, lengths, multiprocessors, 1 if copies_rows else None)
    config = configure(
        size, attention.causal, attention.returns_lse, pipelined is None or pipelined, attention.q.dtype,
        plan.consumers, False, plan.uses_work_counter, plan.splits > 1,
    )  # fmt: skip
    config = canonical(
        replace(
            config,
            is_varlen=True,
            rows_per_query=plan.rows_per_query,
            page_size=pages.size if pages else 0,
            has_window=attention.window is not None,
            copies_rows=copies_rows,
        )
    )
    window = attention.window
    q, k, v, out = arrays
    q_form = queries_form(kernel, "q", q, attention.q, plan.rows_per_query)
    k_form = host_nvidia.descriptor_form(kernel, "k", k, attention.k, box)
    v_form = host_nvidia.descriptor_form(kernel, "v", v, attention.v, box)
    out_form = queries_form(kernel, "out", out, attention.out, plan.rows_per_query)
    launch = attention_hopper[(min(plan.tiles * plan.splits, multiprocessors),)]
    heads_of_tiles = heads // plan.rows_per_query
    heads_per_group = heads_of_tiles // attention.k.shape[1]
    at_once = min(heads_per_group * groups_in_cache(lengths.keys, size), heads_of_tiles)
    longest = min(lengths.queries, queries) if config.splits_keys else 1
    sizes = heads_of_tiles, heads_per_group, heads_of_tiles, at_once, queries, longest, 1, 0, plan.splits
    numbers = sizes, lengths.count, *((pages.per_sequence, pages.count) if pages else (0, 0))
    _, per_head, per_query, _ = attention.out.strides
    new_lse = maker_of_empty(q, (heads, queries), "float32") if config.stores_lse else None
    new_partials = []
    if config.splits_keys:
        rows = plan.tiles * plan.splits * config.block_m
        new_partials = [maker_of_empty(q, shape, "float32") for shape in ((rows, size), (rows,))]
    has_counters = config.uses_work_counter or config.splits_keys
    strides = [(page, row, head) for page, head, row, _ in (attention.k.strides, attention.v.strides)]

    def run(
        q: Any, k: Any, v: Any, out: Any, log2_scale: float, query_starts: Any, key_starts: Any, table: Any = None
    ) -> Any:
        lse = None if new_lse is None else new_lse(q)
        counters = counters_for(q) if has_counters else None
        partials = tuple([new(q) for new in new_partials]) or None
        sequences = query_starts, key_starts, out, per_query, per_head
        if pages is not None:
            sequences = *sequences, table
        if copies_rows:
            sequences = *sequences, k, v, *strides
        launch(
            q_form.on(q), k_form.on(k), v_form.on(v), out_form.on(out), lse, counters, partials, (), 0,
            max(log2_scale, LEAST_SCALE), cfg=config, sequences=sequences, lengths=numbers,
            window=window, num_warps=4,
        )  # fmt: skip
        return lse

    return run


def explain(attention: Attention) -> str:
    """Returns sentences that describe the kernel that `prepare` chooses for sequences of one length, given as arrays
    [sequences, heads, queries, D]."""
    count, heads, longest, size = attention.q.shape
    shape = 1, heads, count * longest, size
    packed = attention._replace(q=attention.q._replace(shape=shape), k=attention.k._replace(shape=shape))
    plan = choose_plan(packed, Lengths(count, longest, longest), host_nvidia.MULTIPROCESSORS)
    tiles = f"at most {plan.tiles} tiles of {ROWS_PER_WARPGROUP * plan.consumers} queries"
    if plan.uses_work_counter:
        order = "each block takes its next tile from a work counter"
    else:
        order = f"by one persistent block per SM of an H200 ({host_nvidia.MULTIPROCESSORS})"
    if plan.splits > 1:
        order += f"; the keys of each tile are divided among {plan.splits} blocks (split-KV)"
    return "\n".join(
        [
            f"sm_90a, {count} x {heads} heads, {longest} queries of {size} elements",
            f"- {tiles}, {order}",
            f"- {plan.consumers} consumer warpgroup{'s' if plan.consumers > 1 else ''}, and a producer warp, which "
            "finds the sequence of each tile from cu_seqlens on the GPU",
            "- rows of other sequences in the last block of keys are masked, and their values are set to 0 in shared "
            "memory",
        ]
    )


__all__ = ["Lengths", "Pages", "choose_plan", "explain", "prepare"]
