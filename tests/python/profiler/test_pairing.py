"""Correcting and pairing records, beside the same in NumPy, on random profiles: equal to the bit."""

import numpy as np
import pytest
from encoder import Facts, Site

from hocket import _core
from hocket.profiler.correction import corrected
from hocket.profiler.decoding import BEGIN, END, MARK, RAW_RECORD
from hocket.profiler.spans import spans_of

SITES = [Site(0, "outer"), Site(1, "inner", parent=0), Site(2, "load", "token", payload=True), Site(3, "tile", "mark")]


def random_records(numbers, blocks, units, most):
    """By block and unit, the clock of a unit never going back; some blocks and units have none. Begins and ends come in
    any order, as where rings have lost some."""
    parts = []
    for block in np.flatnonzero(numbers.random(blocks) < 0.9):
        start = int(numbers.integers(0, 1 << 40))
        for unit in range(units):
            records = np.zeros(int(numbers.integers(0, most + 1)), RAW_RECORD)
            records["launch"], records["cta"], records["unit"] = 7, block, unit
            records["warp"] = (units - unit) * 4  # not in the order of units
            records["cycle"] = start + np.sort(numbers.integers(0, 20 * most, len(records)))
            records["ns"] = records["cycle"] / 1.7
            records["site"] = numbers.integers(0, len(SITES), len(records))
            records["kind"] = np.where(records["site"] == 3, MARK, numbers.integers(0, 2, len(records)))
            records["payload"] = numbers.integers(0, 3, len(records))
            parts.append(records)
    return np.concatenate([np.zeros(0, RAW_RECORD), *parts]).astype(RAW_RECORD)  # concatenated, it has no padding


def corrected_in_numpy(records, cost, per_ns):
    result = records.copy()
    for block in np.unique(records["cta"]):
        mine = np.flatnonzero(records["cta"] == block)
        mine = mine[np.argsort(records["cycle"][mine], kind="stable")]
        cycles = records["cycle"][mine]
        share = cost / len(np.unique(records["unit"][mine]))
        shown = np.maximum.accumulate(np.maximum(cycles - cycles[0] - np.arange(len(mine)) * share, 0))
        result["cycle"][mine] = cycles[0] + np.rint(shown).astype(np.int64)
    result["ns"] -= (records["cycle"] - result["cycle"]) / per_ns[records["cta"]]
    return result


def pairs_in_python(records):
    """(begin, end) of scopes and tokens, as places of records."""
    pairs, last, begun = [], {}, {}
    for i, record in enumerate(records):
        key = record["cta"], record["unit"], record["site"]
        if record["kind"] == MARK or record["site"] == 2:
            continue
        if record["kind"] == END and key in last:
            pairs.append((last[key], i))
        last.pop(key, None)
        if record["kind"] == BEGIN:
            last[key] = i
    tokens = np.flatnonzero(records["site"] == 2)
    for i in tokens[np.lexsort((tokens, records["kind"][tokens], records["cycle"][tokens]))]:
        queue = begun.setdefault((records["cta"][i], records["payload"][i]), [])
        if records["kind"][i] == BEGIN:
            queue.append(i)
        elif queue:
            pairs.append((queue.pop(0), i))
    order = [(records["cta"][b], records["warp"][b], records["cycle"][b], b, e) for b, e in pairs]
    return [(b, e) for *_, b, e in sorted(order)]


@pytest.mark.parametrize("seed", range(20))
def test_correction_is_that_of_numpy(seed):
    numbers = np.random.default_rng(seed)
    records = random_records(numbers, 6, int(numbers.integers(1, 9)), 60)
    per_ns = 1 + numbers.random(6)
    for cost in (0.25, 12.0, float(numbers.random() * 50), 1e7):
        assert (corrected(records, cost, per_ns) == corrected_in_numpy(records, cost, per_ns)).all()
    assert corrected(records, 0.0, per_ns) is records


@pytest.mark.parametrize("seed", range(20))
def test_pairs_are_those_of_python(seed):
    numbers = np.random.default_rng(seed)
    units = int(numbers.integers(1, 9))
    raw = random_records(numbers, 5, units, 80)
    records = corrected(raw, 5.0, np.ones(5))
    spans, unpaired = spans_of(records, raw, Facts(SITES, list(range(units))))
    pairs = pairs_in_python(records)
    begins, ends = (np.array([pair[i] for pair in pairs], np.int64) for i in (0, 1))
    for name in ("launch", "cta", "warp", "site", "payload"):
        assert (spans[name] == records[name][begins]).all()
    for name, of, places in (
        ("begin", records, begins),
        ("end", records, ends),
        ("raw_begin", raw, begins),
        ("raw_end", raw, ends),
    ):
        assert (spans[name] == of["cycle"][places]).all()
    assert (spans["end_warp"] == records["warp"][ends]).all()
    assert (spans["begin_ns"] == records["ns"][begins]).all()
    assert (spans["end_ns"] == records["ns"][ends]).all()
    assert unpaired == np.isin(records["kind"], (BEGIN, END)).sum() - 2 * len(pairs)


def test_many_blocks_are_shared_out_among_threads():
    """Enough records for several threads: all blocks have equal records."""
    numbers = np.random.default_rng(1)
    block = random_records(numbers, 1, 8, 400)
    blocks = np.tile(block, 200)
    blocks["cta"] = np.repeat(np.arange(200), len(block))
    shown = corrected(blocks, 9.0, np.ones(200))
    facts = Facts(SITES, list(range(8)))
    spans, unpaired = spans_of(shown, blocks, facts)
    first, left = spans_of(shown[: len(block)].copy(), block, facts)
    assert (shown["cycle"].reshape(200, -1) == shown["cycle"][: len(block)]).all()
    assert (len(spans), unpaired) == (200 * len(first), 200 * left)
    assert (spans["begin"].reshape(200, -1) == first["begin"]).all()
    assert (spans["cta"] == np.repeat(np.arange(200), len(first))).all()


def test_what_is_no_array_of_records():
    with pytest.raises(ValueError, match="records are a contiguous array of one dimension"):
        _core.correct_records(np.zeros(41, np.uint8), 1.0, [])
    with pytest.raises(ValueError, match="the corrected and the recorded records must have equal numbers"):
        _core.pair_records(np.zeros(80, np.uint8), np.zeros(40, np.uint8), [])


def test_no_records():
    spans, unpaired = spans_of(np.zeros(0, RAW_RECORD), np.zeros(0, RAW_RECORD), Facts(SITES, [0]))
    assert (len(spans), unpaired) == (0, 0)
    assert len(corrected(np.zeros(0, RAW_RECORD), 3.0, np.ones(1))) == 0
