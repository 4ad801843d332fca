"""A pytest plugin for run.py: records outcomes, selects some parameter sets, and ends tests at a time limit.

--record FILE   append a line of JSON for each test: `test` (file::function[parameters]), `outcome` (passed, failed,
                skipped, slow) and `text`, why it did not pass
--sample N      run N parameter sets of each function, evenly spread
--limit S       end a test after S seconds: with pytest-xdist, whose worker dies and is replaced
"""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import pytest

_MOST_TEXT = 2000
_PHASES = ("setup", "call", "teardown")


class _Recorder:
    """Writes the record in the main process of pytest, to which the workers of pytest-xdist report."""

    def __init__(self, path: Path):
        self._file = path.open("a")

    def pytest_runtest_logreport(self, report: Any) -> None:
        has_died = report.when not in _PHASES  # pytest-xdist reports a dead worker in a phase of its own
        is_over = report.when == "call" or (report.when == "setup" and report.outcome != "passed")
        if not (is_over or has_died):
            return
        line = {"test": report.nodeid, "outcome": "slow" if has_died else report.outcome, "text": _reason(report)}
        self._file.write(json.dumps(line) + "\n")
        self._file.flush()


class _Limit:
    """Ends the worker process of a test that reaches the time limit."""

    def __init__(self, seconds: int):
        self._seconds = seconds

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: Any) -> Any:
        # A signal handler in Python would not run while an emulated kernel executes in C++, so the signal ends the
        # process.
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(self._seconds)
        try:
            return (yield)
        finally:
            signal.alarm(0)


def _reason(report: Any) -> str:
    if report.outcome == "passed":
        return ""
    if isinstance(report.longrepr, tuple):  # (file, line, reason) of a skipped test
        return str(report.longrepr[2])
    crash = getattr(report.longrepr, "reprcrash", None)
    return (crash.message if crash else str(report.longrepr))[:_MOST_TEXT]


def pytest_addoption(parser: Any) -> None:
    parser.addoption("--record", type=Path, help="append a line of JSON for each test to this file")
    parser.addoption("--sample", type=int, default=0, help="parameter sets of each function, evenly spread; 0: all")
    parser.addoption("--limit", type=int, default=0, help="seconds for each test, in workers; 0: no limit")


def pytest_configure(config: Any) -> None:
    is_worker = hasattr(config, "workerinput")
    if config.option.record and not is_worker:
        config.pluginmanager.register(_Recorder(config.option.record))
    if config.option.limit and is_worker:
        config.pluginmanager.register(_Limit(config.option.limit))


def pytest_collection_modifyitems(config: Any, items: list[Any]) -> None:
    most = config.option.sample
    if not most:
        return
    functions: dict[str, list[Any]] = {}
    for item in items:
        functions.setdefault(item.nodeid.split("[")[0], []).append(item)
    items[:] = [
        ours[index * len(ours) // min(most, len(ours))]
        for ours in functions.values()
        for index in range(min(most, len(ours)))
    ]
