"""softmax(scale x Q K^T) V on matrix cores, forward."""

from __future__ import annotations

import math
from typing import Any

from .. import cdiv
from .. import language as gl
from ..errors import LaunchError
from .arrays import ArrayFacts, check_target, empty_like, facts_of, target_of
from .attention_kernels import attention_direct_to_shared, attention_through_registers
from .attention_layouts import MATRIX_CORES, ROWS_PER_WARP, configure
from .attention_pipelined import attention_pipelined_direct, attention_pipelined_registers
from .explained import explained_by
from .matmul_amd import DIRECT_TARGETS, WIDE
from .matmul_plan import COMPUTE_UNITS
from .matmul_way import PIPELINED_WARPS

ELEMENTS = {"float16": gl.float16, "bfloat16": gl.bfloat16}
HEAD_SIZES = (64, 128)

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
    """Whether blocks of twice the rows, whose warps can take turns, would still give every compute unit work.

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


_TWO_SLOTS = "two slots: one is filled while the other is used"


def explain(shape: tuple[int, int, int, int], target: str, *, causal: bool = False) -> str:
    """Explains what `attention` does for contiguous queries, keys and values of one shape, in sentences.

    Args:
        shape: (batch, heads, sequence, head size).
        target: "gfx942" or "gfx950".
    """
    check_target("attention", target, tuple(MATRIX_CORES))
    batch, heads, sequence, size = shape
    strides = (heads * sequence * size, sequence * size, size, 1)
    facts = ArrayFacts(shape, strides, "float16", 16)
    obstacle = _obstacle(target, {"k": facts, "v": facts})
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
        "four warps read keys or values while the other four compute, in turns: a warp pipeline"
        if takes_turns
        else f"all warps work in step: eight of them, which could take turns, would make too few blocks for "
        f"{COMPUTE_UNITS[target].count} compute units"
    )
    reach = "; blocks of keys that none of its queries may see are skipped" if causal else ""
    return "\n".join(
        [
            f"{target}, {batch} x {heads} heads, {sequence} queries of {size} elements",
            f"- a block of {warps} warps takes {rows} queries, {ROWS_PER_WARP} rows per warp, so that maxima and sums "
            f"stay in a warp: {cdiv(sequence, rows) * batch * heads} blocks{reach}",
            f"- {travel}",
            f"- {turns}",
        ]
    )


@explained_by(explain)
def attention(
    q: Any,
    k: Any,
    v: Any,
    out: Any = None,
    *,
    causal: bool = False,
    scale: float | None = None,
    pipelined: bool | None = None,
) -> Any:
    """softmax(scale x Q K^T) V per head, with float32 scores and sums. Runs where its arrays are.

    Args:
        q: [batch, heads, queries, D], NumPy's or PyTorch's, any strides; float16 or bfloat16; D is 64 or 128.
        k, v: [batch, key heads, keys, D] of the same dtype; `heads` is a multiple of the number of key heads, whose
            keys and values are shared by as many consecutive heads of queries.
        out: [batch, heads, queries, D] to write the result to; a new array of q's dtype if None.
        causal: query i sees only keys 0 .. i + keys - queries: the last query sees all. A query that sees none gives 0.
        scale: factor of the scores; 1 / sqrt(D) if None.
        pipelined: whether warps take turns at reading and computing; if None, the rule that `attention.explain` states.

    Returns: `out`.
    Raises: LaunchError for shapes that do not fit, other dtypes and head sizes, targets without a kernel.
    """
    target = target_of(q)
    check_target("attention", target, tuple(MATRIX_CORES))
    facts = {name: facts_of(array, f"attention: {name}") for name, array in (("q", q), ("k", k), ("v", v))}
    _check(facts)
    batch, heads, queries, head_size = facts["q"].shape
    keys = facts["k"].shape[2]
    if out is None:
        out = empty_like(q, facts["q"].shape, facts["q"].dtype)
    result = facts_of(out, "attention: out")
    if result.shape != facts["q"].shape:
        raise LaunchError(
            f"attention: out must have the shape of q, {list(facts['q'].shape)}, not {list(result.shape)}"
        )

    obstacle = _obstacle(target, {name: facts[name] for name in ("k", "v")})
    element = ELEMENTS[facts["q"].dtype]
    takes_turns = is_pipelined(target, batch * heads, queries) if pipelined is None else pipelined
    num_warps = PIPELINED_WARPS if takes_turns else PLAIN_WARPS
    config = configure(target, element, head_size, bool(causal), obstacle is None, num_warps)
    kernel = KERNELS[bool(takes_turns), obstacle is None]
    # Powers of two are what the hardware computes.
    log2_scale = (head_size**-0.5 if scale is None else scale) * math.log2(math.e)
    strides = [array.strides for array in (facts["q"], facts["k"], facts["v"], result)]
    grid = (cdiv(queries, config.block_m), batch * heads)
    sizes = (heads, heads // facts["k"].shape[1], queries, keys)
    kernel[grid](q, k, v, out, *strides, *sizes, log2_scale, cfg=config, num_warps=num_warps)
    return out


def _check(facts: dict[str, ArrayFacts]) -> None:
    q, k, v = facts["q"], facts["k"], facts["v"]
    for name, array in facts.items():
        if len(array.shape) != 4 or 0 in array.shape:
            raise LaunchError(
                f"attention: {name} must be [batch, heads, sequence, D] with elements, not {list(array.shape)}"
            )
        if array.dtype not in ELEMENTS:
            raise LaunchError(f"attention: {name} is {array.dtype}; it must be {' or '.join(ELEMENTS)}")
        if array.dtype != q.dtype:
            raise LaunchError(f"attention: q is {q.dtype} and {name} is {array.dtype}; they must be of one dtype")
    if k.shape != v.shape:
        raise LaunchError(f"attention: k and v must have one shape, but have {list(k.shape)} and {list(v.shape)}")
    if q.shape[0] != k.shape[0] or q.shape[3] != k.shape[3]:
        raise LaunchError(
            f"attention: batch and D of q and k must be equal, but the shapes are {list(q.shape)} and {list(k.shape)}"
        )
    if q.shape[1] % k.shape[1]:
        raise LaunchError(f"attention: {q.shape[1]} heads cannot share {k.shape[1]} heads of keys evenly")
    if q.shape[3] not in HEAD_SIZES:
        raise LaunchError(f"attention: D must be 64 or 128, not {q.shape[3]}")
