"""Products with few tiles and many steps of k: several blocks share a tile (split-K), and a second kernel adds up.

Each block adds the products of its steps of k and writes its sums, in float32, into a workspace. The second kernel adds
those of a tile in the order of k, so results are the same in every run, though not those of a single block.
"""

from __future__ import annotations

from dataclasses import dataclass

from .. import cdiv
from .. import language as gl
from ..runtime.jit import jit
from .hashed_once import hashed_once
from .matmul_activation import activate, bias_of

#: How many blocks may share a tile.
SHARES = (1, 2, 4, 8, 16)

#: What a second launch takes, of which nothing is hidden: about 5 us. An estimate.
SECOND_LAUNCH_CLOCKS = 10_000

#: The second kernel's tile: a warp reads 1 KiB of each of four rows.
ROWS, COLUMNS, WARPS = 16, 256, 4
LAYOUT = gl.BlockedLayout([1, 4], [1, 64], [WARPS, 1], [1, 0])


def share_of(k: int, block_k: int, shares: int) -> int:
    """The steps of k of each block but the last: whole slices."""
    return cdiv(cdiv(k, block_k), shares) * block_k


def are_all_busy(k: int, block_k: int, shares: int) -> bool:
    """Whether the last of `shares` blocks has steps of k left."""
    return (shares - 1) * share_of(k, block_k, shares) < k


def adding_clocks(results: int, shares: int, bytes_per_clock: float) -> float:
    """What it takes to write, read and add up the sums of `results` numbers."""
    return 0 if shares == 1 else SECOND_LAUNCH_CLOCKS + 2 * 4 * shares * results / bytes_per_clock


@hashed_once
@dataclass(frozen=True)
class AddingConfig:
    """Everything about the second kernel that is known when it is compiled."""

    shares: int
    has_bias: bool
    activation: str
    rows: int = ROWS
    columns: int = COLUMNS
    layout: gl.BlockedLayout = LAYOUT


@jit
def add_shares(sums, c, bias, c_strides, batch_strides, M, N, cfg: gl.constexpr):
    """C = activation(the sum of `sums`, [shares, batch, M, N], + bias)."""
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
    places = rows.to(gl.int64) * c_strides[0] + columns.to(gl.int64) * c_strides[1]
    result = activate(total, cfg.activation).to(c.dtype.element_ty)
    gl.store(c + matrix * batch_strides[2] + places, result, mask=is_inside)


__all__ = ["AddingConfig", "add_shares"]
