"""Simulates one SIMD of a CDNA compute unit for `hocket.isa.schedule`. All waves of the SIMD execute a loop.

The simulation assumes that all SIMDs of the compute unit execute this loop in the same way. Each wave issues its
instructions in order. In each step of the simulation, the wave that can issue earliest issues an instruction. Among
waves that can issue at the same time, the wave with the highest priority (s_setprio) issues.

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
dependences (LLVM inserts waits where a dependence matters), the writes of copies into LDS, instruction fetch, clock
throttling, and other compute units. Times are therefore lower bounds; docs/isa.md compares simulated with published
times. Every constant is in csrc/target/CostTable.cpp, with its source.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from .work import InstructionCost, costs_of

#: A wave that has waited for this number of clocks issues before waves of higher priority (assumed). Otherwise,
#: low-priority waves could starve.
_STARVING = 4000
#: Barrier that only the lagging groups of a warp pipeline execute, before the loop.
_EXTRA_BARRIER = InstructionCost("barrier")

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


class Step(NamedTuple):
    """An instruction of a loop, with the resources that it occupies and its stage."""

    work: InstructionCost
    stage: int


class Interval(NamedTuple):
    """A time interval in which a wave executes an instruction or waits.

    Attributes:
        begin, end: clocks since the simulation began.
        activity: the activity's name in timelines: "matrix", "arithmetic", "shared load", ..., "wait", "barrier".
        cause: text for the interval, a key of `ModeledSchedule.idle`.
        stage: index of the stage.
        released_by: number of the wave that arrived last, if the interval is a wait at a barrier; otherwise -1.
    """

    begin: int
    end: int
    activity: str
    cause: str
    stage: int
    released_by: int = -1


class Residence(NamedTuple):
    """The waves that share a SIMD.

    Attributes:
        waves: number of waves of a block on each SIMD.
        blocks: number of blocks on the compute unit.
        lag: number of stages by which each group of a warp pipeline lags the previous group, 1 or 2; 0 without a warp
            pipeline.
    """

    waves: int = 2
    blocks: int = 1
    lag: int = 0


class Wave:
    def __init__(self, number: int, block: int, lag: int, begin: int):
        self.number, self.block, self.extra_barriers = number, block, lag
        self.ready = begin
        self.done = 0  # number of executed instructions
        self.priority = 0
        #: Completion times of pending operations by kind, oldest first.
        self.pending: dict[str, list[int]] = {"shared": [], "memory": []}
        self.matrix_end = 0
        self.arrived: int | None = None
        self.intervals: list[Interval] = []
        self.trips: list[int] = []


class Simd:
    """A SIMD with its waves, and its fraction of the resources that the compute unit's SIMDs share."""

    def __init__(self, steps: list[Step], target: str, residence: Residence):
        self.steps, self.costs = steps, costs_of(target)
        waves, blocks, lag = residence
        # Each block of the compute unit starts half a memory latency after the previous block.
        apart = self.costs["memory_latency"] // 2
        self.waves = [
            Wave(block * waves + i, block, i * lag, block * apart) for block in range(blocks) for i in range(waves)
        ]
        self.vector_free = self.core_free = self.scalar_free = self.port_free = self.shared_free = self.memory_free = 0
        self.shared_issued = 0
        self.shared_begins: list[int] = []
        #: Intervals (begin, end) in which the most recent MFMAs have read operands and scales.
        self.operand_reads: list[tuple[int, int]] = []
        #: For each load and store in flight: time of entry into the cache, time of completion, and number of occupied
        #: cache lines.
        self.loads: list[tuple[int, int, int]] = []
        self.matrix_times: list[tuple[int, int, int]] = []
        self.busy: Counter[str] = Counter()

    def run(self, trips: int) -> None:
        """Simulates until the slowest wave has completed `trips` iterations."""
        while any(len(wave.trips) <= trips for wave in self.waves):
            waiting = [wave for wave in self.waves if wave.arrived is None]
            self._issue(*self._choose([(*self._earliest(wave), wave) for wave in waiting]))

    def _choose(self, choices: list[tuple[int, str, Wave]]) -> tuple[Wave, int, str]:
        """Chooses the wave that issues the next instruction. `choices`: per wave, the earliest time of its next issue,
        and the reason for the delay."""
        first = min(time for time, _, _ in choices)
        candidates = [(wave, cause) for time, cause, wave in choices if time == first]
        starving = [candidate for candidate in candidates if first - candidate[0].ready > _STARVING]
        wave, cause = min(starving or candidates, key=lambda candidate: (-candidate[0].priority, candidate[0].ready))
        if not starving and self._next(wave).kind == "shared":
            products = [candidate for candidate in candidates if self._next(candidate[0]).kind == "matrix"]
            wave, cause = products[0] if products else (wave, cause)
        return wave, first, cause

    def _next(self, wave: Wave) -> InstructionCost:
        return _EXTRA_BARRIER if wave.extra_barriers else self.steps[wave.done % len(self.steps)].work

    def _earliest(self, wave: Wave) -> tuple[int, str]:
        """Returns the earliest time at which the wave's next instruction can issue, and the reason for the delay."""
        limits = [(wave.ready, ""), *self._limits(wave, self._next(wave))]
        return max(limits, key=lambda limit: limit[0])

    def _limits(self, wave: Wave, work: InstructionCost) -> list[tuple[int, str]]:
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
        """Returns the earliest time, not before `time`, at which an access of memory can issue. No access issues while
        an MFMA reads operands."""
        for begin, end in self.operand_reads:
            if begin < time + self.costs["issue"] and time < end:
                time = end
        return time

    def _pair_free(self) -> int:
        """Returns the time at which the path to LDS is free. Two SIMDs share this path: an access of this SIMD is
        followed by an access of the other SIMD."""
        if not self.shared_begins:
            return self.port_free
        return max(self.port_free, self._slot(self.shared_issued + self.costs["issue"]) + self.costs["issue"])

    @staticmethod
    def _finished(wave: Wave, kind: str, left: int) -> int:
        pending = wave.pending[kind]
        return pending[len(pending) - left - 1] if len(pending) > left else 0

    def _issue(self, wave: Wave, time: int, cause: str) -> None:
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

    def _take(self, wave: Wave, work: InstructionCost, time: int, is_last: bool) -> int:
        """Executes `work` on its unit. Returns the number of clocks for which the wave cannot issue its next
        instruction."""
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

    def _access_shared(self, wave: Wave, work: InstructionCost, time: int) -> None:
        begin = max(time, self.shared_free)
        self.shared_free = begin + work.clocks
        self.busy["shared memory"] += work.clocks
        self.shared_begins.append(begin)
        wave.pending["shared"].append(self.shared_free + self.costs["shared_latency"])

    def _access_memory(self, wave: Wave, work: InstructionCost, time: int) -> None:
        room, latency = self.costs["lines_in_flight"] // self.costs["simds"], self.costs["memory_latency"]
        is_store = work.activity == "global store"
        held = 0 if is_store else work.lines
        entered = max(time, self.loads[-1][0] if self.loads else 0)
        entered = self._when_there_is_room(entered, room - held)
        clocks = work.lines * self.costs["line_bytes"] * self.costs["simds"] // self.costs["memory_bytes"]
        self.memory_free = max(self.memory_free, time + latency - clocks) + clocks
        if is_store:  # later accesses wait until L2 accepts the store
            entered = max(entered, self.memory_free - latency)
        self.busy["global memory"] += clocks
        self.loads.append((entered, self.memory_free, held))
        wave.pending["memory"].append(self.memory_free)

    def _when_there_is_room(self, time: int, room: int) -> int:
        """Returns the earliest time from `time` on at which the pending loads occupy at most `room` cache lines. Loads
        complete in order."""
        held = [(left, lines) for _, left, lines in self.loads[-self.costs["lines_in_flight"] :] if left > time]
        used = sum(lines for _, lines in held)
        for left, lines in held:
            if used <= room:
                break
            time, used = left, used - lines
        return time

    def _arrive(self, wave: Wave, time: int) -> None:
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
