"""Random programs on each emulated target, compared with NumPy: those of tests/numerics/support/random_programs.py.

Every tenth runs under 20 schedules, and is compiled for the GPU, too. A program that is refused counts as wrong: all of
them are meant to be right.
"""

import functools
import linecache
import os
import pathlib
import sys

import forked
from campaign import Part

sys.path.append(str(pathlib.Path(__file__).parents[1] / "numerics/support"))

import random_layouts
import random_programs

TRIED_AT_LENGTH, SCHEDULES = 10, 20
CPU_SECONDS = 60  # for one program


def load(name, text, names):
    """Runs `text` as a file of that name, in which kernels are found, on top of `names`; the names after it."""
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    names = dict(names)
    exec(compile(text, name, "exec"), names)
    return names


@functools.cache
def header():
    return load("<header>", random_programs.HEADER, {"__name__": "programs"})


def try_right(action, source):
    """The finding of `action()`, which runs the kernel of `source` and compares its results; None if it is right."""
    import hocket

    try:
        action()
    except AssertionError as error:
        _, _, said = str(error).rpartition(source)
        return "wrong", f"another result than NumPy's: {said.strip()}"
    except hocket.InternalError as error:
        return "crashed", f"InternalError: {error}"
    except Exception as error:
        return "wrong", f"{type(error).__name__}: {error}"
    return None


def run_program(program, kernel, number, target):
    from hocket import emulator

    is_tried_at_length = number % TRIED_AT_LENGTH == 0
    for order in range(SCHEDULES) if is_tried_at_length else [number]:
        with emulator.target(target, seed=order, completion=("late", "random", "now")[order % 3]):
            compiled = program.check(kernel)
    if is_tried_at_length:
        assert compiled.asm["ptx" if target.startswith("sm_") else "amdgcn"], "no code for the GPU"


def try_program(number, target):
    program = random_programs.Program("program", number, target)
    kernel = load(f"<program {number}>", program.source, header())["program"]
    return try_right(lambda: run_program(program, kernel, number, target), program.source)


def run_batch(target, numbers):
    import hocket  # noqa: F401
    from hocket import _core  # noqa: F401  children share what is imported

    header()
    os.environ["HOCKET_EMULATOR_OPTIMIZE"] = "0"  # each program runs for a moment
    describe = functools.partial(source_of, target)
    return forked.try_all(numbers, functools.partial(try_program, target=target), describe, CPU_SECONDS)


def source_of(target, number):
    return f"# {target}, seed {number}\n{random_programs.Program('program', number, target).source}\n"


PARTS = [
    Part(f"programs-{target}", long=20_000, quick=10, batch=20, run=functools.partial(run_batch, target))
    for target in random_layouts.TARGETS
]
