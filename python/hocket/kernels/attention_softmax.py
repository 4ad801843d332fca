"""The softmax of attention on CDNA, a block of keys at a time.

It needs no second pass: a maximum m and a sum l is kept per row; when a block of keys raises m, the sums so far are
scaled down ("Online normalizer calculation for softmax", Milakov and Gimelshein, 2018; "FlashAttention", Dao et al.,
2022). Exponentials are powers of two, so the scale holds log2(e) as well, and maxima are of scaled scores.

m stays as it is until a block exceeds it by `SLACK` ("FlashAttention-4", Zadouri et al., 2026): it need not be the
maximum, only so close to it that weights, then up to 2^SLACK, overflow nothing. The division at the end takes it out.
Most blocks leave m alone, and warps that have none of the others skip the multiplications.

It takes steps, which may be apart: `raise_maxima`, `begin_weights`, which computes those of the first half of the keys,
exponentials of the others, and `end_weights`, which rounds them and adds them up.
"""

from __future__ import annotations

from .. import language as gl
from ..language import amd
from ..runtime.jit import jit
from .attention_sums import add_products, beside_sums, no_products, of_rows, one_by_lane

#: What the maximum of a row without any key is: below all scores that can be told apart, but finite, so that what such
#: a row gets of a key that it does not see is exp2(-inf) = 0. exp2(-inf + inf) would be NaN.
LEAST_MAXIMUM = gl.constexpr(-(2.0**80))

#: By how much a scaled score may exceed m. The largest weight, 256, is far from float16's 65504.
SLACK = gl.constexpr(8.0)


@jit
def empty_sums(cfg: gl.constexpr):
    """Accumulator, m and l before the first key. l is in parts: see `sums_by_lane` and `attention_sums`."""
    acc = gl.zeros([cfg.block_m, cfg.head_size], gl.float32, cfg.acc)
    row_max = gl.full([cfg.block_m], LEAST_MAXIMUM, gl.float32, gl.SliceLayout(1, cfg.acc))
    if cfg.sum_acc is not None:
        return acc, row_max, one_by_lane(no_products(cfg), cfg)
    return acc, row_max, sums_by_lane(gl.zeros([cfg.block_m, cfg.block_n], gl.float32, cfg.acc))


@jit
def score(q, k_operand, cfg: gl.constexpr):
    """Queries times a block of keys."""
    return amd.cdna3.mfma(q, k_operand, gl.zeros([cfg.block_m, cfg.block_n], gl.float32, cfg.acc))


@jit
def visible_scores(scores, row0, key0, keys, diagonal, cfg: gl.constexpr, is_whole: gl.constexpr = False):
    """Scores, -inf for keys that a row does not see: those that do not exist and, if causal, those after the query's
    own. `is_whole`: each row is known to see all."""
    if cfg.negates_scores:
        scores = -scores
    if not is_whole:
        scores = masked_scores(scores, row0, key0, keys, diagonal, cfg)
    return scores


@jit
def masked_scores(scores, row0, key0, keys, diagonal, cfg: gl.constexpr):
    """Scores, -inf for keys that a row does not see.

    Of each 8 keys, a lane has 4. Taken apart in this way, the numbers of a lane's keys are constants, which
    instructions have inside.
    """
    last = gl.full([cfg.block_m], keys - 1, gl.int32, gl.SliceLayout(1, cfg.acc))
    if cfg.is_causal:
        rows = row0 + gl.arange(0, cfg.block_m, layout=gl.SliceLayout(1, cfg.acc))
        last = gl.minimum(last, rows + diagonal)
    parts = scores.reshape(cfg.block_m, cfg.block_n // 8, 2, 4)
    eights = gl.arange(0, cfg.block_n // 8, layout=only(1, parts.layout, 4))[None, :, None, None]
    halves = gl.arange(0, 2, layout=only(2, parts.layout, 4))[None, None, :, None]
    fours = gl.arange(0, 4, layout=only(3, parts.layout, 4))[None, None, None, :]
    last = gl.convert_layout(last - key0, only(0, parts.layout, 4))[:, None, None, None]
    parts = gl.where(eights * 8 + fours <= last - halves * 4, parts, float("-inf"))
    return gl.convert_layout(parts.reshape(cfg.block_m, cfg.block_n), cfg.acc)


@gl.constexpr_function
def only(dim, layout, rank):
    """The layout of one dimension of a tensor with `rank` of them."""
    for other in reversed(range(rank)):
        if other != dim:
            layout = gl.SliceLayout(other, layout)
    return layout


@jit
def raise_maxima(scores, row_max, scale):
    """m with a block of keys, and the factor for the sums."""
    new_max = raised_maxima(scores, row_max, scale)
    return new_max, factor_of_sums(row_max, new_max)


@jit
def raised_maxima(scores, row_max, scale):
    """m with a block of keys."""
    highest = gl.max(scores, axis=1) * scale
    return gl.where(highest - row_max > SLACK, highest, row_max)


@jit
def factor_of_sums(row_max, new_max):
    """By what sums so far are scaled when m becomes `new_max`: exactly 1 where it stays."""
    return gl.exp2(row_max - new_max, flush_denormals=True)


@jit
def powers_of(scores, row_max, scale, cfg: gl.constexpr):
    """Logarithms of the weights, of either half of the keys."""
    powers = gl.fma(scores, scale, -row_max[:, None])
    return gl.split(powers.reshape(cfg.block_m, 2, cfg.block_n // 2).permute(0, 2, 1))


@jit
def exponential(powers):
    return gl.exp2(powers, flush_denormals=True)


@jit
def begin_weights(scores, row_max, scale, cfg: gl.constexpr):
    """Weights of the first half of the keys, and logarithms of those of the second."""
    first, second = powers_of(scores, row_max, scale, cfg)
    return exponential(first), second


@jit
def end_weights(first, second, row_sum, correction, dtype: gl.constexpr, cfg: gl.constexpr):
    """The weights of both halves as an operand, and l with them."""
    if cfg.sum_acc is None:
        factor = gl.convert_layout(correction, only(0, row_sum.layout, 3))[:, None, None]
        row_sum = row_sum * factor + sums_by_lane(first)
        row_sum += sums_by_lane(second)
    weights = gl.convert_layout(joined(first.to(dtype), second.to(dtype)), cfg.operand_p)
    # Else each would be rounded where it is multiplied, and need twice the registers until then.
    gl.sched_barrier(computed=[weights])
    if cfg.sum_acc is not None:
        sums = one_by_lane(add_products(weights, no_products(cfg), cfg), cfg)
        row_sum = row_sum * beside_sums(correction, row_sum, cfg) + sums
    return weights, row_sum


@jit
def joined(low, high):
    """Both halves of the keys."""
    rows: gl.constexpr = low.shape[0]
    return gl.join(low, high).permute(0, 2, 1).reshape(rows, 2 * low.shape[1])


@jit
def sums_by_lane(weights):
    """Of each row four sums: two in each of the lanes that share it, which are added up once, after the last block."""
    parts = weights.reshape(weights.shape[0], weights.shape[1] // 8, 2, 2, 2)
    return gl.sum(gl.sum(parts, axis=1), axis=2)


@jit
def whole_sums(row_sum, cfg: gl.constexpr):
    if cfg.sum_acc is not None:
        return of_rows(row_sum, cfg)
    return gl.convert_layout(gl.sum(gl.sum(row_sum, axis=2), axis=1), gl.SliceLayout(1, cfg.acc))


@jit
def scaled_down(acc, correction, cfg: gl.constexpr):
    """The accumulator times each row's factor. Warps whose rows all have the factor 1 skip it."""
    of_a_lane: gl.constexpr = cfg.block_m * cfg.head_size // (64 * gl.num_warps())
    return gl.map_elementwise(times_factor, acc, correction[:, None], pack=of_a_lane)


@jit
def times_factor(*values):
    """The elements of a lane, which are of one row, times its factor, which follows as often."""
    count: gl.constexpr = len(values) // 2
    elements = [element for element in values[:count]]
    if values[count] != 1.0:
        elements = [element * values[count] for element in elements]
    return elements
