#!/usr/bin/env python3
"""Runs the Python tests several times in random orders, and prints the tests that failed with the seeds of their runs.

    python tools/shuffle_tests.py --runs 10 --jobs 8
    python tools/shuffle_tests.py --runs 1 --jobs 1 --cores 1 --memory 0.5        # on a small machine
    python tools/shuffle_tests.py --seed 7 tests/python/runtime                   # one order again

The first run has the seed `--seed`, and the seed of each further run is computed from the previous seed. A seed
determines the order of tests (pytest-randomly), the seeds of Python's random numbers, and the hashes of strings. Runs
1, 3, 5 and so on start with an empty cache folder; all other runs share a cache folder. Each process of a run maps at
most the fraction `--memory` of the machine's memory, and all processes together use `--cores` cores. Needs pytest,
pytest-randomly, pytest-xdist and hypothesis. The exit status is 1 if a test failed.
"""

from __future__ import annotations

import argparse
import collections
import importlib.util
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from typing import NamedTuple

ROOT = pathlib.Path(__file__).resolve().parent.parent
NEEDED = ("pytest", "pytest_randomly", "xdist", "hypothesis")


class Run(NamedTuple):
    """The result of one run of all tests. `failures` maps the name of a failed test to the end of its report."""

    seed: int
    seconds: float
    counts: dict[str, int]
    failures: dict[str, str]


def command_of(options: argparse.Namespace, seed: int, report: pathlib.Path) -> list[str]:
    return [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "randomly",
        f"--randomly-seed={seed}",
        "-p",
        "no:cacheprovider",
        "-o",
        "junit_family=xunit1",  # this format contains the file names of tests
        f"--junitxml={report}",
        *(["-n", str(options.jobs)] if options.jobs > 1 else []),
        *options.paths,
    ]


def limit(options: argparse.Namespace) -> None:
    """Limits the cores and the memory of this process, which then executes pytest. Pytest's workers inherit the
    limits."""
    if options.cores:
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: options.cores])
    if options.memory:
        size = int(options.memory * os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
        resource.setrlimit(resource.RLIMIT_AS, (size, size))


def following(seed: int) -> int:
    """Returns the seed of the next run. It differs from `seed` in many bits, because pytest-randomly sorts by CRC,
    which may result in equal orders for similar seeds."""
    return (seed * 1664525 + 1013904223) % 2**32


def run_once(options: argparse.Namespace, seed: int, shared_cache: str | None) -> Run:
    """Runs all tests in the order that `seed` determines. With shared_cache=None, the run starts with an empty cache
    folder."""
    with tempfile.TemporaryDirectory(prefix="shuffle_tests") as folder:
        report = pathlib.Path(folder) / "report.xml"
        cache = shared_cache or os.path.join(folder, "cache")
        environment = os.environ | {"PYTHONHASHSEED": str(seed % 2**32), "HOCKET_CACHE_DIR": cache}
        begin = time.monotonic()
        done = subprocess.run(
            command_of(options, seed, report),
            cwd=ROOT,
            env=environment,
            preexec_fn=lambda: limit(options),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        seconds = time.monotonic() - begin
        if not report.exists():
            return Run(seed, seconds, {}, {"pytest itself": done.stdout[-4000:]})
        counts, failures = read_report(report)
    if done.returncode not in (0, 1):
        failures["pytest itself"] = f"exit status {done.returncode}\n{done.stdout[-4000:]}"
    return Run(seed, seconds, counts, failures)


def read_report(report: pathlib.Path) -> tuple[dict[str, int], dict[str, str]]:
    """Returns the number of tests by outcome, and the texts of failures and errors by test, from pytest's JUnit
    file."""
    counts: collections.Counter[str] = collections.Counter()
    failures: dict[str, str] = {}
    for case in ElementTree.parse(report).getroot().iter("testcase"):
        outcomes = [child for child in case if child.tag in ("failure", "error", "skipped")]
        counts[outcomes[0].tag if outcomes else "passed"] += 1
        for outcome in outcomes:
            if outcome.tag != "skipped":
                failures[node_of(case)] = (outcome.text or outcome.get("message") or "")[-2000:]
    return dict(counts), failures


def node_of(case: ElementTree.Element) -> str:
    """Returns the node ID by which pytest's command line selects a test: file::class::name, or file::name."""
    file = case.get("file", "")
    module = file.removesuffix(".py").replace("/", ".")
    classes = case.get("classname", "").removeprefix(module).strip(".").split(".")
    return "::".join([file, *filter(None, classes), case.get("name", "")])


def print_summary(runs: list[Run], options: argparse.Namespace) -> None:
    seeds_of: dict[str, list[int]] = {}
    for run in runs:
        for name in run.failures:
            seeds_of.setdefault(name, []).append(run.seed)
    for name, seeds in sorted(seeds_of.items(), key=lambda item: -len(item[1])):
        text = next(run.failures[name] for run in runs if run.seed == seeds[0])
        print(f"\n{name}\n  failed in {len(seeds)} of {len(runs)} runs, seeds {', '.join(map(str, seeds))}")
        print("\n".join(f"  | {line}" for line in text.strip().splitlines()[-12:]))
    paths = " ".join(options.paths)
    again = f"; again: python tools/shuffle_tests.py --seed SEED {paths}".rstrip() if seeds_of else ""
    print(f"\n{len(runs)} runs, {len(seeds_of)} tests failed in some of them{again}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", help="tests, as pytest names them (default: all)")
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1, help="of the first run (default: 1)")
    parser.add_argument("--jobs", type=int, default=1, help="processes that run tests (default: 1)")
    parser.add_argument("--cores", type=int, default=0, help="that all processes share (default: all)")
    parser.add_argument("--memory", type=float, default=0, help="share of the machine's that a process may map")
    parser.add_argument("--json", type=pathlib.Path, help="write all results to this file")
    options = parser.parse_args()
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        parser.error(f"not installed: {', '.join(missing)}; pip install --group test installs all")
    runs: list[Run] = []
    with tempfile.TemporaryDirectory(prefix="shuffle_tests_cache") as shared_cache:
        for number in range(options.runs):
            seed = following(runs[-1].seed) if runs else options.seed
            runs.append(run := run_once(options, seed, shared_cache if number % 2 else None))
            counts = ", ".join(f"{count} {outcome}" for outcome, count in sorted(run.counts.items()))
            print(f"seed {run.seed}: {counts or 'no report'} in {run.seconds:.0f} s", flush=True)
            for name in run.failures:
                print(f"  {name}", flush=True)
            if options.json:
                options.json.write_text(json.dumps([run._asdict() for run in runs], indent=1) + "\n")
    print_summary(runs, options)
    return int(any(run.failures for run in runs))


if __name__ == "__main__":
    sys.exit(main())
