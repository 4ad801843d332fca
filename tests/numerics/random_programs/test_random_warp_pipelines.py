"""Random programs with warp pipelines: what the compiler accepts is right under every schedule, what it refuses races.

The programs are those of random_pipelines.py. pipeline_model.py computes their results without the compiler, and finds
accesses of two warps that no fence can order. A failure contains the target, seed and source of the program;
`Generator(seed, target, is_plain).program()` generates it again. HOCKET_RANDOM_PIPELINES multiplies the numbers of
programs.
"""

import collections
import os
import re

import drawn_programs
import lane_edits
import numpy as np
import pipeline_model as model
import pipeline_programs as programs
import pytest
from random_pipelines import Generator

import hocket
from hocket import emulator
from hocket.errors import CompileError, EmulatorError

pytestmark = pytest.mark.slow

AMD_TARGETS = ["gfx942", "gfx950"]
TARGETS = [*AMD_TARGETS, "sm_90a"]
TIMES = int(os.environ.get("HOCKET_RANDOM_PIPELINES", "1"))
#: Programs of one test.
BATCH = 10


def batches(**counts):
    """Batches of programs with 8 and with more warps, as pairs of the number of warps and the number of the batch."""
    return [(int(warps[1:]), batch) for warps, count in counts.items() for batch in range(count * TIMES)]


TRIPS = [0, 1, 2, 3, 7]
#: Seed 0 is the natural order; of 3 and 7, adversarial, some warps run far ahead of others.
SCHEDULES = [(0, "late"), (3, "late"), (1, "random"), (7, "now"), (2, "late")]
REFUSALS = re.compile(
    r'this warp pipeline races: stage ".*" (reads|writes|copies into) `\w+`'
    r"( while (the other|another) group of warps may still be in "
    r"|, which other (warps|lanes of the warp) may access at the same time"
    r"|, and (the other|another) group of warps may not have waited| before the wait"
    r"|, but no wait between the stages covers)"
    r"|the kernel needs \d+ bytes of shared memory"
)

x = np.random.default_rng(0).integers(-1000, 1000, (programs.TILES, programs.SIZE, programs.SIZE)).astype(np.int32)


class Compiled:
    """A program, loaded from a file of its own."""

    def __init__(self, program, folder, is_staged=True):
        self.program, self.source = (
            program,
            programs.header(program.target, program.warps) + programs.Writer(program, is_staged).text(),
        )
        self.path = folder / f"{program.name}_{is_staged}.py"
        self.kernel = getattr(drawn_programs.load(self.path, self.source), program.name)

    def run(self, n, seed=0, completion="late"):
        out = np.zeros((len(self.program.layouts()), programs.SIZE, programs.SIZE), np.int32)
        scratch = [np.zeros((buffer.slots or 1, programs.SIZE, programs.SIZE), np.int32)
                   for buffer in self.program.global_buffers()]  # fmt: skip
        with emulator.target(self.program.target, seed=seed, completion=completion):
            self.kernel[(1,)](x, out, n, *scratch, num_warps=self.program.warps)
        return out

    def refusal(self):
        """The message with which the compiler refuses it, or None."""
        try:
            for n in (0, 1):  # 1 may be specialized
                self.run_first(n)
        except CompileError as error:
            assert REFUSALS.match(error.message), error
            assert error.filename == str(self.path), error
            assert error.lineno, error
            return error.message
        return None

    def run_first(self, n):
        try:
            self.run(n)
        except EmulatorError as error:
            pytest.fail(f"{self.program.target} {self.program.name} n={n}: {error}\n{self.source}")

    def check_results(self):
        for n in TRIPS:
            expected = model.Run(self.program, x, n).result()
            for seed, completion in SCHEDULES:
                where = f"{self.program.target} {self.program.name} n={n} seed={seed} {completion}"
                try:
                    result = self.run(n, seed, completion)
                except EmulatorError as error:
                    pytest.fail(f"{where}: {error}\n{self.source}")
                assert (result == expected).all(), f"{where}: wrong\n{self.source}"


def drawn(seed, target, is_plain, warps):
    return Generator(seed, target, is_plain, warps=warps).program(f"seed_{seed}")


def race_of(program, n):
    """Describes two accesses of a launch that no fence can order, or returns None."""
    run = model.Run(program, x, n)
    run.result()
    return next((race for trace in run.traces if (race := model.first_race(trace, is_exact=True))), None)


def race_in_any_length(program):
    """Describes two accesses that no fence can order in loops of any length, or returns None."""
    has_series = any(pipeline.outer and pipeline.has_copies() for pipeline in program.pipelines)
    for length in [model.LONG, *(range(1, programs.TURNS) if has_series else ())]:
        run = model.Run(program, x, 0, length)
        run.result()
        for trace in run.traces:
            if race := model.first_race(trace, is_exact=False):
                return race
    return None


def has_folded_loops(program):
    """Loops of known length that are unrolled may become pipelines of their own, one for each iteration."""
    return any(pipeline.trips != "n" and (pipeline.copies > 1 or "unrolled" in pipeline.loop)
               for pipeline in program.pipelines)  # fmt: skip


def leaves_copies_behind(program):
    """Returns True if copies are in flight at the end of a loop and the compiler cannot compare later slots with
    theirs: if unrolling leaves straight-line code, or in the next iteration of an enclosing loop whose counter
    continues. The compiler assumes that such copies of an earlier iteration pass data between all groups, so with more
    than two groups, it also refuses some programs whose counter restarts.
    """
    has_copies = any(pipeline.has_copies() for pipeline in program.pipelines)
    counts_on = any(pipeline.outer and (pipeline.goes_on or program.warps > 8) for pipeline in program.pipelines)
    return has_copies and (has_folded_loops(program) or counts_on)


@pytest.mark.parametrize("warps, batch", batches(_8=4, _12=2, _16=2))
@pytest.mark.parametrize("target", TARGETS)
def test_accepted_programs_are_right(tmp_path, target, warps, batch):
    """All kinds of programs: copies that are in flight anywhere, conditions, slots that the compiler does not know."""
    for seed in range(batch * BATCH, (batch + 1) * BATCH):
        compiled = Compiled(drawn(seed, target, is_plain=False, warps=warps), tmp_path)
        if compiled.refusal():
            continue
        compiled.check_results()
        for n in TRIPS:
            race = None if has_folded_loops(compiled.program) else race_of(compiled.program, n)
            assert not race, f"{target} {seed} n={n}: accepted, but races: {race}\n{compiled.source}"
        if seed % 5 == 0:
            assert (Compiled(compiled.program, tmp_path, is_staged=False).run(3) == compiled.run(3)).all()


@pytest.mark.parametrize("warps, batch", batches(_8=3, _12=2, _16=2))
@pytest.mark.parametrize("target", TARGETS)
def test_programs_are_refused_if_they_race(tmp_path, target, warps, batch):
    """The compiler accepts all safe programs and rejects all others, among those that it analyzes exactly."""
    counts = collections.Counter()
    for seed in range(2 * batch * BATCH, 2 * (batch + 1) * BATCH):
        program = drawn(seed, target, is_plain=True, warps=warps)
        compiled = Compiled(program, tmp_path)
        refusal, where = compiled.refusal(), f"{target} {seed}:"
        counts[bool(refusal)] += 1
        if refusal:
            race = race_in_any_length(program)
            assert race or leaves_copies_behind(program), f"{where} refused, but safe: {refusal}\n{compiled.source}"
        elif all(pipeline.trips == "n" for pipeline in program.pipelines):
            race = race_in_any_length(program)
            assert not race, f"{where} accepted, but races: {race}\n{compiled.source}"
    assert counts[False] >= 1
    assert counts[True] >= 1


def fences(lines):
    """The first lines of the fences between stages."""
    return [number - 3 for number, line in enumerate(lines)
            if 'lane.stage = "stage' in line and "rocdl.s.barrier" in lines[number - 2]
            and 'syncscope("workgroup") release' in lines[number - 3]]  # fmt: skip


def removal_is_noticed(compiled, number):
    def remove(lane):
        first = fences(lane.lines)[number]
        release, acquire = (f'llvm.fence syncscope("singlethread") {what}' for what in ("release", "acquire"))
        lane.lines[first : first + 3] = [release, "rocdl.s.barrier {lane.acquires}", acquire]

    compiled.kernel = hocket.jit(compiled.kernel.fn, do_not_specialize=["n"])
    with lane_edits.edited(remove):
        for n, schedule in ((n, schedule) for n in (7, 2) for schedule in SCHEDULES):
            try:
                if (compiled.run(n, *schedule) != model.Run(compiled.program, x, n).result()).any():
                    return True
            except EmulatorError as error:
                assert re.search("races with|is still in flight", str(error)), error
                return True
    return False


#: Programs whose fences keep two stores of the same numbers in order, which the emulator takes for harmless.
STORE_THE_SAME_TWICE = {("gfx950", 34)}


@pytest.mark.parametrize("target", AMD_TARGETS)
def test_fences_are_needed(tmp_path, target):
    """Fences are only where they are needed: without any of the fences that the compiler inserts, the emulator reports
    a race for some loop length.
    """
    seed = count = 0
    while count < 10 * TIMES:
        seed += 1
        program = Generator(seed, target, is_plain=True, is_single=True).program(f"seed_{seed}")
        compiled = Compiled(program, tmp_path)
        if compiled.refusal() or (target, seed) in STORE_THE_SAME_TWICE:
            continue
        lines = []
        compiled.kernel = hocket.jit(compiled.kernel.fn, do_not_specialize=["n"])
        with lane_edits.edited(lambda lane, lines=lines: lines.extend(lane.lines)):
            compiled.run(1)
        for number in range(len(fences(lines))):
            count += 1
            assert removal_is_noticed(compiled, number), f"{target} {seed}: fence {number}\n{compiled.source}"
