"""Weights of attention's scores on Hopper, and their maxima, for which nobody looks while sums of weights stay small.

A block's weights are made with the maxima of blocks before, and a lane sums them up, which it has to anyway. None
exceeds its sum. So a warp, which votes, does something about maxima only where a sum is too large, or no number:

    scores were kept      up to 2^100, weights shrink, and the maximum grows by as much: it need not be that of any
                          score; beyond, weights are made anew, of the scores and their maxima
    scores were not kept  weights are made anew, too, of scores that the warp computes alone, from shared memory

Shrinking would be faster in the second case as well, where maxima keep growing, but the registers that it takes cost
every other block 4 % (three warpgroups, D 64).
"""

from __future__ import annotations

from .. import language as gl
from ..language.nvidia.ampere import mma_v2
from ..runtime.jit import jit

#: Of sums whose weights shrink. From 2^126 on the factor would be subnormal, which `exp2` makes 0.
LARGEST_FADING_SUM = gl.constexpr(2.0**100)


@jit
def mask_scores(scores, row0, key0, sizes, cfg: gl.constexpr, AGAIN: gl.constexpr = False):
    """-inf for keys that do not exist and, if causal, for those after the query's own."""
    queries, keys = sizes
    rows = row0 + gl.arange(0, 64, layout=gl.SliceLayout(1, cfg.scores))
    columns = gl.arange(0, cfg.block_n, layout=gl.SliceLayout(0, cfg.scores))
    # How many of the block's columns each row sees.
    seen = gl.full([64], keys - key0, gl.int32, gl.SliceLayout(1, cfg.scores))
    if cfg.is_causal:
        seen = gl.minimum(seen, rows + (keys - queries) + 1 - key0)
    if AGAIN:
        # Another question with the same answer: the compiler would keep all the answers of the first time for this one.
        is_seen = columns[None, :] - seen[:, None] < 0
    else:
        # A lane's columns differ by multiples of 8, constants to compare with what two columns have left.
        is_seen = (columns // 8 * 8)[None, :] < seen[:, None] - (columns % 8)[None, :]
    return gl.where(is_seen, scores, float("-inf"))


@jit
def exponents(scores, row_max, scale):
    """Exponents of a block of keys' weights, the factor for what is summed up so far, and new maxima."""
    new_max = gl.maximum(row_max, gl.max(scores, axis=1))
    # A row without any key so far: exp2(-inf - 0) is 0, exp2(-inf + inf) would be NaN.
    highest = gl.where(new_max == float("-inf"), 0.0, new_max)
    shift = highest * scale
    correction = gl.exp2((row_max - highest) * scale, flush_denormals=True)
    return gl.fma(scores, scale, -shift[:, None]), correction, new_max


@jit
def weigh(exponents_of_keys, cfg: gl.constexpr):
    """Weights of a block of keys, and the sums of every eighth column, which lie in one lane. The lanes of a row add up
    after the loop."""
    weights = gl.exp2(exponents_of_keys, flush_denormals=True)
    sums = gl.sum(weights.reshape([64, cfg.block_n // 8, 8]), axis=1)
    return weights, gl.convert_layout(sums, cfg.partial_sums)


@jit
def faded(row_sum, correction, cfg: gl.constexpr):
    return row_sum * gl.convert_layout(correction, gl.SliceLayout(1, cfg.partial_sums))[:, None]


@jit
def weigh_anew(scores, row_max, scale, cfg: gl.constexpr):
    """Weights made with new maxima, their sums, the factor for what is summed up so far, and these maxima."""
    powers, correction, row_max = exponents(scores, row_max, scale)
    weights, sums = weigh(powers, cfg)
    return weights, sums, correction, row_max


@jit
def fade_weights(weights, sums, row_max, scale, cfg: gl.constexpr):
    """Weights whose largest sums become 1, their sums, the factor that made them so, and new maxima."""
    highest = gl.max(sums, axis=1)
    growth = gl.where(highest > cfg.largest_sum, gl.log2(highest), 0.0)
    new_max = row_max + gl.convert_layout(growth, gl.SliceLayout(1, cfg.scores)) / scale
    # Of maxima as they have been rounded, with which later weights are made.
    correction = gl.exp2((row_max - new_max) * scale, flush_denormals=True)
    return weights * correction[:, None], faded(sums, correction, cfg), correction, new_max


@jit
def scores_anew(q_tile, k_tile, cfg: gl.constexpr):
    """By products that a warp computes alone, 16 columns of D at a time, for which few registers are left."""
    scores = gl.zeros([64, cfg.block_n], gl.float32, cfg.scores_of_warp)
    for i in gl.static_range(cfg.head_size // 16):
        q = q_tile.slice(i * 16, 16, 1).load(gl.DotOperandLayout(0, cfg.scores_of_warp, k_width=2))
        k = k_tile.slice(i * 16, 16, 0).load(gl.DotOperandLayout(1, cfg.scores_of_warp, k_width=2))
        scores = mma_v2(q, k, scores)
    return gl.convert_layout(scores, cfg.scores)


@jit
def weigh_again_where_needed(
    weights, sums, scores, q_tile, k_tile, acc, row_max, row_sum, row0, key0, sizes, scale, cfg: gl.constexpr,
    dtype: gl.constexpr, IS_MASKED: gl.constexpr,
):  # fmt: skip
    """Operands of the product with values, and what is summed up."""
    # NaN is not below either.
    if gl.any_in_warp(~(sums <= cfg.largest_sum)):
        if cfg.keeps_scores:
            if gl.any_in_warp(~(sums <= LARGEST_FADING_SUM)):
                weights, sums, correction, row_max = weigh_anew(scores, row_max, scale, cfg)
            else:
                weights, sums, correction, row_max = fade_weights(weights, sums, row_max, scale, cfg)
        else:
            scores = scores_anew(q_tile, k_tile, cfg)
            if IS_MASKED:
                scores = mask_scores(scores, row0, key0, sizes, cfg, AGAIN=True)
            weights, sums, correction, row_max = weigh_anew(scores, row_max, scale, cfg)
        row_sum = faded(row_sum, correction, cfg)
        acc = acc * gl.convert_layout(correction, gl.SliceLayout(1, cfg.acc))[:, None]
    return gl.convert_layout(weights.to(dtype), cfg.operand_p), acc, row_max, row_sum + sums


__all__ = ["exponents", "mask_scores", "weigh", "weigh_again_where_needed"]
