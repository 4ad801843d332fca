"""Profiles of launches with known timing: spans, their correction, summaries and pictures."""

import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from encoder import BEGIN, END, MARK, Encoder, Facts, Site
from profiles import profile_of, warp_pipeline

from hocket.errors import LaunchError
from hocket.profiler.correction import corrected, cost_from_gaps

NESTED = [
    Site(0, "outer", line=3),
    Site(1, "inner", parent=0, line=4),
    Site(2, "tile", "mark"),
    Site(3, "warp", "warp"),
]


def nested(cost: int = 0) -> Encoder:
    """outer(inner(100 cycles), inner(0 cycles), 50 cycles); each record takes `cost` cycles."""
    encoder = Encoder(Facts(NESTED, [0]))
    clock = 1000
    for kind, site, work in ((BEGIN, 0, 0), (BEGIN, 1, 100), (END, 1, 0), (BEGIN, 1, 0), (END, 1, 50), (END, 0, 0)):
        encoder.write(0, kind, site, clock)
        clock += cost + work
    return encoder


def spans(profile):
    return [(s["site"], s["begin"], s["end"]) for s in profile.launches[0].spans]


def test_spans_nest():
    profile = profile_of(nested())
    assert spans(profile) == [(0, 1000, 1150), (1, 1000, 1100), (1, 1100, 1100)]


def test_what_records_cost_is_taken_out():
    profile = profile_of(nested(cost=12), cycles_of_record=12.0)
    assert spans(profile) == [(0, 1000, 1150), (1, 1000, 1100), (1, 1100, 1100)]
    raw = [(s["raw_begin"], s["raw_end"]) for s in profile.launches[0].spans]
    assert raw == [(1000, 1210), (1012, 1124), (1136, 1148)]
    records = profile.records()
    assert records["raw_cycle"].tolist() == [1000, 1012, 1124, 1136, 1148, 1210]
    assert records["cycle"].tolist() == [1000, 1000, 1100, 1100, 1100, 1150]


def test_correction_never_turns_time_around():
    """Warps that record at random: the order of all records of a block stays, whatever a record is said to cost."""
    numbers = np.random.default_rng(5)
    encoder = Encoder(Facts(NESTED, list(range(4))), blocks=3)
    for block in range(3):
        clocks = np.sort(numbers.integers(0, 4000, 400))
        for clock in clocks.tolist():
            encoder.write(int(numbers.integers(4)), MARK, 2, clock, block=block)
    records = profile_of(encoder).launches[0].records
    for cost in (0.0, 3.5, 40.0, 1e6):
        shown = corrected(records, cost, np.ones(3))["cycle"]
        for block in range(3):
            mine = records["cta"] == block
            order = np.argsort(records["cycle"][mine], kind="stable")
            assert (np.diff(shown[mine][order]) >= 0).all()
            assert (shown[mine] <= records["cycle"][mine]).all()
    # Four warps that record equally often: a record of one holds up a quarter of the block.
    assert corrected(records, 4.0, np.ones(3))["cycle"].max() == pytest.approx(records["cycle"].max() - 400, abs=100)


def test_the_cost_is_half_the_smallest_distance_to_the_next_but_one():
    """Two records may share a store, so one gap alone may not contain a store."""
    encoder = Encoder(Facts(NESTED, [0, 1]))
    for clock in (0, 40, 64, 100):
        encoder.write(0, MARK, 2, clock)
        encoder.write(1, MARK, 2, clock + 1)
    assert cost_from_gaps(profile_of(encoder).launches[0].records) == 30


def test_halves_are_counted():
    encoder = Encoder(Facts(NESTED, [0]))
    encoder.write(0, END, 0, 5)
    encoder.span(0, 0, 10, 20)
    encoder.write(0, BEGIN, 0, 30)
    profile = profile_of(encoder)
    assert spans(profile) == [(0, 10, 20)]
    assert profile.launches[0].unpaired == 2


def test_tokens_pair_by_payload_across_warps():
    """Two loads are in flight at once; another warp sees them end."""
    encoder = Encoder(Facts([Site(0, "tma", "token", payload=True)], [0, 4]))
    for payload, clock in ((0, 10), (1, 20), (0, 50)):
        encoder.write(0, BEGIN, 0, clock, payload)
    for payload, clock in ((1, 60), (0, 70), (0, 90)):
        encoder.write(1, END, 0, clock, payload)
    found = profile_of(encoder).launches[0].spans
    assert found[["warp", "end_warp", "payload", "begin", "end"]].tolist() == [
        (0, 4, 0, 10, 70),
        (0, 4, 1, 20, 60),
        (0, 4, 0, 50, 90),
    ]


def test_summary():
    encoder = Encoder(Facts(NESTED, [0, 1]))
    for warp in (0, 1):
        encoder.write(warp, BEGIN, 3, 0)
        encoder.write(warp, BEGIN, 0, 0)
        for length in range(1, 101):
            encoder.span(warp, 1, 1000 * length, 1000 * length + length)
        encoder.write(warp, MARK, 2, 150_000)
        encoder.write(warp, END, 0, 150_000)
        encoder.write(warp, END, 3, 200_000)
    summary = profile_of(encoder, kernel="gemm").summary()
    inner = summary.named("inner")
    assert (inner.count, inner.p50, inner.longest, inner.total) == (200, 50.5, 100, 10_100)
    assert inner.p95 == pytest.approx(95, abs=0.5)
    assert inner.share == pytest.approx(10_100 / 400_000)
    assert summary.named("outer").share == 0.75
    assert str(summary) == (
        "gemm        count       p50       p95       max   share  where\n"
        "outer           2    150000    150000    150000   75.0%  kernel.py:3\n"
        "  inner       200        50        95       100    2.5%  kernel.py:4\n"
        "tile            2         -         -         -       -  kernel.py:0\n"
        "warp            2    200000    200000    200000  100.0%  kernel.py:0"
    )
    with pytest.raises(KeyError, match="no row is named 'store'; the rows are outer, inner, tile, warp"):
        summary.named("store")


def test_picture_has_a_row_for_each_warp():
    profile = profile_of(warp_pipeline(100, 300, iterations=4), kernel="attention")
    root = ElementTree.fromstring(profile.picture().svg)
    texts = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"attention", "warp 0", "warp 4", "load", "compute"} <= set(texts)
    assert "Cycles that warps have recorded, without what recording costs." in texts
    titles = [title.text for title in root.iter("{http://www.w3.org/2000/svg}title")]
    assert "load: 0 to 100, 100 clocks, kernel.py:10" in titles
    assert len(titles) == 2 * 2 * 4
    assert profile._repr_html_().startswith("<svg")


def test_picture_shows_scopes_inside_stages_below_them():
    sites = [Site(0, "compute", "stage"), Site(1, "exp", parent=0)]
    encoder = Encoder(Facts(sites, [0]))
    for kind, site, clock in ((BEGIN, 0, 0), (BEGIN, 1, 10), (END, 1, 60), (END, 0, 100)):
        encoder.write(0, kind, site, clock)
    slices = profile_of(encoder).timeline().slices
    assert [(s.kind, s.label, s.begin, s.end) for s in slices] == [
        ("stage", "compute", 0, 100),
        ("scope", "exp", 10, 60),
    ]
    assert "exp: 10 to 60" in profile_of(encoder).picture().svg


def test_picture_of_lives_where_nothing_else_is_known():
    sites = [Site(0, "warp", "warp"), Site(1, "producer", "partition")]
    facts = Facts(sites, [0, 4], group_of_warp=[0] * 5, partition_of_warp=[""] * 4 + ["producer"])
    encoder = Encoder(facts)
    encoder.span(0, 0, 0, 90)
    encoder.write(1, BEGIN, 0, 0)
    encoder.span(1, 1, 5, 80)
    encoder.write(1, END, 0, 85)
    slices = profile_of(encoder).timeline().slices
    assert [(s.warp, s.kind, s.label, s.begin, s.end) for s in slices] == [
        (0, "stage", "warp", 0, 90),
        (4, "stage", "producer", 5, 80),
    ]


def test_no_such_launch():
    with pytest.raises(LaunchError, match=r"^there is no launch 3; 1 were recorded$"):
        profile_of(nested()).raw(3)
