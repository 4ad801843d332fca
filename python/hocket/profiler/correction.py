"""Subtracts the cost of recording from recorded times (csrc/profiler/Correct.h)."""

from __future__ import annotations

import numpy as np

from .. import _core
from .decoding import RAW_RECORD


def corrected(records: np.ndarray, cycles_of_record: float, cycles_per_ns: np.ndarray) -> np.ndarray:
    """Returns `records` (RAW_RECORD) in the order of the decoder, with corrected cycles and nanoseconds.

    Args:
        cycles_of_record: number of cycles that a warp needs to write a record; with 0 or less, nothing is subtracted.
        cycles_per_ns: the clock frequency of each block, by number of the block.
    """
    if cycles_of_record <= 0:
        return records
    return np.frombuffer(
        _core.correct_records(records.view(np.uint8), cycles_of_record, cycles_per_ns.tolist()), RAW_RECORD
    )


def cost_from_gaps(records: np.ndarray) -> float:
    """Returns half the smallest time between a record and the second record after it in a warp. The result is an upper
    bound on the cost of a record. The time of two records is used, because one store may write two records. Returns 0
    for fewer than three records."""
    if len(records) < 3:
        return 0.0
    same = (records["launch"][2:] == records["launch"][:-2]) & (records["cta"][2:] == records["cta"][:-2])
    same &= records["unit"][2:] == records["unit"][:-2]
    gaps = (records["cycle"][2:] - records["cycle"][:-2])[same]
    return float(gaps.min()) / 2 if len(gaps) else 0.0
