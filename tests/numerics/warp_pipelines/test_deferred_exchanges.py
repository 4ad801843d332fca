"""Exchanges between warps in stages of warp pipelines: results under many schedules, and the slots that they need."""

import deferred_exchanges as exchanges
import lane_edits
import numpy as np
import pytest

import hocket
from hocket import emulator
from hocket.errors import DeadlockError, RaceError

#: In the emulator: the natural order, and adversarial ones.
SEEDS = (0, 3, 7, 1)


@pytest.mark.parametrize("target", exchanges.TARGETS)
@pytest.mark.parametrize("case", exchanges.CASES, ids=exchanges.name_of)
def test_results(case, target):
    for n in (0, 1, 2, 5):
        for seed in SEEDS:
            assert exchanges.is_right(case, target, n, seed), (n, seed)


@pytest.mark.parametrize("n", [0, 1, 5])
def test_results_in_a_worker(n):
    for seed in SEEDS:
        with emulator.target("sm_90a", seed=seed):
            found, expected = exchanges.run_in_worker(n, "shared rows")
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("layout", ["shared rows", "shared columns"])
def test_results_after_exclusive_stages(layout, axis):
    for n in (0, 1, 2, 5):
        for seed in SEEDS:
            with emulator.target("sm_90a", seed=seed):
                found, expected = exchanges.run_last("sm_90a", n, layout, axis, EXCLUSIVE=True)
            np.testing.assert_array_equal(found, expected)


@pytest.mark.slow
@pytest.mark.parametrize("target", exchanges.TARGETS)
@pytest.mark.parametrize("case", exchanges.CASES, ids=exchanges.name_of)
def test_no_schedule_changes_a_result(case, target):
    def launch():
        found, expected = exchanges.run(case, target, 4)
        np.testing.assert_array_equal(found, expected)
        return found

    report = hocket.check(launch, target=target, schedules=50)
    assert report.ok, report
    assert (len(report.schedules), report.results) == (50, 1)


#: Cases with the stages that have a fence before them. A fence is between each write and its read, and between the read
#: and the next write of the same slot; one fence is enough for both if there are two slots.
FENCES = {
    (exchanges.run_maximum, "shared rows", 1, 1, 0): ["use", "reduce"],
    (exchanges.run_maximum, "shared rows", 0, 1, 1): ["pause"],
    (exchanges.run_both_sums, "shared columns", 1, 1): ["pause", "reduce"],
    (exchanges.run_carried, "shared rows", 0, False, 1, 0): ["reduce"],
    (exchanges.run_converted, "shared rows", "own rows", 1, 0): ["use", "convert"],
    (exchanges.run_gathered, "shared rows", 1, 1, 0): ["use", "gather"],
}


def is_noticed(case, target, edit, monkeypatch):
    """Returns True if the kernel, after `edit`, fails under at least one schedule."""
    name = case[0].__name__.removeprefix("run_")
    monkeypatch.setattr(exchanges, name, hocket.jit(getattr(exchanges, name).fn))
    with lane_edits.edited(edit):
        for seed in SEEDS:
            try:
                if not exchanges.is_right(case, target, 5, seed):
                    return True
            except RaceError:
                return True
            except DeadlockError:  # without a barrier of one group alone
                return False
    return False


@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
@pytest.mark.parametrize("case", FENCES, ids=exchanges.name_of)
def test_every_fence_is_needed(case, target, monkeypatch):
    lanes = []
    assert not is_noticed(case, target, lanes.append, monkeypatch)
    fenced = [stage for stage, _ in lanes[0].slots() if lanes[0].is_fence(stage)]
    assert fenced == FENCES[case]
    for stage in fenced:
        assert is_noticed(case, target, lambda lane, stage=stage: lane.make_raw(stage), monkeypatch), stage
        assert is_noticed(case, target, lambda lane, stage=stage: lane.delete_barrier(stage), monkeypatch), stage


@pytest.mark.parametrize("case", FENCES, ids=exchanges.name_of)
def test_every_slot_is_needed_on_nvidia(case, monkeypatch):
    """Without the barrier of one slot, two stages become one. A pause more or less has no effect."""
    lanes = []
    assert not is_noticed(case, "sm_90a", lanes.append, monkeypatch)
    barriers = [n for n, line in enumerate(lanes[0].lines) if line.lstrip().startswith("nvvm.barrier")]
    noticed = [is_noticed(case, "sm_90a", lambda lane, n=n: lane.delete(n), monkeypatch) for n in barriers]
    assert sum(noticed) >= len(set(FENCES[case])), (noticed, [lanes[0].lines[n] for n in barriers])
