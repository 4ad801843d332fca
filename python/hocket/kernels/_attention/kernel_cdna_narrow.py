"""Warp pipeline of attention where the VALU is the bottleneck: D = 64 on gfx950.

Roles of warps, stages, ring buffers, barriers and copies are those of `kernel_cdna_pipelined`. The softmax takes 52
VALU instructions per 64 keys besides the exponentials, instead of 108, because MFMAs sum up P (`sums_cdna`), and no row
max of a block is computed. m is the row max of the first block, and the row sum of P in each block shows whether m is
still large enough. If m is too small, the warp raises m and recomputes the block's P from the base-2 logarithms of P,
which stay in registers for this purpose. Timeline of a warp:

    read K    Q K                                 read V                               P V
              second half of P(i), row sums       sums too large? raise m, P(i) again  first half of P(i + 1)
              MFMAs of Q K(i + 1)                                                      MFMAs of P V(i)

With normally distributed queries and keys, no block is recomputed. Because the logarithms are rounded, P of a block
that raises m by 2^n is accurate to 24 - n bits. If neither this kernel nor `kernel_cdna` raises m after the first
block, the results of both kernels are bitwise equal.
"""

from __future__ import annotations

from ... import aggregate, jit
from ... import language as gl
from ...language import amd
from .blocks_cdna import whole_blocks
from .softmax_cdna import (
    LEAST_MAXIMUM,
    SLACK,
    Softmax,
    empty_softmax,
    exponential,
    joined,
    masked_scores,
    powers_of,
    raise_maxima,
    score,
    visible_scores,
    whole_sums,
)
from .sums_cdna import add_row_sums, beside_sums, no_row_sums, of_rows, one_by_lane

#: Largest row sum of P in one block for which m is kept. The limit bounds each element of P, as `softmax_cdna.SLACK`
#: does.
LARGEST_SUM = gl.constexpr(256.0)


@aggregate
class NarrowState:
    """State of the warp pipeline before an iteration of its loop. The iteration multiplies P of one block of keys by
    the block of values.

    Attributes:
        softmax: accumulator and row sum of the blocks of keys before this block, and the row max to which the
            logarithms of this block are relative.
        low, high: base-2 logarithms of P, for the first and the second half of the keys of this block.
        first: P for the first half of the keys of this block.
    """

    softmax: Softmax
    low: gl.tensor
    high: gl.tensor
    first: gl.tensor


@jit
def begin_narrow(queries, k_operand, cfg: gl.constexpr):
    """Returns the state of the warp pipeline before block 0."""
    softmax = empty_softmax(cfg)
    scores = score(queries.tile, k_operand, cfg)
    scores = visible_scores(scores, queries.work, 0, cfg, cfg.has_one_loop and not cfg.is_causal)
    row_max, _ = raise_maxima(scores, softmax.row_max, queries.scale)
    # Logarithms relative to the initial m, which is far below all scores, would all be rounded to the same value.
    row_max = gl.where(row_max == LEAST_MAXIMUM, 0.0, row_max)
    low, high = powers_of(scores, row_max, queries.scale, cfg)
    return NarrowState(Softmax(softmax.acc, row_max, softmax.row_sum), low, high, exponential(low))


@jit
def compute_probabilities(first, high, dtype: gl.constexpr, cfg: gl.constexpr):
    """Returns P of a block as an MFMA operand, and the row sums of P in the form that `one_by_lane` returns. `first` is
    P of the first half of the keys, and `high` holds the base-2 logarithms of P of the second half."""
    low_operand = gl.convert_layout(first.to(dtype), cfg.operand_p)
    sums = add_row_sums(low_operand, no_row_sums(cfg), cfg)
    high_operand = gl.convert_layout(exponential(high).to(dtype), cfg.operand_p)
    sums = add_row_sums(high_operand, sums, cfg)
    return gl.convert_layout(joined(low_operand, high_operand), cfg.operand_p), one_by_lane(sums, cfg)


@jit
def highest_powers(low, high, row_max):
    """Returns each row's maximum of the base-2 logarithms of P."""
    return gl.convert_layout(gl.maximum(gl.max(low, axis=1), gl.max(high, axis=1)), row_max.layout)


@jit
def compute_above(rise, softmax, low, high, dtype: gl.constexpr, cfg: gl.constexpr):
    """Raises the row max m by `rise`. Returns P and the row sums of a block for the new m, and the rescaled softmax,
    which does not include this block."""
    row_max = softmax.row_max + rise
    # The actual rise is the difference of the rounded values of m.
    rise = row_max - softmax.row_max
    by_row = gl.convert_layout(rise, gl.SliceLayout(1, low.layout))[:, None]
    p, sums = compute_probabilities(exponential(low - by_row), high - by_row, dtype, cfg)
    factor = exponential(-rise)
    acc = softmax.acc * factor[:, None]
    return p, sums, Softmax(acc, row_max, softmax.row_sum * beside_sums(factor, softmax.row_sum, cfg))


@jit
def raise_where_needed(p, sums, softmax, low, high, cfg: gl.constexpr):
    """Returns P of a block, and the softmax, whose row sum l includes the block. If a row sum of the block exceeds
    `LARGEST_SUM`, m is raised, P is recomputed, and the softmax is rescaled."""
    # The comparison `sums <= LARGEST_SUM` is also false for NaN. A sum is NaN if the row that shares its MFMA row has
    # an infinite element of P (`sums_cdna`).
    if gl.any_in_warp(~(sums <= LARGEST_SUM)):
        is_right = of_rows(sums, cfg) <= LARGEST_SUM
        rise = gl.where(is_right, 0.0, gl.maximum(highest_powers(low, high, softmax.row_max), 0.0))
        p, sums, softmax = compute_above(rise, softmax, low, high, p.dtype, cfg)
    return p, Softmax(softmax.acc, softmax.row_max, softmax.row_sum + sums)


@jit
def finish_narrow(state, v_tile, cfg: gl.constexpr):
    """Returns the accumulator and the row sums, including the last block. If a logarithm of P in a row of the last
    block exceeds `SLACK`, m of this row is raised before P is computed. The code thus computes P only once, and is
    shorter."""
    highest = highest_powers(state.low, state.high, state.softmax.row_max)
    rise = gl.where(highest > SLACK, highest, 0.0)
    p, sums, softmax = compute_above(rise, state.softmax, state.low, state.high, v_tile.dtype, cfg)
    acc = amd.cdna3.mfma(p, v_tile.load(cfg.operand_v), softmax.acc)
    return acc, whole_sums(softmax.row_sum + sums, cfg)


@jit
def attend_to_narrow_blocks(
    first_block, last_block, queries, state, k_blocks, v_blocks, is_whole: gl.constexpr, cfg: gl.constexpr
):  # fmt: skip
    """Works like `kernel_cdna_pipelined.attend_to_blocks`. With `cfg.has_one_loop` and a causal mask, the loop masks
    the blocks from block `whole` on."""
    work = queries.work
    whole = whole_blocks(work, 1, 0, cfg)
    current, following, filled = [k_blocks.buffers.position(i) for i in range(3)]
    for i in range(first_block, last_block):
        with amd.warp_pipeline_stage("read K", priority=1):
            k_operand = k_blocks.buffer(following).load(cfg.operand_k)
            if cfg.has_one_loop:
                k_blocks = k_blocks.next_if(i < last_block - 2)
                v_blocks = v_blocks.next_if(i < last_block - 1)
            k_blocks.copy(current, work.keys - (i + 3) * cfg.block_n, is_whole)
            if not cfg.has_one_loop:
                k_blocks = k_blocks.next()
        amd.cdna4.async_copy.wait_group(3)
        with amd.warp_pipeline_stage("Q K", priority=0):
            scores = score(queries.tile, k_operand, cfg)
            p, sums = compute_probabilities(state.first, state.high, queries.tile.dtype, cfg)
        with amd.warp_pipeline_stage("read V", priority=1):
            v_operand = v_blocks.buffer(current).load(cfg.operand_v)
            v_blocks.copy(filled, work.keys - (i + 2) * cfg.block_n, is_whole)
            if not cfg.has_one_loop:
                v_blocks = v_blocks.next()
            scores = visible_scores(scores, work, (i + 1) * cfg.block_n, cfg, is_whole)
            if cfg.has_one_loop and cfg.is_causal:
                if i >= whole:
                    # `gl.minimum(i + 1, work.keys)` always equals i + 1. Without the minimum, LLVM would increment the
                    # first key's number in every iteration.
                    scores = masked_scores(scores, work, gl.minimum(i + 1, work.keys) * cfg.block_n, cfg)
            p, softmax = raise_where_needed(p, sums, state.softmax, state.low, state.high, cfg)
        amd.cdna4.async_copy.wait_group(3)
        with amd.warp_pipeline_stage("P V", priority=0):
            acc = amd.cdna3.mfma(p, v_operand, softmax.acc)
            low, high = powers_of(scores, softmax.row_max, queries.scale, cfg)
            state = NarrowState(Softmax(acc, softmax.row_max, softmax.row_sum), low, high, exponential(low))
        current, following, filled = following, filled, current
    return state, k_blocks, v_blocks, current


__all__ = ["attend_to_narrow_blocks", "begin_narrow", "finish_narrow"]
