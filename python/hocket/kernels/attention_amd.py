"""Attention on CDNA: from arrays to a launch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _core, cdiv
from .attention_kernels import attention_direct_to_shared, attention_through_registers
from .attention_layouts import KEYS_PER_BLOCK, MATRIX_CORES, ROWS_PER_WARP, SUMMED_BY_PRODUCTS, configure
from .attention_operands import ELEMENTS, LEAST_SCALE, Attention, Sequences
from .attention_pipelined import attention_pipelined_direct, attention_pipelined_registers
from .die_order import sentence
from .matmul_amd import DIRECT_TARGETS, WIDE
from .matmul_plan import COMPUTE_UNITS
from .matmul_way import PIPELINED_WARPS

if TYPE_CHECKING:
    from .arrays import ArrayFacts

TARGETS = tuple(MATRIX_CORES)

#: Warps of a block that do not take turns.
PLAIN_WARPS = 4

#: By whether warps take turns, and whether keys and values are copied straight into LDS.
KERNELS = {
    (False, False): attention_through_registers,
    (False, True): attention_direct_to_shared,
    (True, False): attention_pipelined_registers,
    (True, True): attention_pipelined_direct,
}


def is_pipelined(target: str, heads: int, queries: int) -> bool:
    """Whether warps take turns: if blocks of twice the rows, whose warps can, still give every compute unit work.

    Args:
        heads: of all batches.
    """
    return heads * cdiv(queries, PIPELINED_WARPS * ROWS_PER_WARP) >= COMPUTE_UNITS[target].count


def _obstacle(target: str, arrays: dict[str, ArrayFacts]) -> str | None:
    """Why keys and values cannot be copied straight into LDS, or None if they can."""
    if target not in DIRECT_TARGETS:
        return f"{target} copies 4 bytes per lane straight into LDS, registers take 16"
    for name, facts in arrays.items():
        if facts.strides[3] != 1:
            return f"the elements of a row of {name} are not contiguous"
        if any(stride % WIDE for stride, size in zip(facts.strides[:3], facts.shape, strict=False) if size > 1):
            return f"the strides of {name} are {list(facts.strides)}, not all multiples of {WIDE}"
    return None


def has_whole_blocks(attention: Attention) -> bool:
    """Whether keys are blocks of `KEYS_PER_BLOCK` without a rest, with places as `next_place` computes them."""
    pairs = attention.k, attention.v
    steps = (KEYS_PER_BLOCK * facts.strides[2] * facts.element_bits // 8 for facts in pairs)
    keys = attention.k.shape[2]
    return keys > 0 and keys % KEYS_PER_BLOCK == 0 and all(0 <= step < 2**31 for step in steps)


def launch_options(takes_turns: bool) -> dict[str, int]:
    """Two waves for each SIMD unit: those of a block that takes turns, or of two blocks."""
    return {"num_warps": PIPELINED_WARPS if takes_turns else PLAIN_WARPS, "waves_per_eu": 2}


_TWO_SLOTS = "two slots: one is filled while the other is used"


def explain(attention: Attention, target: str) -> str:
    """What `launch` does, in sentences."""
    batch, heads, sequence, size = attention.q.shape
    obstacle = _obstacle(target, {"k": attention.k, "v": attention.v})
    takes_turns = is_pipelined(target, batch * heads, sequence)
    warps = PIPELINED_WARPS if takes_turns else PLAIN_WARPS
    rows = ROWS_PER_WARP * warps
    slots = "three slots: one is used while the others are filled" if takes_turns else _TWO_SLOTS
    travel = (
        f"keys and values go straight into LDS, 16 bytes per lane, into {slots}"
        if obstacle is None
        else f"keys and values pass through registers on their way into LDS: {obstacle}"
    )
    turns = (
        "four warps multiply and compute weights while the other four read keys or values, in turns: a warp pipeline"
        if takes_turns
        else f"all warps work in step: eight of them, which could take turns, would make too few blocks for "
        f"{COMPUTE_UNITS[target].count} compute units"
    )
    reach = "; blocks of keys that none of its queries may see are skipped" if attention.causal else ""
    is_narrow = (target, size) in SUMMED_BY_PRODUCTS
    whole = []
    if takes_turns and has_whole_blocks(attention) and (not attention.causal or (is_narrow and obstacle is None)):
        masked = "those that a query sees in part are masked in a branch" if attention.causal else "none is masked"
        whole.append(f"- {attention.k.shape[2]} keys are whole blocks of {KEYS_PER_BLOCK}: {masked}")
    sums = []
    if is_narrow:
        sums.append(f"- matrix cores add the weights up: with {size} elements vector units have more to do than they")
        if takes_turns and obstacle is None:
            sums[0] += "; maxima are looked for where a sum is too large"
    return "\n".join(
        [
            f"{target}, {batch} x {heads} heads, {sequence} queries of {size} elements",
            f"- a block of {warps} warps takes {rows} queries, {ROWS_PER_WARP} rows per warp, so that maxima and sums "
            f"stay in a warp: {cdiv(sequence, rows) * batch * heads} blocks{reach}",
            f"- {travel}",
            f"- {turns}",
            *whole,
            *sums,
            f"- {sentence(_core.cache_dies(target), 'neighbouring blocks of queries, so the keys of few heads')}",
        ]
    )


def launch(
    attention: Attention,
    target: str,
    pipelined: bool | None,
    q: Any,
    k: Any,
    v: Any,
    out: Any,
    log2_scale: float,
    sequences: Sequences | None = None,
) -> None:
    """Computes `attention` of arrays with its facts; of `sequences` of different lengths that follow each other."""
    batch, heads, queries, head_size = attention.q.shape
    starts = None, None
    if sequences is not None:
        batch, queries, *starts = sequences
    keys = attention.k.shape[2]
    obstacle = _obstacle(target, {"k": attention.k, "v": attention.v})
    takes_turns = is_pipelined(target, batch * heads, queries) if pipelined is None else pipelined
    options = launch_options(bool(takes_turns))
    element = ELEMENTS[attention.q.dtype]
    is_whole = bool(takes_turns) and sequences is None and has_whole_blocks(attention)
    config = configure(
        target, element, head_size, attention.causal, obstacle is None, options["num_warps"], log2_scale < 0, is_whole
    )
    kernel = KERNELS[bool(takes_turns), obstacle is None]
    strides = [array.strides for array in attention.arrays]
    grid = (cdiv(queries, config.block_m), batch * heads)
    sizes = (heads, heads // attention.k.shape[1], queries, keys)
    scale = max(abs(log2_scale), LEAST_SCALE)
    kernel[grid](q, k, v, out, *strides, *sizes, scale, *starts, cfg=config, **options)
