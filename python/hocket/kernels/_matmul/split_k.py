"""Split-K GEMM: several CTAs share the K dimension of a tile, and a second kernel adds up their partial sums.

It is used for few tiles and large K. Each CTA writes its float32 partial sums to a workspace. The second kernel adds
them in the order of k, so results are the same in every run, although they differ from those without split-K.
"""

from __future__ import annotations

from dataclasses import dataclass

from ... import cdiv, jit
from ... import language as gl
from .._common.cached_hash import cached_hash
from .activation import activate, bias_of

#: Numbers of splits to choose from.
SHARES = (1, 2, 4, 8, 16)

#: Clocks of a second launch, none of which overlap with the first: about 5 us (estimated).
SECOND_LAUNCH_CLOCKS = 10_000

#: Tile of the second kernel: a warp reads 1 KiB of each of four rows.
ROWS, COLUMNS, WARPS = 16, 256, 4
LAYOUT = gl.BlockedLayout([1, 4], [1, 64], [WARPS, 1], [1, 0])


def share_of(k: int, block_k: int, shares: int) -> int:
    """K extent of each split except the last, a multiple of `block_k`."""
    return cdiv(cdiv(k, block_k), shares) * block_k


def are_all_busy(k: int, block_k: int, shares: int) -> bool:
    """True if every one of `shares` splits has a nonempty part of K."""
    return (shares - 1) * share_of(k, block_k, shares) < k


def adding_clocks(results: int, shares: int, bytes_per_clock: float) -> float:
    """Clocks to write, read and add up the partial sums of `results` elements."""
    return 0 if shares == 1 else SECOND_LAUNCH_CLOCKS + 2 * 4 * shares * results / bytes_per_clock


@cached_hash
@dataclass(frozen=True)
class AddingConfig:
    """Compile-time parameters of the second kernel."""

    shares: int
    has_bias: bool
    activation: str
    rows: int = ROWS
    columns: int = COLUMNS
    layout: gl.BlockedLayout = LAYOUT


@jit
def add_shares(sums, c, bias, c_strides, batch_strides, M, N, cfg: gl.constexpr):
    """C = activation(the sum of `sums`, [splits, batch, M, N], + bias)."""
    matrix = gl.program_id(2).to(gl.int64)
    row0, col0 = gl.program_id(0) * cfg.rows, gl.program_id(1) * cfg.columns
    rows = row0 + gl.arange(0, cfg.rows, layout=gl.SliceLayout(1, cfg.layout))[:, None]
    columns = col0 + gl.arange(0, cfg.columns, layout=gl.SliceLayout(0, cfg.layout))[None, :]
    is_inside = (rows < M) & (columns < N)
    first = sums + matrix * batch_strides[0]
    offsets = rows.to(gl.int64) * N + columns
    total = gl.load(first + offsets, mask=is_inside, other=0.0)
    for share in gl.static_range(1, cfg.shares):
        total += gl.load(first + share * batch_strides[1] + offsets, mask=is_inside, other=0.0)
    if cfg.has_bias:
        total += bias_of(bias, col0, N, cfg.layout, cfg.columns).to(gl.float32)[None, :]
    offsets_of_c = rows.to(gl.int64) * c_strides[0] + columns.to(gl.int64) * c_strides[1]
    result = activate(total, cfg.activation).to(c.dtype.element_ty)
    gl.store(c + matrix * batch_strides[2] + offsets_of_c, result, mask=is_inside)


__all__ = ["AddingConfig", "add_shares"]
