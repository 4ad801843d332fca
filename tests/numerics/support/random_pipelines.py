"""Draws random programs of pipeline_programs.py."""

import itertools
import random
from dataclasses import replace

from pipeline_programs import COUNTERS, LAYOUTS, LIMITED, SIZE, Buffer, Pipeline, Place, Program, Stage, Statement

#: Tiles in shared memory of one program: 64 KiB.
MOST_TILES = 16

SHARED = [
    "gl.SwizzledSharedLayout(1, 1, 1, [1, 0])",
    "gl.SwizzledSharedLayout(4, 2, 4, [1, 0])",
    "gl.SwizzledSharedLayout(1, 1, 1, [0, 1])",
]


class Generator:
    """`is_plain`: programs that the compiler analyzes exactly, without slots that are equal in all iterations,
    conditions, or copies in flight from one pipeline to the next. `is_single`: one loop of unknown length, without
    barriers. With 12 or 16 `warps`, pipelines have three or four groups."""

    def __init__(self, seed, target, is_plain=False, is_single=False, warps=8):
        kind = target if warps == 8 else f"{target} {warps}"
        self.rng, self.target, self.warps, self.values = random.Random(f"{kind} {seed}"), target, warps, 0
        self.is_plain, self.is_single = is_plain, is_single
        #: Layouts of one program: usually few, so that some data is private to a warp.
        # If two warps hold equal elements, their stores need no fence, but the compiler cannot prove that.
        layouts = [name for name in LAYOUTS if name != "DIRECT" and not (is_single and name == "COPIES")]
        self.layouts = self.rng.sample(layouts, self.rng.choice([1, 2, 2, 3]))

    def chance(self, share):
        return self.rng.random() < share

    def program(self, name="program"):
        self.copying = self.chance(0.4)
        count = 1 if self.is_single else self.rng.choice([1, 1, 1, 2, 2, 3])
        buffers = [self.buffer(f"smem{i}") for i in range(self.rng.choice([1, 1, 2, 3]))]
        if self.chance(0.2):
            buffers += [replace(self.buffer(f"own{i}"), only=i) for i in range(count)]
        while sum(len(list(buffer.places())) for buffer in buffers) > MOST_TILES:
            buffers.pop()
        if not self.is_single and self.chance(0.25):
            buffers.append(Buffer("scratch", self.rng.choice([0, 2, 3]), None, "", is_global=True))
        lag, pipelines = self.rng.choice([1, 1, 2]), []
        for number in range(count):
            self.buffers = [buffer for buffer in buffers if buffer.only in (None, number)]
            pipelines.append(self.pipeline(lag if self.chance(0.9) else 3 - lag))
            if self.warps > 8:
                self.draw_lags(pipelines[-1])
        for previous, following in itertools.pairwise(pipelines):
            previous.settles |= bool(following.before) or self.is_plain
        if any(buffer.only is not None for buffer in buffers):
            for pipeline in pipelines:
                pipeline.settles = True
        return Program(name, self.target, buffers, pipelines, self.chance(0.3), self.warps)

    def draw_lags(self, made):
        """Draws lags that are smaller than the number of stages."""
        groups, most = self.warps // 4, len(made.stages) - 1
        if made.lag * (groups - 1) <= most and self.chance(0.6):
            return
        lags = sorted(self.rng.randint(0, min(most, 3)) for _ in range(groups - 1))
        made.lags = (0, *lags[:-1], max(lags[-1], 1))

    def buffer(self, name):
        slots, axis = self.rng.choice([0, 2, 2, 3, 3, 4, 6]), self.rng.choice([None, None, None, None, 0, 1])
        if self.copying or axis is not None:
            return Buffer(name, min(slots, 3), 0 if axis is not None else None, SHARED[0])
        return Buffer(name, slots, axis, self.rng.choice(SHARED))

    def place(self, is_shared=False):
        buffer = self.rng.choice([buffer for buffer in self.buffers if not (is_shared and buffer.is_global)])
        is_power = buffer.slots in (2, 4)
        return Place(
            buffer,
            self.rng.randrange(4),
            1 if self.is_plain else self.rng.choice([1, 1, 1, 1, 1, 0, 2]),
            self.rng.choice([0, SIZE]) if buffer.axis is not None else 0,
            "&" if is_power and self.chance(0.3) else "%",
        )

    def pipeline(self, lag):
        is_loop = self.is_single or self.chance(0.75)
        count = self.rng.choice([2, 2, 3, 3, 4, 4, 5, 6, 8] if lag == 1 else [3, 4, 5, 6, 8])
        loops = ["range"] * 4 + ["by two", "from one", "unrolled 2", "unrolled 3", *COUNTERS]
        made = Pipeline(
            stages=[Stage([]) for _ in range(count)],
            gaps=[None] * count,
            lag=lag,
            loop=self.rng.choice(loops) if is_loop else "",
            trips=self.rng.choice(["n", "n", "n", 0, 1, 2, 3, 7]),
            copies=self.rng.choice([1, 1, 1, 1, 2, 3]),
            is_zero_at_top=not is_loop or self.chance(0.6),
            outer=self.rng.choice([0, 0, 0, 1, 2]) if is_loop else 0,
            goes_on=self.chance(0.5),
        )
        if made.loop in COUNTERS:
            made.copies, made.goes_on = 1 if made.loop in LIMITED else self.rng.choice([1, 1, 2]), True
        if self.is_single:
            made.loop, made.trips, made.outer = self.rng.choice(["range", "by two", "from one"]), "n", 0
        self.fill(made)
        if self.copying:
            self.add_copies(made)
        for gap in range(0 if is_loop else 1, count):
            if made.gaps[gap] is None and self.chance(0 if self.is_single else 0.1):
                made.gaps[gap] = "barrier"
        if self.chance(0.4):
            for stage in made.stages:
                stage.priority = self.rng.choice([None, 0, 1, 2, 3])
        return made

    def fill(self, made):
        """Accesses of random stages, fewer than stages: the rest are pauses."""
        for _ in range(self.rng.choice([1, 2, 2, 3, 3, 4])):
            number = self.rng.randrange(len(made.stages))
            stage, layout = made.stages[number], self.rng.choice(self.layouts)
            if self.chance(0.5):
                self.values += 1
                value, later = f"v{self.values}", self.rng.randrange(number, len(made.stages))
                early, place = self.chance(0.15), self.place()
                if place.buffer.is_global:  # stores and loads by different warps
                    layout = "COLUMNS"
                stage.statements.append(Statement("load", layout, place, value, is_early=early))
                made.stages[later].statements.append(Statement("fold", layout, value=value))
            else:
                source, place = self.rng.choice(["acc", "ahead"]), self.place()
                if place.buffer.is_global:
                    layout = "ROWS"
                if source == "ahead":
                    made.stages[self.rng.randrange(number + 1)].statements.insert(0, Statement("fetch", layout))
                only_even = self.chance(0 if self.is_plain else 0.15)
                stage.statements.append(
                    Statement("store", layout, place, source, only_even, is_early=self.chance(0.15))
                )

    def add_copies(self, made):
        number = self.rng.randrange(len(made.stages))
        place = self.place(is_shared=True)
        only_even = not self.is_plain and self.chance(0.2)
        commit = [Statement("commit")] if not only_even and self.chance(0.95) else []
        made.stages[number].statements += [Statement("copy", place=place, only_even=only_even), *commit]
        for _ in range(self.rng.choice([1, 1, 1, 2])):
            gap = self.rng.randrange(0 if made.loop else 1, len(made.gaps))
            made.gaps[gap] = self.rng.choice([0, 0, 1, 1, 2])
        if not self.is_single and self.chance(0.5):
            for _ in range(self.rng.choice([1, 2]) if place.buffer.slots else 1):
                made.before.append(replace(place, offset=place.offset + self.rng.choice([-1, -2]), factor=1))
            if len(made.before) == 2:
                made.before[1] = made.before[0]
            made.wait_before = self.rng.choice([None, None, 0, 1])
        made.settles = self.chance(0.85)
