"""Random loops that copy tiles to shared memory and compute with them: prefetched, they give the plain loop's bits.

A loop that is not prefetched is one with a CompileWarning that says why. All values are integers, and each depends on
the order of what came before: `acc = 3 * acc + tile`. HOCKET_RANDOM_PREFETCH multiplies the numbers of loops.
"""

import collections
import os
import random
import re
import warnings

import drawn_programs
import numpy as np
import pytest

from hocket import emulator
from hocket.errors import CompileWarning

pytestmark = pytest.mark.slow

TARGETS = ["sm_80", "sm_90a", "gfx942", "gfx950"]
TIMES = int(os.environ.get("HOCKET_RANDOM_PREFETCH", "1"))
#: Loops of one test.
BATCH = 5
TRIPS = [0, 1, 2, 3, 5]
SCHEDULES = [(0, "late"), (3, "late"), (1, "random"), (7, "now")]
TILES = 16
REASONS = re.compile(
    r"this loop is not prefetched: ("
    r"it accesses the buffer before it copies to it"
    r"|it does not read the data that it copies to shared memory"
    r"|it copies nothing from global to shared memory"
    r"|it stores data that an earlier iteration has loaded, so it already prefetches"
    r"|the data that it stores depends on values that it computes"
    r"|the source of its copy depends on a read of shared memory"
    r"|the address of its load, or its condition, depends on a read of shared memory"
    r"|it has a barrier of its own|an assertion in it must come before the loads of later iterations"
    r"|it writes global memory, from which later iterations may load"
    r"|it has \d+ iterations?, but copies would start \d iterations ahead"
    r"|the buffer that it copies to is used outside of the loop, too"
    r"|it copies to a buffer that already holds data"
    r"|it uses several buffers of the ring in one iteration|it does not fill the buffer with one copy"
    r"|it accesses the buffer in iterations that do not copy to it|it does not commit its copies to a group"
    r"|it contains an operation that is neither a load, nor a store, nor a computation"
    r"|it has copies of other iterations in flight already"
    r"|it waits before it has started its copies"
    r"|the condition of its copy depends on a read of shared memory"
    r"|it copies to shared memory in one branch of an `if` only"
    r"|only its inner loop copies to shared memory"
    r"|rings of \d buffers would take \d+ bytes of shared memory)"
)

HEADER = """
import hocket
from hocket import language as gl
from hocket.language.amd.cdna4 import async_copy


@hocket.jit
def places(layout: gl.constexpr):
    rows = gl.arange(0, 32, layout=gl.SliceLayout(1, layout))
    return rows[:, None] * 32 + gl.arange(0, 32, layout=gl.SliceLayout(0, layout))[None, :]


"""

PROLOGUE = """
    LANES: gl.constexpr = gl.num_lanes()
    ROWS: gl.constexpr = gl.BlockedLayout([1, 4], [LANES // 8, 8], [4, 1], [1, 0])
    COLUMNS: gl.constexpr = gl.BlockedLayout([4, 1], [8, LANES // 8], [1, 4], [0, 1])
    DIRECT: gl.constexpr = gl.BlockedLayout([1, 1], [LANES // 32, 32], [4, 1], [1, 0])
    shared: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [1, 0])
    rows, direct = places(ROWS), places(DIRECT)
    total = gl.full([32, 32], 1, gl.int32, ROWS)
    acc = gl.full([32, 32], 2, gl.int32, COLUMNS)
    last = gl.full([32, 32], 3, gl.int32, ROWS)
    pointer, turn = x, 0
"""


class Loop:
    """Draws the body, statement by statement."""

    def __init__(self, seed, target):
        self.rng, self.target = random.Random(f"{target} {seed}"), target
        self.head, self.body, self.tail, self.buffers = [], [], [], []
        self.filled = []  # the copies that are in no branch
        self.is_async = target.startswith("gfx") and self.chance(0.4)
        for _ in range(self.rng.choice([1, 1, 2])):
            self.add_buffer()
        self.fill_async() if self.is_async else self.fill_with_registers()
        for _ in range(self.rng.choice([0, 0, 1, 2])):
            extra = self.rng.choice(self.extras())
            # Destinations of copies must not be accessed before the wait.
            ends = self.is_async and any("smem" in line for line in extra)
            self.body.insert(self.rng.choice([0, len(self.body)] if ends else range(len(self.body) + 1)), extra)
        self.body += [["pointer += 1024"], ["turn = (turn + 1) % 3"]]
        self.source = self.write(f"loop_{seed}")

    def chance(self, share):
        return self.rng.random() < share

    def add_buffer(self):
        """A tile; or a ring, by the number of the iteration or what the loop carries."""
        name, slots = f"smem{len(self.buffers)}", self.rng.choice([0, 0, 2, 3])
        self.head.append(f"{name} = gl.allocate_shared_memory(gl.int32, {[slots] * bool(slots) + [32, 32]}, shared)")
        view = {0: name, 2: f"{name}.index(k & 1)", 3: f"{name}.index(turn)"}[slots]
        self.buffers.append(view)
        if self.chance(0.1):  # used outside, too
            first = f"{name}.index(0)" if slots else name
            self.head.append(f"{first}.store(gl.load(x + rows))")
            self.tail.append(f"total = total * 3 + {first}.load(ROWS)")

    def address(self):
        return self.rng.choice(["x + k * 1024", "x + k * 1024", "pointer", "x + gl.load(table + k) * 1024"])

    def tile(self):
        mask = self.rng.choice(["", "", ", mask=rows < 1024 - k * 100, other=k", ", mask=rows > n * 10, other=7"])
        return f"gl.load({self.address()} + rows{mask})"

    def fill_in_branch(self, number, view):
        """A copy under a condition, perhaps with another one in the other branch or a use of the tile beside it."""
        condition = self.rng.choice(["k % 2 == 0", "turn == 1", "k < 3", "n > 2", "gl.load(table + k) % 3 != 0"])
        self.initialize(number, view)
        copy = [f"u{number} = {self.tile()}", f"{view}.store(u{number} * 3)"]
        lines = [f"if {condition}:", *(f"    {line}" for line in copy)]
        if self.chance(0.3):
            lines += [f"    {line}" for line in self.use(view)]
        if self.chance(0.4):
            lines += ["else:", f"    w{number} = {self.tile()}", f"    {view}.store(w{number})"]
        return lines

    def fill_with_registers(self):
        for number, view in enumerate(self.buffers):
            if self.chance(0.35):
                self.body.append(self.fill_in_branch(number, view))
                continue
            self.filled.append(number)
            loaded = [f"t{number} = {self.tile()}"]
            if self.chance(0.3):
                loaded.append(f"t{number} = t{number} * 5 + k")
            if self.chance(0.15):
                loaded.append(f"t{number} += last")
            self.body.append([*loaded, f"{view}.store(t{number})"])
        self.body += [self.use(view) for view in self.buffers]
        if self.filled and self.chance(0.3):
            self.body.append([f"total = total * 3 + t{self.rng.choice(self.filled)}"])
        if self.filled and self.chance(0.2):
            self.body.append([f"last = t{self.filled[0]}"])
        if self.chance(0.1):
            self.rng.shuffle(self.body[1:])

    def initialize(self, number, view):
        name, slots = f"smem{number}", {"k & 1": 2, "turn": 3}.get(view[view.find("(") + 1 : -1], 0)
        for slot in range(slots or 1):
            self.head.append(f"{f'{name}.index({slot})' if slots else name}.store(gl.load(x + {slot} * 1024 + rows))")

    def fill_async_in_branches(self):
        """Copies under conditions. Each is committed and used under its condition, or in every iteration."""
        copies, uses = [], []
        for number, view in enumerate(self.buffers):
            condition = self.rng.choice(["k % 2 == 0", "turn == 1", "k < 3", "n > 2", "k % 3 != 1"])
            copy = [f"async_copy.buffer_load_to_shared({view}, x, direct + k * 1024)"]
            use, commit = self.use(view), ["async_copy.commit_group()"]
            if self.chance(0.3):
                lines = [*copy, *commit, "async_copy.wait_group(0)", *use]
                copies.append([f"if {condition}:", *(f"    {line}" for line in lines)])
                continue
            if is_inside := self.chance(0.5):
                copy += commit
            copies.append([f"if {condition}:", *(f"    {line}" for line in copy), *([] if is_inside else commit)])
            if self.chance(0.8):
                use = [f"if {condition}:", *(f"    {line}" for line in use)]
            else:
                self.initialize(number, view)
            uses.append(use)
        self.body += [*copies, ["async_copy.wait_group(0)"], *uses]
        self.tail.append("async_copy.wait_group(0)")

    def fill_async(self):
        if self.chance(0.5):
            self.fill_async_in_branches()
            return
        groups = self.rng.choice([1, len(self.buffers)])
        for number, view in enumerate(self.buffers):
            self.body.append([f"async_copy.buffer_load_to_shared({view}, x, direct + k * 1024)"])
            if groups > 1 or number == len(self.buffers) - 1:
                self.body[-1].append("async_copy.commit_group()")
        if groups > 1 and self.chance(0.7):
            self.body += [["async_copy.wait_group(1)"], self.use(self.buffers[0]), ["async_copy.wait_group(0)"]]
            self.body.append(self.use(self.buffers[1]))
        else:
            self.body += [["async_copy.wait_group(0)"], *map(self.use, self.buffers)]
        self.tail.append("async_copy.wait_group(0)")

    def use(self, view):
        kind = self.rng.choice(["acc", "acc", "total", "several times", "turned"])
        if kind == "several times":
            return ["for j in range(2):", f"    acc = acc * 3 + {view}.load(COLUMNS) + j"]
        if kind == "turned":
            return [f"acc = acc * 3 + {view}.permute([1, 0]).load(COLUMNS)"]
        return [f"{kind} = {kind} * 3 + {view}.load({'COLUMNS' if kind == 'acc' else 'ROWS'})"]

    def extras(self):
        view = self.rng.choice(self.buffers)
        return [
            ["acc = acc * 7 + gl.convert_layout(total, COLUMNS)"],  # through scratch memory
            ["total += gl.sum(total, 0)[None, :]"],
            ["if k % 2 == 0:", "    acc += 1"],
            ["if turn == 1:", f"    total = total * 3 + gl.load({self.address()} + rows)"],
            [f"total = total * 3 + gl.load({self.address()} + rows)"],
            [f"{view}.store(total)"],
            [f"acc = acc * 3 + {view}.load(COLUMNS)"],
            ["gl.store(out + 4096 + k * 1024 + rows, total)"],
            ["gl.barrier()"],
        ]

    def write(self, name):
        loop = self.rng.choice(["gl.range(n, num_stages=STAGES)", "gl.range(n, num_stages=STAGES)",
                                "gl.range(1, 1 + n, num_stages=STAGES)", "gl.range(0, 3 * n, 3, num_stages=STAGES)",
                                "gl.range(n, 0, -1, num_stages=STAGES)",
                                "gl.range(n, loop_unroll_factor=2, num_stages=STAGES)",
                                "gl.range(3, num_stages=STAGES)"])  # fmt: skip
        lines = [*self.head]
        nested = self.chance(0.25)
        indent = "    " * nested
        if nested and self.chance(0.6):  # the outer loop is prefetched, too, and perhaps copies a tile of its own
            lines += [f"for o in gl.range({self.rng.choice(['2', 'n'])}, num_stages=STAGES):"]
            if self.chance(0.7):
                lines.insert(0, "row = gl.allocate_shared_memory(gl.int32, [32, 32], shared)")
                lines += ["    row.store(gl.load(x + o * 1024 + rows))", "    total = total * 3 + row.load(ROWS)"]
        else:
            lines += ["for o in range(2):"] * nested
        if "-1" in loop or "1 + n" in loop or "3 * n" in loop:
            number = "n - i" if "-1" in loop else "i - 1" if "1 + n" in loop else "i // 3"
            lines += [f"{indent}for i in {loop}:", f"{indent}    k = {number}"]
        else:
            lines.append(f"{indent}for k in {loop}:")
        lines += [f"{indent}    {line}" for statement in self.body for line in statement]
        lines += [f"{indent}{line}" for line in (["pointer = x"] if nested else [])]
        lines += self.tail
        lines += ["gl.store(out + rows, total)", "gl.store(out + 1024 + places(COLUMNS), acc)",
                  "gl.store(out + 2048 + rows, last)"]  # fmt: skip
        text = "".join(f"    {line}\n" for line in lines)
        jit = "@hocket.jit" if self.chance(0.3) else "@hocket.jit(do_not_specialize=['n'])"
        return f"{HEADER}{jit}\ndef {name}(x, table, out, n, STAGES: gl.constexpr):{PROLOGUE}{text}"


def results(kernel, target, stages, schedules):
    """Runs loops of all lengths under all schedules, and returns the reason why the loop was not prefetched."""
    rng = np.random.default_rng(0)
    x = rng.integers(-1000, 1000, (TILES, 32, 32)).astype(np.int32)
    table = rng.permutation(TILES).astype(np.int32)
    outs = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for n in TRIPS:
            for seed, completion in schedules:
                out = np.zeros((20, 32, 32), np.int32)
                with emulator.target(target, seed=seed, completion=completion):
                    kernel[(1,)](x, table, out, n, STAGES=stages, num_warps=4)
                outs.append(out)
    return outs, {str(warning.message) for warning in caught if issubclass(warning.category, CompileWarning)}


@pytest.mark.parametrize("batch", range(2 * TIMES))
@pytest.mark.parametrize("target", TARGETS)
def test_prefetched_loops(tmp_path, target, batch):
    counts = collections.Counter()
    for seed in range(batch * BATCH, (batch + 1) * BATCH):
        loop = Loop(seed, target)
        kernel = getattr(drawn_programs.load(tmp_path / f"loop_{seed}.py", loop.source), f"loop_{seed}")
        plain, _ = results(kernel, target, 1, SCHEDULES[:1])
        for stages in (2, 3, 4) if loop.is_async else (2, 3):
            where = f"{target} {seed} num_stages={stages}\n{loop.source}"
            try:
                prefetched, reasons = results(kernel, target, stages, SCHEDULES)
            except Exception as error:
                pytest.fail(f"{where}{error}")
            for number, out in enumerate(prefetched):
                assert (out == plain[number // len(SCHEDULES)]).all(), f"{where}n={TRIPS[number // len(SCHEDULES)]}"
            unknown = [reason for reason in reasons if not REASONS.match(reason)]
            assert not unknown, f"{where}{unknown}"
            counts[bool(reasons)] += 1
    assert counts[False]
