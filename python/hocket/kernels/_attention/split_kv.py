"""Split-KV attention: several CTAs share the keys of a tile, and a second kernel combines their results.

With fewer tiles than SMs, and in the last wave of many tiles, most SMs would be idle. The keys of these tiles are
therefore divided ("Flash-Decoding", Dao et al., 2023). Each split s stores its result and the logarithm of its sum of
exponentials:

    o_s = softmax of split s   l_s = log2(sum of exp2(scores of split s))   o = sum of exp2(l_s) o_s / sum of exp2(l_s)

The second kernel combines the splits in the order of keys, so results are the same in every run.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from ... import cdiv, jit
from ... import language as gl
from .._common.cached_hash import cached_hash
from .tiles_hopper import queries_of_tile

#: Largest number of splits per tile: the second kernel combines these in about the time of its launch (estimated).
MOST_SHARES = 32

#: Cost of storing partial results and of a second launch, in blocks of keys: about 6 us (estimated).
ADDING_BLOCKS = 4

#: Cost of a tile or split besides its blocks: loading queries, the first softmax, storing. In blocks of keys; from 64 x
#: 3072 x 3072 at D 64 on an H200, where 24 splits of a block each cost a third of the time.
START_BLOCKS = 4

#: Rows and warps of a CTA of the second kernel. A lane reads 16 bytes of a row.
ROWS, WARPS = 16, 4


class Shares(NamedTuple):
    """Assignment of tiles to CTAs: the first `whole` tiles are not divided, each other one is divided into `shares`
    splits."""

    whole: int
    shares: int

    def works(self, tiles: int) -> int:
        """Number of undivided tiles plus number of splits."""
        return self.whole + (tiles - self.whole) * self.shares


def choose_shares(tiles: int, blocks: int, multiprocessors: int) -> Shares:
    """The number of splits with which the last wave of `tiles` tiles, of `blocks` blocks of keys each, ends
    earliest."""
    rest = tiles % multiprocessors

    def rounds(shares: int) -> int:
        """Time of the busiest SM in the last wave, in blocks of keys."""
        works = cdiv(rest * shares, multiprocessors)
        return works * (START_BLOCKS + cdiv(blocks, shares)) + (ADDING_BLOCKS if shares > 1 else 0)

    shares = min(range(1, min(blocks, MOST_SHARES) + 1), key=rounds) if rest else 1
    return Shares(tiles if shares == 1 else tiles - rest, shares)


@cached_hash
@dataclass(frozen=True)
class AddingConfig:
    """Compile-time parameters of the second kernel."""

    block_m: int
    head_size: int
    is_causal: bool
    stores_lse: bool
    layout: gl.BlockedLayout
    rows: int = ROWS


def configure_adding(block_m: int, head_size: int, causal: bool, stores_lse: bool) -> AddingConfig:
    """The compile-time parameters of the second kernel."""
    lanes = head_size // 4
    layout = gl.BlockedLayout([1, 4], [32 // lanes, lanes], [WARPS, 1], [1, 0])
    return AddingConfig(block_m, head_size, causal, stores_lse, layout)


@jit
def add_attention_shares(
    results, logarithms, out, lse, out_strides, heads, all_heads, heads_at_once, queries, whole, shares,
    cfg: gl.constexpr,
):  # fmt: skip
    """Combines the splits of some rows of a tile: `results`, [all splits, block_m, D], and `logarithms`, [all
    splits, block_m]."""
    rows = gl.program_id(0) * cfg.rows + gl.arange(0, cfg.rows, layout=gl.SliceLayout(1, cfg.layout))
    columns = gl.arange(0, cfg.head_size, layout=gl.SliceLayout(0, cfg.layout))
    first = gl.program_id(1).to(gl.int64) * shares
    peak = gl.full([cfg.rows], float("-inf"), gl.float32, gl.SliceLayout(1, cfg.layout))
    total = gl.zeros([cfg.rows], gl.float32, gl.SliceLayout(1, cfg.layout))
    acc = gl.zeros([cfg.rows, cfg.head_size], gl.float32, cfg.layout)
    for split in range(shares):
        start = (first + split) * cfg.block_m
        log2 = gl.load(logarithms + start + rows)
        result = gl.load(results + start * cfg.head_size + rows[:, None] * cfg.head_size + columns[None, :])
        new_peak = gl.maximum(peak, log2)
        # If a row has seen no key, exp2(-inf + inf) would be NaN.
        highest = gl.where(new_peak == float("-inf"), 0.0, new_peak)
        kept, added = gl.exp2(peak - highest), gl.exp2(log2 - highest)
        acc = acc * kept[:, None] + result * added[:, None]
        total = total * kept + added
        peak = new_peak
    head, block = queries_of_tile(whole + gl.program_id(1), all_heads, heads_at_once, queries, cfg)
    queries_of_rows = block * cfg.block_m + rows
    is_inside = queries_of_rows < queries
    offset = (head // heads).to(gl.int64) * out_strides[0] + (head % heads).to(gl.int64) * out_strides[1]
    offsets = offset + queries_of_rows.to(gl.int64)[:, None] * out_strides[2] + columns[None, :]
    divisor = gl.where(total == 0.0, 1.0, total)
    acc = acc / divisor[:, None]
    gl.store(out + offsets, acc.to(out.dtype.element_ty), mask=is_inside[:, None] & (columns >= 0)[None, :])
    if cfg.stores_lse:
        log2 = gl.where(total == 0.0, float("-inf"), peak + gl.log2(total))
        gl.store(lse + head.to(gl.int64) * queries + queries_of_rows, log2 * 0.6931471805599453, mask=is_inside)


__all__ = ["AddingConfig", "Shares", "add_attention_shares", "choose_shares", "configure_adding"]
