"""Plans of the GEMM on Hopper with few rows or few columns: narrow tiles, at the bandwidth of memory.

The time of such a GEMM is the time to read its large operand once. The rows of a tile are rows of the large operand,
64 at a time as wgmma needs, and its columns are all rows of the small one. With few rows of A, the kernel therefore
computes B^T x A^T. The clocks for the large operand are the larger of two times, and split-K adds further clocks:

    all bytes / bytes per clock from memory
    waves x k-tiles of a split x bytes of a k-tile / bytes per clock to an SM
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ... import cdiv
from .plan_few_rows import is_large
from .plan_hopper import FEWEST_STEPS, MOST_DIVIDED_TILES, ROW_BYTES, HopperPlan, HopperTile, choose_hopper_plan

if TYPE_CHECKING:
    from .operands import Gemm

#: Largest extent of the small operand if the other operand is large, and otherwise. The columns of a tile are the next
#: power of two, at least 8.
MOST_COLUMNS, MOST_COLUMNS_OF_SMALL, FEWEST_COLUMNS = 64, 32, 8

#: Bytes per clock from memory to all SMs, and the most to one SM, measured on an H200 (docs/lab/hopper_kernels.md).
MEMORY_BYTES, SM_BYTES = 2300, 36

#: Clocks from the launch to the first k-tile and from the last one to the end; further clocks of split-K: to store
#: partial sums and to learn that they are the last, and to add up those of one split, for a tile of 64 x 16.
LAUNCH_CLOCKS, ARRIVAL_CLOCKS, ADD_CLOCKS = 4000, 5000, 150

#: Clocks between two waves: the tensor cores wait until results are converted and stored.
WAVE_CLOCKS = 1800

#: Largest number of splits of a tile.
MOST_SPLITS = 32


def narrow_order(gemm: Gemm) -> bool | None:
    """Returns None if narrow tiles were not measured to be faster than other tiles. Otherwise returns True if A has few
    rows, so that the kernel computes B^T x A^T, and False if B has few columns."""
    rows, columns = gemm.out.rows, gemm.out.columns
    if rows <= MOST_COLUMNS and is_large(gemm.b):
        return True
    if columns <= MOST_COLUMNS and is_large(gemm.a):
        return False
    if min(rows, columns) <= MOST_COLUMNS_OF_SMALL and gemm.a.element_bits <= 16:
        return rows <= columns
    return None


def narrow_tile(columns: int) -> HopperTile:
    """Returns the tile of a GEMM whose result has `columns` columns, at most `MOST_COLUMNS`."""
    return HopperTile(64, max(FEWEST_COLUMNS, 1 << (columns - 1).bit_length()), 1)


def narrow_clocks(tile: HopperTile, tiles: int, steps: int, splits: int, multiprocessors: int) -> float:
    """Returns the estimated clocks of a GEMM with `tiles` tiles of `steps` k-tiles each."""
    memory = tiles * steps * tile.m * ROW_BYTES / MEMORY_BYTES
    waves = cdiv(tiles * splits, multiprocessors)
    rounds = waves * cdiv(steps, splits)
    clocks = max(memory, rounds * (tile.m + tile.n) * ROW_BYTES / SM_BYTES) + LAUNCH_CLOCKS + (waves - 1) * WAVE_CLOCKS
    return clocks + (ARRIVAL_CLOCKS + ADD_CLOCKS * splits * tile.n / 16 if splits > 1 else 0)


def choose_narrow_plan(
    m: int,
    n: int,
    k: int,
    batch: int,
    element_bits: int,
    out_bits: int,
    shared_bytes: int,
    multiprocessors: int,
    is_transposed: bool,
    activation: str = "none",
) -> HopperPlan:
    """Chooses the plan for `batch` GEMMs of size m x k times k x n, where n is at most `MOST_COLUMNS`.

    `is_transposed`: whether this GEMM is the transpose of the user's. The other arguments are as in
    `choose_hopper_plan`.
    """
    tile = narrow_tile(n)
    tiles = batch * cdiv(m, tile.m)
    steps = cdiv(k * element_bits // 8, ROW_BYTES)
    most = 1 if tiles > MOST_DIVIDED_TILES else max(min(MOST_SPLITS, steps // FEWEST_STEPS), 1)
    splits = min(range(1, most + 1), key=lambda count: narrow_clocks(tile, tiles, steps, count, multiprocessors))
    plan = choose_hopper_plan(
        m, n, k, batch, element_bits, out_bits, shared_bytes, multiprocessors, tile, activation, splits
    )
    clocks = narrow_clocks(tile, tiles, steps, splits, multiprocessors)
    small = "a has few rows: the kernel computes B^T x A^T" if is_transposed else "b has few columns"
    reason = f"{small}; the tile is as narrow as the small operand, because the time is that of reading the large one"
    return replace(plan, is_transposed=is_transposed, clocks=clocks, reasons=(reason, *plan.reasons))
