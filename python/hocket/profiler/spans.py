"""Pairs of a begin and an end: what took how long.

A scope's begin and end come from one warp and nest. A token's may come from different warps; its begin and its end have
the same payload. What has lost its other half, because a ring was full, is no span and is counted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .decoding import BEGIN, END

if TYPE_CHECKING:
    from .facts import Facts

SPAN = np.dtype(
    [
        ("launch", "u4"),
        ("cta", "u4"),
        ("warp", "u2"),
        ("end_warp", "u2"),
        ("site", "u2"),
        ("payload", "u4"),
        ("begin", "i8"),
        ("end", "i8"),
        ("raw_begin", "i8"),
        ("raw_end", "i8"),
        ("begin_ns", "f8"),
        ("end_ns", "f8"),
    ]
)


def spans_of(records: np.ndarray, raw_cycles: np.ndarray, facts: Facts) -> tuple[np.ndarray, int]:
    """The spans of one launch by block, warp and begin, outer ones first, and how many halves were left over.

    `records` are in the order of the decoder; their `cycle` is what is shown, `raw_cycles` what was read.
    """
    is_token = np.array([site.kind == "token" for site in facts.sites] or [False])
    kinds = records["kind"]
    halves = np.flatnonzero((kinds == BEGIN) | (kinds == END))
    of_token = is_token[records["site"][halves]]
    scopes, tokens = halves[~of_token], halves[of_token]
    scope_keys = [records[name][scopes] for name in ("site", "unit", "cta")]
    # Equal keys stay in the order of the program; a token's in the order of the clock, begins first.
    token_keys = [records[name][tokens] for name in ("kind", "cycle", "payload", "site", "cta")]
    pairs = [
        _adjacent_pairs(records, scopes[np.lexsort(scope_keys)], ("cta", "unit", "site")),
        _first_in_first_out(records, tokens[np.lexsort(token_keys)]),
    ]
    begins = np.concatenate([begin for begin, _ in pairs])
    ends = np.concatenate([end for _, end in pairs])
    spans = np.zeros(len(begins), SPAN)
    for name in ("launch", "cta", "warp", "site", "payload"):
        spans[name] = records[name][begins]
    spans["end_warp"] = records["warp"][ends]
    spans["begin"], spans["end"] = records["cycle"][begins], records["cycle"][ends]
    spans["raw_begin"], spans["raw_end"] = raw_cycles[begins], raw_cycles[ends]
    spans["begin_ns"], spans["end_ns"] = records["ns"][begins], records["ns"][ends]
    # What begins at one time: as the program has it, which is the order of the records.
    order = np.lexsort((begins, spans["begin"], spans["warp"], spans["cta"]))
    return spans[order], len(halves) - 2 * len(begins)


def _adjacent_pairs(records: np.ndarray, order: np.ndarray, key: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Begins that an end of the same key follows, and these ends."""
    first, second = order[:-1], order[1:]
    fits = (records["kind"][first] == BEGIN) & (records["kind"][second] == END)
    for name in key:
        fits &= records[name][first] == records[name][second]
    return first[fits], second[fits]


def _first_in_first_out(records: np.ndarray, order: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The n-th begin and the n-th end of each key (block, site, payload)."""
    begins, ends = [], []
    waiting: dict[tuple, list[int]] = {}
    columns = [records[name][order].tolist() for name in ("cta", "site", "payload", "kind")]
    for index, *key, kind in zip(order.tolist(), *columns, strict=True):
        queue = waiting.setdefault(tuple(key), [])
        if kind == BEGIN:
            queue.append(index)
        elif queue:
            begins.append(queue.pop(0))
            ends.append(index)
    return np.array(begins, np.int64), np.array(ends, np.int64)
