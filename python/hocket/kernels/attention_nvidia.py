"""Attention on Hopper: from arrays to a launch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .. import cdiv
from .. import language as gl
from ..errors import LaunchError
from ..nvidia.hopper import DescriptorForm, TensorDescriptor
from .arrays import ArrayFacts, empty_like, gpu_of
from .attention_hopper import attention_hopper
from .attention_operands import ELEMENTS, Attention

if TYPE_CHECKING:
    from collections.abc import Callable

TARGETS = ("sm_90a",)

ROWS_PER_WARPGROUP = 64
#: Keys of a block.
BLOCK_N = 128
#: By D: warpgroups that compute. Each needs registers for scores, probabilities and the result.
CONSUMERS = {64: 3, 128: 2}
STAGES = 2
#: Of an H200.
MULTIPROCESSORS = 132
#: Where all scores are alike, so that a factor of 0 times the mask's infinity is no NaN.
LEAST_SCALE = 1e-30
#: TMA moves pieces of so many bytes.
PIECE_BYTES = 16


@dataclass(frozen=True)
class HopperAttentionConfig:
    """Everything about an attention that is known when it is compiled."""

    block_m: int
    block_n: int
    head_size: int
    consumers: int
    stages: int
    is_causal: bool
    takes_turns: bool
    stores_lse: bool
    scores: gl.NVMMADistributedLayout
    acc: gl.NVMMADistributedLayout
    operand_p: gl.DotOperandLayout
    #: Of sums of every eighth column, [rows, 8].
    partial_sums: gl.NVMMADistributedLayout


def configure(head_size: int, causal: bool, stores_lse: bool, takes_turns: bool = True) -> HopperAttentionConfig:
    """The compile-time side of an attention."""
    scores, acc, partial_sums = (
        gl.NVMMADistributedLayout([3, 0], [4, 1], [16, columns, 16]) for columns in (BLOCK_N, head_size, 8)
    )
    consumers = CONSUMERS[head_size]
    return HopperAttentionConfig(
        block_m=ROWS_PER_WARPGROUP * consumers,
        block_n=BLOCK_N,
        head_size=head_size,
        consumers=consumers,
        stages=STAGES,
        is_causal=causal,
        takes_turns=takes_turns,
        stores_lse=stores_lse,
        scores=scores,
        acc=acc,
        operand_p=gl.DotOperandLayout(0, acc, k_width=2),
        partial_sums=partial_sums,
    )


def _check_tma(name: str, facts: ArrayFacts) -> None:
    size = facts.element_bits // 8
    apart = [stride * size for stride, length in zip(facts.strides[:3], facts.shape[:3], strict=True) if length > 1]
    if facts.strides[3] == 1 and not any(distance % PIECE_BYTES for distance in apart):
        return
    raise LaunchError(
        f"attention on sm_90a needs rows of contiguous elements at multiples of {PIECE_BYTES} bytes (TMA), but the "
        f"strides of {name} are {list(facts.strides)}\n  hint: pass a contiguous copy"
    )


def _form(name: str, array: Any, facts: ArrayFacts, rows: int) -> DescriptorForm:
    """Of blocks of `rows` rows, for TMA."""
    _check_tma(name, facts)
    # The distance of what there is one of does not matter, but must be one that TMA takes.
    strides = [
        stride if length > 1 else facts.shape[3] for stride, length in zip(facts.strides, facts.shape, strict=True)
    ]
    block = [1, 1, rows, facts.shape[3]]
    layout = gl.NVMMASharedLayout.get_default_for(block, ELEMENTS[facts.dtype])
    return DescriptorForm(TensorDescriptor(array, list(facts.shape), [*strides[:3], 1], block, layout))


#: What launches, by the request and whether warpgroups take turns. Dropped as a whole when there are too many.
_prepared: dict[tuple, Callable[[Any, Any, Any, Any, float], Any]] = {}
_MOST_PREPARED = 4096


def _prepare(
    attention: Attention, takes_turns: bool, multiprocessors: int, arrays: tuple[Any, ...]
) -> Callable[[Any, Any, Any, Any, float], Any]:
    """A function that computes `attention` of arrays (q, k, v, out) with its facts and a scale."""
    batch, heads, queries, head_size = attention.q.shape
    keys = attention.k.shape[2]
    config = configure(head_size, attention.causal, attention.returns_lse, takes_turns)
    rows = ROWS_PER_WARPGROUP, BLOCK_N, BLOCK_N, ROWS_PER_WARPGROUP
    forms = [
        _form(name, array, facts, count)
        for name, array, facts, count in zip(("q", "k", "v", "out"), arrays, attention.arrays, rows, strict=True)
    ]
    tiles = cdiv(queries, config.block_m) * batch * heads
    launch = attention_hopper[(min(tiles, multiprocessors),)]
    sizes = heads, heads // attention.k.shape[1], queries, keys, tiles

    def run(q: Any, k: Any, v: Any, out: Any, log2_scale: float) -> Any:
        lse = empty_like(q, (batch, heads, queries), "float32") if config.stores_lse else None
        descriptors = [form.on(array) for form, array in zip(forms, (q, k, v, out), strict=True)]
        launch(*descriptors, lse, *sizes, log2_scale, cfg=config, num_warps=4)
        return lse

    return run


def launch(attention: Attention, pipelined: bool | None, q: Any, k: Any, v: Any, out: Any, log2_scale: float) -> Any:
    """Computes `attention` of arrays with its facts; the logarithms of the sums, or None.

    Raises: LaunchError for what TMA cannot move, and for negative scales.
    """
    if log2_scale < 0:
        raise LaunchError(
            "attention: scale is negative, which sm_90a has no kernel for\n  hint: negate q and pass the scale's size"
        )
    gpu = gpu_of(q)
    key = attention, bool(pipelined), MULTIPROCESSORS if gpu is None else gpu.multiprocessors
    if (run := _prepared.get(key)) is None:
        if len(_prepared) >= _MOST_PREPARED:
            _prepared.clear()
        run = _prepared[key] = _prepare(*key, (q, k, v, out))
    return run(q, k, v, out, max(log2_scale, LEAST_SCALE))


def explain(attention: Attention, target: str) -> str:
    """What `launch` does, in sentences."""
    batch, heads, queries, size = attention.q.shape
    config = configure(size, attention.causal, False)
    tiles = cdiv(queries, config.block_m) * batch * heads
    reach = "; blocks of keys that none of its queries may see are skipped" if attention.causal else ""
    return "\n".join(
        [
            f"{target}, {batch} x {heads} heads, {queries} queries of {size} elements",
            f"- {config.consumers} warpgroups compute, as many as registers allow for D = {size}; each takes "
            f"{ROWS_PER_WARPGROUP} queries of a tile of {config.block_m}{reach}",
            f"- {tiles} tiles, in turns on the {MULTIPROCESSORS} multiprocessors of an H200: a block for each",
            f"- one warp copies keys and values by TMA, {BLOCK_N} at a time, into {config.stages} slots each, those of "
            "the next tile while a result is stored",
            "- a warpgroup's softmax runs while its product of weights and values does, and those of the others; they "
            "do not take turns at the tensor cores, which was slower when it was measured",
        ]
    )
