"""Random programs over random layouts, each compared with NumPy (random_programs.py), on every emulated target.

tests/robustness/seeded_torture.py runs any number of them.
"""

import drawn_programs
import pytest
import random_programs

from hocket import emulator

pytestmark = [pytest.mark.usefixtures("unoptimized"), pytest.mark.slow]

PROGRAMS = 40
SCHEDULES = 20


@pytest.fixture(scope="module")
def programs_of(tmp_path_factory):
    folder = tmp_path_factory.mktemp("random_programs")
    return drawn_programs.drawn_once(random_programs.Program, folder, random_programs.HEADER, PROGRAMS)


@pytest.mark.parametrize("seed", range(PROGRAMS))
def test_program(every_device, programs_of, seed):
    module, programs = programs_of(drawn_programs.target_of(every_device))
    kernel = getattr(module, f"program_{seed}")
    programs[seed].check(kernel, every_device.to_device, every_device.to_host)


@pytest.mark.parametrize("seed", range(0, PROGRAMS, 8))
def test_the_same_in_every_order(every_device, programs_of, seed):
    if every_device.is_gpu:
        pytest.skip("a GPU chooses its own order")
    module, programs = programs_of(every_device.target)
    for order in range(SCHEDULES):
        with emulator.schedule(seed=order):
            programs[seed].check(getattr(module, f"program_{seed}"))
