"""Split-K of the GEMM on Hopper: several CTAs share the k-tiles of a tile of C, in one launch.

Each CTA stores its partial sums, float32, to a workspace and counts its arrival at the tile. The last CTA to
arrive adds up all partial sums in the order of k, so results are the same in every run, and applies the epilogue:

    CTA 0   k-tiles 0 ... 3 of the tile | partial sums 0, arrival
    CTA 1   k-tiles 4 ... 7 of the tile | partial sums 1, arrival | 0 + 1, epilogue, store of C
"""

from __future__ import annotations

from ... import jit
from ... import language as gl


@jit
def combine_splits(accs, workspace, tile, split, splits, part: gl.constexpr, cfg: gl.constexpr):
    """Stores the partial sums of a warpgroup. Returns a flag and the sums: the flag is True if this split of the tile
    is the last one to arrive, and then the sums are those of the whole tile.

    workspace: float32 [tiles, splits, parts, accumulators, rows, columns]; int32 [tiles, parts], the number of splits
        that have arrived, 0 before and after the launch.
    """
    partial_sums, arrivals = workspace
    rows: gl.constexpr = accs[0].shape[0]
    row = gl.arange(0, rows, layout=gl.SliceLayout(1, cfg.acc))
    column = gl.arange(0, cfg.acc_n, layout=gl.SliceLayout(0, cfg.acc))
    offsets = row[:, None] * cfg.acc_n + column[None, :]
    tile_size: gl.constexpr = cfg.block_m * cfg.block_n
    first = partial_sums + tile.to(gl.int64) * splits * tile_size + part * cfg.accs * rows * cfg.acc_n
    for side in gl.static_range(cfg.accs):
        gl.store(first + split * tile_size + side * rows * cfg.acc_n + offsets, accs[side])
    arrival = arrivals + tile * cfg.parts + part
    is_last = gl.atomic_add(arrival, 1) == splits - 1
    if is_last:
        gl.atomic_xchg(arrival, 0, sem="relaxed")
        accs = [gl.zeros([rows, cfg.acc_n], gl.float32, cfg.acc) for _ in range(cfg.accs)]
        for _ in range(splits):
            accs = [accs[side] + gl.load(first + side * rows * cfg.acc_n + offsets) for side in range(cfg.accs)]
            first += tile_size
    return is_last, accs


__all__ = ["combine_splits"]
