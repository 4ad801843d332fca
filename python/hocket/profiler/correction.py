"""Subtracts the cost of recording from recorded times (csrc/profiler/Correct.h)."""

from __future__ import annotations

import numpy as np

from .. import _core
from .decoding import RAW_RECORD


def corrected(records: np.ndarray, cycles_of_record: float, cycles_per_ns: np.ndarray) -> np.ndarray:
    """`records` (RAW_RECORD) in the order of the decoder, with corrected cycles and nanoseconds.

    Args:
        cycles_of_record: cost of a record for its warp; with 0 or less, nothing is subtracted.
        cycles_per_ns: the clock frequency of each block, by number of the block.
    """
    if cycles_of_record <= 0:
        return records
    return np.frombuffer(
        _core.correct_records(records.view(np.uint8), cycles_of_record, cycles_per_ns.tolist()), RAW_RECORD
    )


def cost_from_gaps(records: np.ndarray) -> float:
    """The smallest distance between consecutive records of a warp: an upper bound on the cost of a record. 0 if
    there are none."""
    if len(records) < 2:
        return 0.0
    same = (records["launch"][1:] == records["launch"][:-1]) & (records["cta"][1:] == records["cta"][:-1])
    same &= records["unit"][1:] == records["unit"][:-1]
    gaps = np.diff(records["cycle"])[same]
    return float(gaps.min()) if len(gaps) else 0.0
