"""Row sums of P on CDNA, computed by MFMAs.

With D = 64 on gfx950, the VALU has 1.5 times as much work as the matrix cores. A sixth of the VALU's work are
additions: 32 per 64 keys. Instead, four MFMAs of 16 clocks each multiply P by a matrix of ones. P stays in the
registers in which it is an operand of P V. The small MFMA reads the same registers as a matrix of half the rows, each
of which holds two rows of P:

    lanes                  0 ... 15      16 ... 31      32 ... 47     48 ... 63
    P, 32 x 16             rows 0 ...    rows 16 ...    rows 0 ...    rows 16 ...    groups of 4 keys
    pairs, 16 x 32         rows 0 ...    rows 0 ...     rows 0 ...    rows 0 ...     row n: rows n and n + 16 of P
    columns of the sums    0 ... 3       4 ... 7        8 ... 11      12 ... 15

The other operand is 1 where a group of keys belongs to the same row of P as the lanes of the column, and 0 elsewhere.
Each lane thus gets the sum of its own row. An infinite element of P in one of the two rows makes the sum of the other
row NaN (infinity times 0).
"""

from __future__ import annotations

from ... import jit
from ... import language as gl
from ...language import amd


@jit
def no_row_sums(cfg: gl.constexpr):
    """Returns the initial row sums: zeros."""
    return gl.zeros([cfg.block_m // 2, 16], gl.float32, cfg.sum_acc)


@jit
def add_row_sums(p, sums, cfg: gl.constexpr):
    """Returns `sums` plus the row sums of `p`, an operand [block_m, keys]."""
    keys: gl.constexpr = p.shape[1]
    pieces = gl.convert_layout(p, cfg.acc).reshape(cfg.block_m // 32, 2, 16, keys // 4, 4)
    pairs = pieces.permute(0, 2, 3, 1, 4).reshape(cfg.block_m // 2, keys * 2)
    ones: gl.constexpr = gl.DotOperandLayout(1, cfg.sum_acc, 4)
    row_of_group = gl.arange(0, keys * 2, layout=gl.SliceLayout(1, ones))[:, None] // 4 % 2
    of_column = gl.arange(0, 16, layout=gl.SliceLayout(0, ones))[None, :] // 4 % 2
    selected = gl.where(row_of_group == of_column, 1.0, 0.0).to(p.dtype)
    return amd.cdna3.mfma(gl.convert_layout(pairs, gl.DotOperandLayout(0, cfg.sum_acc, 4)), selected, sums)


@jit
def one_by_lane(sums, cfg: gl.constexpr):
    """Returns the row sums as [warps, 16, 2, 2]. Each lane of `sums` holds four copies of a row sum, and this function
    keeps one copy. Row 16 b + n of a warp is at [..., n, ..., b]."""
    return gl.reduce(sums.reshape(cfg.block_m // 32, 16, 2, 2, 4), 4, any_of_equal)


@jit
def any_of_equal(one, other):
    """Combines two values of a reduction over equal values: returns the first value."""
    return one


@jit
def of_rows(sums, cfg: gl.constexpr):
    """Returns the row sums as [block_m]; `sums` is the result of `one_by_lane`."""
    rows = gl.reduce(sums, 2, any_of_equal).permute(0, 2, 1).reshape(cfg.block_m)
    return gl.convert_layout(rows, gl.SliceLayout(1, cfg.acc))


@jit
def beside_sums(rows, sums, cfg: gl.constexpr):
    """Converts a tensor [block_m] to the shape and layout of `sums`, a result of `one_by_lane`."""
    rows = rows.reshape(cfg.block_m // 32, 2, 16).permute(0, 2, 1)
    return gl.convert_layout(rows, gl.SliceLayout(2, sums.layout))[:, :, None, :]


__all__ = ["add_row_sums", "beside_sums", "no_row_sums", "of_rows", "one_by_lane"]
