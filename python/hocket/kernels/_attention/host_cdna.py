"""Host side of attention on CDNA: plans and launches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ... import cdiv, devices
from .._common.xcd_order import describe_order
from .._matmul.host_cdna import DIRECT_TARGETS, WIDE
from .._matmul.plan_cdna import COMPUTE_UNITS
from .._matmul.variant_cdna import PIPELINED_WARPS
from .blocks_cdna import AttentionProblem, AttentionStrides
from .kernel_cdna import attention_direct_to_shared, attention_through_registers
from .kernel_cdna_pipelined import attention_pipelined_direct, attention_pipelined_registers
from .layouts_cdna import KEYS_PER_BLOCK, MATRIX_CORES, ROWS_PER_WARP, SUMMED_BY_MFMA, configure
from .operands import ELEMENTS, LEAST_SCALE, Attention, Sequences

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._common.arrays import ArrayFacts

TARGETS = tuple(MATRIX_CORES)

#: Number of warps of a workgroup without a warp pipeline.
PLAIN_WARPS = 4

#: Kernels, indexed by two flags: whether the kernel has a warp pipeline, and whether keys and values are copied
#: straight into LDS.
KERNELS = {
    (False, False): attention_through_registers,
    (False, True): attention_direct_to_shared,
    (True, False): attention_pipelined_registers,
    (True, True): attention_pipelined_direct,
}


def is_pipelined(target: str, heads: int, queries: int) -> bool:
    """Returns True if the kernel has a warp pipeline. A workgroup with a warp pipeline has twice the number of queries.
    Kernels have a warp pipeline only if there is still at least one workgroup per compute unit.

    Args:
        heads: number of heads in all batches.
    """
    return heads * cdiv(queries, PIPELINED_WARPS * ROWS_PER_WARP) >= COMPUTE_UNITS[target].count


def _obstacle(target: str, arrays: dict[str, ArrayFacts]) -> str | None:
    """Returns the reason why keys and values cannot be copied straight into LDS, or None."""
    if target not in DIRECT_TARGETS:
        return f"{target} copies 4 bytes per lane straight into LDS, registers take 16"
    for name, facts in arrays.items():
        if facts.strides[3] != 1:
            return f"the elements of a row of {name} are not contiguous"
        if any(stride % WIDE for stride, size in zip(facts.strides[:3], facts.shape, strict=False) if size > 1):
            return f"the strides of {name} are {list(facts.strides)}, not all multiples of {WIDE}"
    return None


def has_whole_blocks(attention: Attention) -> bool:
    """Returns True if the number of keys is a multiple of `KEYS_PER_BLOCK`, and `blocks_cdna.Blocks.next_if` supports
    the strides."""
    pairs = attention.k, attention.v
    steps = (KEYS_PER_BLOCK * facts.strides[2] * facts.element_bits // 8 for facts in pairs)
    keys = attention.k.shape[2]
    return keys > 0 and keys % KEYS_PER_BLOCK == 0 and all(0 <= step < 2**31 for step in steps)


def launch_options(pipelined: bool) -> dict[str, int]:
    """Returns the launch options for two waves per SIMD. With a warp pipeline, both waves are of one workgroup. Without
    a warp pipeline, each SIMD has one wave of each of two workgroups."""
    return {"num_warps": PIPELINED_WARPS if pipelined else PLAIN_WARPS, "waves_per_eu": 2}


_TWO_BUFFERS = "two buffers: one is filled while the other is in use"


def explain(attention: Attention, target: str) -> str:
    """Returns sentences that describe the kernel that `prepare` chooses for `attention`."""
    batch, heads, sequence, size = attention.q.shape
    obstacle = _obstacle(target, {"k": attention.k, "v": attention.v})
    pipelined = is_pipelined(target, batch * heads, sequence)
    warps = PIPELINED_WARPS if pipelined else PLAIN_WARPS
    rows = ROWS_PER_WARP * warps
    buffers = "three buffers: one is in use while the others are filled" if pipelined else _TWO_BUFFERS
    travel = (
        f"keys and values are copied straight into LDS, 16 bytes per lane, into {buffers}"
        if obstacle is None
        else f"keys and values pass through registers on their way into LDS: {obstacle}"
    )
    alternation = (
        "warp pipeline: four warps compute MFMAs and softmax while the other four read keys or values"
        if pipelined
        else f"no warp pipeline: with eight warps per block, there would be too few blocks for "
        f"{COMPUTE_UNITS[target].count} compute units"
    )
    reach = "; fully masked blocks of keys are skipped" if attention.causal else ""
    is_narrow = (target, size) in SUMMED_BY_MFMA
    whole = []
    if pipelined and has_whole_blocks(attention) and (not attention.causal or (is_narrow and obstacle is None)):
        masked = "masked ones are masked in a branch" if attention.causal else "no block is masked"
        whole.append(f"- {attention.k.shape[2]} keys are whole blocks of {KEYS_PER_BLOCK}: {masked}")
    sums = []
    if is_narrow:
        sums.append(f"- MFMAs compute the row sums of P: with D = {size} the VALU is the bottleneck")
        if pipelined and obstacle is None:
            sums[0] += "; row maxima are updated only where a sum is too large"
    dies = devices.properties(target).cache_dies
    return "\n".join(
        [
            f"{target}, {batch} x {heads} heads, {sequence} queries of {size} elements",
            f"- a block of {warps} warps computes {rows} queries, {ROWS_PER_WARP} per warp, so row maxima and row sums "
            f"need no exchange between warps: {cdiv(sequence, rows) * batch * heads} blocks{reach}",
            f"- {travel}",
            f"- {alternation}",
            *whole,
            *sums,
            f"- {describe_order(dies, 'neighboring blocks of queries, so the keys of few heads')}",
        ]
    )


def prepare(
    attention: Attention, target: str, pipelined: bool | None, is_negative: bool, sequences: Sequences | None = None
) -> Callable[..., None]:
    """Returns a function `(q, k, v, out, log2_scale, query_starts=None, key_starts=None)` that computes attention of
    arrays with the shapes, strides and dtypes in `attention`, and writes the result to `out`.

    Args:
        is_negative: whether the scale is negative.
        sequences: the sequences that the arrays hold, if these are packed sequences of different lengths. The returned
            function then takes the first query and the first key of each sequence.
    """
    batch, heads, queries, head_size = attention.q.shape
    if sequences is not None:
        batch, queries = sequences
    keys = attention.k.shape[2]
    obstacle = _obstacle(target, {"k": attention.k, "v": attention.v})
    pipelined = is_pipelined(target, batch * heads, queries) if pipelined is None else pipelined
    options = launch_options(bool(pipelined))
    element = ELEMENTS[attention.q.dtype]
    is_whole = bool(pipelined) and sequences is None and has_whole_blocks(attention)
    config = configure(
        target, element, head_size, attention.causal, obstacle is None, options["num_warps"], is_negative, is_whole
    )
    strides = AttentionStrides(*(array.strides for array in attention.arrays))
    launch = KERNELS[bool(pipelined), obstacle is None][(cdiv(queries, config.block_m), batch * heads)]
    sizes = heads, heads // attention.k.shape[1], queries, keys

    def run(
        q: Any, k: Any, v: Any, out: Any, log2_scale: float, query_starts: Any = None, key_starts: Any = None
    ) -> None:
        problem = AttentionProblem(*sizes, max(abs(log2_scale), LEAST_SCALE), query_starts, key_starts)
        launch(q, k, v, out, strides, problem, cfg=config, **options)

    return run
