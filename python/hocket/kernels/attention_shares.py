"""Tiles of attention whose keys several blocks share, and a second kernel that adds up what they leave.

A tile of queries is a block's work. Where there are fewer tiles than multiprocessors, and in the last round of many
tiles, most multiprocessors would have none. So these tiles' keys are divided (as in "Flash-Decoding", Dao et al.,
2023): each share is a result of its own, with the logarithm of its sum,

    o_s = softmax of share s   l_s = log2(sum of exp2(scores of share s))   o = sum of exp2(l_s) o_s / sum of exp2(l_s)

and the second kernel makes one of them, in the order of keys, so results are the same in every run.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from .. import cdiv
from .. import language as gl
from ..runtime.jit import jit
from .attention_tiles import queries_of_tile
from .hashed_once import hashed_once

#: As many as the second kernel adds in about the time of its launch. An estimate.
MOST_SHARES = 32

#: What storing sums and a second launch take, in blocks of keys: about 6 us. An estimate.
ADDING_BLOCKS = 4

#: The second kernel's rows and warps. A row is read in pieces of 16 bytes.
ROWS, WARPS = 16, 4


class Shares(NamedTuple):
    """How tiles are dealt out: `whole` of them to one block each, the others to `shares` blocks each."""

    whole: int
    shares: int

    def works(self, tiles: int) -> int:
        """How many tiles and shares of tiles there are."""
        return self.whole + (tiles - self.whole) * self.shares


def choose_shares(tiles: int, blocks: int, multiprocessors: int) -> Shares:
    """The shares with which the last round of `tiles` of `blocks` blocks of keys ends earliest."""
    rest = tiles % multiprocessors

    def rounds(shares: int) -> int:
        """Blocks of keys that the busiest multiprocessor has of the rest."""
        return cdiv(rest * shares, multiprocessors) * cdiv(blocks, shares) + (ADDING_BLOCKS if shares > 1 else 0)

    shares = min(range(1, min(blocks, MOST_SHARES) + 1), key=rounds) if rest else 1
    return Shares(tiles if shares == 1 else tiles - rest, shares)


@hashed_once
@dataclass(frozen=True)
class AddingConfig:
    """Everything about the second kernel that is known when it is compiled."""

    block_m: int
    head_size: int
    is_causal: bool
    stores_lse: bool
    layout: gl.BlockedLayout
    rows: int = ROWS


def configure_adding(block_m: int, head_size: int, causal: bool, stores_lse: bool) -> AddingConfig:
    """The compile-time side of the second kernel."""
    lanes = head_size // 4
    layout = gl.BlockedLayout([1, 4], [32 // lanes, lanes], [WARPS, 1], [1, 0])
    return AddingConfig(block_m, head_size, causal, stores_lse, layout)


@jit
def add_attention_shares(
    results, logarithms, out, lse, out_strides, heads, all_heads, heads_at_once, queries, whole, shares,
    cfg: gl.constexpr,
):  # fmt: skip
    """Some rows of a shared tile: what its shares have left in `results`, [shares of all, block_m, D], and
    `logarithms`, [shares of all, block_m], as one."""
    rows = gl.program_id(0) * cfg.rows + gl.arange(0, cfg.rows, layout=gl.SliceLayout(1, cfg.layout))
    columns = gl.arange(0, cfg.head_size, layout=gl.SliceLayout(0, cfg.layout))
    first = gl.program_id(1).to(gl.int64) * shares
    peak = gl.full([cfg.rows], float("-inf"), gl.float32, gl.SliceLayout(1, cfg.layout))
    total = gl.zeros([cfg.rows], gl.float32, gl.SliceLayout(1, cfg.layout))
    acc = gl.zeros([cfg.rows, cfg.head_size], gl.float32, cfg.layout)
    for share in range(shares):
        start = (first + share) * cfg.block_m
        log2 = gl.load(logarithms + start + rows)
        result = gl.load(results + start * cfg.head_size + rows[:, None] * cfg.head_size + columns[None, :])
        new_peak = gl.maximum(peak, log2)
        # A row without any key so far: exp2(-inf + inf) would be NaN.
        highest = gl.where(new_peak == float("-inf"), 0.0, new_peak)
        kept, added = gl.exp2(peak - highest), gl.exp2(log2 - highest)
        acc = acc * kept[:, None] + result * added[:, None]
        total = total * kept + added
        peak = new_peak
    head, block = queries_of_tile(whole + gl.program_id(1), all_heads, heads_at_once, queries, cfg)
    queries_of_rows = block * cfg.block_m + rows
    is_inside = queries_of_rows < queries
    place = (head // heads).to(gl.int64) * out_strides[0] + (head % heads).to(gl.int64) * out_strides[1]
    places = place + queries_of_rows.to(gl.int64)[:, None] * out_strides[2] + columns[None, :]
    divisor = gl.where(total == 0.0, 1.0, total)
    acc = acc / divisor[:, None]
    gl.store(out + places, acc.to(out.dtype.element_ty), mask=is_inside[:, None] & (columns >= 0)[None, :])
    if cfg.stores_lse:
        log2 = gl.where(total == 0.0, float("-inf"), peak + gl.log2(total))
        gl.store(lse + head.to(gl.int64) * queries + queries_of_rows, log2 * 0.6931471805599453, mask=is_inside)


__all__ = ["AddingConfig", "Shares", "add_attention_shares", "choose_shares", "configure_adding"]
