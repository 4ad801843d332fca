"""Random programs with warp pipelines and copies into shared memory, with waits that the compiler changes or places.

The programs are those of random_pipelines.py. Copies complete as late as the waits allow. A program is compiled with
its waits as they are written (`keep_waits=True`), with the waits that the compiler leaves of them, and without a commit
or a wait of its own. pipeline_model.py computes the results without the compiler. HOCKET_RANDOM_PIPELINES multiplies
the numbers of programs.
"""

import collections
import copy
import itertools
import os

import drawn_programs
import numpy as np
import pipeline_model as model
import pipeline_programs as programs
import pytest
from random_pipelines import Generator

from hocket import emulator
from hocket.errors import CompileError, EmulatorError

pytestmark = pytest.mark.slow

TARGETS = ["gfx950", "sm_80"]
TIMES = int(os.environ.get("HOCKET_RANDOM_PIPELINES", "1"))
#: Programs of one test.
BATCH = 10
TRIPS = [0, 1, 2, 3, 7]
SCHEDULES = [(0, "late"), (3, "late"), (1, "random"), (2, "late")]

x = np.random.default_rng(0).integers(-1000, 1000, (programs.TILES, programs.SIZE, programs.SIZE)).astype(np.int32)


def drawn(target, batch):
    """Programs with copies."""
    seed, found = batch * 1000, 0
    while found < BATCH:
        seed += 1
        program = Generator(seed, target, is_plain=seed % 2 == 0).program(f"seed_{seed}")
        if any(pipeline.has_copies() for pipeline in program.pipelines):
            found += 1
            yield program


class Form:
    """A program, with waits that are written or placed."""

    def __init__(self, program, folder, form, **options):
        self.program, self.options = program, options
        writer = programs.Writer(program, is_placed=form == "placed")
        self.where = f"{program.target} {program.name} {form}"
        self.source = programs.header(program.target) + writer.text()
        self.kernel = getattr(drawn_programs.load(folder / f"{program.name}_{form}.py", self.source), program.name)

    def run(self, n, seed=0, completion="late"):
        out = np.zeros((len(self.program.layouts()), programs.SIZE, programs.SIZE), np.int32)
        scratch = [np.zeros((buffer.slots or 1, programs.SIZE, programs.SIZE), np.int32)
                   for buffer in self.program.global_buffers()]  # fmt: skip
        with emulator.target(self.program.target, seed=seed, completion=completion):
            self.kernel[(1,)](x, out, n, *scratch, num_warps=8, **self.options)
        return out

    def is_accepted(self):
        try:
            for n in (0, 1):  # 1 may be specialized
                self.run(n)
        except CompileError:
            return False
        except EmulatorError as error:
            pytest.fail(f"{self.where} n={n}: {error}\n{self.source}")
        return True

    def check_results(self):
        for n in TRIPS:
            expected = model.Run(self.program, x, n).result()
            for seed, completion in SCHEDULES:
                try:
                    result = self.run(n, seed, completion)
                except EmulatorError as error:
                    pytest.fail(f"{self.where} n={n} seed={seed}: {error}\n{self.source}")
                assert (result == expected).all(), f"{self.where} n={n} seed={seed}: wrong\n{self.source}"


def strengthened(program):
    """The program with a wait for all copies between every two stages that have neither a wait nor a barrier."""
    strong = copy.deepcopy(program)
    for pipeline in strong.pipelines:
        first = 0 if pipeline.loop else 1
        pipeline.gaps[first:] = [0 if gap is None else gap for gap in pipeline.gaps[first:]]
    return strong


@pytest.mark.parametrize("is_strong", [False, True])
@pytest.mark.parametrize("batch", range(2 * TIMES))
@pytest.mark.parametrize("target", TARGETS)
def test_changed_waits_are_right(tmp_path, target, batch, is_strong):
    """The compiler accepts a program with changed waits if and only if it accepts the program with all of them."""
    for program in drawn(target, batch):
        program = strengthened(program) if is_strong else program
        changed = Form(program, tmp_path, "changed")
        is_accepted = changed.is_accepted()
        kept = Form(program, tmp_path, "kept", keep_waits=True)
        assert kept.is_accepted() == is_accepted, f"{changed.where}: accepted with changed waits: {is_accepted}"
        if is_accepted:
            changed.check_results()


def has_consecutive_lines(program):
    return any(not (first.loop or second.loop) for first, second in itertools.pairwise(program.pipelines))


@pytest.mark.parametrize("batch", range(2 * TIMES))
@pytest.mark.parametrize("target", TARGETS)
def test_placed_waits_are_right(tmp_path, target, batch):
    """Programs that are accepted without waits of their own are right. Most programs that are accepted with their own
    waits are also accepted without them. Exceptions are programs in which a wait separates two straight-line pipelines,
    which are one pipeline without it, and programs with a barrier in the only slot for a wait."""
    counts = collections.Counter()
    for program in drawn(target, batch):
        placed = Form(program, tmp_path, "placed")
        is_accepted = placed.is_accepted()
        counts[is_accepted] += 1
        if is_accepted:
            placed.check_results()
        elif not has_consecutive_lines(program) and Form(program, tmp_path, "written").is_accepted():
            counts["only written"] += 1
    assert counts["only written"] <= 1 + counts[True] // 4, counts
