"""Runs many inputs and counts what went wrong; knows nothing of what the inputs are.

A part of the suite is a `Part`: a name, how many inputs the long and the quick run try, and a function that tries a
batch of inputs, each made from its seed alone, and returns its findings. Batches run in processes of their own, so that
a part may fork, start threads or die.
"""

import concurrent.futures
import itertools
import json
import pathlib
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

KINDS = ("crashed", "hung", "wrong")
SAVED_OF_A_KIND = 5


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
    smaller: Callable[[Finding], Finding] = lambda finding: finding  # the same with less input


@dataclass
class Tally:
    tried: int = 0
    seconds: float = 0.0
    findings: list[Finding] = field(default_factory=list)

    def count(self, kind):
        return sum(finding.kind == kind for finding in self.findings)

    def add(self, other):
        self.tried += other.tried
        self.seconds += other.seconds
        self.findings += other.findings

    def as_json(self):
        findings = [finding._asdict() for finding in self.findings]
        counts = {kind: self.count(kind) for kind in KINDS}
        return {"tried": self.tried, **counts, "seconds": round(self.seconds, 1), "findings": findings}

    @staticmethod
    def from_json(known):
        findings = [Finding(**finding) for finding in known.get("findings", [])]
        return Tally(known.get("tried", 0), known.get("seconds", 0.0), findings)


def run_part(part, count, jobs=1, first=0, progress=None):
    """Tries inputs `first` to `first + count` of a part."""
    tally, start = Tally(), time.monotonic()
    # A batch ends at a multiple of its size, so that a seed is tried with the same ones again.
    edges = [first, *range((first // part.batch + 1) * part.batch, first + count, part.batch), first + count]
    batches = [range(begin, end) for begin, end in itertools.pairwise(edges)]

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


ROUND_SECONDS = 60


def run_in_turns(parts, seconds, jobs, first=0, results=None):
    """Gives each part the same time until `seconds` are over, a round at a time; `results` is rewritten after each."""
    end = time.monotonic() + seconds
    tallies = read_results(results, parts) if results else {part.name: Tally() for part in parts}
    spent = {part.name: 0.0 for part in parts}
    counts = {part.name: part.quick * jobs for part in parts}
    while (left := end - time.monotonic()) > 1:
        part = min(parts, key=lambda part: spent[part.name])
        tally = tallies[part.name]
        new = run_part(part, counts[part.name], jobs, first + tally.tried)
        spent[part.name] += new.seconds
        # The next round's: what fits into it, carefully, since the first inputs of a part may be quick ones.
        fits = int(new.tried / new.seconds * min(left - new.seconds, ROUND_SECONDS))
        counts[part.name] = max(part.quick, min(fits, 4 * new.tried))
        tally.add(new)
        print(f"{part.name}: {tally.tried} tried, {len(tally.findings)} found", file=sys.stderr, flush=True)
        if results:
            results.write_text(json.dumps({name: tally.as_json() for name, tally in tallies.items()}, indent=1))
    return tallies


def read_results(path, parts):
    known = json.loads(path.read_text()) if path.exists() else {}
    return {part.name: Tally.from_json(known.get(part.name, {})) for part in parts}


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


def save(part, findings, folder):
    """One file for each finding, named for its seed; a few of those that look the same, the first made small."""
    folder = pathlib.Path(folder) / part.name
    folder.mkdir(parents=True, exist_ok=True)
    seen = Counter()
    for finding in findings:
        seen[finding[1:3]] += 1
        if seen[finding[1:3]] > SAVED_OF_A_KIND:
            continue
        if seen[finding[1:3]] == 1:
            finding = part.smaller(finding)
        (folder / f"{finding.seed}.txt").write_text(f"{finding.kind}: {finding.what}\n\n{finding.input}")
