"""Host side of attention on Hopper: plans, TMA descriptors and launches."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from ... import cdiv, devices
from ... import language as gl
from ...errors import LaunchError
from ...nvidia.hopper import DescriptorForm, TensorDescriptor
from .._common.arrays import ArrayFacts, gpu_of, maker_of_empty
from .._common.cached_hash import canonical
from .._common.work_counter import COUNTERS, counters_for
from .block_mask import MOST_CONSUMERS
from .config_hopper import HopperAttentionConfig
from .kernel_hopper import attention_hopper
from .operands import ELEMENTS, LEAST_SCALE, LOG2_E, Attention
from .split_kv import TileSplits, choose_splits

if TYPE_CHECKING:
    from collections.abc import Callable

TARGETS = ("sm_90a",)

ROWS_PER_WARPGROUP = 64
#: Number of keys in a block.
BLOCK_N = 128
#: Number of consumer warpgroups, indexed by the head size D. Each warpgroup needs registers for scores, probabilities
#: and the result.
CONSUMERS = {64: 3, 128: 2}
#: Number of stages of the ring buffers of keys and of values, indexed by the head size D. With four stages, keys stay
#: in shared memory while their scores may still have to be recomputed.
STAGES = {64: 4, 128: 2}


class Range(NamedTuple):
    """Limits of the softmax probabilities P in an array dtype."""

    #: The row max stays the same as long as no lane's sum of elements of P exceeds this value. No element of P exceeds
    #: the sum of its lane.
    largest_sum: float
    #: Base-2 logarithm of the factor by which P is below 1 after a change of the row max, so that P can grow before the
    #: next change.
    headroom: float


#: float16 has no values above 65504, and few values near 0, so the largest element of P is about 1 after a change of
#: the row max. bfloat16 has the exponents of float32: P is about 2^-20 after such a change, and may grow to 2^40 before
#: the row max is raised. 2^40 times the largest element of V must be below 2^128.
RANGES = {"float16": Range(2.0**15, 0.0), "bfloat16": Range(2.0**40, 20.0)}
#: Number of SMs, and bytes of L2 cache, of an H200. The planner uses these values if no GPU is present.
MULTIPROCESSORS = 132
L2_BYTES = 50 << 20
#: Granularity of TMA: strides are multiples of 16 bytes.
PIECE_BYTES = 16


def configure(
    head_size: int,
    causal: bool,
    stores_lse: bool,
    ping_pong: bool,
    dtype: str,
    consumers: int | None = None,
    packs_heads: bool = False,
    uses_work_counter: bool = False,
    splits_keys: bool = False,
) -> HopperAttentionConfig:
    """Returns the compile-time parameters of an attention kernel; `consumers`: number of consumer warpgroups, by
    default the number in `CONSUMERS`."""
    consumers = consumers or CONSUMERS[head_size]
    scores, acc, partial_sums = (
        gl.NVMMADistributedLayout([3, 0], [4, 1], [16, columns, 16]) for columns in (BLOCK_N, head_size, 8)
    )
    return canonical(
        HopperAttentionConfig(
            block_m=ROWS_PER_WARPGROUP * consumers,
            block_n=BLOCK_N,
            head_size=head_size,
            consumers=consumers,
            stages=STAGES[head_size],
            is_causal=causal,
            packs_heads=packs_heads,
            ping_pong=ping_pong and consumers > 1,
            largest_sum=RANGES[dtype].largest_sum,
            headroom=RANGES[dtype].headroom,
            # Three warpgroups do not have enough registers to keep the scores until P is final.
            keeps_scores=consumers < 3,
            # Scaling P down needs registers, which cost 4 % of the time at D 64. P of bfloat16 hardly ever needs to be
            # scaled down.
            scales_down=consumers < 3 or dtype == "float16",
            stores_lse=stores_lse,
            uses_work_counter=uses_work_counter,
            splits_keys=splits_keys,
            scores=scores,
            scores_of_warp=gl.NVMMADistributedLayout([2, 0], [4, 1], [16, 8]),
            acc=acc,
            operand_p=gl.DotOperandLayout(0, acc, k_width=2),
            partial_sums=partial_sums,
        )
    )


def consumers_for(head_size: int, queries: int) -> int:
    """Returns the number of consumer warpgroups for tiles of a head with `queries` queries. Warpgroups without queries
    would delay the release of the stages that hold keys. At D 64, the delay would be longer than the copies into these
    stages."""
    return 1 if queries <= ROWS_PER_WARPGROUP else CONSUMERS[head_size]


def groups_in_cache(keys: int, head_size: int) -> int:
    """Returns the number of heads whose keys and values fit into the L2 cache: a power of two, at least 1."""
    fitting = L2_BYTES // max(4 * keys * head_size, 1)
    return 1 << max(fitting.bit_length() - 1, 0)


def check_scale_and_result(kernel: str, attention: Attention, is_negative: bool) -> None:
    """Raises a LaunchError if the scale is negative, or if the result has not the dtype of q: results are stored
    through the buffer of queries."""
    if is_negative:
        raise LaunchError(
            f"{kernel}: scale must not be negative on sm_90a\n"
            "  hint: negate q, and pass the absolute value of the scale"
        )
    if attention.out.dtype != attention.q.dtype:
        raise LaunchError(
            f"{kernel}: out is {attention.out.dtype}; on sm_90a, it must have the dtype of q, {attention.q.dtype}"
        )


def check_tma(kernel: str, name: str, array: Any, facts: ArrayFacts) -> None:
    """Raises a LaunchError for an array that TMA cannot address. `facts` describes `array`, or a view of it."""
    size = facts.element_bits // 8
    apart = [stride * size for stride, length in zip(facts.strides[:3], facts.shape[:3], strict=True) if length > 1]
    if facts.strides[3] != 1 or any(distance < 0 or distance % PIECE_BYTES for distance in apart):
        raise LaunchError(
            f"{kernel} on sm_90a needs rows of contiguous elements at multiples of {PIECE_BYTES} bytes (TMA), but the "
            f"strides of {name} are {list(facts.strides)}\n  hint: pass a contiguous copy"
        )
    if excess := devices.address_of(array) % PIECE_BYTES:
        raise LaunchError(
            f"{kernel} on sm_90a needs arrays at multiples of {PIECE_BYTES} bytes (TMA), but {name} begins {excess} "
            "bytes after one\n  hint: pass a copy"
        )


def _pack_heads(facts: ArrayFacts, heads: int) -> ArrayFacts | None:
    """Returns the ArrayFacts of the array [batch, heads, queries, D], viewed as [batch, `heads`, queries of a group of
    heads, D]. The queries of the heads that share a key head become one dimension, head after head. Returns None if the
    strides do not permit this view."""
    batch, all_heads, queries, size = facts.shape
    per_batch, per_head, per_query, per_element = facts.strides
    if queries > 1 and per_head != queries * per_query:
        return None
    in_group = all_heads // heads
    distance = per_head if queries == 1 else per_query
    strides = (per_batch, in_group * per_head, distance, per_element)
    return facts._replace(shape=(batch, heads, in_group * queries, size), strides=strides)


def _packed(attention: Attention) -> Attention | None:
    """Returns `attention` with the queries of all heads that share a key head in one tile, so that keys are loaded once
    instead of once per head. Returns None if the heads cannot be packed, or if packing does not reduce the number of
    tiles."""
    heads, key_heads = attention.q.shape[1], attention.k.shape[1]
    queries = attention.q.shape[2]
    rows = ROWS_PER_WARPGROUP * CONSUMERS[attention.q.shape[3]]
    if heads == key_heads or cdiv(heads // key_heads * queries, rows) >= heads // key_heads * cdiv(queries, rows):
        return None
    q, out = (_pack_heads(facts, key_heads) for facts in (attention.q, attention.out))
    return None if q is None or out is None else attention._replace(q=q, out=out)


def descriptor_form(kernel: str, name: str, array: Any, facts: ArrayFacts, rows: int) -> DescriptorForm:
    """Returns the DescriptorForm of an array, for TMA blocks of `rows` rows.

    Raises: LaunchError for arrays that TMA cannot address; `kernel` and `name` name the array in the message.
    """
    check_tma(kernel, name, array, facts)
    # The stride of a dimension of size 1 has no effect, but TMA requires a valid stride for every dimension.
    strides = [
        stride if length > 1 else facts.shape[3] for stride, length in zip(facts.strides, facts.shape, strict=True)
    ]
    block = [1, 1, rows, facts.shape[3]]
    layout = gl.NVMMASharedLayout.get_default_for(block, ELEMENTS[facts.dtype])
    return DescriptorForm(TensorDescriptor(array, list(facts.shape), [*strides[:3], 1], block, layout))


def blocks_of_tile(keys: int, queries: int, window: tuple[int, int] | None) -> int:
    """Returns the largest number of blocks of keys that a tile of queries sees."""
    if window is not None:
        rows = min(queries, ROWS_PER_WARPGROUP * max(CONSUMERS.values()))
        keys = min(keys, sum(window) + rows + BLOCK_N)
    return cdiv(keys, BLOCK_N)


def _schedule_tiles(
    attention: Attention, tiles: int, multiprocessors: int, has_block_mask: bool = False
) -> tuple[bool, TileSplits]:
    """Returns True if CTAs take tiles from a work counter, and the division of tiles into splits."""
    if (attention.causal or has_block_mask) and tiles > multiprocessors:
        return True, TileSplits(tiles, 1)
    if has_block_mask:
        return False, TileSplits(tiles, 1)
    rows = attention.q.shape[2]
    divided = choose_splits(tiles, blocks_of_tile(attention.k.shape[2], rows, attention.window), multiprocessors)
    # Each consumer warpgroup of a divided tile needs a counter of arrived splits.
    has_counters = (tiles - divided.whole) * max(CONSUMERS.values()) <= COUNTERS
    return False, divided if has_counters else TileSplits(tiles, 1)


def prepare(
    attention: Attention,
    pipelined: bool | None,
    is_negative: bool,
    functions: tuple[Any, Any, bool],
    arrays: tuple[Any, ...],
) -> Callable[..., Any]:
    """Returns a function `(q, k, v, out, log2_scale, mod_args=(), block_mask=None)` that computes attention of arrays
    with the shapes, strides and dtypes in `attention`, and writes the result to `out`. The function returns the
    logarithms of the sums of exponentials, or None if `attention.returns_lse` is False.

    Args:
        is_negative: whether the scale is negative.
        functions: `score_mod`, `mask_mod`, and whether there is a block mask.
        arrays: q, k, v and out.

    Raises: LaunchError for arrays that TMA cannot address, for results of another dtype than q's, and for negative
    scales.
    """
    check_scale_and_result("attention", attention, is_negative)
    gpu = gpu_of(arrays[0])
    multiprocessors = MULTIPROCESSORS if gpu is None else gpu.multiprocessors
    ping_pong = pipelined is None or pipelined
    score_mod, mask_mod, has_block_mask = functions
    has_mods = score_mod is not None or mask_mod is not None
    batch, _, queries_per_head, _ = attention.q.shape
    lse_shape = attention.q.shape[:3]
    # The functions take the head of a tile as a scalar.
    packed = None if has_mods else _packed(attention)
    attention = packed or attention
    heads, queries, head_size = attention.q.shape[1:]
    keys = attention.k.shape[2]
    # A single query sees all keys, so the causal mask has no effect.
    causal = attention.causal and queries_per_head > 1
    consumers = consumers_for(head_size, queries)
    if has_mods:
        consumers = min(consumers, MOST_CONSUMERS)
    tiles = cdiv(queries, ROWS_PER_WARPGROUP * consumers) * batch * heads
    uses_work_counter, divided = _schedule_tiles(
        attention._replace(causal=causal), tiles, multiprocessors, has_block_mask
    )
    config = configure(
        head_size, causal, attention.returns_lse, ping_pong, attention.q.dtype, consumers, packed is not None,
        uses_work_counter, divided.splits > 1,
    )  # fmt: skip
    window = attention.window
    if window is not None:
        config = canonical(replace(config, has_window=True))
    constants = {}
    if has_mods:
        config = canonical(
            replace(
                config,
                has_score_mod=score_mod is not None,
                has_mask_mod=mask_mod is not None,
                has_block_mask=has_block_mask,
                # A split without blocks masks all keys of one block.
                masks_end=keys % BLOCK_N != 0 or divided.splits > 1,
            )
        )
        constants = {"SCORE_MOD": score_mod, "MASK_MOD": mask_mod}
    rows = ROWS_PER_WARPGROUP, BLOCK_N, BLOCK_N, ROWS_PER_WARPGROUP
    forms = [
        descriptor_form("attention", name, array, facts, count)
        for name, array, facts, count in zip(("q", "k", "v", "out"), arrays, attention.arrays, rows, strict=True)
    ]
    works = divided.pieces_of_work(tiles)
    launch = attention_hopper[(min(works, multiprocessors),)]
    heads_per_group = heads // attention.k.shape[1]
    at_once = min(heads_per_group * groups_in_cache(keys, head_size), batch * heads)
    sizes = heads, heads_per_group, batch * heads, at_once, queries, queries_per_head, keys, *divided

    q_form, k_form, v_form, out_form = forms
    rows_of_splits = (works - divided.whole) * config.block_m
    new_lse = maker_of_empty(arrays[0], lse_shape, "float32") if config.stores_lse else None
    new_partials = []
    if config.splits_keys:
        shapes = (rows_of_splits, head_size), (rows_of_splits,)
        new_partials = [maker_of_empty(arrays[0], shape, "float32") for shape in shapes]
    has_counters = config.uses_work_counter or config.splits_keys

    def run(q: Any, k: Any, v: Any, out: Any, log2_scale: float, mod_args: tuple = (), block_mask: Any = None) -> Any:
        scale = max(log2_scale, LEAST_SCALE)
        further = {}
        if has_mods:
            lists = None if block_mask is None else block_mask.arguments()
            further = {"mod_args": mod_args, "lists": lists, **constants}
        if score_mod is not None:
            scale /= LOG2_E
        lse = None if new_lse is None else new_lse(q)
        counters = counters_for(q) if has_counters else None
        partials = tuple([new(q) for new in new_partials]) or None
        launch(
            q_form.on(q), k_form.on(k), v_form.on(v), out_form.on(out), lse, counters, partials, sizes, works,
            scale, cfg=config, **further, window=window, num_warps=4,
        )  # fmt: skip
        return lse

    return run


def explain(attention: Attention, target: str) -> str:
    """Returns sentences that describe the kernel that `prepare` chooses for `attention`."""
    batch, heads, queries, size = attention.q.shape
    packed = _packed(attention)
    _, heads_of_tiles, queries_of_heads, _ = (packed or attention).q.shape
    consumers = consumers_for(size, queries_of_heads)
    config = configure(size, attention.causal, False, True, attention.q.dtype, consumers)
    tiles = cdiv(queries_of_heads, config.block_m) * batch * heads_of_tiles
    uses_work_counter, (whole, splits) = _schedule_tiles(attention, tiles, MULTIPROCESSORS)
    order = (
        "the longest ones first, over groups of heads whose keys fit into the L2 cache; each block takes its next "
        "tile from a work counter"
        if uses_work_counter
        else f"one after another on the {MULTIPROCESSORS} SMs of an H200, by one persistent block per SM"
    )
    if splits > 1:
        order += (
            f"; the keys of the last {tiles - whole}, which would leave most SMs idle, are divided among {splits} "
            "blocks each (split-KV), the last of which to arrive combines their results"
        )
    warpgroups = f"- {consumers} consumer warpgroups, the most that registers allow for D = {size}"
    if consumers == 1:
        warpgroups = "- 1 consumer warpgroup, because there are few queries"
    reach = "; fully masked blocks of keys are skipped" if attention.causal else ""
    return "\n".join(
        [
            f"{target}, {batch} x {heads} heads, {queries} queries of {size} elements",
            f"{warpgroups}; each computes {ROWS_PER_WARPGROUP} queries of a tile of {config.block_m}{reach}",
            f"- {tiles} tiles, {order}",
            f"- a producer warp copies keys and values by TMA, {BLOCK_N} at a time, into {config.stages} stages each; "
            "queries and keys of the next tile arrive while this tile is computed and stored",
            "- a warpgroup's softmax overlaps with its own P V and with the MMAs of the other warpgroups; "
            f"{'barriers order' if config.ping_pong else 'no barriers order'} the MMAs of the warpgroups (ping-pong)",
            f"- lazy rescaling: a warp updates row maxima only if a lane's sum of P exceeds {config.largest_sum:g}; "
            "only then are accumulators rescaled",
        ]
    )
