"""Random loops with warp_pipeline="auto" for CDNA, and a check of these loops and those of auto_stage_loops_hopper.

All values are integers, and each depends on the order of what came before: `acc = 3 * acc + tile`.
"""

import random
import re
import sys

import auto_stage_loops_hopper
import numpy as np

from hocket import emulator

TARGETS = ["gfx942", "gfx950"]
TRIPS = [0, 1, 4]
TILES = 12
REASONS = re.compile(
    r"the expected gain is below the model's error"
    r"|by the schedule model of the machine code, the gain of stages is too small"
    r"|no division into stages keeps the order of its accesses of shared memory"
    r"|an operation passes values between warps, which waits for all of them"
    r"|the loop has fewer than two operations on tiles"
    r"|the loop contains a barrier|the loop copies or waits in a branch"
    r"|two accesses of the same memory cannot be in one stage"
    r"|this warp pipeline races"
)

HEADER = """
import hocket
from hocket import language as gl
from hocket.language.amd.cdna4 import async_copy


@hocket.jit
def places(layout: gl.constexpr):
    rows = gl.arange(0, 64, layout=gl.SliceLayout(1, layout))
    return rows[:, None] * 32 + gl.arange(0, 32, layout=gl.SliceLayout(0, layout))[None, :]


"""

PROLOGUE = """
    ROWS: gl.constexpr = gl.BlockedLayout([1, 4], [8, 8], [8, 1], [1, 0])
    COLUMNS: gl.constexpr = gl.BlockedLayout([4, 1], [16, 4], [1, 8], [0, 1])
    DIRECT: gl.constexpr = gl.BlockedLayout([1, 1], [2, 32], [8, 1], [1, 0])
    shared: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [1, 0])
    rows, columns, direct = places(ROWS), places(COLUMNS), places(DIRECT)
    total = gl.full([64, 32], 1, gl.int32, ROWS)
    acc = gl.full([64, 32], 2, gl.int32, COLUMNS)
    last = gl.full([64, 32], 3, gl.int32, ROWS)
"""


class Loop:
    """Draws the body, statement by statement."""

    def __init__(self, seed, target):
        self.rng = random.Random(f"{target} {seed}")
        self.head, self.body = [], []
        self.copies = self.rng.choice([0, 0, 1, 1, 2])
        self.ahead = self.rng.randint(1, 3)
        # With the scratch memory of a conversion, seven slots fill the LDS of gfx942.
        self.slots = [self.rng.randint(1, most) for most in self.rng.choice([[4], [4, 3]])]
        if self.copies:
            self.slots[0] = self.rng.randint(self.ahead + 1, 4)
        for number, slots in enumerate(self.slots):
            self.head.append(f"ring{number} = gl.allocate_shared_memory(gl.int32, [{slots}, 64, 32], shared)")
            self.head += [f"ring{number}.index({slot}).store(gl.load(x + rows) + {slot})" for slot in range(slots)]
        if self.copies:
            self.copy_tiles()
        statements = [self.read, self.read, self.compute, self.compute, self.load_and_store, self.carry, self.extra]
        for _ in range(self.rng.randint(2, 6)):
            self.body.append(self.rng.choice(statements)())
        self.source = self.write(f"loop_{seed}")

    def slot(self, ring):
        return f"ring{ring}.index((k + {self.rng.randrange(8)}) % {self.slots[ring]})"

    def any_ring(self):
        """A ring that statements other than copies may fill."""
        return self.rng.randrange(bool(self.copies), len(self.slots)) if len(self.slots) > bool(self.copies) else None

    def copy_tiles(self):
        self.head += ["gl.barrier()"]
        slots = self.slots[0]
        self.body.append([f"async_copy.wait_group({(self.ahead - 1) * self.copies})"])
        self.body.append([f"acc = acc * 3 + ring0.index(k % {slots}).load(COLUMNS)"])
        destination = f"ring0.index((k + {self.ahead}) % {slots})"
        self.body.append([f"async_copy.buffer_load_to_shared({destination}, x, direct + (k % {TILES}) * 2048)"])
        self.body[-1] += ["async_copy.commit_group()"] * self.copies

    def read(self):
        ring = self.any_ring()
        if ring is None:
            return self.compute()
        name, layout = self.rng.choice([("acc", "COLUMNS"), ("total", "ROWS")])
        return [f"{name} = {name} * 3 + {self.slot(ring)}.load({layout})"]

    def compute(self):
        name = self.rng.choice(["acc", "total"])
        times = self.rng.choice([4, 16, 40])
        return [f"for j in gl.static_range({times}):", f"    {name} = ({name} ^ (j + k)) * 5 + {name} // 7"]

    def load_and_store(self):
        ring = self.any_ring()
        loaded = f"t = gl.load(x + ((k + {self.rng.randrange(4)}) % {TILES}) * 2048 + rows)"
        if ring is None:
            return [loaded, "total = total * 3 + t"]
        return [loaded, f"{self.slot(ring)}.store(t + total)"]

    def carry(self):
        ring = self.any_ring()
        stored = [f"{self.slot(ring)}.store(last)"] if ring is not None else []
        return [*stored, f"last = gl.load(x + (k % {TILES}) * 2048 + rows) + last"]

    def extra(self):
        return self.rng.choice(
            [
                ["acc = acc * 7 + gl.convert_layout(total, COLUMNS)"],
                ["gl.store(out + 8192 + k * 2048 + rows, total)"],
                ["if k % 2 == 0:", "    acc += 1"],
                ["gl.barrier()"],
                ["total += gl.sum(total, 1)[:, None]"],
            ]
        )

    def write(self, name):
        lines = [*self.head, f"for k in gl.range({self.rng.choice(['n', '0, n, 1', 'n'])}, warp_pipeline=HOW):"]
        lines += [f"    {line}" for statement in self.body for line in statement]
        lines += ["async_copy.wait_group(0)"] * bool(self.copies)
        lines += [
            "gl.store(out + rows, total)",
            "gl.store(out + 2048 + columns, acc)",
            "gl.store(out + 4096 + rows, last)",
        ]
        text = "".join(f"    {line}\n" for line in lines)
        return (
            f"{HEADER}@hocket.jit(do_not_specialize=['n'])\ndef {name}(x, out, n, HOW: gl.constexpr):{PROLOGUE}{text}"
        )


def results(kernel, target, how, schedules):
    """Runs loops of all lengths under all schedules."""
    x = np.random.default_rng(0).integers(-1000, 1000, (TILES, 64, 32)).astype(np.int32)
    outs = []
    for n in TRIPS:
        for seed, completion in schedules:
            out = np.zeros((16, 64, 32), np.int32)
            with emulator.target(target, seed=seed, completion=completion):
                kernel[(1,)](x, out, n, HOW=how, num_warps=8)
            outs.append(out)
    return outs


def decisions(kernel, target):
    x = np.zeros((TILES, 64, 32), np.int32)
    # The estimate decides, as on the emulator. By the schedule model of the machine code, most of the loops stay plain.
    return kernel.warmup(x, x, 4, HOW="auto", num_warps=8, target=target, stage_choice=2).explain_schedule()


#: The module that draws the loops of each target.
DRAWN_BY = {
    **dict.fromkeys(TARGETS, sys.modules[__name__]),
    **dict.fromkeys(auto_stage_loops_hopper.TARGETS, auto_stage_loops_hopper),
}


def check(kernel, target, schedules):
    """Returns the decision for the loop. Without stages, the decision must have a known reason; stages must give the
    results of the plain loop under all schedules."""
    loops = DRAWN_BY[target]
    (decision,) = loops.decisions(kernel, target)
    assert decision.formed or loops.REASONS.match(decision.reason), decision.reason
    if decision.formed:
        plain = loops.results(kernel, target, None, schedules[:1])
        staged = loops.results(kernel, target, "auto", schedules)
        for number, out in enumerate(staged):
            trips, (seed, completion) = loops.TRIPS[number // len(schedules)], schedules[number % len(schedules)]
            assert (out == plain[number // len(schedules)]).all(), f"n={trips}, schedule {seed}, {completion}"
    return decision
