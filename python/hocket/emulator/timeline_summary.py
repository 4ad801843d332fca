"""Summary of a block's timeline: time per stage, and overlap of the two groups of a warp pipeline."""

from __future__ import annotations

from bisect import bisect_right
from itertools import pairwise
from typing import NamedTuple

from .slices import Slice

#: Number of warp schedulers of an SM or compute unit, on all targets. Warp w runs on scheduler w mod 4.
SCHEDULERS = 4


class StageTimes(NamedTuple):
    """Time of one stage in clocks of the model, averaged over iterations and warps.

    Attributes:
        label: name of the stage.
        iterations: number of times that a warp executes the stage.
        clocks: clocks of one execution.
        wait: part of these clocks that is spent waiting for results or copies.
        barrier: part of these clocks that is spent waiting for other warps.
    """

    label: str
    iterations: float
    clocks: float
    wait: float
    barrier: float

    @property
    def busy(self) -> float:
        """Clocks of one execution of the stage in which the warp does not wait."""
        return self.clocks - self.wait - self.barrier


class TimelineSummary(NamedTuple):
    """Summary of the timeline of one block; `print` shows a table.

    Attributes:
        kernel: name of the kernel.
        block: number of the block.
        warps: number of warps.
        clocks: number of clocks from the beginning of the first stage of a warp pipeline to the end of the last stage;
            number of clocks of the whole block if the block has no stages.
        stages: times of each stage, in the order in which warps reach the stages.
        matrix: fraction of `clocks`, 0 to 1, for which a matrix core is busy, averaged over the matrix cores that the
            block uses.
        apart: fraction of `clocks`, 0 to 1, in which two warps that share a matrix core are in different stages,
            averaged over these pairs of warps; 0 without stages.
    """

    kernel: str
    block: int
    warps: int
    clocks: int
    stages: tuple[StageTimes, ...]
    matrix: float
    apart: float

    def __str__(self) -> str:
        lines = [f"{self.kernel}, block {self.block}: {self.warps} warps, {self.clocks} clocks of the model"]
        if self.stages:
            width = max(len("stage"), *(len(stage.label) for stage in self.stages))
            lines.append(f"  {'stage':{width}}  {'iters':>6}  {'clocks':>7}  {'work':>6}  {'wait':>6}  {'barrier':>7}")
            lines += [
                f"  {s.label:{width}}  {s.iterations:6.0f}  {s.clocks:7.0f}  {s.busy:6.0f}  {s.wait:6.0f}  "
                f"{s.barrier:7.0f}"
                for s in self.stages
            ]
            lines.append(f"  two warps of a matrix core are in different stages for {self.apart:.0%} of the time")
        lines.append(f"  matrix cores work for {self.matrix:.0%} of the time")
        return "\n".join(lines)


class _Stages:
    """The stages that one warp executes, in order of time."""

    def __init__(self, slices: list[Slice]):
        self.slices = sorted(slices, key=lambda s: s.begin)
        self.begins = [s.begin for s in self.slices]

    def at(self, time: int) -> Slice | None:
        index = bisect_right(self.begins, time) - 1
        return self.slices[index] if index >= 0 and time < self.slices[index].end else None


def summarize(kernel: str, block: int, slices: list[Slice]) -> TimelineSummary:
    """Summarizes the slices of one block, of which there must be at least one."""
    warps = sorted({s.warp for s in slices})
    stages = [s for s in slices if s.kind == "stage"]
    of_warp = [_Stages([s for s in stages if s.warp == warp]) for warp in warps]
    begin = min(s.begin for s in stages or slices)
    clocks = max(s.end for s in stages or slices) - begin
    matrix = [
        _covered(
            [s for s in slices if s.kind in ("matrix", "mma") and s.warp % SCHEDULERS == unit],
            begin,
            begin + clocks,
        )
        for unit in sorted({warp % SCHEDULERS for warp in warps})
    ]
    apart = [_apart(low, high) for low, high in zip(of_warp, of_warp[SCHEDULERS:], strict=False)]

    def share(parts: list[int]) -> float:
        return sum(parts) / (len(parts) * clocks) if parts and clocks else 0.0

    times = _stage_times(slices, dict(zip(warps, of_warp, strict=True)))
    return TimelineSummary(kernel, block, len(warps), clocks, times, share(matrix), share(apart))


def _location(stage: Slice) -> tuple[str, int, str]:
    return stage.filename, stage.line, stage.label


def _stage_times(slices: list[Slice], of_warp: dict[int, _Stages]) -> tuple[StageTimes, ...]:
    """Returns the times of each stage by source location, in the order in which warps reach the stages."""
    iterations: dict[tuple, list[Slice]] = {}
    spent: dict[tuple, dict[str, int]] = {}
    for s in slices:
        if s.kind == "stage":
            iterations.setdefault(_location(s), []).append(s)
        elif s.kind in ("wait", "barrier") and (stage := of_warp[s.warp].at(s.begin)):
            kinds = spent.setdefault(_location(stage), {"wait": 0, "barrier": 0})
            kinds[s.kind] += s.clocks
    return tuple(
        StageTimes(
            label=at_location[0].label,
            iterations=len(at_location) / len(of_warp),
            clocks=sum(turn.clocks for turn in at_location) / len(at_location),
            wait=spent.get(location, {}).get("wait", 0) / len(at_location),
            barrier=spent.get(location, {}).get("barrier", 0) / len(at_location),
        )
        for location, at_location in iterations.items()
    )


def _covered(slices: list[Slice], begin: int, end: int) -> int:
    """Returns the clocks in [begin, end) during which at least one of `slices` is active."""
    covered, reached = 0, begin
    for s in sorted(slices, key=lambda s: s.begin):
        covered += max(0, min(s.end, end) - max(s.begin, reached))
        reached = max(reached, s.end)
    return covered


def _apart(low: _Stages, high: _Stages) -> int:
    """Returns the clocks during which two warps are in two different stages."""
    times = sorted({time for s in (*low.slices, *high.slices) for time in (s.begin, s.end)})
    clocks = 0
    for time, following in pairwise(times):
        a, b = low.at(time), high.at(time)
        clocks += following - time if a and b and _location(a) != _location(b) else 0
    return clocks


__all__ = ["StageTimes", "TimelineSummary", "summarize"]
