"""Layouts of attention on CDNA, and the rules that choose them.

    S = Q x K^T    Q stays in registers; K is a tile in LDS
    P = exp(S)     in the registers of S; a row is held by one warp, so row max and row sum need no LDS
    O = P x V      P becomes an operand; V is a tile in LDS

The accumulators are transposed: a lane holds four consecutive columns of a row, just as an operand with `k_width` 4
requires. P therefore becomes an operand without leaving its registers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ... import devices
from ...language import DotOperandLayout
from ...language.amd import AMDMFMALayout
from ...language.amd.cdna4 import compute_efficient_padded_shared_layout
from .._common.cached_hash import cached_hash, canonical
from .._matmul.layouts_cdna import direct_copy_layout, padded_elements, register_load_layout, rotating_layout

if TYPE_CHECKING:
    from ...language._dtype import dtype
    from ...language._layouts import DistributedLayout, SharedLayout

#: Number of rows per warp, and number of keys per block.
ROWS_PER_WARP, KEYS_PER_BLOCK = 32, 64

#: Version of AMDMFMALayout, and shape of the MFMA instruction, of each target.
MATRIX_CORES = {"gfx942": (3, [32, 32, 8]), "gfx950": (4, [32, 32, 16])}

#: Shape of the MFMA instruction that sums up P, and the pairs of target and D for which kernels use this instruction.
#: For all other pairs, additional MFMAs would cost time, because the MFMAs are the bottleneck.
SUM_INSTRUCTION = [16, 16, 32]
SUMMED_BY_MFMA = (("gfx950", 64),)

#: The `k_width` of the operands of S = Q x K^T, and of the operands of O = P x V. With 8 elements of 2 bytes, one read
#: of LDS returns 16 bytes of a key. With 4 elements, P becomes an operand in the registers in which it was computed.
SCORE_WIDTH, OUTPUT_WIDTH = 8, 4

#: Argument `flips` of `rotating_layout` for V that is stored with keys contiguous, in units of 4 keys. Reads of a warp
#: access 16 neighboring columns of V, whose indices differ in the lowest four bits, so these bits flip all four bits of
#: a unit's index. Stores of a warp access every eighth column in two units. The two units differ in bit 0 of the unit's
#: index, and the column's bits flip bits 1 to 3.
ROTATION_OF_VALUES = (0, 2, 3, 1, 2, 3, 1)


@cached_hash
@dataclass(frozen=True)
class AttentionConfig:
    """Compile-time parameters of an attention kernel."""

    block_m: int
    block_n: int
    head_size: int
    is_causal: bool
    #: True if one loop processes all blocks of keys. No block then extends past the last key. If the mask is causal, a
    #: branch in this loop masks the blocks that need a mask. Causal kernels with `softmax_cdna` have two loops, because
    #: the branch would increase the kernel's time by a tenth (estimated for D = 128 on gfx950).
    has_one_loop: bool
    #: Number of dies, each with its own L2 cache.
    dies: int
    #: True if the scale is negative: scores are negated, and the kernel gets the absolute value of the scale.
    negates_scores: bool
    #: Layout of the row sums of P that MFMAs compute (`sums_cdna`); None if VALU instructions compute them.
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
    """Chooses the layouts for heads of `head_size` elements: tiles [head_size, block_n] of K^T, [block_n, head_size]
    of V."""
    block_n = KEYS_PER_BLOCK
    version, instruction = MATRIX_CORES[target]
    acc = AMDMFMALayout(version, instruction, True, [num_warps, 1])
    sums_by_mfma = (target, head_size) in SUMMED_BY_MFMA
    sum_acc = AMDMFMALayout(version, SUM_INSTRUCTION, True, [num_warps, 1]) if sums_by_mfma else None
    operand_q, operand_k = (DotOperandLayout(index, acc, SCORE_WIDTH) for index in (0, 1))
    operand_p, operand_v = (DotOperandLayout(index, acc, OUTPUT_WIDTH) for index in (0, 1))
    shape_k, shape_v = [head_size, block_n], [block_n, head_size]
    shared_k = compute_efficient_padded_shared_layout(operand_k, shape_k, element, True)
    bits = element.primitive_bitwidth
    # When V passes through registers, it is transposed on its way into LDS. After a direct copy, the reads from LDS
    # transpose V.
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
            shared_v = rotating_layout(shape_v, 0, element, OUTPUT_WIDTH * bits // 8, ROTATION_OF_VALUES)
    return canonical(
        AttentionConfig(
            ROWS_PER_WARP * num_warps,
            block_n,
            head_size,
            is_causal,
            has_whole_blocks and (not is_causal or (is_direct and sums_by_mfma)),
            devices.properties(target).cache_dies,
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
    )


def _padding_halves_blocks(target: str, padded_bytes: int, bytes_without: int, num_warps: int) -> bool:
    """Returns True if two workgroups fit on a compute unit without the padding of their LDS buffers, but not with this
    padding. The result is False for workgroups of eight warps, because one such workgroup already occupies both waves
    of each SIMD."""
    lds = devices.properties(target).max_shared_bytes
    return num_warps <= 4 and 2 * bytes_without <= lds < 2 * padded_bytes
