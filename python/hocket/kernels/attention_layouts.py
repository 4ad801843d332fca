"""Layouts of attention on CDNA, and the rule that chooses them.

    S = Q x K^T    Q stays in registers; K is a tile of LDS
    P = exp(S)     in the registers of S; rows live in one warp, so that maxima and sums need no LDS
    O = P x V      P becomes an operand; V is a tile of LDS

The accumulators are transposed: a lane holds four consecutive columns of a row, as an operand with `k_width` 4 needs
them. So P is already an operand, without leaving its registers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .. import _core
from ..language import DotOperandLayout
from ..language.amd import AMDMFMALayout
from ..language.amd.cdna4 import compute_efficient_padded_shared_layout
from .matmul_layouts import direct_copy_layout, padded_elements, register_load_layout, rotating_layout

if TYPE_CHECKING:
    from ..language._dtype import dtype
    from ..language._layouts import DistributedLayout, SharedLayout

#: Rows that a warp takes, and keys of a block.
ROWS_PER_WARP, KEYS_PER_BLOCK = 32, 64

#: version of AMDMFMALayout, and the instruction.
MATRIX_CORES = {"gfx942": (3, [32, 32, 8]), "gfx950": (4, [32, 32, 16])}

#: Which adds up weights, and where: by target and D. Elsewhere matrix cores have no time for it.
SUM_INSTRUCTION = [16, 16, 32]
SUMMED_BY_PRODUCTS = (("gfx950", 64),)

#: k_width of S: 16 bytes of K from LDS. k_width of O: see above.
SCORE_WIDTH, OUTPUT_WIDTH = 8, 4

#: Of values that lie with keys contiguous, in pieces of 4 keys (`rotating_layout`): lanes read 16 neighbouring columns
#: of V, the lowest four bits, and store every eighth column, the next three, of two pieces, which differ in bit 0.
TURNS_OF_VALUES = (0, 2, 3, 1, 2, 3, 1)


@dataclass(frozen=True)
class AttentionConfig:
    """Everything about attention that is known when it is compiled."""

    block_m: int
    block_n: int
    head_size: int
    is_causal: bool
    #: Whether one loop takes all blocks of keys, which are known to be whole. If causal, it masks some in a branch. Not
    #: so those of `attention_softmax`, which would take a tenth longer (D = 128 on gfx950, by the model).
    has_one_loop: bool
    #: With a cache each.
    dies: int
    #: Where the scale is negative: kernels take its size.
    negates_scores: bool
    #: Of weights that matrix cores add up (`attention_sums`); None where they have no time for it.
    sum_acc: AMDMFMALayout | None
    acc: AMDMFMALayout
    operand_q: DotOperandLayout
    operand_k: DotOperandLayout
    operand_p: DotOperandLayout
    operand_v: DotOperandLayout
    load_k: DistributedLayout
    load_v: DistributedLayout
    shared_k: SharedLayout
    shared_v: SharedLayout


def configure(
    target: str,
    element: dtype,
    head_size: int,
    is_causal: bool,
    is_direct: bool,
    num_warps: int,
    negates_scores: bool = False,
    has_whole_blocks: bool = False,
) -> AttentionConfig:
    """Layouts for heads of `head_size` elements: tiles [head_size, block_n] of K^T, [block_n, head_size] of V."""
    block_n = KEYS_PER_BLOCK
    version, instruction = MATRIX_CORES[target]
    acc = AMDMFMALayout(version, instruction, True, [num_warps, 1])
    sums_are_products = (target, head_size) in SUMMED_BY_PRODUCTS
    sum_acc = AMDMFMALayout(version, SUM_INSTRUCTION, True, [num_warps, 1]) if sums_are_products else None
    operand_q, operand_k = (DotOperandLayout(index, acc, SCORE_WIDTH) for index in (0, 1))
    operand_p, operand_v = (DotOperandLayout(index, acc, OUTPUT_WIDTH) for index in (0, 1))
    shape_k, shape_v = [head_size, block_n], [block_n, head_size]
    shared_k = compute_efficient_padded_shared_layout(operand_k, shape_k, element, True)
    bits = element.primitive_bitwidth
    # Registers transpose V on its way into LDS; a direct copy leaves that to the reads.
    if is_direct:
        shared_v = compute_efficient_padded_shared_layout(operand_v, shape_v, element, False)
        load_k, load_v = (direct_copy_layout(shared, bits, num_warps) for shared in (shared_k, shared_v))
    else:
        load_k = register_load_layout(shape_k, 0, 0, bits, num_warps)
        load_v = register_load_layout(shape_v, 0, 1, bits, num_warps)
        shared_v = compute_efficient_padded_shared_layout(
            operand_v, shape_v, element, True, load_v
        ) or compute_efficient_padded_shared_layout(operand_v, shape_v, element, True)
        taken = (padded_elements(shared_k) + padded_elements(shared_v)) * bits // 8
        if _padding_halves_blocks(target, taken, 2 * block_n * head_size * bits // 8, num_warps):
            shared_k = rotating_layout(shape_k, 0, element)
            shared_v = rotating_layout(shape_v, 0, element, OUTPUT_WIDTH * bits // 8, TURNS_OF_VALUES)
    return AttentionConfig(
        ROWS_PER_WARP * num_warps,
        block_n,
        head_size,
        is_causal,
        has_whole_blocks and (not is_causal or (is_direct and sums_are_products)),
        _core.cache_dies(target),
        negates_scores,
        sum_acc,
        acc,
        operand_q,
        operand_k,
        operand_p,
        operand_v,
        load_k,
        load_v,
        shared_k,
        shared_v,
    )


def _padding_halves_blocks(target: str, padded_bytes: int, bytes_without: int, num_warps: int) -> bool:
    """Whether LDS has room for two blocks without padding only, and registers for two blocks at all: a block of eight
    warps has both waves of each SIMD unit."""
    lds = next(info.max_shared_bytes for info in _core.targets() if info.name == target)
    return num_warps <= 4 and 2 * bytes_without <= lds < 2 * padded_bytes
