"""Writes the table of results of Gluon's public tests, from the records of run.py."""

from __future__ import annotations

import fnmatch
import json
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import tomllib

HEAD = """\
# Gluon's public tests, tutorials and examples

The tests, tutorials and examples are files of Triton at commit 910ba2e98deb. They run unmodified through
[`hocket.compat`](coming_from_triton.md#files-as-they-are). `tools/gluon_suite/run.py` runs them from a checkout of
Triton and writes this page. The files are not in this repository.

A test skips some parameter sets on each GPU. A function *passes* if no parameter set that it does not skip fails. A
function for other GPUs, which skips all parameter sets, counts as *skipped*. A parameter set is *too slow* if it does
not end on the emulator within the time limit.
"""

#: Marker at the begin and at the end of the part of the page that is not generated.
KEPT = "<!-- counts of GPUs, kept by tools/gluon_suite/table.py -->"


@dataclass
class Function:
    """Outcomes of a test function's parameter sets on one target."""

    counts: Counter = field(default_factory=Counter)
    text: str = ""

    @property
    def kind(self) -> str:
        if self.counts["failed"]:
            return "failed"
        if self.counts["passed"]:
            return "passed"
        return "slow" if self.counts["slow"] else "skipped"

    @property
    def num_run(self) -> int:
        return self.counts["failed"] + self.counts["passed"]


def read_records(results: Path) -> dict[tuple[str, str], dict[str, Function]]:
    """Returns the test functions by name for each (test file, target)."""
    suites: dict[tuple[str, str], dict[str, Function]] = {}
    for path in sorted(results.glob("*@*.jsonl")):
        name, _, target = path.stem.rpartition("@")
        functions = suites.setdefault((name, target), defaultdict(Function))
        for line in path.read_text().splitlines():
            record = json.loads(line)
            function = functions[record["test"].split("::", 1)[-1].split("[")[0]]
            function.counts[record["outcome"]] += 1
            if record["outcome"] == "failed" and not function.text:
                function.text = record["text"]
    return suites


def reason_for(reasons: list[dict], suite: str, function: str, target: str) -> str:
    """Returns the reason why a function fails on a target, from reasons.toml; "" if no reason is listed."""
    name = f"{suite.rpartition('.')[2]}::{function}"
    for reason in reasons:
        if target in reason.get("targets", [target]) and any(fnmatch.fnmatch(name, one) for one in reason["functions"]):
            return reason["reason"]
    return ""


def write_table(results: Path, reasons_path: Path, out: Path, sample: int = 0) -> None:
    """Writes the page `out`. `sample` is the largest number of parameter sets that were run per function; 0 for all."""
    written = tomllib.loads(reasons_path.read_text())
    reasons, not_run = written["reason"], written["not_run"]
    suites = read_records(results)
    lines = [HEAD, *_kept_part(out)]
    if sample:
        lines += [f"At most {sample} parameter sets of each function ran, evenly spread over all of them.", ""]
    lines += ["## Counts", ""]
    columns = ["file", "target", "functions passed", "failed", "skipped"]
    columns += ["parameter sets passed", "failed", "skipped", "too slow"]
    lines.append("| " + " | ".join(columns) + " |")
    lines += ["|---|---|---|---|---|---|---|---|---|"]
    for (suite, target), functions in suites.items():
        kinds = Counter(function.kind for function in functions.values())
        sets = sum((function.counts for function in functions.values()), Counter())
        cells = [suite, target, *(kinds[kind] for kind in ("passed", "failed", "skipped"))]
        cells += [sets[outcome] for outcome in ("passed", "failed", "skipped", "slow")]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    lines += ["", "## Failures", "", "| function | targets | failed parameter sets | reason |", "|---|---|---|---|"]
    rows: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    for (suite, target), functions in suites.items():
        for name, function in functions.items():
            if function.kind == "failed":
                why = reason_for(reasons, suite, name, target) or f"unexplained: {_first_line(function.text)}"
                share = f"{function.counts['failed']} of {function.num_run}"
                rows[f"{suite.rpartition('.')[2]}::{name}", why].append((target, share))
    for (name, why), places in rows.items():
        targets, counts = zip(*places, strict=True)
        lines.append(f"| {name} | {', '.join(targets)} | {', '.join(counts)} | {why} |")
    lines += ["", "## Files that are not run", "", "| file | reason |", "|---|---|"]
    lines += [f"| {', '.join(reason['files'])} | {reason['reason']} |" for reason in not_run]
    out.write_text("\n".join(lines) + "\n")


def _kept_part(page: Path) -> list[str]:
    """Returns the lines between the two `KEPT` markers of an existing page."""
    parts = page.read_text().split(KEPT) if page.exists() else []
    return [KEPT + parts[1] + KEPT, ""] if len(parts) == 3 else []


def _first_line(text: str) -> str:
    errors = [line for line in text.splitlines() if "error:" in line] or text.splitlines() or [""]
    return errors[0][:200].replace("|", "\\|")
