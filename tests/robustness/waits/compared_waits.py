"""Random kernels with asynchronous operations under correlated conditions (random_waits.py) on each emulated target.

Each runs with the waits that the compiler leaves of those that it writes, and without a wait or commit of its own;
every fourth runs as it is written, too (`keep_waits`). Operations complete as late as the waits allow, and results must
be those of the model. All kernels are right as they are written, for the arguments of `RUNS`: a refused kernel counts
as wrong if the access in the error follows the start in some run of the model, unless it comes too early for other
arguments.
"""

import functools
import os
import random
import re

import forked
import numpy as np
import random_waits
import wait_kernels
from campaign import Part
from compared_programs import load

RUNS_TRIED = 3
WRITTEN_EVERY = 4  # programs: what runs as it is written tests the model, not the compiler
#: Arguments for which programs may be wrong.
OTHER_RUNS = [{"c0": c0, "c1": c1, "n": n} for n in (2, 3, 1, 4, 8, 0) for c0 in (0, 1, 2, 3) for c1 in (0, 1, 2, 3)]
CPU_SECONDS = 120  # for one kernel
ATTEMPTS = 10


@functools.cache
def header(target):
    return load(f"<header {target}>", wait_kernels.header(target), {"__name__": "programs"})


def program_of(number, target):
    """One that is right as it is written."""
    for attempt in range(ATTEMPTS):
        program = random_waits.Program(f"{number} {attempt}", target)
        if program.is_right:
            return program
    raise AssertionError(f"{target}, seed {number}: no waits make any of {ATTEMPTS} programs right")


def forms_of(program):
    written, placed = program.kernel(), program.kernel(is_placed=True)
    return {"as written": (written, {"keep_waits": True}), "minimized": (written, {}), "placed": (placed, {})}


def run_once(kernel, program, target, number, options):
    from hocket import emulator
    from hocket import language as gl
    from hocket.nvidia.hopper import TensorDescriptor

    expected = program.expected[number]
    size = 64 * 64 if program.kind == "products" else wait_kernels.elements(target)
    results = {"total": np.zeros(size, np.int32)}
    arguments = []
    if program.is_partitioned:
        results["other"] = np.zeros(size, np.int32)
        arguments.append(results["other"])
    if program.kind != "products":
        arguments.append(wait_kernels.inputs(target))
    if program.kind == "stores":
        results["sent"] = np.zeros_like(expected["sent"])
        layout = gl.NVMMASharedLayout.get_default_for([8, 64], gl.int32)
        arguments.append(TensorDescriptor.from_tensor(results["sent"], [8, 64], layout))
    warps = 4 if program.kind == "products" else 1
    with emulator.target(target, seed=number, completion="late"):
        run = random_waits.RUNS[number]
        kernel[(1,)](*arguments, results["total"], *run.values(), 1, num_warps=warps, **options)
    for name, found in results.items():
        wanted = np.broadcast_to(expected[name], found.shape)
        if not np.array_equal(found, wanted):
            return f"{name} is not what the model has, with {run}"
    return None


def is_rightly_refused(error, program, is_placed):
    """Returns True if no run of the model has the pair of start and access in the error, or if the access comes too
    early for other arguments than those of `RUNS`."""
    text = str(error)
    start = re.search(r"of line (\d+) (?:is still in flight|while it is still|still reads)", text)
    places = re.findall(r"<(?:as written|minimized|placed) .*?>:(\d+)", text)
    if not start or not places:
        return False
    access = int(places[0])
    return (int(start[1]), access) not in program.met(is_placed) or access in program.lines_too_early(OTHER_RUNS)


def try_forms(number, program, names, run, is_rightly_refused):
    """The finding of a program; None if it is right. `run(kernel, options)` says what is wrong with a form."""
    import hocket

    forms = forms_of(program)
    written = forms.pop("as written")
    if number % WRITTEN_EVERY == 0:
        forms["as written"] = written
    for form, (source, options) in forms.items():
        try:
            if wrong := run(load(f"<{form} {number}>", source, names)["program"], options):
                return "wrong", f"{form}: {wrong}"
        except hocket.CompileError as error:
            if not is_rightly_refused(error, program, form == "placed"):
                return "wrong", f"{form}: CompileError: {error}"
        except hocket.InternalError as error:
            return "crashed", f"{form}: InternalError: {error}"
        except Exception as error:
            return "wrong", f"{form}: {type(error).__name__}: {error}"
    return None


def try_program(number, target):
    program = program_of(number, target)
    numbers = random.Random(number).sample(range(len(random_waits.RUNS) - 4), RUNS_TRIED - 1)
    numbers.append(len(random_waits.RUNS) - 1 - number % 4)

    def run(kernel, options):
        return next(filter(None, (run_once(kernel, program, target, number, options) for number in numbers)), None)

    return try_forms(number, program, header(target), run, is_rightly_refused)


def run_batch(target, numbers):
    import hocket  # noqa: F401
    from hocket import _core  # noqa: F401  children share what is imported

    header(target)
    os.environ["HOCKET_EMULATOR_OPTIMIZE"] = "0"  # each kernel runs for a moment
    describe = functools.partial(source_of, target)
    return forked.try_all(numbers, functools.partial(try_program, target=target), describe, CPU_SECONDS)


def source_of(target, number):
    forms = forms_of(program_of(number, target))
    return f"# {target}, seed {number}\n{forms['as written'][0]}\n"


PARTS = [
    Part(f"waits-{target}", long=20_000, quick=8, batch=20, run=functools.partial(run_batch, target))
    for target in random_waits.TARGETS
]
