"""Campaigns: distribution of inputs, counts, and continuation."""

import functools
import json
import os
import time

import campaign
import pytest
from campaign import Finding, Part, Tally

pytestmark = pytest.mark.slow


def odd_ones(numbers):
    return [Finding(number, "wrong", "odd") for number in numbers if number % 2]


def parts(*names):
    return [Part(name, long=100, quick=10, batch=10, run=odd_ones) for name in names]


def test_a_campaign_ends_at_a_count_and_goes_on_from_a_file(tmp_path):
    results = tmp_path / "results.json"
    for count, tried in ((25, 25), (10, 25), (60, 60)):
        tallies = campaign.run_in_turns(parts("a", "b"), 60, jobs=2, first=3, results=results, count=count)
        for name in "ab":
            assert tallies[name].tried == json.loads(results.read_text())[name]["tried"] == tried
            assert [finding.seed for finding in tallies[name].findings] == [n for n in range(3, 3 + tried) if n % 2]


def test_inputs_are_counted_without_gaps():
    """Whichever batch ends first: what is counted is all up to a number."""
    [part] = parts("a")
    turn = campaign.Turn(part, Tally(), next=5, end=100, counted=5)
    batches = [turn.take() for _ in range(3)]
    assert batches == [range(5, 10), range(10, 20), range(20, 30)] and turn.running == 3
    for batch, tried in ((batches[1], 0), (batches[0], 15), (batches[2], 25)):
        turn.add(batch, Tally(len(batch), 1.0, odd_ones(batch)))
        assert turn.tally.tried == tried
    assert [finding.seed for finding in turn.tally.findings] == list(range(5, 30, 2))


def wait_for_the_others(folder, numbers):
    """The first batch ends when one of the third is done."""
    while numbers[0] == 0 and not (folder / "20").exists():
        time.sleep(0.01)
    (folder / str(numbers[0])).touch()
    return []


def test_what_takes_long_holds_up_nothing(tmp_path):
    part = Part("a", long=100, quick=10, batch=10, run=functools.partial(wait_for_the_others, tmp_path))
    tallies = campaign.run_in_turns([part], 60, jobs=2, count=40)
    assert tallies["a"].tried == 40 and sorted(os.listdir(tmp_path)) == ["0", "10", "20", "30"]


@pytest.mark.parametrize("jobs", [1, 3])
def test_no_time_tries_nothing(jobs):
    assert campaign.run_in_turns(parts("a"), 0, jobs)["a"].tried == 0
