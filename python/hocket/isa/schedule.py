"""Performance model of a loop on a CDNA compute unit: clocks per iteration, without a GPU.

`hocket.isa.simd` simulates the waves of one SIMD. This module runs the simulation until the loop reaches its steady
state, and averages later iterations. Times are lower bounds, because the simulation does not model everything;
docs/isa.md compares modeled with published times.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import NamedTuple

from .simd import Interval, Residence, Simd, Step

#: `_TRIPS`: number of iterations before the assumed steady state, and number of iterations that are averaged.
#: `_TRIPS_OF_LONG` has these two numbers for loops with more than `_LONG` instructions.
_LONG = 1000
_TRIPS, _TRIPS_OF_LONG = (4, 6), (2, 2)
#: The matrix core counts as the bottleneck of a loop if the matrix core is idle for less than this fraction of the
#: time.
_IDLE = 0.03


class StageTime(NamedTuple):
    """Clocks per iteration that a wave spends in a stage: `work` clocks on the instructions of the stage, and `waiting`
    clocks at the barrier after the stage."""

    name: str
    work: float
    waiting: float


@dataclass
class ModeledSchedule:
    """Result of the performance model, which has not been compared with hardware.

    Attributes:
        clocks: number of clocks in which every wave of the SIMD completes one iteration.
        waves: number of waves on the SIMD.
        matrix_share: fraction of the time for which the matrix core is busy; 0 if the loop has no MFMAs.
        bound: name of the bottleneck of the loop.
        idle: clocks per iteration for which the matrix core is idle, by the activity of the wave that issues the next
            MFMA.
        stages: times of `LoopCounts.stages`, averaged over waves.
        shares: fraction of the time for which each of these units is busy: "vector", "shared memory", "global memory".
        timeline: for each wave, its intervals in two iterations.
        mmas: (begin, end, wave) of each MFMA in these two iterations.
    """

    clocks: float
    waves: int
    matrix_share: float
    bound: str
    idle: dict[str, float]
    stages: list[StageTime]
    shares: dict[str, float]
    timeline: list[list[Interval]]
    mmas: list[tuple[int, int, int]]

    def sentence(self) -> str:
        """Returns the result as text in one line."""
        multiplied = f", {100 * self.matrix_share:.1f} % of the matrix cores' time" if self.matrix_share else ""
        return f"model: {self.clocks:.0f} clocks per trip{multiplied}, bound by {self.bound}"


def simulate(steps: list[Step], names: list[str], target: str, residence: Residence = Residence()) -> ModeledSchedule:  # noqa: B008
    """Simulates a loop, and returns the modeled schedule.

    Args:
        steps: the instructions of one iteration in order; the last instruction is the branch back.
        names: names of the stages.
        residence: number of waves per SIMD, number of blocks per compute unit, and lag of a warp pipeline.

    Example:
        >>> from hocket.isa.schedule import Step, simulate
        >>> from hocket.isa.work import work_of
        >>> loop = ["v_mfma_f32_32x32x16_f16 v[0:15], v[0:3], v[4:7], v[0:15]", *["v_exp_f32 v16, v16"] * 4]
        >>> steps = [Step(work_of(line, "gfx950"), stage=0) for line in loop * 8]
        >>> simulate(steps, ["1"], "gfx950", Residence(waves=1)).sentence()
        "model: 320 clocks per trip, 80.0 % of the matrix cores' time, bound by vector instructions"
    """
    if residence.lag and all(step.work.kind != "barrier" for step in steps):
        raise ValueError("a loop without barriers has no second group that lags behind")
    settling, counted = _TRIPS if len(steps) <= _LONG else _TRIPS_OF_LONG
    simd = Simd(steps, target, residence)
    simd.run(settling + counted)
    return _result(simd, names, settling)


def _result(simd: Simd, names: list[str], settling: int) -> ModeledSchedule:
    trips = min(simd.waves, key=lambda wave: len(wave.trips)).trips
    begin, end, count = trips[settling], trips[-1], len(trips) - 1 - settling
    total = end - begin
    clocks = total / count
    busy = sum(max(0, min(till, end) - max(since, begin)) for since, till, _ in simd.matrix_times)
    idle = _idle(simd, begin, end, count) if simd.matrix_times else {}
    whole = max(wave.ready for wave in simd.waves)
    shares = {unit: simd.busy[unit] / whole for unit in ("vector", "shared memory", "global memory")}
    return ModeledSchedule(
        clocks=clocks,
        waves=len(simd.waves),
        matrix_share=busy / total,
        bound=_bound(busy / total, idle, shares, simd),
        idle=idle,
        stages=_stage_times(simd, names, begin, end, count),
        shares=shares,
        timeline=[[one for one in wave.intervals if begin <= one.begin < begin + 2 * clocks] for wave in simd.waves],
        mmas=[mma for mma in simd.matrix_times if begin <= mma[0] < begin + 2 * clocks],
    )


def _bound(matrix_share: float, idle: dict[str, float], shares: dict[str, float], simd: Simd) -> str:
    if simd.matrix_times:
        return "the matrix cores" if matrix_share >= 1 - _IDLE or not idle else max(idle, key=lambda key: idle[key])
    unit, share = max(shares.items(), key=lambda pair: pair[1])
    if share > 0.9:
        return {"vector": "vector instructions"}.get(unit, unit)
    causes: Counter[str] = Counter()
    for wave in simd.waves:
        for one in wave.intervals:
            causes[one.cause] += one.end - one.begin
    return max(causes, key=lambda cause: causes[cause])


def _idle(simd: Simd, begin: int, end: int, trips: int) -> dict[str, float]:
    """Returns the clocks per iteration for which the matrix core is idle, grouped by the activity of the wave that
    issues the next MFMA."""
    starts = [[one.begin for one in wave.intervals] for wave in simd.waves]
    causes: Counter[str] = Counter()
    for (_, free, _), (busy, _, wave) in zip(simd.matrix_times, simd.matrix_times[1:], strict=False):
        if begin <= busy < end and busy > free:
            _blame(simd, starts, wave, free, busy, causes)
    return {cause: clocks / trips for cause, clocks in causes.most_common()}


def _blame(simd: Simd, starts: list[list[int]], wave: int, begin: int, end: int, causes: Counter[str]) -> None:
    """Adds to `causes` the clocks that `wave` spends on each activity in [`begin`, `end`), while the matrix core is
    idle. For the time that `wave` waits at a barrier, the function adds the activities of the wave that arrived
    last."""
    intervals = simd.waves[wave].intervals
    place = bisect_right(starts[wave], begin) - 1
    for one in intervals[max(0, place) :]:
        if one.begin >= end:
            break
        since, till = max(begin, one.begin), min(end, one.end)
        if till <= since:
            continue
        opening = one.end - simd.costs["barrier"]
        if one.activity == "barrier" and one.released_by not in (-1, wave) and since < opening:
            _blame(simd, starts, one.released_by, since, min(till, opening), causes)
            since = min(till, opening)
        causes[one.cause] += till - since


def _stage_times(simd: Simd, names: list[str], begin: int, end: int, trips: int) -> list[StageTime]:
    spent: dict[tuple[int, bool], int] = defaultdict(int)
    for wave in simd.waves:
        for one in wave.intervals:
            if begin <= one.begin < end:
                spent[one.stage, one.released_by >= 0] += one.end - one.begin
    count = trips * len(simd.waves)
    return [StageTime(name, spent[i, False] / count, spent[i, True] / count) for i, name in enumerate(names)]
