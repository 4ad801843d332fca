"""Online softmax of attention on CDNA, with lazy rescaling.

A row max m and a row sum l are kept per row. When a block of keys raises m, accumulator and sum are rescaled ("Online
normalizer calculation for softmax", Milakov and Gimelshein, 2018; "FlashAttention", Dao et al., 2022). Exponentials are
powers of two: the scale includes log2(e), and m is the maximum of scaled scores.

m is only raised if a block exceeds m by more than `SLACK` ("FlashAttention-4", Zadouri et al., 2026). The probabilities
P are therefore at most 2^SLACK, and do not overflow. The final division by l cancels m. Most blocks leave m unchanged,
and warps whose rows all keep m skip the rescaling.

The softmax has separate steps, so that kernels can interleave them with MFMAs: `raise_maxima`; `begin_probabilities`,
which computes P for the first half of the keys; the exponentials of the second half; and `end_probabilities`, which
rounds P and sums it up.
"""

from __future__ import annotations

from ... import aggregate, jit
from ... import language as gl
from ...language import amd
from .sums_cdna import add_row_sums, beside_sums, no_row_sums, of_rows, one_by_lane

#: Initial row max m: a finite value, far below the scores of realistic inputs. For a row that has seen no key, P of
#: masked keys is then exp2(-inf) = 0. With m = -inf, P would be exp2(-inf + inf), which is NaN.
LEAST_MAXIMUM = gl.constexpr(-(2.0**80))

#: Amount by which a scaled score may exceed m. The largest probability, 2^8 = 256, is far below float16's largest
#: number, 65504.
SLACK = gl.constexpr(8.0)


@aggregate
class Softmax:
    """Accumulator, row max m, and row sum l. l is kept as partial sums: see `sums_by_lane` and `sums_cdna`."""

    acc: gl.tensor
    row_max: gl.tensor
    row_sum: gl.tensor


@jit
def empty_softmax(cfg: gl.constexpr):
    """Returns the softmax state before the first block of keys."""
    acc = gl.zeros([cfg.block_m, cfg.head_size], gl.float32, cfg.acc)
    row_max = gl.full([cfg.block_m], LEAST_MAXIMUM, gl.float32, gl.SliceLayout(1, cfg.acc))
    if cfg.sum_acc is not None:
        return Softmax(acc, row_max, one_by_lane(no_row_sums(cfg), cfg))
    return Softmax(acc, row_max, sums_by_lane(gl.zeros([cfg.block_m, cfg.block_n], gl.float32, cfg.acc)))


@jit
def score(q, k_operand, cfg: gl.constexpr):
    """Returns the scores Q K^T of a block of keys."""
    return amd.cdna3.mfma(q, k_operand, gl.zeros([cfg.block_m, cfg.block_n], gl.float32, cfg.acc))


@jit
def visible_scores(scores, work, key0, cfg: gl.constexpr, is_whole: gl.constexpr = False):
    """Returns the scores of the block of keys that begins at key `key0`. The scores of masked keys are -inf: of keys
    past the end and, with a causal mask, of keys after the last key that the query sees.

    `is_whole`: True if every query sees every key of the block, so the scores need no mask.
    """
    if cfg.negates_scores:
        scores = -scores
    if not is_whole:
        scores = masked_scores(scores, work, key0, cfg)
    return scores


@jit
def masked_scores(scores, work, key0, cfg: gl.constexpr):
    """Returns the scores of a block of keys, with -inf for masked keys.

    A lane holds 4 of every 8 keys. With the reshape below, the indices of a lane's keys are constants, which are
    encoded as immediates.
    """
    last = gl.full([cfg.block_m], work.keys - 1, gl.int32, gl.SliceLayout(1, cfg.acc))
    if cfg.is_causal:
        rows = work.row0 + gl.arange(0, cfg.block_m, layout=gl.SliceLayout(1, cfg.acc))
        last = gl.minimum(last, rows + work.diagonal)
    parts = scores.reshape(cfg.block_m, cfg.block_n // 8, 2, 4)
    eights = gl.arange(0, cfg.block_n // 8, layout=only(1, parts.layout, 4))[None, :, None, None]
    halves = gl.arange(0, 2, layout=only(2, parts.layout, 4))[None, None, :, None]
    fours = gl.arange(0, 4, layout=only(3, parts.layout, 4))[None, None, None, :]
    last = gl.convert_layout(last - key0, only(0, parts.layout, 4))[:, None, None, None]
    parts = gl.where(eights * 8 + fours <= last - halves * 4, parts, float("-inf"))
    return gl.convert_layout(parts.reshape(cfg.block_m, cfg.block_n), cfg.acc)


@gl.constexpr_function
def only(dim, layout, rank):
    """Returns the slice layout of dimension `dim` of a tensor that has the layout `layout` and `rank` dimensions."""
    for other in reversed(range(rank)):
        if other != dim:
            layout = gl.SliceLayout(other, layout)
    return layout


@jit
def raise_maxima(scores, row_max, scale):
    """Returns the row max m including a block of keys, and the rescale factor for the change of m."""
    new_max = raised_maxima(scores, row_max, scale)
    return new_max, factor_of_sums(row_max, new_max)


@jit
def raised_maxima(scores, row_max, scale):
    """Returns the row max including a block of keys."""
    highest = gl.max(scores, axis=1) * scale
    return gl.where(highest - row_max > SLACK, highest, row_max)


@jit
def factor_of_sums(row_max, new_max):
    """Returns the rescale factor for a change of m to `new_max`: exactly 1 if m does not change."""
    return gl.exp2(row_max - new_max, flush_denormals=True)


@jit
def powers_of(scores, row_max, scale, cfg: gl.constexpr):
    """Returns the base-2 logarithms of P for the first and for the second half of a block of keys."""
    powers = gl.fma(scores, scale, -row_max[:, None])
    return gl.split(powers.reshape(cfg.block_m, 2, cfg.block_n // 2).permute(0, 2, 1))


@jit
def exponential(powers):
    return gl.exp2(powers, flush_denormals=True)


@jit
def begin_probabilities(scores, row_max, scale, cfg: gl.constexpr):
    """Returns P for the first half of the keys, and the base-2 logarithms of P for the second half."""
    first, second = powers_of(scores, row_max, scale, cfg)
    return exponential(first), second


@jit
def end_probabilities(first, second, row_sum, correction, dtype: gl.constexpr, cfg: gl.constexpr):
    """Returns P of a whole block of keys as an MFMA operand, and the row sums l including this block."""
    if cfg.sum_acc is None:
        factor = gl.convert_layout(correction, only(0, row_sum.layout, 3))[:, None, None]
        row_sum = row_sum * factor + sums_by_lane(first)
        row_sum += sums_by_lane(second)
    p = gl.convert_layout(joined(first.to(dtype), second.to(dtype)), cfg.operand_p)
    # Without this scheduling barrier, LLVM would round each value of P just before its MFMA, and the unrounded values
    # would occupy twice the registers.
    gl.sched_barrier(computed=[p])
    if cfg.sum_acc is not None:
        sums = one_by_lane(add_row_sums(p, no_row_sums(cfg), cfg), cfg)
        row_sum = row_sum * beside_sums(correction, row_sum, cfg) + sums
    return p, row_sum


@jit
def joined(low, high):
    """Concatenates the values of the first and the second half of a block of keys."""
    rows: gl.constexpr = low.shape[0]
    return gl.join(low, high).permute(0, 2, 1).reshape(rows, 2 * low.shape[1])


@jit
def sums_by_lane(p):
    """Returns four partial sums per row: two in each of the lanes that share the row.

    `whole_sums` combines the partial sums of a row once, after the last block of keys.
    """
    parts = p.reshape(p.shape[0], p.shape[1] // 8, 2, 2, 2)
    return gl.sum(gl.sum(parts, axis=1), axis=2)


@jit
def whole_sums(row_sum, cfg: gl.constexpr):
    """Returns the row sums l, computed from the partial sums of each row."""
    if cfg.sum_acc is not None:
        return of_rows(row_sum, cfg)
    return gl.convert_layout(gl.sum(gl.sum(row_sum, axis=2), axis=1), gl.SliceLayout(1, cfg.acc))


@jit
def scaled_down(acc, correction, cfg: gl.constexpr):
    """Returns the accumulator, multiplied by each row's rescale factor. Warps whose rows all have the factor 1 skip the
    multiplications."""
    of_a_lane: gl.constexpr = cfg.block_m * cfg.head_size // (64 * gl.num_warps())
    return gl.map_elementwise(scaled_by_factor, acc, correction[:, None], pack=of_a_lane)


@jit
def scaled_by_factor(*values):
    """Returns the accumulator elements of a lane, all of which are in one row, times the row's rescale factor. The
    first half of `values` contains the elements, and the second half contains copies of the factor."""
    count: gl.constexpr = len(values) // 2
    elements = [element for element in values[:count]]
    if values[count] != 1.0:
        elements = [element * values[count] for element in elements]
    return elements
