"""Online softmax of attention on Hopper, with lazy rescaling.

The probabilities P of a block of keys are computed with the row max of the previous blocks. The softmax
needs the sum of each lane's elements of P anyway. No probability exceeds the sum of its lane, so the sums show whether
the row max must be raised. If the sum of any lane of a warp exceeds `cfg.largest_sum`, or is NaN:

    cfg.scales_down           sums up to 2^100: P is scaled down, and the row max grows by the same factor
    otherwise                 P is recomputed, with the row max of the block: from the scores if they are kept
                              (`cfg.keeps_scores`); else the warp first recomputes them from shared memory (mma.sync)

Scaling down needs registers. With three warpgroups (D 64), these registers cost 4 % of the time of every block. At D
64, P of bfloat16 is therefore not scaled down: its limit is so large that sums hardly ever exceed it.
"""

from __future__ import annotations

from typing import Any

from ... import aggregate, jit
from ... import language as gl
from ...language.nvidia.ampere import mma_v2
from .mods import NO_KEY, modify

#: Largest lane sum of P for which P is scaled down rather than recomputed. From 2^126 on, the factor would be
#: subnormal, which `exp2` flushes to 0.
LARGEST_SCALED_SUM = gl.constexpr(2.0**100)


@aggregate
class SoftmaxState:
    """State of the online softmax of a warpgroup's queries, between two blocks of keys.

    Fields:
        p: P of the last block, as an operand of P V.
        acc: accumulator of O, which does not include the last block.
        row_max: row max with which P was computed.
        row_sum: partial row sums of P; each partial sum is over every eighth column.
    """

    p: gl.tensor
    acc: gl.tensor
    row_max: gl.tensor
    row_sum: gl.tensor


@aggregate
class Rows:
    """Properties of a warpgroup's queries that masks depend on: the first query, the number of queries of a head, and
    the number of keys; `mods`: the user's functions for the tile (`Mods`), or None; `before`, `after`: with
    `cfg.has_window`, numbers of keys before and after its position that a query sees."""

    row0: gl.tensor
    queries: gl.tensor
    keys: gl.tensor
    mods: Any
    before: Any = 0
    after: Any = 0


@jit
def mask_scores(scores, rows, key0, cfg: gl.constexpr, IS_RECOMPUTED: gl.constexpr = False):
    """Returns the scores with -inf for masked keys: keys past the end and, with a causal mask or a window, other keys
    that the query does not see.

    `IS_RECOMPUTED`: True if `scores` were recomputed, so the mask of this block is computed a second time.
    """
    query = rows.row0 + gl.arange(0, 64, layout=gl.SliceLayout(1, cfg.scores))
    columns = gl.arange(0, cfg.block_n, layout=gl.SliceLayout(0, cfg.scores))
    # Number of columns (keys) of the block that each row (query) sees.
    seen = gl.full([64], rows.keys - key0, gl.int32, gl.SliceLayout(1, cfg.scores))
    if cfg.is_causal or cfg.has_window:
        if cfg.packs_heads:
            query %= rows.queries
        query = query // cfg.rows_per_query
        seen = gl.minimum(seen, query + (rows.keys - rows.queries) + rows.after + 1 - key0)
    if IS_RECOMPUTED:
        # `columns - seen < 0` has the same result as `columns < seen` below. If both masks used the same comparison,
        # the compiler would keep all predicates of the first mask in registers.
        is_seen = columns[None, :] - seen[:, None] < 0
    else:
        # All columns of a lane with the same parity differ by multiples of 8, so the right-hand side of their
        # comparisons is the same.
        is_seen = (columns // 8 * 8)[None, :] < seen[:, None] - (columns % 8)[None, :]
    if cfg.has_window:
        first = query + (rows.keys - rows.queries) - rows.before - key0
        is_seen = is_seen & (columns[None, :] >= first[:, None])
    return gl.where(is_seen, scores, float("-inf"))


@jit
def final_scores(scores, rows, key0, cfg: gl.constexpr, IS_MASKED: gl.constexpr):
    """Returns the scores after the user's functions and, if IS_MASKED, after masks."""
    if cfg.has_mods:
        scores = modify(scores, rows.mods, rows.row0, key0, cfg, IS_MASKED)
    if IS_MASKED and (not cfg.has_mods or cfg.masks_end or cfg.is_causal or cfg.has_window):
        scores = mask_scores(scores, rows, key0, cfg)
    return scores


@jit
def exponents(scores, row_max, scale, cfg: gl.constexpr):
    """Returns the exponents of P for a block of keys, the rescale factor, and the new row max, which includes the
    headroom."""
    highest_score = gl.max(scores, axis=1)
    if cfg.headroom > 0:
        highest_score += cfg.headroom / scale
    new_max = gl.maximum(row_max, highest_score)
    # If a row has seen no key, the row max -inf is replaced by 0: exp2(-inf - 0) is 0, whereas exp2(-inf + inf) would
    # be NaN.
    highest = gl.where(new_max == float("-inf"), 0.0, new_max)
    if cfg.has_mods:
        new_max = gl.where(new_max == float("-inf"), NO_KEY, new_max)
        highest = new_max
    shift = highest * scale
    correction = gl.exp2((row_max - highest) * scale, flush_denormals=True)
    return gl.fma(scores, scale, -shift[:, None]), correction, new_max


@jit
def exponentiate(exponents_of_keys, cfg: gl.constexpr):
    """Returns P of a block of keys, and its partial row sums: each lane adds up every eighth column of a row. After the
    loop, the partial sums are added up."""
    probabilities = gl.exp2(exponents_of_keys, flush_denormals=True)
    sums = gl.sum(probabilities.reshape([64, cfg.block_n // 8, 8]), axis=1)
    return probabilities, gl.convert_layout(sums, cfg.partial_sums)


@jit
def rescaled(row_sum, correction, cfg: gl.constexpr):
    """Returns the partial row sums, multiplied by `correction`."""
    return row_sum * gl.convert_layout(correction, gl.SliceLayout(1, cfg.partial_sums))[:, None]


@jit
def reexponentiate(scores, row_max, scale, cfg: gl.constexpr):
    """Returns P recomputed with the new row max, the partial row sums of P, the rescale factor, and the new row max."""
    powers, correction, row_max = exponents(scores, row_max, scale, cfg)
    probabilities, sums = exponentiate(powers, cfg)
    return probabilities, sums, correction, row_max


@jit
def scale_down(probabilities, sums, row_max, scale, cfg: gl.constexpr):
    """Returns P scaled down so that the largest lane sum of a row becomes 2^-`cfg.headroom`, the partial row sums of P,
    the rescale factor, and the new row max."""
    highest = gl.max(sums, axis=1)
    growth = gl.where(highest > cfg.largest_sum, gl.log2(highest) + cfg.headroom, 0.0)
    new_max = row_max + gl.convert_layout(growth, gl.SliceLayout(1, cfg.scores)) / scale
    # The factor is computed from the rounded row max, with which later blocks compute P.
    correction = gl.exp2((row_max - new_max) * scale, flush_denormals=True)
    return probabilities * correction[:, None], rescaled(sums, correction, cfg), correction, new_max


@jit
def recompute_scores(q_tile, k_tile, cfg: gl.constexpr):
    """Returns the scores recomputed by each warp alone (mma.sync), 16 elements of D at a time, because few registers
    are left."""
    scores = gl.zeros([64, cfg.block_n], gl.float32, cfg.scores_of_warp)
    for i in gl.static_range(cfg.head_size // 16):
        q = q_tile.slice(i * 16, 16, 1).load(gl.DotOperandLayout(0, cfg.scores_of_warp, k_width=2))
        k = k_tile.slice(i * 16, 16, 0).load(gl.DotOperandLayout(1, cfg.scores_of_warp, k_width=2))
        scores = mma_v2(q, k, scores)
    return gl.convert_layout(scores, cfg.scores)


@jit
def recomputed_probabilities(
    scores, q_tile, k_tile, row_max, rows, key0, scale, cfg: gl.constexpr, IS_MASKED: gl.constexpr
):  # fmt: skip
    """Returns P recomputed from the scores, the partial row sums of P, the rescale factor, and the new row max."""
    if not cfg.keeps_scores:
        scores = recompute_scores(q_tile, k_tile, cfg)
        if IS_MASKED:
            scores = mask_scores(scores, rows, key0, cfg, IS_RECOMPUTED=True)
    return reexponentiate(scores, row_max, scale, cfg)


@jit
def rescale_where_needed(
    state, probabilities, sums, scores, q_tile, k_tile, rows, key0, scale, cfg: gl.constexpr, IS_MASKED: gl.constexpr
):  # fmt: skip
    """Returns the state with P of the next block, `probabilities`. If a lane's sum of elements of P exceeds
    `cfg.largest_sum`, the state is rescaled first. On return, `state.acc` includes the block of the previous
    `state.p`."""
    acc, row_max, row_sum = state.acc, state.row_max, state.row_sum
    # The comparison `sums <= cfg.largest_sum` is also false for NaN.
    if gl.any_in_warp(~(sums <= cfg.largest_sum)):
        if cfg.scales_down:
            if gl.any_in_warp(~(sums <= LARGEST_SCALED_SUM)):
                probabilities, sums, correction, row_max = recomputed_probabilities(
                    scores, q_tile, k_tile, row_max, rows, key0, scale, cfg, IS_MASKED
                )
            else:
                probabilities, sums, correction, row_max = scale_down(probabilities, sums, row_max, scale, cfg)
        else:
            probabilities, sums, correction, row_max = recomputed_probabilities(
                scores, q_tile, k_tile, row_max, rows, key0, scale, cfg, IS_MASKED
            )
        row_sum = rescaled(row_sum, correction, cfg)
        acc = acc * gl.convert_layout(correction, gl.SliceLayout(1, cfg.acc))[:, None]
    p = gl.convert_layout(probabilities.to(state.p.dtype), cfg.operand_p)
    return SoftmaxState(p, acc, row_max, row_sum + sums)


__all__ = ["Rows", "SoftmaxState", "exponentiate", "exponents", "final_scores", "rescale_where_needed"]
