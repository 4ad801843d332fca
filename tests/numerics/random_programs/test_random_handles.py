"""Random programs that carry handles of shared memory through loops and branches, each compared with NumPy.

random_handles.py generates the programs. Races are checked as in every test. HOCKET_RANDOM_HANDLES multiplies the
number of programs: with 80, there are 5,120.
"""

import os
import random

import drawn_programs
import numpy as np
import pytest
import random_handles
import random_layouts
import random_programs

from hocket import emulator

pytestmark = [pytest.mark.usefixtures("unoptimized"), pytest.mark.slow]

TARGETS = ["sm_80", "sm_90a", "gfx942", "gfx950"]
TIMES = int(os.environ.get("HOCKET_RANDOM_HANDLES", "1"))
#: Programs of one test.
BATCH = 4


class Program:
    """`source`: a kernel called `name`; `expected`: what it stores."""

    def __init__(self, name, seed, target):
        rng = random.Random(seed)
        self.warps = rng.choice([1, 2, 4, 4, 8])
        made = random_handles.Handles(rng, random_layouts.Layouts(rng, target, self.warps))
        self.expected = list(made.sums.values())
        stores = [
            f"gl.store(out{i} + offsets({list(array.shape)}, {total}.type.layout), {total})"
            for i, (total, array) in enumerate(made.sums.items())
        ]
        arguments = [*(f"out{i}" for i in range(len(stores))), "one"]
        body = "".join(f"    {line}\n" for line in made.lines + stores)
        self.source = f"\n\n@hocket.jit(do_not_specialize=['one'])\ndef {name}({', '.join(arguments)}):\n{body}"


@pytest.mark.parametrize("batch", range(4 * TIMES))
@pytest.mark.parametrize("target", TARGETS)
def test_programs(tmp_path, target, batch):
    programs = [Program(f"program_{seed}", seed, target) for seed in range(batch * BATCH, (batch + 1) * BATCH)]
    path = tmp_path / f"handles_{target}_{batch}.py"
    module = drawn_programs.load(path, random_programs.HEADER + "".join(program.source for program in programs))
    for number, program in enumerate(programs, batch * BATCH):
        outputs = [np.zeros_like(array, order="C") for array in program.expected]
        with emulator.target(target, seed=number):
            getattr(module, f"program_{number}")[(1,)](*outputs, 1, num_warps=program.warps)
        for actual, expected in zip(outputs, program.expected, strict=True):
            np.testing.assert_array_equal(actual, expected, err_msg=program.source)
