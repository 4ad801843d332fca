"""Performance model of a loop on a CDNA compute unit: clocks per iteration, without a GPU.

The model simulates one SIMD of a compute unit, and assumes that the others do the same. Each wave issues its
instructions in order. In each step, the wave that can issue earliest issues; if several can issue at the same time, the
one with the highest priority (s_setprio).

    unit            throughput                        a wave stalls
    matrix core     one MFMA for its passes           until the previous MFMA, of any wave, is done; scales are fetched
                                                      meanwhile
    VALU            one instruction per 4 clocks,     while an MFMA reads its operands; packed float32 also while any
                    exponentials take longer          MFMA is in progress
    SALU            one instruction per 4 clocks
    memory issue    one access of LDS or global       while an MFMA reads its operands or scales; while 4 accesses of
                    memory per 4 clocks               LDS are queued, or more loads are in flight than the vector cache
                                                      and its queue hold
    LDS             shared by all four SIMDs; bank conflicts take longer
    global memory   cache lines of 128 bytes at the bandwidth of L2, each with the latency of a loaded memory; stores
                    pass through the vector cache without occupying it (assumed)

Two SIMDs share the path to LDS and are assumed to execute the same accesses, so an access of one SIMD is followed by an
access of the other SIMD. An MFMA has priority over an access of LDS that could issue at the same time. Waits
(s_waitcnt), barriers and the stage offset of a warp pipeline are simulated as in the code. Not modeled: register
dependences (LLVM inserts waits for those that matter), the writes of copies into LDS, instruction fetch, clock
throttling, and other compute units. Times are therefore lower bounds; docs/isa.md compares them with published ones.
Every constant is in csrc/target/CostTable.cpp, with its source.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import NamedTuple

from .work import Work, costs_of

#: Number of iterations until the loop is assumed to be in its steady state, and number of iterations after that, which
#: are averaged. Loops with more than _LONG instructions have fewer of both.
_LONG = 1000
_TRIPS, _TRIPS_OF_LONG = (4, 6), (2, 2)
#: A wave that has waited for this many clocks issues before waves of higher priority, which may never wait (assumed).
_STARVING = 4000
#: If the matrix core is idle for less than this fraction of the time, it is the bottleneck.
_IDLE = 0.03


class Step(NamedTuple):
    """An instruction of a loop: the resources that it occupies, and its stage."""

    work: Work
    stage: int


class Interval(NamedTuple):
    """An activity of a wave, or a time in which it waits.

    Attributes:
        begin, end: clocks.
        activity: as in pictures of timelines: "matrix", "arithmetic", "shared load", ..., "wait", "barrier".
        cause: description, as in `Schedule.idle`.
        stage: index of the stage.
        released_by: the wave that arrived last at the barrier; -1 for other activities.
    """

    begin: int
    end: int
    activity: str
    cause: str
    stage: int
    released_by: int = -1


class StageTime(NamedTuple):
    """Clocks per iteration that a wave spends in a stage: on its instructions, and at the barrier after them."""

    name: str
    work: float
    waiting: float


@dataclass
class Schedule:
    """Result of the model. It has not been compared with hardware.

    Attributes:
        clocks: clocks per iteration, in which every wave of the SIMD completes one iteration.
        waves: number of waves on the SIMD.
        matrix_share: fraction of the time for which the matrix core is busy; 0 if the loop has no MFMAs.
        bound: the bottleneck of the loop.
        idle: clocks per iteration for which the matrix core is idle, by the activity of the wave whose MFMA it waits
            for.
        stages: times of `LoopCounts.stages`, averaged over waves.
        shares: fraction of the time for which a unit is busy: "vector", "shared memory", "global memory".
        timeline: per wave, its intervals in two iterations.
        products: MFMAs in these iterations: (begin, end, wave).
    """

    clocks: float
    waves: int
    matrix_share: float
    bound: str
    idle: dict[str, float]
    stages: list[StageTime]
    shares: dict[str, float]
    timeline: list[list[Interval]]
    products: list[tuple[int, int, int]]

    def sentence(self) -> str:
        """The result in one line."""
        multiplied = f", {100 * self.matrix_share:.1f} % of the matrix cores' time" if self.matrix_share else ""
        return f"model: {self.clocks:.0f} clocks per trip{multiplied}, bound by {self.bound}"


class Residence(NamedTuple):
    """Waves per SIMD of a block, and blocks per compute unit.

    Attributes:
        lag: number of stages by which the second half of a block's waves runs behind the first half: 1 or 2 in a warp
            pipeline.
    """

    waves: int = 2
    blocks: int = 1
    lag: int = 0


def simulate(steps: list[Step], names: list[str], target: str, residence: Residence = Residence()) -> Schedule:  # noqa: B008
    """Simulates a loop.

    Args:
        steps: the instructions of one iteration in order; the last one is the branch back.
        names: names of the stages.
        residence: the waves that share a SIMD.

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
    simd = _Simd(steps, target, residence)
    simd.run(settling + counted)
    return _result(simd, names, settling)


#: The barrier with which the second group of a warp pipeline begins.
_EXTRA_BARRIER = Work("barrier")


class _Wave:
    def __init__(self, number: int, block: int, lag: int, begin: int):
        self.number, self.block, self.extra_barriers = number, block, lag
        self.ready = begin
        self.done = 0  # steps
        self.priority = 0
        #: Completion times of pending operations by kind, oldest first.
        self.pending: dict[str, list[int]] = {"shared": [], "memory": []}
        self.matrix_end = 0
        self.arrived: int | None = None
        self.intervals: list[Interval] = []
        self.trips: list[int] = []


class _Simd:
    """A SIMD with its waves, and its fraction of the resources that the compute unit's SIMDs share."""

    def __init__(self, steps: list[Step], target: str, residence: Residence):
        self.steps, self.costs = steps, costs_of(target)
        waves, blocks, lag = residence
        # Blocks begin one after another.
        apart = self.costs["memory_latency"] // 2
        self.waves = [
            _Wave(block * waves + i, block, lag if i >= (waves + 1) // 2 else 0, block * apart)
            for block in range(blocks)
            for i in range(waves)
        ]
        self.vector_free = self.core_free = self.scalar_free = self.port_free = self.shared_free = self.memory_free = 0
        self.shared_issued = 0
        self.shared_begins: list[int] = []
        #: Times in which the last MFMAs read operands and scales.
        self.operand_reads: list[tuple[int, int]] = []
        #: Loads and stores: time of entry into the cache, time of completion, and number of cache lines that they
        #: occupy.
        self.loads: list[tuple[int, int, int]] = []
        self.matrix_times: list[tuple[int, int, int]] = []
        self.busy: Counter[str] = Counter()

    def run(self, trips: int) -> None:
        """Simulates until the slowest wave has completed `trips` iterations."""
        while any(len(wave.trips) <= trips for wave in self.waves):
            waiting = [wave for wave in self.waves if wave.arrived is None]
            self._issue(*self._choose([(*self._earliest(wave), wave) for wave in waiting]))

    def _choose(self, choices: list[tuple[int, str, _Wave]]) -> tuple[_Wave, int, str]:
        """Chooses the wave that issues next. `choices`: per wave, the time at which it can issue, and the reason for
        the delay."""
        first = min(time for time, _, _ in choices)
        candidates = [(wave, cause) for time, cause, wave in choices if time == first]
        starving = [candidate for candidate in candidates if first - candidate[0].ready > _STARVING]
        wave, cause = min(starving or candidates, key=lambda candidate: (-candidate[0].priority, candidate[0].ready))
        if not starving and self._next(wave).kind == "shared":
            products = [candidate for candidate in candidates if self._next(candidate[0]).kind == "matrix"]
            wave, cause = products[0] if products else (wave, cause)
        return wave, first, cause

    def _next(self, wave: _Wave) -> Work:
        return _EXTRA_BARRIER if wave.extra_barriers else self.steps[wave.done % len(self.steps)].work

    def _earliest(self, wave: _Wave) -> tuple[int, str]:
        """The time at which the wave's next instruction can issue, and the reason for the delay."""
        limits = [(wave.ready, ""), *self._limits(wave, self._next(wave))]
        return max(limits, key=lambda limit: limit[0])

    def _limits(self, wave: _Wave, work: Work) -> list[tuple[int, str]]:
        if work.kind == "matrix":
            return [(self.vector_free, "vector instructions"), (self.core_free - work.ahead, "matrix core")]
        if work.kind == "vector":
            return [(self.vector_free, "vector instructions")]
        if work.kind == "packed":
            after = wave.matrix_end + self.costs["packed_wait"] if wave.matrix_end else 0
            return [(self.vector_free, "vector instructions"), (max(self.core_free, after), "vector instructions")]
        if work.kind in ("scalar", "priority"):
            return [(self.scalar_free, "scalar instructions")]
        if work.kind == "shared":
            queue = self.costs["shared_queue"]
            began = self.shared_begins[-queue] if len(self.shared_begins) >= queue else 0
            return [(self._slot(max(began, self._pair_free())), "accesses of LDS")]
        if work.kind == "memory":
            queue = self.costs["memory_queue"] // self.costs["simds"]
            entered = self.loads[-queue][0] if len(self.loads) >= queue else 0
            return [(self._slot(self.port_free), "accesses of LDS"), (entered, "room for loads in flight")]
        if work.kind == "wait":
            return [(self._finished(wave, kind, left), _WAITS[kind]) for kind, left in work.left.items()]
        return []

    def _slot(self, time: int) -> int:
        """The first time from `time` on at which an access can issue: not while an MFMA reads its operands."""
        for begin, end in self.operand_reads:
            if begin < time + self.costs["issue"] and time < end:
                time = end
        return time

    def _pair_free(self) -> int:
        """The time at which the path to LDS is free. An access of the other SIMD follows each access of this SIMD."""
        if not self.shared_begins:
            return self.port_free
        return max(self.port_free, self._slot(self.shared_issued + self.costs["issue"]) + self.costs["issue"])

    @staticmethod
    def _finished(wave: _Wave, kind: str, left: int) -> int:
        pending = wave.pending[kind]
        return pending[len(pending) - left - 1] if len(pending) > left else 0

    def _issue(self, wave: _Wave, time: int, cause: str) -> None:
        if wave.extra_barriers:
            wave.extra_barriers -= 1
            return self._arrive(wave, time)
        place = wave.done % len(self.steps)
        step = self.steps[place]
        if place == 0:
            wave.trips.append(time)
        if time > wave.ready:
            wave.intervals.append(Interval(wave.ready, time, "wait", cause, step.stage))
        wave.done += 1
        held = self._take(wave, step.work, time, is_last=place == len(self.steps) - 1)
        wave.ready = time + held
        wave.intervals.append(Interval(time, wave.ready, step.work.activity, _CAUSES[step.work.kind], step.stage))
        if step.work.kind == "barrier":
            self._arrive(wave, wave.ready)
        return None

    def _take(self, wave: _Wave, work: Work, time: int, is_last: bool) -> int:
        """Executes `work` on its unit. Returns the number of clocks for which issuing it blocks the wave."""
        issue = self.costs["issue"]
        if work.kind == "matrix":
            begin = time + work.ahead
            self.vector_free = begin + self.costs["matrix_read"]
            self.operand_reads = [*self.operand_reads[-7:], (time, self.vector_free)]
            self.core_free = wave.matrix_end = begin + work.clocks
            self.matrix_times.append((begin, self.core_free, wave.number))
        elif work.kind in ("vector", "packed"):
            self.vector_free = time + work.clocks
            self.busy["vector"] += work.clocks
        elif work.kind in ("scalar", "priority"):
            self.scalar_free = time + issue
            wave.priority = work.priority if work.kind == "priority" else wave.priority
        elif work.kind == "shared":
            self.port_free = time + issue
            self.shared_issued = time
            self._access_shared(wave, work, time)
        elif work.kind == "memory":
            self.port_free = time + issue
            self._access_memory(wave, work, time)
        elif work.kind == "wait":
            for kind, left in work.left.items():
                pending = wave.pending[kind]
                del pending[: max(0, len(pending) - left)]
        elif work.kind == "nop":
            return work.clocks
        elif work.kind == "branch" and is_last:
            return self.costs["branch"]
        return issue

    def _access_shared(self, wave: _Wave, work: Work, time: int) -> None:
        begin = max(time, self.shared_free)
        self.shared_free = begin + work.clocks
        self.busy["shared memory"] += work.clocks
        self.shared_begins.append(begin)
        wave.pending["shared"].append(self.shared_free + self.costs["shared_latency"])

    def _access_memory(self, wave: _Wave, work: Work, time: int) -> None:
        room, latency = self.costs["lines_in_flight"] // self.costs["simds"], self.costs["memory_latency"]
        is_store = work.activity == "global store"
        held = 0 if is_store else work.lines
        entered = max(time, self.loads[-1][0] if self.loads else 0)
        entered = self._when_there_is_room(entered, room - held)
        clocks = work.lines * self.costs["line_bytes"] * self.costs["simds"] // self.costs["memory_bytes"]
        self.memory_free = max(self.memory_free, time + latency - clocks) + clocks
        if is_store:  # later accesses wait until L2 accepts it
            entered = max(entered, self.memory_free - latency)
        self.busy["global memory"] += clocks
        self.loads.append((entered, self.memory_free, held))
        wave.pending["memory"].append(self.memory_free)

    def _when_there_is_room(self, time: int, room: int) -> int:
        """The time at which the pending loads occupy at most `room` cache lines. They complete in order."""
        held = [(left, lines) for _, left, lines in self.loads[-self.costs["lines_in_flight"] :] if left > time]
        used = sum(lines for _, lines in held)
        for left, lines in held:
            if used <= room:
                break
            time, used = left, used - lines
        return time

    def _arrive(self, wave: _Wave, time: int) -> None:
        """Arrives at the barrier of the wave's block, which opens at the last arrival."""
        wave.arrived = time
        block = [other for other in self.waves if other.block == wave.block]
        if any(other.arrived is None for other in block):
            return
        opened = max(other.arrived or 0 for other in block) + self.costs["barrier"]
        for other in block:
            stage = self.steps[(other.done - 1) % len(self.steps)].stage
            other.intervals.append(Interval(other.arrived or 0, opened, "barrier", "barriers", stage, wave.number))
            other.arrived, other.ready = None, opened


_WAITS = {"shared": "waiting for LDS", "memory": "waiting for global memory"}
_CAUSES = {
    "matrix": "matrix core",
    "vector": "vector instructions",
    "packed": "vector instructions",
    "scalar": "scalar instructions",
    "priority": "scalar instructions",
    "shared": "accesses of LDS",
    "memory": "accesses of global memory",
    "wait": "scalar instructions",
    "nop": "wait states (s_nop)",
    "branch": "branches",
    "barrier": "barriers",
}


# Results -------------------------------------------------------------------------------------------------------------


def _result(simd: _Simd, names: list[str], settling: int) -> Schedule:
    trips = min(simd.waves, key=lambda wave: len(wave.trips)).trips
    begin, end, count = trips[settling], trips[-1], len(trips) - 1 - settling
    total = end - begin
    clocks = total / count
    busy = sum(max(0, min(till, end) - max(since, begin)) for since, till, _ in simd.matrix_times)
    idle = _idle(simd, begin, end, count) if simd.matrix_times else {}
    whole = max(wave.ready for wave in simd.waves)
    shares = {unit: simd.busy[unit] / whole for unit in ("vector", "shared memory", "global memory")}
    return Schedule(
        clocks=clocks,
        waves=len(simd.waves),
        matrix_share=busy / total,
        bound=_bound(busy / total, idle, shares, simd),
        idle=idle,
        stages=_stage_times(simd, names, begin, end, count),
        shares=shares,
        timeline=[[one for one in wave.intervals if begin <= one.begin < begin + 2 * clocks] for wave in simd.waves],
        products=[product for product in simd.matrix_times if begin <= product[0] < begin + 2 * clocks],
    )


def _bound(matrix_share: float, idle: dict[str, float], shares: dict[str, float], simd: _Simd) -> str:
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


def _idle(simd: _Simd, begin: int, end: int, trips: int) -> dict[str, float]:
    """Clocks per iteration for which the matrix core is idle, by the activity of the wave whose MFMA it waits for."""
    starts = [[one.begin for one in wave.intervals] for wave in simd.waves]
    causes: Counter[str] = Counter()
    for (_, free, _), (busy, _, wave) in zip(simd.matrix_times, simd.matrix_times[1:], strict=False):
        if begin <= busy < end and busy > free:
            _blame(simd, starts, wave, free, busy, causes)
    return {cause: clocks / trips for cause, clocks in causes.most_common()}


def _blame(simd: _Simd, starts: list[list[int]], wave: int, begin: int, end: int, causes: Counter[str]) -> None:
    """Adds the activities of `wave` from `begin` to `end` to `causes`. At a barrier, it adds the activities of the wave
    that arrived last."""
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


def _stage_times(simd: _Simd, names: list[str], begin: int, end: int, trips: int) -> list[StageTime]:
    spent: dict[tuple[int, bool], int] = defaultdict(int)
    for wave in simd.waves:
        for one in wave.intervals:
            if begin <= one.begin < end:
                spent[one.stage, one.released_by >= 0] += one.end - one.begin
    count = trips * len(simd.waves)
    return [StageTime(name, spent[i, False] / count, spent[i, True] / count) for i, name in enumerate(names)]
