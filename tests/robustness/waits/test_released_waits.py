"""Faults that the random kernels of released_waits.py must detect. test_mutants.py runs them without faults."""

import compared_releases
import pytest
from compared_programs import load
from release_kernels import RUNS, header
from release_model import TooEarly, Unordered
from release_traces import MODEL

import hocket

pytestmark = pytest.mark.slow


def first_wrong(program, text):
    """The first run in which the model finds an access that is not ordered; None if there is none."""
    code = compile(text, MODEL, "exec")
    for number, run in enumerate(RUNS):
        try:
            program.run(code, run)
        except (TooEarly, Unordered):
            return number
    return None


def without_a_wait(program):
    """(text of the kernel, a run that is wrong then), for each wait that is needed. One wait at least is left: the
    compiler places waits in a kernel without any."""
    lines = program.text()[0].splitlines()
    waits = [number for number, line in enumerate(lines) if "mma_wait" in line]
    for number in waits if len(waits) > 1 else ():
        text = [*lines[:number], lines[number].split("acc0")[0] + "pass", *lines[number + 1 :]]
        if (run := first_wrong(program, "\n".join(text))) is not None:
            yield "\n".join([*text, *program.kernel().splitlines()[len(lines) :]]) + "\n", run


def is_noticed(program, number, text, run):
    try:
        kernel = load(f"<{number} without a wait>", text, header())["program"]
        options = {"keep_waits": True}
        return compared_releases.run_once(kernel, program, number, run, "late", options) is not None
    except (hocket.CompileError, hocket.errors.EmulatorError):
        return True


@pytest.mark.parametrize("part, numbers", [("partitions", range(12)), ("clusters", range(4))])
def test_a_missing_wait_is_noticed(part, numbers):
    tried = 0
    for number in numbers:
        program = compared_releases.program_of(number, part)
        for text, run in without_a_wait(program):
            assert is_noticed(program, number, text, run), text
            tried += 1
    assert tried > 4
