"""A model of how the waves of a SIMD unit run a loop: clocks per trip, without a GPU.

One of a compute unit's SIMD units is followed clock by clock, with the waves that live on it; the others do the same.
Each wave issues its instructions in order. Of all waves that can issue, the one that can first does, at equal times the
one of the highest priority (s_setprio).

    unit            serves                            a wave is held up
    matrix core     one MFMA, for its passes          until the one before, of any wave, is through; scales are fetched
                                                      beside that
    vector unit     one instruction, 4 clocks;        while an MFMA reads its operands, too; packed float32 until no
                    exponentials longer               MFMA is in progress
    scalar unit     one instruction, 4 clocks
    way to memory   one access of LDS or global       while an MFMA reads its operands or scales; while 4 accesses of
                    memory, 4 clocks                  LDS wait to be served, or more loads than the vector cache and
                                                      its queue hold are under way
    LDS             all four SIMD units in turn; bank conflicts take longer
    global memory   lines of 128 bytes, at the width of L2, each for the latency of a loaded memory; stores go
                    through the vector cache without room in it (assumed)

Two SIMD units, taken to do the same, share the way to LDS, so an access leaves the next place on it to the other one's;
an MFMA that could begin at the same time as an access of LDS goes first. Waits (s_waitcnt), barriers and the lag of a
warp pipeline are as in the code. Not modelled: which register an instruction needs (LLVM writes waits where that
matters), writes of copies into LDS, instruction fetches, the clock, which sinks when much is multiplied, and other
compute units. So times are lower bounds; docs/isa.md says how far from published ones. Every number is in
csrc/target/CostTable.cpp, with its source.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import NamedTuple

from .work import Work, costs_of

#: Trips before the loop is taken to have settled, and after that, those that are averaged: of loops up to so many
#: instructions, and of longer ones.
_LONG = 1000
_TRIPS, _TRIPS_OF_LONG = (4, 6), (2, 2)
#: A wave that has waited for so many clocks goes before those of higher priorities, which may never wait (assumed).
_STARVING = 4000
#: Below this share of the time without work for it, the matrix core is what bounds a loop.
_IDLE = 0.03


class Step(NamedTuple):
    """An instruction of a loop: what it asks for, and the stage that it is in."""

    work: Work
    stage: int


class Interval(NamedTuple):
    """What a wave does, or waits for.

    Attributes:
        begin, end: clocks.
        activity: as in pictures of timelines: "matrix", "arithmetic", "shared load", .., "wait", "barrier".
        cause: in words, as in `Schedule.idle`.
        stage: index of the stage.
        released_by: the wave that came last to the barrier; -1 elsewhere.
    """

    begin: int
    end: int
    activity: str
    cause: str
    stage: int
    released_by: int = -1


class StageTime(NamedTuple):
    """Clocks per trip that a wave spends in a stage: with its instructions, and at the barrier after them."""

    name: str
    work: float
    waiting: float


@dataclass
class Schedule:
    """How long a trip takes, by the model; nothing in it has been timed on hardware.

    Attributes:
        clocks: of a trip, which all waves of the SIMD unit make in that time.
        waves: on the SIMD unit.
        matrix_share: of the time, the matrix core is busy; 0 if the loop does not multiply.
        bound: what bounds the loop.
        idle: clocks of a trip for which the matrix core has nothing to do, by what the wave does that it waits for.
        stages: as in `LoopCounts.stages`, on average over waves.
        shares: of the time, units are busy: "vector", "shared memory", "global memory".
        timeline: per wave, what it did during two trips.
        products: meanwhile, when the matrix core worked for whom: (begin, end, wave).
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
        """One line."""
        multiplied = f", {100 * self.matrix_share:.1f} % of the matrix cores' time" if self.matrix_share else ""
        return f"model: {self.clocks:.0f} clocks per trip{multiplied}, bound by {self.bound}"


class Residence(NamedTuple):
    """Waves of a block on each SIMD unit, and blocks of a compute unit.

    Attributes:
        lag: stages by which the second half of a block's waves follows the first: 1 or 2 in a warp pipeline.
    """

    waves: int = 2
    blocks: int = 1
    lag: int = 0


def simulate(steps: list[Step], names: list[str], target: str, residence: Residence = Residence()) -> Schedule:  # noqa: B008
    """Runs a loop.

    Args:
        steps: the instructions of one trip, in order; the last is the branch back.
        names: of the stages.
        residence: who shares a SIMD unit.

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


#: With which the second group of a warp pipeline begins.
_EXTRA_BARRIER = Work("barrier")


class _Wave:
    def __init__(self, number: int, block: int, lag: int, begin: int):
        self.number, self.block, self.extra_barriers = number, block, lag
        self.ready = begin
        self.done = 0  # steps
        self.priority = 0
        #: When what it has under way will be finished, by kind, oldest first.
        self.under_way: dict[str, list[int]] = {"shared": [], "memory": []}
        self.matrix_end = 0
        self.arrived: int | None = None
        self.intervals: list[Interval] = []
        self.trips: list[int] = []


class _Simd:
    """A SIMD unit with its waves, and its share of what the compute unit has once."""

    def __init__(self, steps: list[Step], target: str, residence: Residence):
        self.steps, self.costs = steps, costs_of(target)
        waves, blocks, lag = residence
        # Blocks begin one after the other.
        apart = self.costs["memory_latency"] // 2
        self.waves = [
            _Wave(block * waves + i, block, lag if i >= (waves + 1) // 2 else 0, block * apart)
            for block in range(blocks)
            for i in range(waves)
        ]
        self.vector_free = self.core_free = self.scalar_free = self.port_free = self.shared_free = self.memory_free = 0
        self.shared_issued = 0
        self.shared_begins: list[int] = []
        #: When the last MFMAs read operands and scales.
        self.operand_reads: list[tuple[int, int]] = []
        #: Of loads and stores: when they enter the cache, when they leave it, lines of it that they hold.
        self.loads: list[tuple[int, int, int]] = []
        self.matrix_times: list[tuple[int, int, int]] = []
        self.busy: Counter[str] = Counter()

    def run(self, trips: int) -> None:
        """Until the wave that is behind has made so many trips."""
        while any(len(wave.trips) <= trips for wave in self.waves):
            waiting = [wave for wave in self.waves if wave.arrived is None]
            self._issue(*self._choose([(*self._earliest(wave), wave) for wave in waiting]))

    def _choose(self, choices: list[tuple[int, str, _Wave]]) -> tuple[_Wave, int, str]:
        """Of waves, when each can issue, and what it waits for until then: the one that goes first."""
        first = min(time for time, _, _ in choices)
        rivals = [(wave, cause) for time, cause, wave in choices if time == first]
        starving = [rival for rival in rivals if first - rival[0].ready > _STARVING]
        wave, cause = min(starving or rivals, key=lambda rival: (-rival[0].priority, rival[0].ready))
        if not starving and self._next(wave).kind == "shared":
            products = [rival for rival in rivals if self._next(rival[0]).kind == "matrix"]
            wave, cause = products[0] if products else (wave, cause)
        return wave, first, cause

    def _next(self, wave: _Wave) -> Work:
        return _EXTRA_BARRIER if wave.extra_barriers else self.steps[wave.done % len(self.steps)].work

    def _earliest(self, wave: _Wave) -> tuple[int, str]:
        """When the wave's next instruction can issue, and what it waits for until then."""
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
            return [(self._slot(self.port_free), "accesses of LDS"), (entered, "room for loads under way")]
        if work.kind == "wait":
            return [(self._finished(wave, kind, left), _WAITS[kind]) for kind, left in work.left.items()]
        return []

    def _slot(self, time: int) -> int:
        """When an access can issue, from `time` on: not while an MFMA reads its operands."""
        for begin, end in self.operand_reads:
            if begin < time + self.costs["issue"] and time < end:
                time = end
        return time

    def _pair_free(self) -> int:
        """When the way to LDS is free: after an access of this SIMD unit, one of the other has used it."""
        if not self.shared_begins:
            return self.port_free
        return max(self.port_free, self._slot(self.shared_issued + self.costs["issue"]) + self.costs["issue"])

    @staticmethod
    def _finished(wave: _Wave, kind: str, left: int) -> int:
        under_way = wave.under_way[kind]
        return under_way[len(under_way) - left - 1] if len(under_way) > left else 0

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
        """Gives `work` to its unit, and says how long the wave is held up by issuing it."""
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
                under_way = wave.under_way[kind]
                del under_way[: max(0, len(under_way) - left)]
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
        wave.under_way["shared"].append(self.shared_free + self.costs["shared_latency"])

    def _access_memory(self, wave: _Wave, work: Work, time: int) -> None:
        room, latency = self.costs["lines_in_flight"] // self.costs["simds"], self.costs["memory_latency"]
        is_store = work.activity == "global store"
        held = 0 if is_store else work.lines
        entered = max(time, self.loads[-1][0] if self.loads else 0)
        entered = self._when_there_is_room(entered, room - held)
        clocks = work.lines * self.costs["line_bytes"] * self.costs["simds"] // self.costs["memory_bytes"]
        self.memory_free = max(self.memory_free, time + latency - clocks) + clocks
        if is_store:  # keeps those after it waiting until L2 takes it
            entered = max(entered, self.memory_free - latency)
        self.busy["global memory"] += clocks
        self.loads.append((entered, self.memory_free, held))
        wave.under_way["memory"].append(self.memory_free)

    def _when_there_is_room(self, time: int, room: int) -> int:
        """When the loads under way leave room for more lines than `room` lacks: they leave in order."""
        held = [(left, lines) for _, left, lines in self.loads[-self.costs["lines_in_flight"] :] if left > time]
        used = sum(lines for _, lines in held)
        for left, lines in held:
            if used <= room:
                break
            time, used = left, used - lines
        return time

    def _arrive(self, wave: _Wave, time: int) -> None:
        """At the barrier of its block, which opens when all have."""
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
    """Clocks of a trip for which the matrix core stands still, by what the wave does that it waits for."""
    starts = [[one.begin for one in wave.intervals] for wave in simd.waves]
    causes: Counter[str] = Counter()
    for (_, free, _), (busy, _, wave) in zip(simd.matrix_times, simd.matrix_times[1:], strict=False):
        if begin <= busy < end and busy > free:
            _blame(simd, starts, wave, free, busy, causes)
    return {cause: clocks / trips for cause, clocks in causes.most_common()}


def _blame(simd: _Simd, starts: list[list[int]], wave: int, begin: int, end: int, causes: Counter[str]) -> None:
    """What `wave` did from `begin` to `end`; at a barrier, what the wave did that came last."""
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
