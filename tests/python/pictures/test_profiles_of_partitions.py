"""The picture of a specialized kernel's profile: rows are named by partition, and waits are hatched."""

import xml.etree.ElementTree as ElementTree

import gallery
import numpy as np
import pytest

import hocket
from hocket import LaunchError

SVG = "{http://www.w3.org/2000/svg}"


def titles(picture):
    return [title.text for title in ElementTree.fromstring(picture.svg).iter(f"{SVG}title")]


def words(picture):
    return " ".join(text.text for text in ElementTree.fromstring(picture.svg).iter(f"{SVG}text"))


def recorded(count=4, **options):
    x, out = np.ones(count * 128, np.float32), np.zeros(128, np.float32)
    with hocket.emulator.target("sm_90a"), hocket.profiler.session("specialized", **options) as profile:
        gallery.specialized[(1,)](x, out, count, 2)
    return profile


def test_rows_have_the_names_of_partitions():
    texts = [text.text for text in ElementTree.fromstring(recorded().picture().svg).iter(f"{SVG}text")]
    rows = [text for text in texts if text.startswith("warp ")]
    assert rows == [*(f"warp {warp} (default)" for warp in range(4)), "warp 4 (produce)"]


def test_each_wait_is_hatched_and_interrupts_its_partition():
    profile = recorded()
    assert "not recorded" not in words(profile.picture())
    waits = [s for s in profile.timeline().slices if s.kind == "wait"]
    assert len(waits) == 4 * 4 + 4, "four consumer warps and the producer, four trips each"
    found = titles(profile.picture())
    for s in waits:
        assert f"wait: {s.begin} to {s.end}, {s.clocks} clocks, tests/python/pictures/gallery.py:{s.line}" in found or (
            s.clocks == 0 and any(title.startswith(f"wait: {s.begin} to {s.end}, 0 clocks") for title in found)
        )
    # The consumers wait for data before each trip, so their partition is drawn in more than one piece.
    consumer = [title for title in found if title.startswith("default: ")]
    assert len(consumer) > 4


def test_without_waits_the_partitions_are_drawn_whole():
    picture = recorded(waits=False).picture()
    assert "Waits inside partitions are not recorded; hocket.profiler.session(waits=True) records them." in words(
        picture
    )
    found = titles(picture)
    assert sum(title.startswith("default: ") for title in found) == 4
    assert not [title for title in found if title.startswith("wait")]


def test_waits_are_a_choice():
    with pytest.raises(LaunchError) as caught:
        hocket.profiler.session("specialized", waits="all")
    assert str(caught.value) == "waits must be None, True or False, not 'all'"


@pytest.mark.parametrize("waits", [False, True])
def test_waits_change_no_clock(waits):
    """On the emulator recording takes no virtual time."""
    ends = [max(s.end for s in recorded(waits=which).timeline().slices) for which in (waits, None)]
    assert ends[0] == ends[1]


def test_the_bound_of_a_kernel_without_scopes():
    """Each partition's time between waits is its work: the producer loads from global memory and never waits."""
    found = recorded(20).explain()
    assert (found.bound, found.bound_actor, found.is_reliable) == ("produce", "produce", True)
    assert {(work.actor, work.name) for work in found.work} == {("default", "default"), ("produce", "produce")}
    (waiting,) = found.waiting
    assert (waiting.actor, waiting.waits_for, waiting.of) == ("default", "produce", "produce")
    (consumer,) = [work.cycles for work in found.work if work.actor == "default"]
    assert waiting.cycles + consumer == pytest.approx(found.cycles, rel=0.05)
