"""Split-KV attention: several CTAs share the keys of a tile, and the last one to arrive combines their results.

With fewer tiles than SMs, and in the last wave of a launch with many tiles, most SMs would be idle. The keys of such
tiles are therefore divided ("Flash-Decoding", Dao et al., 2023). Each split s stores its result and the logarithm of
its sum of
exponentials:

    o_s = softmax of split s   l_s = log2(sum of exp2(scores of split s))   o = sum of exp2(l_s) o_s / sum of exp2(l_s)

The splits are combined in the order of keys, so results are the same in every run.
"""

from __future__ import annotations

from typing import NamedTuple

from ... import cdiv, jit
from ... import language as gl

#: Largest number of splits per tile. One warpgroup combines 64 rows of all splits of a tile.
MOST_SPLITS = 32

#: Cost of storing and combining partial results (estimated). The unit is the time of one block of keys.
ADDING_BLOCKS = 4

#: Fixed cost of a tile or split: loading queries, the first softmax, and storing. The unit is the time of one block of
#: keys. The value was derived from a measurement with D 64 on an H200.
START_BLOCKS = 4


class TileSplits(NamedTuple):
    """Division of tiles among CTAs: the first `whole` tiles are not divided, and each of the other tiles is divided
    into `splits` splits."""

    whole: int
    splits: int

    def pieces_of_work(self, tiles: int) -> int:
        """Returns the number of undivided tiles plus the number of splits of all divided tiles."""
        return self.whole + (tiles - self.whole) * self.splits


def choose_splits(tiles: int, blocks: int, multiprocessors: int) -> TileSplits:
    """Returns the division of tiles that minimizes the estimated time of the last wave. The launch has `tiles` tiles
    with `blocks` blocks of keys each."""
    rest = tiles % multiprocessors

    def time_of(splits: int) -> int:
        """Returns the time of the busiest SM in the last wave. The unit is the time of one block of keys."""
        works = cdiv(rest * splits, multiprocessors)
        return works * (START_BLOCKS + cdiv(blocks, splits)) + (ADDING_BLOCKS if splits > 1 else 0)

    splits = min(range(1, min(blocks, MOST_SPLITS) + 1), key=time_of) if rest else 1
    return TileSplits(tiles if splits == 1 else tiles - rest, splits)


@jit
def combine_splits(acc, log2, outputs, split, splits, rows_inside, cfg: gl.constexpr, CONSUMER: gl.constexpr):
    """Stores the result of a split for 64 queries, and the base-2 logarithms of the sums of exponentials.

    Returns a flag, a result and logarithms. The flag is True if this split of the tile is the last one to arrive. The
    result and the logarithms are then those of the whole tile.

    outputs.partials: float32 [splits, block_m, D], and float32 [splits, block_m].
    outputs.arrivals: int32 [divided tiles, consumers], the number of splits that have arrived.
    rows_inside: number of the warpgroup's rows that are queries. Other rows are neither stored nor combined.
    """
    results, logarithms = outputs.partials
    rows = gl.arange(0, 64, layout=gl.SliceLayout(1, cfg.acc))
    columns = gl.arange(0, cfg.head_size, layout=gl.SliceLayout(0, cfg.acc))
    offsets = rows[:, None] * cfg.head_size + columns[None, :]
    is_inside = rows < rows_inside
    is_element = is_inside[:, None] & (columns >= 0)[None, :]
    tile = split // splits
    start = split.to(gl.int64) * cfg.block_m + CONSUMER * 64
    gl.store(results + start * cfg.head_size + offsets, acc, mask=is_element)
    gl.store(logarithms + start + rows, log2, mask=is_inside)
    arrival = outputs.arrivals + tile * cfg.consumers + CONSUMER
    is_last = gl.atomic_add(arrival, 1) == splits - 1
    if is_last:
        gl.atomic_xchg(arrival, 0, sem="relaxed")
        peak = gl.full([64], float("-inf"), gl.float32, gl.SliceLayout(1, cfg.acc))
        total = gl.zeros([64], gl.float32, gl.SliceLayout(1, cfg.acc))
        acc = gl.zeros([64, cfg.head_size], gl.float32, cfg.acc)
        start = tile.to(gl.int64) * splits * cfg.block_m + CONSUMER * 64
        for _ in range(splits):
            part = gl.load(results + start * cfg.head_size + offsets, mask=is_element, other=0.0)
            part_log2 = gl.load(logarithms + start + rows, mask=is_inside, other=float("-inf"))
            new_peak = gl.maximum(peak, part_log2)
            # If a row has seen no key, the maximum -inf is replaced by 0, because exp2(-inf + inf) would be NaN.
            highest = gl.where(new_peak == float("-inf"), 0.0, new_peak)
            kept, added = gl.exp2(peak - highest), gl.exp2(part_log2 - highest)
            acc = acc * kept[:, None] + part * added[:, None]
            total = total * kept + added
            peak = new_peak
            start += cfg.block_m
        acc = acc * (1.0 / gl.where(total == 0.0, 1.0, total))[:, None]
        log2 = gl.where(total == 0.0, float("-inf"), peak + gl.log2(total))
    return is_last, acc, log2


__all__ = ["TileSplits", "choose_splits", "combine_splits"]
