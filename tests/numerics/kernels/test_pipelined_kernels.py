"""`hocket check` finds nothing in the warp-pipelined kernels, whatever the schedule."""

import pipelined_kernels
import pytest

import hocket

pytestmark = pytest.mark.slow

#: All 200 take half a minute, and show as little.
SCHEDULES = 30


@pytest.mark.parametrize("name", pipelined_kernels.LAUNCHES)
def test_no_schedule_shows_anything(name):
    target, launch = pipelined_kernels.LAUNCHES[name]

    def right_result():
        result, _ = launch()
        return result

    report = hocket.check(right_result, target=target, schedules=SCHEDULES, name=name)
    assert report.ok, report
    assert (len(report.schedules), report.results) == (SCHEDULES, 1)
    (run,) = report.launches
    assert "pipelined" in run.name and run.grid != (1, 1, 1)
    with hocket.emulator.target(target):
        assert pipelined_kernels.is_right(launch)
