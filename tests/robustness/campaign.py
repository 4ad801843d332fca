"""Runs many inputs and counts what went wrong; knows nothing of what the inputs are.

A part of the suite is a `Part`: a name, how many inputs the long and the quick run try, and a function that tries a
batch of inputs, each made from its seed alone, and returns its findings. Batches run in processes of their own, so that
a part may fork, start threads or die.
"""

import concurrent.futures
import itertools
import json
import math
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


@dataclass
class Turn:
    """A part among others: what is tried next, and batches that ended before an earlier one did."""

    part: Part
    tally: Tally
    next: int
    end: float  # the first input that is not tried
    running: int = 0
    ahead: dict[int, Tally] = field(default_factory=dict)  # by first input
    counted: int = 0  # the first input that the tally does not count

    def take(self):
        """The next batch, which ends at a multiple of the part's size."""
        batch = range(self.next, int(min((self.next // self.part.batch + 1) * self.part.batch, self.end)))
        self.next, self.running = batch.stop, self.running + 1
        return batch

    def add(self, batch, tally):
        """Counts inputs in their order, so that a campaign that is cut off has tried all up to a number."""
        self.running -= 1
        self.ahead[batch.start] = tally
        while (ended := self.ahead.pop(self.counted, None)) is not None:
            self.tally.add(ended)
            self.counted += ended.tried


def run_timed(run, batch):
    start = time.monotonic()
    findings = run(batch)
    return Tally(len(batch), time.monotonic() - start, findings)


def run_in_turns(parts, seconds, jobs, first=0, results=None, count=None):
    """Runs an equal number of processes per part until `seconds` are over, or `count` inputs of each were tried,
    including those that `results` already counts. A slow input delays only its own process. `results` is rewritten
    after each batch."""
    end = time.monotonic() + seconds
    tallies = read_results(results, parts) if results else {part.name: Tally() for part in parts}
    begins = {part.name: first + tallies[part.name].tried for part in parts}
    last = math.inf if count is None else first + count
    turns = [Turn(part, tallies[part.name], begins[part.name], last, counted=begins[part.name]) for part in parts]
    running = {}
    with concurrent.futures.ProcessPoolExecutor(jobs) as pool:
        while True:
            while len(running) < jobs and time.monotonic() < end:
                if not (open_ones := [turn for turn in turns if turn.next < turn.end]):
                    break
                turn = min(open_ones, key=lambda turn: (turn.running, turn.tally.seconds))
                batch = turn.take()
                running[pool.submit(run_timed, turn.part.run, batch)] = turn, batch
            if not running:
                return tallies
            done, _ = concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED)
            for future in done:
                turn, batch = running.pop(future)
                turn.add(batch, future.result())
            show_turns(turns)
            if results:
                write_results(results, tallies)


def show_turns(turns):
    counts = (f"{turn.part.name}: {turn.tally.tried} tried, {len(turn.tally.findings)} found" for turn in turns)
    print("; ".join(counts), file=sys.stderr, flush=True)


def write_results(path, tallies):
    """In one step: a campaign may be killed at any time."""
    new = path.with_suffix(".new")
    new.write_text(json.dumps({name: tally.as_json() for name, tally in tallies.items()}, indent=1))
    new.replace(path)


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
