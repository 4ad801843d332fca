"""Model of random programs with warp pipelines: their results, and pairs of accesses that no fence can order.

Knows nothing of the compiler: the program runs in order, statement by statement (`run`), and leaves a trace of the
stages that each pipeline has run. On that trace stands the timeline of the groups of warps (`first_race`). Two groups:

    time        0      1      2      3
    low         e0  |  e1  |  e2  |           e: the stages in the order in which they run, over all iterations
    high            |  e0  |  e1  |  e2       |: barriers that may be fences, one before each e

With a lag of g, a group runs e[i] at time i + g. It has left it behind, for all to see, when it has passed a fence
s > i, at the end of time s - 1 + g. Another group, with lag h, begins e[j] at time j + h. So what a warp of the first
group does in e[i] is seen by a warp of the second group in e[j] only if some s has i < s and s + g <= j + h.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
from pipeline_programs import COUNTERS, LAYOUTS, LAYOUTS_OF_16, SIZE, TILES, TURNS, Place, Statement

WARPS_PER_GROUP = 4
#: Number of iterations after which slots and waits repeat, so that the races of loops of any length are found.
LONG = 14


@cache
def owners(layout, count):
    """For each element of a tile the set of warps that hold it, as bits."""
    per_thread, threads, warps, order = (LAYOUTS if count == 8 else LAYOUTS_OF_16)[layout]
    held = np.zeros((SIZE, SIZE), np.int64)
    extent = [per_thread[d] * threads[d] for d in range(2)]
    for number in range(warps[0] * warps[1]):
        at = [0, 0]
        at[order[0]], at[order[1]] = number % warps[order[0]], number // warps[order[0]]
        rows, columns = ({(t * warps[d] * extent[d] + at[d] * extent[d] + e) % SIZE
                          for t in range(max(1, SIZE // (warps[d] * extent[d]))) for e in range(extent[d])}
                         for d in range(2))  # fmt: skip
        if number < count:
            held[np.ix_(sorted(rows), sorted(columns))] |= 1 << number
    return held


@cache
def meetings(first, second, shift, axis, warps):
    """Pairs of warps that hold one element, of a tile in layout `first` and of one `shift` elements further."""
    a, b = (np.moveaxis(owners(layout, warps), axis or 0, 0) for layout in (first, second))
    a, b = (a[shift:], b[: SIZE - shift]) if shift >= 0 else (a[:shift], b[-shift:])
    return {(v, w) for v in range(warps) for w in range(warps) if ((a >> v & 1) & (b >> w & 1)).any()}


@dataclass(frozen=True)
class Access:
    kind: str
    place: Place
    slot: int
    layout: str
    statement: Statement
    warps: int

    @classmethod
    def of(cls, statement, i, warps):
        layout = "DIRECT" if statement.kind == "copy" else statement.layout
        return cls(statement.kind, statement.place, statement.place.slot(i), layout, statement, warps)

    def meets(self, other):
        """Pairs of warps that touch the same element, if one of them writes."""
        mine, theirs = self.place, other.place
        is_one = mine.buffer.name == theirs.buffer.name and self.slot == other.slot
        if not is_one or abs(theirs.start - mine.start) >= SIZE or (self.kind == other.kind == "load"):
            return set()
        return meetings(self.layout, other.layout, theirs.start - mine.start, mine.buffer.axis, self.warps)

    def is_of_same_lanes(self, other):
        """If not, no barrier of the block is needed within a warp, but nothing orders its lanes in a stage."""
        is_once = self.layout not in ("COPIES",)
        return self.layout == other.layout and self.place.start == other.place.start and is_once


@dataclass
class Execution:
    """One stage of one iteration. `gap`: the operations before it; None also if there is no barrier."""

    stage: int
    gap: object
    accesses: list
    commits: int = 0


@dataclass
class Trace:
    """The executed stages of one pipeline. `in_flight`: copies from before it, with the numbers of their groups."""

    lags: tuple
    executions: list
    in_flight: list
    committed: int


class Run:
    """With a `length`, all loops have that number of iterations, and conditions are always true."""

    def __init__(self, program, x, n, length=None):
        self.program, self.x, self.n, self.length = program, x, n, length
        self.traces, self.in_flight, self.committed = [], [], 0
        self.acc = {layout: x[number % TILES] + np.int32(number + 1) for number, layout in enumerate(program.layouts())}
        self.ahead = {layout: x[(number + 1) % TILES] for number, layout in enumerate(program.layouts())}
        self.values = {}
        self.memory = {buffer.name: self.initial(buffer) for buffer in program.buffers}

    def initial(self, buffer):
        memory = np.zeros([buffer.slots or 1, *buffer.shape[-2:]], np.int32)
        self.memory = {buffer.name: memory}
        for number, place in enumerate(buffer.places()):
            self.view(place, 0)[:] = self.x[number % TILES]
        return memory

    def view(self, place, i):
        tile, rows, columns = self.memory[place.buffer.name][place.slot(i)], slice(None), slice(None)
        if place.buffer.axis == 0:
            rows = slice(place.start, place.start + SIZE)
        elif place.buffer.axis == 1:
            columns = slice(place.start, place.start + SIZE)
        return tile[rows, columns]

    def result(self):
        for number, pipeline in enumerate(self.program.pipelines):
            self.run_pipeline(pipeline)
            self.sum_up(number)
        self.sum_up(None)
        return np.stack([np.where(self.held(layout), self.acc[layout], 0) for layout in self.program.layouts()])

    def held(self, layout):
        """The elements of a tile that exist: those that some warp holds."""
        return owners(layout, self.program.warps) != 0

    def write(self, place, i, layout, tile):
        np.copyto(self.view(place, i), tile, where=self.held(layout))

    def sum_up(self, only):
        for buffer in self.program.buffers_of(only):
            for place in buffer.places():
                self.acc["ROWS"] = self.acc["ROWS"] * np.int32(3) + self.view(place, 0)

    def run_pipeline(self, pipeline):
        for number, place in enumerate(pipeline.before):
            statement = Statement("copy", place=place)
            self.run_statement(statement, number)
            self.in_flight.append((Access.of(statement, number, self.program.warps), self.committed))
            self.committed += 1
        if pipeline.wait_before is not None:
            self.wait(pipeline.wait_before)
        trips = self.n if pipeline.trips == "n" else pipeline.trips
        if self.length is not None and pipeline.loop:
            trips = self.length
        trips = trips if pipeline.loop else 1
        for outer in range(pipeline.outer or 1):
            first = outer * trips if pipeline.goes_on else 0
            if not self.program.continues(pipeline):
                self.begin_trace(pipeline)
            for k in range(trips * pipeline.copies):
                i = first * pipeline.copies + k
                starts_anew = pipeline.loop in COUNTERS and pipeline.loop != "adds"
                self.run_iteration(pipeline, i % TURNS if starts_anew else i, k == 0)
                if not pipeline.is_zero_at_top and isinstance(pipeline.gaps[0], int):
                    self.wait(pipeline.gaps[0])
        if pipeline.settles and pipeline.has_copies():
            self.in_flight, self.committed = [], self.committed + 1

    def begin_trace(self, pipeline):
        self.traces.append(Trace(self.program.lags_of(pipeline), [], list(self.in_flight), self.committed))

    def run_iteration(self, pipeline, i, is_first):
        if not pipeline.loop and pipeline.phase_gap and not is_first:  # phase_gap begins another pipeline
            self.begin_trace(pipeline)
        for number, stage in enumerate(pipeline.stages):
            has_slot = not is_first or number or (pipeline.loop and pipeline.is_zero_at_top)
            execution = Execution(number, pipeline.gaps[number] if has_slot else None, [])
            if isinstance(execution.gap, int):
                self.wait(execution.gap)
            for statement in stage.statements:
                self.run_statement(statement, i, execution)
            self.traces[-1].executions.append(execution)

    def wait(self, outstanding):
        self.in_flight = [(copy, group) for copy, group in self.in_flight if group >= self.committed - outstanding]

    def run_statement(self, statement, i, execution=None):
        layout, place = statement.layout, statement.place
        if statement.only_even and i % 2 and self.length is None:
            return
        if statement.kind == "load":
            self.values[statement.value] = self.view(place, i).copy()
        elif statement.kind == "fold":
            self.acc[layout] = self.acc[layout] * np.int32(3) + self.values[statement.value]
        elif statement.kind == "fetch":
            self.ahead[layout] = self.x[(i + 1) % TILES]
        elif statement.kind == "copy":
            self.write(place, i, "DIRECT", self.x[(i + 1) % TILES])
        elif statement.kind == "store":
            self.write(place, i, layout, (self.acc if statement.value == "acc" else self.ahead)[layout])
        if execution is None:
            return
        if statement.kind in ("load", "store", "copy"):
            execution.accesses.append(Access.of(statement, i, self.program.warps))
        if statement.kind == "copy":
            self.in_flight.append((execution.accesses[-1], self.committed))
            execution.accesses[-1] = (execution.accesses[-1], self.committed)
        if statement.kind == "commit" or (statement.kind == "copy" and statement.only_even):
            self.committed += 1
            execution.commits += 1


def arrivals(trace):
    """Returns for each copy the number of the execution that starts it (-1: before the pipeline), and of the execution
    before which it is complete for the warp that started it, or None."""
    copies, committed = [[-1, copy, group, None] for copy, group in trace.in_flight], trace.committed
    for number, execution in enumerate(trace.executions):
        if isinstance(execution.gap, int):
            for copy in copies:
                if copy[3] is None and copy[2] < committed - execution.gap:
                    copy[3] = number
        copies += [[number, entry[0], entry[1], None] for entry in execution.accesses if isinstance(entry, tuple)]
        committed += execution.commits
    return copies


def must_wait(pairs, lags, is_exact):
    """Least distance of two accesses that meet in these pairs of warps, so that a fence fits between; None: any will
    do. Two warps of one group pass each fence together. Exact: no group overtakes one with a smaller lag."""
    groups = {(v // WARPS_PER_GROUP, w // WARPS_PER_GROUP) for v, w in pairs if v != w}
    behind = [lags[v] - lags[w] if is_exact else abs(lags[v] - lags[w]) for v, w in groups]
    least = max(behind, default=-1) + 1
    return least if least > 0 else None


def first_race(trace, is_exact=True):
    """Describes two accesses that no fence can order, or returns None. Unless `is_exact`, two
    groups of warps are also checked in exchanged roles."""
    plain = lambda entry: entry[0] if isinstance(entry, tuple) else entry  # noqa: E731
    steps = trace.executions
    for i, execution in enumerate(steps):
        for j in range(i, min(i + trace.lags[-1] + 1, len(steps))):
            for a, earlier in enumerate(execution.accesses):
                for b, later in enumerate(steps[j].accesses):
                    if (i == j and a >= b) or isinstance(earlier, tuple):
                        continue
                    least = must_wait(earlier.meets(plain(later)), trace.lags, is_exact)
                    if i == j and earlier.meets(plain(later)) and not earlier.is_of_same_lanes(plain(later)):
                        least = 1
                    if least is not None and j - i < least:
                        return f"{earlier} in {i}, {plain(later)} in {j}"
    for issued, copy, _, arrival in arrivals(trace):
        for j in range(max(issued, 0), len(steps)):
            entries = steps[j].accesses
            if j == issued:
                entries = entries[1 + next(k for k, e in enumerate(entries) if plain(e) is copy) :]
            for later in map(plain, entries):
                pairs = copy.meets(later)
                least = must_wait(pairs, trace.lags, is_exact)
                has_own = any(v == w for v, w in pairs)
                if has_own and (arrival is None or arrival > j):
                    return f"{copy} of {issued} in flight, {later} in {j}"
                if least is not None and (arrival is None or j - (arrival - 1) < least):
                    return f"{copy} of {issued} arrived {arrival}, {later} in {j}"
    return None
