"""Kernels with warp pipelines, for random tests: their structure (`Program`), and their source text (`Writer`).

All tiles are 32 x 32 of int32. A stage loads tiles of shared memory into registers, folds them into an accumulator,
stores accumulators or prefetched tiles, or copies tiles straight into shared memory. Nothing is left to rounding, and
every value depends on the order of what came before: `acc = 3 * acc + tile`.

What such a program computes, and which of its warps meet, says pipeline_model.py; random_pipelines.py draws some.
"""

from dataclasses import dataclass, field

SIZE = 32
#: Tiles of the input; iterations beyond take the first ones again.
TILES = 8
#: Period of the counters of loops: the numbers of slots divide it.
TURNS = 12

ROTATED = ", ".join(["turn", *(f"turn{i}" for i in range(1, TURNS))])
#: Expressions by which a loop updates a counter, of {0}, the next number, {1}, TURNS, and {2}, the last number.
COUNTERS = {
    "adds": "turn = {0}",
    "turns": "turn = ({0}) % {1}",
    "wraps": "turn = 0 if turn == {2} else {0}",
    "past": "turn = gl.where({0} < {1}, {0}, 0)",
    "last": "turn = 0 if turn >= {2} else {0}",
    "back": "turn = {0} if {0} < {1} else {0} - {1}",
    "rotates": f"{ROTATED} = {ROTATED[ROTATED.index(',') + 2 :]}, turn",
}
#: Counters that count up from 0 by 1, and so never exceed the end.
LIMITED = ("past", "last", "rotates")

#: Register layouts of 8 warps: size_per_thread, threads_per_warp, warps_per_cta, order. Where warps have 32 lanes, each
#: holds twice as much.
LAYOUTS = {
    "ROWS": ([1, 2], [4, 16], [8, 1], [1, 0]),
    "SAME": ([2, 1], [2, 32], [8, 1], [0, 1]),  # other lanes than ROWS, the same warps
    "COLUMNS": ([2, 1], [16, 4], [1, 8], [0, 1]),
    "BLOCKS": ([1, 2], [8, 8], [4, 2], [1, 0]),
    "TURNED": ([2, 1], [4, 16], [4, 2], [0, 1]),  # BLOCKS with other numbers of warps
    "HALVES": ([1, 1], [16, 4], [2, 4], [1, 0]),  # meets ROWS in warps of the same group only
    "EIGHTHS": ([1, 1], [8, 8], [2, 4], [1, 0]),  # meets DIRECT in warps of the same group only
    "COPIES": ([1, 4], [8, 8], [8, 1], [1, 0]),  # twice as large as the tile
    "DIRECT": ([1, 1], [2, 32], [8, 1], [1, 0]),  # of copies into shared memory: 64 lanes in a row
}
#: The layouts with these names for 16 warps, which are four groups. With 12 warps, only the elements of warps 0 to 11
#: exist; of "COPIES", all exist.
LAYOUTS_OF_16 = {
    "ROWS": ([1, 1], [2, 32], [16, 1], [1, 0]),
    "SAME": ([1, 1], [2, 32], [16, 1], [0, 1]),
    "COLUMNS": ([1, 1], [32, 2], [1, 16], [0, 1]),
    "BLOCKS": ([1, 1], [8, 8], [4, 4], [1, 0]),  # meets ROWS in warps of the same group only
    "TURNED": ([1, 1], [8, 8], [4, 4], [0, 1]),
    "HALVES": ([1, 1], [16, 4], [2, 8], [1, 0]),  # meets ROWS in warps of groups 0 and 1, or of groups 2 and 3, only
    "EIGHTHS": ([1, 1], [4, 16], [8, 2], [1, 0]),  # meets ROWS in warps of the same group only
    "COPIES": ([1, 2], [8, 8], [8, 2], [1, 0]),  # twice as large as the tile
    "DIRECT": ([1, 1], [2, 32], [16, 1], [1, 0]),
}


def layout_of(name, lanes, warps=8):
    """A warp holds the same elements, however many lanes it has."""
    per_thread, threads, warps, order = (LAYOUTS if warps == 8 else LAYOUTS_OF_16)[name]
    times = 64 // lanes
    per_thread = [size * times if axis == order[0] else size for axis, size in enumerate(per_thread)]
    threads = [count // times if axis == order[0] else count for axis, count in enumerate(threads)]
    return f"gl.BlockedLayout({per_thread}, {threads}, {warps}, {order})"


def header(target, warps=8):
    lanes, module, copy = (
        (64, "amd.cdna4", "async_copy.buffer_load_to_shared(slot, x, places(DIRECT) + number * 1024)")
        if target.startswith("gfx")
        else (32, "nvidia.ampere", "async_copy.async_load(slot, x + number * 1024 + places(DIRECT))")
    )
    layouts = "".join(f"{name} = gl.constexpr({layout_of(name, lanes, warps)})\n" for name in LAYOUTS)
    return f"""import hocket
from hocket import language as gl
from hocket.language.{module} import async_copy

{layouts}

@hocket.jit
def copy_tile(slot, x, number):
    {copy}
{FUNCTIONS}"""


FUNCTIONS = """

@hocket.jit
def places(layout: gl.constexpr):
    rows = gl.arange(0, 32, layout=gl.SliceLayout(1, layout))
    return rows[:, None] * 32 + gl.arange(0, 32, layout=gl.SliceLayout(0, layout))[None, :]


@hocket.jit
def tile_of(x, number, layout: gl.constexpr):
    return gl.load(x + number % 8 * 1024 + places(layout))
"""


@dataclass(frozen=True)
class Buffer:
    """`slots` tiles, or with 0 one; with an `axis` twice as long along it, for slices. `only`: the number of the one
    pipeline that uses it, after which its memory may become another's. `is_global`: an array of global memory, which
    some warps store to and others load from."""

    name: str
    slots: int
    axis: int | None
    layout: str
    only: int | None = None
    is_global: bool = False

    @property
    def shape(self):
        tile = [SIZE * (1 + (self.axis == dim)) for dim in range(2)]
        return [self.slots, *tile] if self.slots else tile

    def places(self):
        for slot in range(self.slots or 1):
            for start in (0, SIZE) if self.axis is not None else (0,):
                yield Place(self, slot, 0, start)


@dataclass(frozen=True)
class Place:
    """A tile of a buffer in iteration `i`: slot (factor * i + offset) % slots, sliced from `start`."""

    buffer: Buffer
    offset: int = 0
    factor: int = 1
    start: int = 0
    form: str = "%"

    def slot(self, i):
        return (self.factor * i + self.offset) % self.buffer.slots if self.buffer.slots else 0

    def text(self, i):
        view = self.buffer.name
        if self.buffer.slots:
            number = f"{i} + {self.offset}" if self.factor == 1 else f"{i} * {self.factor} + {self.offset}"
            end = f"& {self.buffer.slots - 1}" if self.form == "&" else f"% {self.buffer.slots}"
            view += f" + (({number}) {end}) * 1024" if self.buffer.is_global else f".index(({number}) {end})"
        if self.buffer.is_global:
            return f"({view})"
        return view + (f".slice({self.start}, {SIZE}, {self.buffer.axis})" if self.buffer.axis is not None else "")


@dataclass(frozen=True)
class Statement:
    """kind: load (a tile into `value`), fold (`value` into an accumulator), store (of "acc" or "ahead"), fetch (a tile
    into the registers "ahead"), copy, commit. `only_even`: a store, or a copy with its commit, only in even iterations.
    `is_early`: its offsets are computed before the stage."""

    kind: str
    layout: str = "ROWS"
    place: Place | None = None
    value: str = ""
    only_even: bool = False
    is_early: bool = False

    def text(self, i, place=""):
        acc, ahead = f"acc_{self.layout}", f"ahead_{self.layout}"
        if self.place and not place:
            place = self.place.text(i)
        is_global = self.place and self.place.buffer.is_global
        if self.kind == "load":
            load = f"gl.load({place} + places({self.layout}))" if is_global else f"{place}.load({self.layout})"
            return [f"{self.value} = {load}"]
        if self.kind == "fold":
            return [f"{acc} = {acc} * 3 + {self.value}"]
        if self.kind == "store":
            stored = acc if self.value == "acc" else ahead
            store = f"{place}.store({stored})"
            if is_global:
                store = f"gl.store({place} + places({self.layout}), {stored})"
            return [f"if ({i}) % 2 == 0:", f"    {store}"] if self.only_even else [store]
        if self.kind == "fetch":
            return [f"{ahead} = tile_of(x, {i} + 1, {self.layout})"]
        if self.kind == "copy":
            copy = f"copy_tile({place}, x, ({i} + 1) % 8)"
            committed = [f"if ({i}) % 2 == 0:", f"    {copy}", "    async_copy.commit_group()"]
            return committed if self.only_even else [copy]
        return ["async_copy.commit_group()"]


@dataclass
class Stage:
    statements: list
    priority: int | None = None


@dataclass
class Pipeline:
    """gaps[s]: before stage s, None, "barrier" or how many groups a wait leaves; gaps[0] may be at the bottom.

    lag: the distance between consecutive groups, unless `lags` has a lag for each group.
    loop: the form of the loop, or "" for straight-line code. trips: a number, or "n". gl.static_range repeats the
        stages `copies` times. With `outer` iterations of an enclosing loop, the count of iterations continues or
        restarts.
    """

    stages: list
    gaps: list
    lag: int = 1
    lags: tuple | None = None
    loop: str = "range"
    trips: int | str = "n"
    copies: int = 1
    is_zero_at_top: bool = True
    outer: int = 0
    goes_on: bool = False
    #: Copies that are started before it, a group each, and what is waited for there.
    before: list = field(default_factory=list)
    wait_before: int | None = None
    #: True if a wait for copies follows it.
    settles: bool = True

    @property
    def phase_gap(self):
        """The argument of the first stage; None if it has none."""
        return self.lags or (self.lag if self.lag != 1 else None)

    def has_copies(self):
        return bool(self.before) or any(s.kind == "copy" for stage in self.stages for s in stage.statements)


@dataclass
class Program:
    name: str
    target: str
    buffers: list
    pipelines: list
    is_specialized: bool = False
    warps: int = 8

    def lags_of(self, pipeline):
        """The number of stages by which each group lags behind group 0."""
        return pipeline.lags or tuple(group * pipeline.lag for group in range(self.warps // 4))

    def buffers_of(self, only):
        return [buffer for buffer in self.buffers if buffer.only == only]

    def global_buffers(self):
        return [buffer for buffer in self.buffers if buffer.is_global]

    def continues(self, pipeline):
        """True if its stages directly follow others in straight-line code: all are one pipeline."""
        number = [p is pipeline for p in self.pipelines].index(True)
        if number == 0 or pipeline.loop or pipeline.phase_gap:
            return False
        previous = self.pipelines[number - 1]
        between = pipeline.before or pipeline.wait_before is not None or (previous.settles and previous.has_copies())
        owned = self.buffers_of(number - 1) or self.buffers_of(number)
        return not (previous.loop or between or owned)

    def layouts(self):
        used = {s.layout for p in self.pipelines for stage in p.stages for s in stage.statements if s.kind != "copy"}
        return sorted(used | {"ROWS"})


class Writer:
    """The source text of a program; without `is_staged` that of the same one without stages, with `is_placed` without
    its commits and waits for copies."""

    def __init__(self, program, is_staged=True, is_placed=False):
        self.program, self.is_staged, self.is_placed = program, is_staged, is_placed
        self.lines, self.depth = [], 1

    def add(self, *lines):
        if self.is_placed:
            lines = [line for line in lines if "commit_group" not in line and "wait_group" not in line]
        self.lines += ["    " * self.depth + line for line in lines]

    def text(self):
        program = self.program
        jit = "@hocket.jit" if program.is_specialized else "@hocket.jit(do_not_specialize=['n'])"
        self.depth = 0
        scratch = "".join(f", {buffer.name}" for buffer in program.global_buffers())
        self.add("", "", jit, f"def {program.name}(x, out, n{scratch}):")
        self.depth = 1
        for number, layout in enumerate(program.layouts()):
            self.add(f"acc_{layout} = tile_of(x, {number}, {layout}) + {number + 1}",
                     f"ahead_{layout} = tile_of(x, {number + 1}, {layout})")  # fmt: skip
        self.buffers(None)
        for number, pipeline in enumerate(program.pipelines):
            self.buffers(number)
            self.pipeline(pipeline)
            self.sum_up(number)
        if not all(pipeline.settles for pipeline in program.pipelines):
            self.add("async_copy.commit_group()", "async_copy.wait_group(0)")
        self.sum_up(None)
        for number, layout in enumerate(program.layouts()):
            self.add(f"gl.store(out + {number * SIZE * SIZE} + places({layout}), acc_{layout})")
        return "\n".join(self.lines) + "\n"

    def buffers(self, only):
        for buffer in self.program.buffers_of(only):
            if not buffer.is_global:
                self.add(f"{buffer.name} = gl.allocate_shared_memory(gl.int32, {buffer.shape}, {buffer.layout})")
            full = "COPIES" if self.program.warps == 12 else "ROWS"
            for number, place in enumerate(buffer.places()):
                self.add(f"first = tile_of(x, {number}, {full})", *self.access("store", place, "first", full))
        if self.program.buffers_of(only):
            self.settle_global()

    def settle_global(self):
        """Emits the barrier for global memory between a pipeline and code outside of stages, which the compiler does
        not insert."""
        if self.program.global_buffers():
            self.add("gl.barrier()")

    def access(self, kind, place, value, layout="ROWS"):
        at = f"{place.text('0')} + places({layout})"
        if kind == "load":
            load = f"gl.load({at})" if place.buffer.is_global else f"{place.text('0')}.load(ROWS)"
            return [f"{value} = {load}"]
        return [f"gl.store({at}, {value})" if place.buffer.is_global else f"{place.text('0')}.store({value})"]

    def sum_up(self, only):
        if not self.program.buffers_of(only):
            return
        self.settle_global()
        for buffer in self.program.buffers_of(only):
            for place in buffer.places():
                self.add(*self.access("load", place, "last"), "acc_ROWS = acc_ROWS * 3 + last")
        self.settle_global()

    def pipeline(self, pipeline):
        for number, place in enumerate(pipeline.before):
            self.add(*Statement("copy", place=place).text(str(number)), "async_copy.commit_group()")
        if pipeline.wait_before is not None:
            self.add(f"async_copy.wait_group({pipeline.wait_before})")
        depth = self.depth
        i = self.open_loops(pipeline)
        carried = pipeline.loop in COUNTERS
        for number, stage in enumerate(pipeline.stages):
            if number or pipeline.is_zero_at_top:
                self.gap(pipeline.gaps[number])
            self.stage(pipeline, number, stage, i)
        if not pipeline.is_zero_at_top:
            self.gap(pipeline.gaps[0])
        if pipeline.copies > 1 and pipeline.loop:
            self.depth -= 1
        if carried:
            step = f"turn + {pipeline.copies}"
            self.add(COUNTERS[pipeline.loop].format(step, TURNS, TURNS - pipeline.copies))
        self.depth = depth
        if pipeline.settles and pipeline.has_copies():
            self.add("async_copy.commit_group()", "async_copy.wait_group(0)")

    def open_loops(self, pipeline):
        """Returns the text of the number of an iteration."""
        if pipeline.loop == "rotates":
            self.add(f"{ROTATED} = {', '.join(map(str, range(TURNS)))}")
        elif pipeline.loop in COUNTERS:
            self.add("turn = 0" if pipeline.loop in LIMITED else "turn = 0 * n")
        if pipeline.outer:
            self.add(f"for o in range({pipeline.outer}):")
            self.depth += 1
        n, i = pipeline.trips, "k"
        if pipeline.loop in COUNTERS:
            self.add(f"for k in range({n}):")
            i = "turn"
        elif pipeline.loop:
            head, i = {
                "range": (f"range({n})", "k"),
                "by two": (f"range(0, {n} * 2, 2)", "(k // 2)"),
                "from one": (f"range(1, {n} + 1)", "(k - 1)"),
                "unrolled 2": (f"gl.range({n}, loop_unroll_factor=2)", "k"),
                "unrolled 3": (f"gl.range(0, {n}, loop_unroll_factor=3)", "k"),
            }[pipeline.loop]
            self.add(f"for k in {head}:")
            i = f"(o * {n} + {i})" if pipeline.goes_on and pipeline.outer else i
        self.depth += bool(pipeline.loop)
        if pipeline.copies > 1 or not pipeline.loop:
            u = f"u{len(self.lines)}"  # a name is of one type
            self.add(f"for {u} in gl.static_range({pipeline.copies}):")
            self.depth += 1
            step = "" if i == "turn" else f" * {pipeline.copies}"
            i = f"({i}{step} + {u})" if pipeline.loop else u
        return i

    def gap(self, gap):
        if gap == "barrier":
            self.add("gl.barrier()")
        elif gap is not None:
            self.add(f"async_copy.wait_group({gap})")

    def stage(self, pipeline, number, stage, i):
        depth = self.depth
        if not self.is_staged:
            self.settle_global()
        early = {}
        for statement in stage.statements:
            if statement.is_early:
                early[statement] = f"view{len(self.lines)}"
                self.add(f"{early[statement]} = {statement.place.text(i)}")
        if self.is_staged:
            options = f", priority={stage.priority}" if stage.priority is not None else ""
            if number == 0 and pipeline.phase_gap:
                options += f", phase_gap={pipeline.phase_gap}"
            self.add(f'with gl.warp_pipeline_stage("stage {number}"{options}):')
            self.depth += 1
        lines = [line for statement in stage.statements for line in statement.text(i, early.get(statement, ""))]
        number = len(self.lines)
        self.add(*lines)
        if self.is_staged and len(self.lines) == number:
            self.add("pass")
        self.depth = depth
