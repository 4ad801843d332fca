"""Warp pipeline of attention where the VALU is the bottleneck: D = 64 on gfx950.

Stages and copies are those of `kernel_cdna_pipelined`. The softmax takes 52 VALU instructions per 64 keys besides the
exponentials, instead of 108, because MFMAs sum up P (`sums_cdna`), and no row max of a block is computed. m is the
row max of the first block, and the row sum of P in each block shows whether m is still large enough. If not, the warp
raises m and recomputes the block's P from its base-2 logarithms, which it keeps for this:

    read K    Q K                                 read V                               P V
              second half of P(i), row sums       sums too large? raise m, P(i) again  first half of P(i + 1)
              MFMAs of Q K(i + 1)                                                      MFMAs of P V(i)

With normally distributed queries and keys, no block is recomputed. Because the logarithms are rounded, P of a block
that raises m by 2^n is accurate to 24 - n bits. The results equal those of `kernel_cdna`, which does compute row
maxima, to the last bit if neither kernel raises m after the first block.
"""

from __future__ import annotations

from ... import jit
from ... import language as gl
from ...language import amd
from .kernel_cdna import copy_group, next_pointer, whole_blocks
from .softmax_cdna import (
    LEAST_MAXIMUM,
    SLACK,
    empty_sums,
    exponential,
    joined,
    masked_scores,
    powers_of,
    raise_maxima,
    score,
    visible_scores,
    whole_sums,
)
from .sums_cdna import add_products, beside_sums, no_products, of_rows, one_by_lane

#: Limit of a row sum of P in one block. It bounds each element of P, as `softmax_cdna.SLACK` does.
LARGEST_SUM = gl.constexpr(256.0)


@jit
def begin_narrow(queries_tile, k_operand, row0, keys, diagonal, scale, cfg: gl.constexpr):
    """State of the pipeline before block 0: accumulator and sums, logarithms of P, and the first half of P."""
    acc, row_max, row_sum = empty_sums(cfg)
    scores = visible_scores(
        score(queries_tile, k_operand, cfg), row0, 0, keys, diagonal, cfg, cfg.has_one_loop and not cfg.is_causal
    )
    row_max, _ = raise_maxima(scores, row_max, scale)
    # Logarithms relative to the initial m would all be rounded to the same value.
    row_max = gl.where(row_max == LEAST_MAXIMUM, 0.0, row_max)
    low, high = powers_of(scores, row_max, scale, cfg)
    return acc, row_max, row_sum, low, high, exponential(low)


@jit
def compute_probabilities(first, high, dtype: gl.constexpr, cfg: gl.constexpr):
    """P of a block as an operand, from the first half of P and the logarithms of the second half; and the row sums
    of P, per lane."""
    low_operand = gl.convert_layout(first.to(dtype), cfg.operand_p)
    sums = add_products(low_operand, no_products(cfg), cfg)
    high_operand = gl.convert_layout(exponential(high).to(dtype), cfg.operand_p)
    sums = add_products(high_operand, sums, cfg)
    return gl.convert_layout(joined(low_operand, high_operand), cfg.operand_p), one_by_lane(sums, cfg)


@jit
def highest_powers(low, high, row_max):
    """Maximum of the logarithms of P, per row."""
    return gl.convert_layout(gl.maximum(gl.max(low, axis=1), gl.max(high, axis=1)), row_max.layout)


@jit
def compute_above(rise, acc, row_max, row_sum, low, high, dtype: gl.constexpr, cfg: gl.constexpr):
    """P and row sums of a block, accumulator, m and l after m has grown by `rise`."""
    new_max = row_max + rise
    # The growth of m after rounding.
    rise = new_max - row_max
    by_row = gl.convert_layout(rise, gl.SliceLayout(1, low.layout))[:, None]
    p, sums = compute_probabilities(exponential(low - by_row), high - by_row, dtype, cfg)
    factor = exponential(-rise)
    return p, sums, acc * factor[:, None], new_max, row_sum * beside_sums(factor, row_sum, cfg)


@jit
def raise_where_needed(p, sums, acc, row_max, row_sum, low, high, cfg: gl.constexpr):
    """P, accumulator, m, and l including the block. If a row sum is too large, all of them are recomputed for a
    larger m."""
    # The comparison is also false for NaN: an infinite element of P makes the sum of its partner row NaN.
    if gl.any_in_warp(~(sums <= LARGEST_SUM)):
        is_right = of_rows(sums, cfg) <= LARGEST_SUM
        rise = gl.where(is_right, 0.0, gl.maximum(highest_powers(low, high, row_max), 0.0))
        p, sums, acc, row_max, row_sum = compute_above(
            rise, acc, row_max, row_sum, low, high, p.dtype, cfg
        )  # fmt: skip
    return p, acc, row_max, row_sum + sums


@jit
def finish_narrow(state, v_tile, cfg: gl.constexpr):
    """Accumulator and sums including the last block. Its P is computed once, with its row max, which is less code."""
    acc, row_max, row_sum, low, high, _ = state
    highest = highest_powers(low, high, row_max)
    rise = gl.where(highest > SLACK, highest, 0.0)
    p, sums, acc, _, row_sum = compute_above(rise, acc, row_max, row_sum, low, high, v_tile.dtype, cfg)
    return amd.cdna3.mfma(p, v_tile.load(cfg.operand_v), acc), whole_sums(row_sum + sums, cfg)


@jit
def attend_to_narrow_blocks(
    first_block, last_block, queries_tile, state, pointers, k_smem, v_smem, k_offsets, v_offsets, k_rows, v_rows,
    k_step, v_step, row0, keys, diagonal, scale, is_whole: gl.constexpr, cfg: gl.constexpr,
):  # fmt: skip
    """Like `kernel_cdna_pipelined.attend_to_blocks`. If there is a single loop and the mask is causal, blocks from
    `whole` on are masked."""
    acc, row_max, row_sum, low, high, first = state
    k_base, v_base = pointers
    dtype: gl.constexpr = v_smem.dtype
    buffer = 0
    next_buffer = 1
    filled = 2
    whole = whole_blocks(row0, keys, diagonal, 1, 0, cfg)
    for i in range(first_block, last_block):
        with amd.warp_pipeline_stage("read K", priority=1):
            k_operand = k_smem.index(next_buffer).load(cfg.operand_k)
            if cfg.has_one_loop:
                k_base = next_pointer(k_base, k_step, i < last_block - 2)
                v_base = next_pointer(v_base, v_step, i < last_block - 1)
            copy_group(k_smem.index(buffer), k_base, k_offsets, k_rows, keys - (i + 3) * cfg.block_n, is_whole)
            if not cfg.has_one_loop:
                k_base += k_step
        amd.cdna4.async_copy.wait_group(3)
        with amd.warp_pipeline_stage("Q K", priority=0):
            scores = score(queries_tile, k_operand, cfg)
            p, sums = compute_probabilities(first, high, dtype, cfg)
        with amd.warp_pipeline_stage("read V", priority=1):
            v_operand = v_smem.index(buffer).load(cfg.operand_v)
            copy_group(v_smem.index(filled), v_base, v_offsets, v_rows, keys - (i + 2) * cfg.block_n, is_whole)
            if not cfg.has_one_loop:
                v_base += v_step
            scores = visible_scores(scores, row0, (i + 1) * cfg.block_n, keys, diagonal, cfg, is_whole)
            if cfg.has_one_loop and cfg.is_causal:
                if i >= whole:
                    # The minimum equals i + 1. Without it, LLVM would increment the first key's number in every
                    # iteration.
                    key0 = gl.minimum(i + 1, keys) * cfg.block_n
                    scores = masked_scores(scores, row0, key0, keys, diagonal, cfg)
            p, acc, row_max, row_sum = raise_where_needed(p, sums, acc, row_max, row_sum, low, high, cfg)
        amd.cdna4.async_copy.wait_group(3)
        with amd.warp_pipeline_stage("P V", priority=0):
            acc = amd.cdna3.mfma(p, v_operand, acc)
            low, high = powers_of(scores, row_max, scale, cfg)
            first = exponential(low)
        buffer, next_buffer, filled = next_buffer, filled, buffer
    return (acc, row_max, row_sum, low, high, first), (k_base, v_base), buffer


__all__ = ["attend_to_narrow_blocks", "begin_narrow", "finish_narrow"]
