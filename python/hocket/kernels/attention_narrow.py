"""The warp pipeline of attention where vector units have more to do than matrix cores: D = 64 on gfx950.

Its stages and copies are those of `attention_pipelined`, but for 64 keys its softmax takes 52 vector instructions
besides exponentials, instead of 108. Matrix cores add the weights up (`attention_sums`), and nobody looks for a block's
maximum: m is that of the first block, and what a row's weights add up to tells whether one of them is too large. Then
the warp raises m and begins the block's weights anew, from their powers, which it keeps until then:

    read K    Q K                           read V                               P V
              other weights, all sums of i  too large? raise m, weigh i anew     powers, half of the weights of i + 1
              products of i + 1                                                  products of i

With normally distributed queries and keys no block is weighed twice. As powers are rounded, weights of a block that
raises m by 2^n are exact to 24 - n bits. `attention_kernels`, which begins without any m, looks for maxima; its results
are the same to the last bit where neither raises m after the first block.
"""

from __future__ import annotations

from .. import language as gl
from ..language import amd
from ..runtime.jit import jit
from .attention_kernels import copy_group, next_place, whole_blocks
from .attention_softmax import (
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
from .attention_sums import add_products, beside_sums, no_products, of_rows, one_by_lane

#: What a row's weights of a block may add up to: so none is larger, as with `attention_softmax.SLACK`.
LARGEST_SUM = gl.constexpr(256.0)


@jit
def begin_narrow(queries_tile, k_operand, row0, keys, diagonal, scale, cfg: gl.constexpr):
    """The state of a pipeline that is to go on with block 0: sums, powers, and weights as far as they are known."""
    acc, row_max, row_sum = empty_sums(cfg)
    scores = visible_scores(
        score(queries_tile, k_operand, cfg), row0, 0, keys, diagonal, cfg, cfg.has_one_loop and not cfg.is_causal
    )
    row_max, _ = raise_maxima(scores, row_max, scale)
    # Powers from the least m would all be rounded to the same.
    row_max = gl.where(row_max == LEAST_MAXIMUM, 0.0, row_max)
    low, high = powers_of(scores, row_max, scale, cfg)
    return acc, row_max, row_sum, low, high, exponential(low)


@jit
def weigh(first, high, dtype: gl.constexpr, cfg: gl.constexpr):
    """A block's weights as an operand, from those of the first half of the keys and the powers of the others; and, per
    lane, what its row's add up to."""
    low_operand = gl.convert_layout(first.to(dtype), cfg.operand_p)
    sums = add_products(low_operand, no_products(cfg), cfg)
    high_operand = gl.convert_layout(exponential(high).to(dtype), cfg.operand_p)
    sums = add_products(high_operand, sums, cfg)
    return gl.convert_layout(joined(low_operand, high_operand), cfg.operand_p), one_by_lane(sums, cfg)


@jit
def highest_powers(low, high, row_max):
    """Of each row."""
    return gl.convert_layout(gl.maximum(gl.max(low, axis=1), gl.max(high, axis=1)), row_max.layout)


@jit
def weigh_above(rise, acc, row_max, row_sum, low, high, dtype: gl.constexpr, cfg: gl.constexpr):
    """Weights and sums of a block, accumulator, m and l for an m that is higher by `rise`."""
    new_max = row_max + rise
    # What m has risen by, which is rounded.
    rise = new_max - row_max
    by_row = gl.convert_layout(rise, gl.SliceLayout(1, low.layout))[:, None]
    weights, sums = weigh(exponential(low - by_row), high - by_row, dtype, cfg)
    factor = exponential(-rise)
    return weights, sums, acc * factor[:, None], new_max, row_sum * beside_sums(factor, row_sum, cfg)


@jit
def weigh_anew(weights, sums, acc, row_max, row_sum, low, high, cfg: gl.constexpr):
    """Weights, accumulator, m, and l with a block's sums; where these are too large, all of them for an m that fits."""
    # Also where a sum is NaN, since an infinite weight makes that of its partner's.
    if gl.any_in_warp(~(sums <= LARGEST_SUM)):
        is_right = of_rows(sums, cfg) <= LARGEST_SUM
        rise = gl.where(is_right, 0.0, gl.maximum(highest_powers(low, high, row_max), 0.0))
        weights, sums, acc, row_max, row_sum = weigh_above(
            rise, acc, row_max, row_sum, low, high, weights.dtype, cfg
        )  # fmt: skip
    return weights, acc, row_max, row_sum + sums


@jit
def finish_narrow(state, v_tile, cfg: gl.constexpr):
    """Accumulator and sums with the last block: weighed once, by its maximum, which is less code."""
    acc, row_max, row_sum, low, high, _ = state
    highest = highest_powers(low, high, row_max)
    rise = gl.where(highest > SLACK, highest, 0.0)
    weights, sums, acc, _, row_sum = weigh_above(rise, acc, row_max, row_sum, low, high, v_tile.dtype, cfg)
    return amd.cdna3.mfma(weights, v_tile.load(cfg.operand_v), acc), whole_sums(row_sum + sums, cfg)


@jit
def attend_to_narrow_blocks(
    first_block, last_block, queries_tile, state, places, k_smem, v_smem, k_offsets, v_offsets, k_rows, v_rows,
    k_step, v_step, row0, keys, diagonal, scale, is_whole: gl.constexpr, cfg: gl.constexpr,
):  # fmt: skip
    """As `attention_pipelined.attend_to_blocks`; an only loop of causal attention masks blocks from `whole` on."""
    acc, row_max, row_sum, low, high, first = state
    k_base, v_base = places
    dtype: gl.constexpr = v_smem.dtype
    slot = 0
    next_slot = 1
    filled = 2
    whole = whole_blocks(row0, keys, diagonal, 1, 0, cfg)
    for i in range(first_block, last_block):
        with amd.warp_pipeline_stage("read K", priority=1):
            k_operand = k_smem.index(next_slot).load(cfg.operand_k)
            if cfg.has_one_loop:
                k_base = next_place(k_base, k_step, i < last_block - 2)
                v_base = next_place(v_base, v_step, i < last_block - 1)
            copy_group(k_smem.index(slot), k_base, k_offsets, k_rows, keys - (i + 3) * cfg.block_n, is_whole)
            if not cfg.has_one_loop:
                k_base += k_step
        amd.cdna4.async_copy.wait_group(3)
        with amd.warp_pipeline_stage("Q K", priority=0):
            scores = score(queries_tile, k_operand, cfg)
            weights, sums = weigh(first, high, dtype, cfg)
        with amd.warp_pipeline_stage("read V", priority=1):
            v_operand = v_smem.index(slot).load(cfg.operand_v)
            copy_group(v_smem.index(filled), v_base, v_offsets, v_rows, keys - (i + 2) * cfg.block_n, is_whole)
            if not cfg.has_one_loop:
                v_base += v_step
            scores = visible_scores(scores, row0, (i + 1) * cfg.block_n, keys, diagonal, cfg, is_whole)
            if cfg.has_one_loop and cfg.is_causal:
                if i >= whole:
                    # A minimum, which is i + 1: else the first key's number would be counted in every trip.
                    key0 = gl.minimum(i + 1, keys) * cfg.block_n
                    scores = masked_scores(scores, row0, key0, keys, diagonal, cfg)
            weights, acc, row_max, row_sum = weigh_anew(weights, sums, acc, row_max, row_sum, low, high, cfg)
        amd.cdna4.async_copy.wait_group(3)
        with amd.warp_pipeline_stage("P V", priority=0):
            acc = amd.cdna3.mfma(weights, v_operand, acc)
            low, high = powers_of(scores, row_max, scale, cfg)
            first = exponential(low)
        slot, next_slot, filled = next_slot, filled, slot
    return (acc, row_max, row_sum, low, high, first), (k_base, v_base), slot


__all__ = ["attend_to_narrow_blocks", "begin_narrow", "finish_narrow"]
