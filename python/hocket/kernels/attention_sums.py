"""Sums of rows of weights on CDNA, by matrix cores that have time for them.

With D = 64 on gfx950 vector units have half as much again to do as matrix cores, and a sixth of that are additions, 32
for 64 keys. Here weights are multiplied with ones instead, by four products that take a matrix core 16 clocks each. The
weights stay in the registers that they have as the large product's operand. The small one takes the same registers for
a matrix of half as many rows, each of which is two of P:

    lanes                  0 .. 15     16 .. 31     32 .. 47    48 .. 63
    P, 32 x 16             rows 0 ..   rows 16 ..   rows 0 ..   rows 16 ..   pieces of 4 keys
    pairs, 16 x 32         rows 0 ..   rows 0 ..    rows 0 ..   rows 0 ..    row n: pieces of rows n and n + 16 of P
    columns of the sums    0 .. 3      4 .. 7       8 .. 11     12 .. 15

The other factor has ones where a piece is of the same row of P as the column's lanes, and zeros elsewhere. So each lane
gets the sum of its own row. An infinite weight makes NaN of the other row's: infinity times 0.
"""

from __future__ import annotations

from .. import language as gl
from ..language import amd
from ..runtime.jit import jit


@jit
def no_products(cfg: gl.constexpr):
    """Sums to begin with."""
    return gl.zeros([cfg.block_m // 2, 16], gl.float32, cfg.sum_acc)


@jit
def add_products(weights, sums, cfg: gl.constexpr):
    """`sums` with those of `weights`, which is an operand [block_m, keys]."""
    keys: gl.constexpr = weights.shape[1]
    pieces = gl.convert_layout(weights, cfg.acc).reshape(cfg.block_m // 32, 2, 16, keys // 4, 4)
    pairs = pieces.permute(0, 2, 3, 1, 4).reshape(cfg.block_m // 2, keys * 2)
    ones: gl.constexpr = gl.DotOperandLayout(1, cfg.sum_acc, 4)
    of_weight = gl.arange(0, keys * 2, layout=gl.SliceLayout(1, ones))[:, None] // 4 % 2
    of_column = gl.arange(0, 16, layout=gl.SliceLayout(0, ones))[None, :] // 4 % 2
    selected = gl.where(of_weight == of_column, 1.0, 0.0).to(weights.dtype)
    return amd.cdna3.mfma(gl.convert_layout(pairs, gl.DotOperandLayout(0, cfg.sum_acc, 4)), selected, sums)


@jit
def one_by_lane(sums, cfg: gl.constexpr):
    """One element of each lane's, which are equal: [warps, 16, 2, 2], of row 16 b + n of a warp at [.., n, .., b]."""
    return gl.reduce(sums.reshape(cfg.block_m // 32, 16, 2, 2, 4), 4, any_of_equal)


@jit
def any_of_equal(one, other):
    return one


@jit
def of_rows(sums, cfg: gl.constexpr):
    """[block_m] of what `one_by_lane` returns."""
    rows = gl.reduce(sums, 2, any_of_equal).permute(0, 2, 1).reshape(cfg.block_m)
    return gl.convert_layout(rows, gl.SliceLayout(1, cfg.acc))


@jit
def beside_sums(rows, sums, cfg: gl.constexpr):
    """[block_m] so that it can be multiplied with what `one_by_lane` returns: `sums`."""
    rows = rows.reshape(cfg.block_m // 32, 2, 16).permute(0, 2, 1)
    return gl.convert_layout(rows, gl.SliceLayout(2, sums.layout))[:, :, None, :]


__all__ = ["add_products", "beside_sums", "no_products", "of_rows", "one_by_lane"]
