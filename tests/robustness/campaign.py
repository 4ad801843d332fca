"""Runs many inputs and counts what went wrong; knows nothing of what the inputs are.

A part of the suite is a `Part`: a name, how many inputs the long and the quick run try, and a function that tries a
batch of inputs, each made from its seed alone, and returns its findings. Batches run in processes of their own, so that
a part may fork, start threads or die.
"""

import concurrent.futures
import pathlib
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

KINDS = ("crashed", "hung", "wrong")


class Finding(NamedTuple):
    seed: int
    kind: str  # one of KINDS
    what: str  # the first line says it: an assertion, a signal
    input: str = ""  # what reproduces it


@dataclass(frozen=True)
class Part:
    name: str
    long: int
    quick: int
    batch: int
    run: Callable[[range], list[Finding]]


@dataclass
class Tally:
    tried: int = 0
    seconds: float = 0.0
    findings: list[Finding] = field(default_factory=list)

    def count(self, kind):
        return sum(finding.kind == kind for finding in self.findings)


def run_part(part, count, jobs=1, first=0, progress=None):
    """Tries inputs `first` to `first + count` of a part."""
    tally, start = Tally(), time.monotonic()
    seeds = range(first, first + count)
    batches = [seeds[i : i + part.batch] for i in range(0, count, part.batch)]

    def add(batch, findings):
        tally.tried += len(batch)
        tally.seconds = time.monotonic() - start
        tally.findings += findings
        if progress:
            progress(part, tally, count)

    if jobs == 1:
        for batch in batches:
            add(batch, part.run(batch))
        return tally
    with concurrent.futures.ProcessPoolExecutor(jobs) as pool:
        running = {pool.submit(part.run, batch): batch for batch in batches}
        for done in concurrent.futures.as_completed(running):
            add(running[done], done.result())
    return tally


def show_progress(part, tally, count, width=40):
    full = width * tally.tried // count
    bar = "#" * full + "." * (width - full)
    left = tally.seconds / tally.tried * (count - tally.tried)
    end = "\n" if tally.tried == count else ""
    found = len(tally.findings)
    text = f"\r{part.name:16} [{bar}] {tally.tried:>7}/{count}  {found} found  {left:5.0f} s left "
    print(text, end=end, file=sys.stderr, flush=True)


def table(tallies):
    """Lines that say how each part went, and then each thing that was found, once."""
    lines = [f"{'part':16} {'tried':>8} " + " ".join(f"{kind:>8}" for kind in KINDS) + f" {'seconds':>8}"]
    for name, tally in tallies.items():
        counts = " ".join(f"{tally.count(kind):>8}" for kind in KINDS)
        lines.append(f"{name:16} {tally.tried:>8} {counts} {tally.seconds:>8.0f}")
    for name, tally in tallies.items():
        same = Counter((finding.kind, finding.what) for finding in tally.findings)
        for (kind, what), times in same.most_common():
            seeds = [f.seed for f in tally.findings if (f.kind, f.what) == (kind, what)]
            lines.append(f"{name} {kind} x {times}, seed {seeds[0]}: {what.splitlines()[0] if what else ''}")
    return lines


def save(name, findings, folder):
    """One file for each finding, named for its seed."""
    folder = pathlib.Path(folder) / name.replace(" ", "_")
    folder.mkdir(parents=True, exist_ok=True)
    for finding in findings:
        (folder / f"{finding.seed}.txt").write_text(f"{finding.kind}: {finding.what}\n\n{finding.input}")
