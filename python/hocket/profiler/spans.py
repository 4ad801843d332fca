"""Combines the begin and end records of scopes, stages and tokens into spans (csrc/profiler/Pair.h)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .. import _core
from .decoding import structure

if TYPE_CHECKING:
    from .facts import ProfileFacts

#: A span. `raw_begin` and `raw_end` are the values of the cycle counter that the warps have read.
SPAN = structure(
    72,
    launch=(0, "u4"),
    cta=(4, "u4"),
    warp=(12, "u2"),
    end_warp=(14, "u2"),
    site=(16, "u2"),
    payload=(8, "u4"),
    begin=(24, "i8"),
    end=(32, "i8"),
    raw_begin=(40, "i8"),
    raw_end=(48, "i8"),
    begin_ns=(56, "f8"),
    end_ns=(64, "f8"),
)


def spans_of(records: np.ndarray, raw: np.ndarray, facts: ProfileFacts) -> tuple[np.ndarray, int]:
    """Returns the spans of one launch (SPAN), and the number of unpaired records. Spans are sorted by block, warp and
    begin, with outer spans first.

    `records` are the corrected and `raw` the uncorrected records (RAW_RECORD), in the decoder's order.
    """
    is_token = [site.kind == "token" for site in facts.sites]
    spans, unpaired = _core.pair_records(records.view(np.uint8), raw.view(np.uint8), is_token)
    return np.frombuffer(spans, SPAN), unpaired
