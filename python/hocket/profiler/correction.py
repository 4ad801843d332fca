"""Takes the time that recording takes out of the times that were recorded.

A record delays its warp by some cycles, and with it whoever waits for that warp. Taking each warp's own records out of
its own times would let an arrow from one warp to another point backwards. So a block has one map from the time that was
read to the time that is shown, for all of its warps: of each record, the share of one warp among those that record is
taken out of what follows. The map never decreases: what is nested stays nested, what came first stays first.

    read         0   12  24        524   536        cost of a record: 12 cycles, one warp
                 |---|---|---------|-----|
    shown        0   0   0         488   488        an empty scope has no cycles
"""

from __future__ import annotations

import numpy as np


def corrected_cycles(records: np.ndarray, cycles_of_record: float) -> np.ndarray:
    """The times of `records` (RAW_RECORD) without what records cost, as integers, in the same order."""
    cycles = records["cycle"]
    if cycles_of_record <= 0 or not len(records):
        return cycles.copy()
    block = records["launch"].astype(np.uint64) << np.uint64(32) | records["cta"]
    order = np.lexsort((cycles, block))  # stable: of a warp, in the order of the program
    block, sorted_cycles = block[order], cycles[order]
    starts = np.flatnonzero(np.concatenate([[True], block[1:] != block[:-1]]))
    lengths = np.diff(np.concatenate([starts, [len(records)]]))
    of_block = np.repeat(np.arange(len(starts)), lengths)
    # How many warps record in each block: a record holds up one of them.
    warps = np.add.reduceat(_is_first_of_warp(records, order, of_block), starts)
    index = np.arange(len(records)) - starts[of_block]
    since_start = sorted_cycles - sorted_cycles[starts][of_block]
    wanted = since_start - index * (cycles_of_record / warps[of_block])
    # One running maximum for all blocks: each begins above the end of the one before.
    span = float(since_start.max()) + 1
    shown = np.maximum.accumulate(wanted + of_block * (2 * span)) - of_block * (2 * span)
    shown = np.maximum(shown, 0)
    result = np.empty_like(cycles)
    result[order] = sorted_cycles[starts][of_block] + np.rint(shown).astype(np.int64)
    return result


def _is_first_of_warp(records: np.ndarray, order: np.ndarray, of_block: np.ndarray) -> np.ndarray:
    """1 for one record of each warp of each block, in the order of `order`; else 0."""
    key = of_block.astype(np.int64) << 16 | records["unit"][order]
    first = np.zeros(len(key), np.int64)
    first[np.unique(key, return_index=True)[1]] = 1
    return first


def cost_from_gaps(records: np.ndarray) -> float:
    """The smallest distance of two records of a warp that follow each other: no record can cost more. 0 for none."""
    if len(records) < 2:
        return 0.0
    same = (records["launch"][1:] == records["launch"][:-1]) & (records["cta"][1:] == records["cta"][:-1])
    same &= records["unit"][1:] == records["unit"][:-1]
    gaps = np.diff(records["cycle"])[same]
    return float(gaps.min()) if len(gaps) else 0.0
