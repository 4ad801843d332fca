"""Runs kernels on the emulator under many schedules of blocks and warps, and reports all errors.

    report = hocket.check(example, target="gfx950", schedules=200)
    assert report.ok, report

or `hocket check FILE.py::example --target gfx950 --schedules 200`. A schedule determines the order in which blocks and
warps run, where the hardware leaves this order open. It also determines the time at which asynchronous copies arrive;
see hocket.emulator.schedule. The first schedule, seed 0, is the natural order. Every fourth schedule, from seed 3 on,
is adversarial: some warps run far ahead of the others, and the last block starts first. All other schedules are random.

The docstring of `check` lists the kinds of errors. Not even many schedules find races that need other inputs, another
grid, or a branch that was not taken. Nor do they find results that depend on the order of blocks whose numbers differ
by more than 32.
"""

from .exploration import check
from .report import CheckedLaunch, CheckReport, Finding, Schedule

__all__ = ["CheckReport", "CheckedLaunch", "Finding", "Schedule", "check"]
