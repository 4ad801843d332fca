"""Names and counts the skipped tests at the end of a run, by reason.

A pytest plugin; tests/conftest.py registers it. pytest's own `-rs` counts neither the tests of a reason, nor, under
xdist, the files that are skipped as a whole.
"""

from __future__ import annotations

import collections
import pathlib

import pytest

#: Files named for each reason; further ones are only counted.
MOST_FILES = 3


class SkipSummary:
    def __init__(self) -> None:
        #: (file, reason) of files that are skipped while they are imported.
        self.files: set[tuple[str, str]] = set()

    @pytest.hookimpl
    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.skipped:
            self.files.add((report.nodeid, reason_of(report)))

    @pytest.hookimpl
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if hasattr(session.config, "workeroutput"):  # a worker of xdist
            session.config.workeroutput["skipped_files"] = sorted(self.files)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node, error) -> None:
        self.files |= {(file, reason) for file, reason in getattr(node, "workeroutput", {}).get("skipped_files", [])}

    @pytest.hookimpl
    def pytest_terminal_summary(self, terminalreporter) -> None:
        reports = terminalreporter.stats.get("skipped", [])
        tests = [(report.nodeid.split("::")[0], reason_of(report)) for report in reports if report.when != "collect"]
        lines = summary(tests, self.files)
        if lines:
            terminalreporter.section("skipped")
            for line in lines:
                terminalreporter.write_line(line)


def reason_of(report: pytest.TestReport | pytest.CollectReport) -> str:
    text = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return text.removeprefix("Skipped: ").splitlines()[0]


def summary(tests: list[tuple[str, str]], files: set[tuple[str, str]]) -> list[str]:
    """Returns a line for each reason, the most frequent first, after a line with the totals.

    `tests`: (file, reason) of each skipped test; `files`: (file, reason) of each file that was skipped as a whole.
    """
    if not tests and not files:
        return []
    counts: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    for file, reason in tests:
        counts[reason][file] += 1
    whole: dict[str, list[str]] = collections.defaultdict(list)
    for file, reason in sorted(files):
        whole[reason].append(file)
    lines = [count_of(len(tests), len(files))]
    for reason in sorted({*counts, *whole}, key=lambda each: (-sum(counts[each].values()), each)):
        names = [pathlib.PurePath(file).name for file in [*whole[reason], *counts[reason]]]
        more = f" and {len(names) - MOST_FILES} more" if len(names) > MOST_FILES else ""
        total = count_of(sum(counts[reason].values()), len(whole[reason]))
        lines.append(f"  {total}: {reason} ({', '.join(names[:MOST_FILES])}{more})")
    return lines


def count_of(tests: int, files: int) -> str:
    parts = []
    if tests or not files:
        parts.append(f"{tests} test{'s' * (tests != 1)}")
    if files:
        parts.append(f"{files} whole file{'s' * (files != 1)}")
    return " and ".join(parts)
