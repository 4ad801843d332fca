"""Compares masks of `sched_barrier`, the kinds of instructions that may cross it, in prefetched loops and ready kernels
for CDNA, by the schedule model of the machine code. Needs no GPU, but hocket-emit (`make build`).

    python benchmarks/sched_barrier.py            prints the tables
    python benchmarks/sched_barrier.py --write    writes them into docs/lab/isa.md, between its markers

In prefetched loops (plain_loops.py), the mask is changed for the barrier that the prefetcher inserts. In the ready
kernels, which do not use the prefetcher, the mask is changed for each `gl.sched_barrier(computed=...)`. The time of an
iteration of one wave is the modeled number of clocks of the hottest loop, divided by the number of waves per SIMD unit.
"""

from __future__ import annotations

import argparse
import math
import pathlib
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import isa
import plain_loops
from results import NO_INPUTS, Results, write_section

from hocket.reports.code import CodeReport, report_of
from hocket.runtime.resources import resources_of_isa

EMIT = pathlib.Path(__file__).resolve().parents[1] / "build/dev/csrc/tools/hocket-emit"

#: Mask of the barrier for each set of instructions that may cross it. With None, the barrier is removed.
MASKS = {
    "nothing": 0,
    "VALU": 0x2,
    "SALU": 0x4,
    "trans": 0x400,
    "VALU, SALU": 0x6,
    "VALU, trans": 0x402,
    "SALU, trans": 0x404,
    "VALU, SALU, trans": 0x406,
    "MFMA": 0x8,
    "all but memory": 0x1,
    "no barrier": None,
}
STAGES = (2, 3)


def with_mask(hk: str, mask: int | None, pattern: str) -> str:
    """Returns the tile IR with `mask` as the mask of the barriers that match `pattern`."""
    lines = []
    for line in hk.splitlines():
        if re.search(pattern, line):
            if mask is None:
                continue
            if "{" in line:
                raise ValueError(f"this barrier has attributes already: {line}")
            if mask:
                before, location, rest = line.partition(" loc(")
                line = before + f" {{allow = {mask} : i32}}" + location + rest
        lines.append(line)
    return "\n".join(lines)


def report_with(kernel: Any, mask: int | None, pattern: str) -> CodeReport:
    hk = with_mask(kernel.asm["hk"], mask, pattern)
    done = subprocess.run([EMIT, "-"], input=hk, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return report_of(kernel.metadata, "amd", done.stdout, hk, resources_of_isa(done.stdout))


def clocks_of(report: CodeReport) -> float | None:
    """Returns the clocks in which a SIMD unit executes an iteration of one wave. Returns None if there is no modeled
    schedule, because some iterations skip the MFMAs."""
    if not report.schedule or not report.occupancy:
        return None
    return report.schedule.clocks / report.occupancy.warps_per_simd


def spills_of(report: CodeReport) -> int:
    return sum(report.resources.get(kind, 0) for kind in ("registers_spilled", "scalar_registers_spilled"))


def prefetched(target: str) -> Iterator[tuple[str, Any, str]]:
    """Yields (name, kernel, pattern that matches its barriers) for each loop of plain_loops.py with each of
    `STAGES`."""
    for name, compile_for in plain_loops.loops(target).items():
        for stages in STAGES:
            yield f"{name}, {stages} stages", compile_for(stages), r"^\s*hk\.sched_barrier( loc.*)?$"


def ready(target: str) -> Iterator[tuple[str, Any, str]]:
    """Yields (name, kernel, pattern that matches its barriers) for each ready kernel that contains scheduling
    barriers."""
    for name, kernel, _ in isa.kernels_of(target):
        if "hk.sched_barrier computed" in kernel.asm["hk"]:
            yield name, kernel, r"hk\.sched_barrier computed"


def rows_of(cases: Iterator[tuple[str, Any, str]]) -> dict[str, dict[str, CodeReport]]:
    rows = {}
    for name, kernel, pattern in cases:
        rows[name] = {allowed: report_with(kernel, mask, pattern) for allowed, mask in MASKS.items()}
        line = " ".join(f"{clocks_of(report) or math.nan:8.0f}" for report in rows[name].values())
        print(f"{name:<44} {line}", file=sys.stderr, flush=True)
    return rows


def ratios(rows: dict[str, dict[str, CodeReport]], allowed: str) -> dict[str, float]:
    """Returns for each row the time of an iteration relative to the time with the strictest barrier."""
    found = {}
    for name, reports in rows.items():
        strict, other = clocks_of(reports["nothing"]), clocks_of(reports[allowed])
        if strict and other:
            found[name] = other / strict
    return found


def summary(rows: dict[str, dict[str, CodeReport]]) -> list[list[str]]:
    lines = []
    for allowed in MASKS:
        found = ratios(rows, allowed)
        mean = math.exp(sum(map(math.log, found.values())) / len(found))
        more_spills = sum(spills_of(reports[allowed]) - spills_of(reports["nothing"]) for reports in rows.values())
        lines.append([
            allowed,
            f"{mean:.4f}",
            f"{min(found.values()):.3f} to {max(found.values()):.3f}",
            str(sum(ratio < 0.999 for ratio in found.values())),
            str(sum(ratio > 1.001 for ratio in found.values())),
            str(more_spills),
        ])  # fmt: skip
    return lines


SUMMARY_HEAD = ["may cross", "time, mean", "range", "faster", "slower", "more spills"]
#: Masks for which the second table shows the clocks of each loop.
SHOWN = ("nothing", "VALU", "trans", "VALU, SALU, trans", "all but memory", "no barrier")


def markdown(head: list[str], rows: list[list[str]]) -> str:
    return "\n".join("| " + " | ".join(row) + " |" for row in (head, ["---"] * len(head), *rows))


def tables_of(target: str, results: Results) -> str:
    texts = []
    for title, cases in (("prefetched loops", prefetched), ("ready kernels", ready)):
        rows = rows_of(cases(target))
        table = results.table(f"{target} {title}", f"{title} for {target}", "clocks", better="lower", ours=tuple(MASKS))
        each = []
        for name, reports in rows.items():
            clocks = {allowed: clocks_of(report) for allowed, report in reports.items()}
            table.add(name, {allowed: value for allowed, value in clocks.items() if value}, target=target)
            each.append([name, *(f"{clocks[allowed]:.0f}" if clocks[allowed] else "-" for allowed in SHOWN)])
        texts += [f"**{target}, {title}**", markdown(SUMMARY_HEAD, summary(rows)), markdown(["", *SHOWN], each)]
    return "\n\n".join(texts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write the tables into docs/lab/isa.md")
    method = "the schedule model of the machine code, clocks of an iteration of one wave"
    results = Results("sched_barrier", inputs=NO_INPUTS, method=method)
    results.add_option(parser)
    options = parser.parse_args()
    text = "\n\n".join(tables_of(target, results) for target in isa.TARGETS)
    results.save(options)
    if not options.write:
        print(text)
        return
    write_section(isa.PAGE, "sched_barrier.py", text)


if __name__ == "__main__":
    main()
