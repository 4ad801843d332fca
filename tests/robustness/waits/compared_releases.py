"""Random kernels whose partitions or CTAs release memory to each other (py), in the emulator.

As in compared_waits.py, each runs with the waits that the compiler leaves, and with waits that it places: operations
complete as late as the waits allow, or at random, and results must be those of the model. All kernels are right as they
are written, so an error counts as wrong unless the model finds the access too early for other arguments.
"""

import functools
import os
import random
import re

import forked
import numpy as np
from campaign import Part
from cluster_waits import Cluster
from compared_waits import CPU_SECONDS, forms_of, try_forms
from pipeline_waits import ClusterPipeline, Pipeline
from release_kernels import RUNS, header
from release_model import number_loaded

RUNS_TRIED, ATTEMPTS = 3, 20
#: Arguments for which programs may be wrong.
OTHER_RUNS = [{"n": n, "c0": c0, "stop": stop} for n in (2, 3, 1, 4, 8) for c0 in range(4) for stop in (20, 0, 1, 3)]
#: The kinds of programs of each part.
KINDS = {
    "partitions": [Pipeline],
    "clusters": [ClusterPipeline, Cluster],
}


def program_of(number, part):
    """One that is right as it is written."""
    kinds = KINDS[part]
    for attempt in range(ATTEMPTS):
        program = kinds[number % len(kinds)](f"{number} {attempt}")
        if program.is_right:
            return program
    raise AssertionError(f"{part}, seed {number}: no waits make any of {ATTEMPTS} programs right")


@functools.cache
def tiles(num_ctas):
    """The arrays that bulk loads read: 16 tiles of a side by side, 16 of b one below the other."""
    a = [[number_loaded("a_desc", step, cta) for step in range(16)] for cta in range(num_ctas)]
    b = [[number_loaded("b_desc", step, 0)] for step in range(16)]
    return [np.kron(np.array(numbers), np.ones((64, 64))).astype(np.float16) for numbers in (a, b)]


def run_once(kernel, program, number, run, completion, options):
    from hocket import emulator
    from hocket import language as gl
    from hocket.nvidia.hopper import TensorDescriptor

    totals, sent = program.expected[run]
    num_ctas = program.num_ctas
    split, copies = ([[1, 0]], [[0, 0]]) if num_ctas == 2 else (None, None)
    shapes = [64 * num_ctas, 64], [64, 64]
    layouts = [
        gl.NVMMASharedLayout.get_default_for(shape, gl.float16, cga_layout=how)
        for shape, how in zip(shapes, (split, copies), strict=True)
    ]
    descs = [
        TensorDescriptor.from_tensor(array, shape, layout)
        for array, shape, layout in zip(tiles(num_ctas), shapes, layouts, strict=True)
    ]
    rows = np.zeros((16 * 8, 64), np.int32)
    s_desc = TensorDescriptor.from_tensor(rows, [8, 64], gl.NVMMASharedLayout.get_default_for([8, 64], gl.int32))
    x = np.repeat(np.arange(16, dtype=np.int32) + 1, 128)
    dtype = np.float32 if program.is_float else np.uint32
    outs = [np.zeros((64 * num_ctas, 64), dtype).view(np.float32 if program.is_float else np.int32) for _ in range(2)]
    with emulator.target("sm_90a", seed=number + run, completion=completion):
        kernel[(1,)](
            *descs, s_desc, x, *outs, *RUNS[run].values(), program.is_float, num_warps=4, num_ctas=num_ctas, **options
        )
    for (out, cta), total in totals.items():
        found = outs[out].view(dtype)[64 * cta : 64 * cta + 64]
        if not (found == dtype(total)).all():
            return f"out{out} of CTA {cta} is {found.min()} to {found.max()} instead of {total}, with {RUNS[run]}"
    for row, wanted in sent.items():
        if not (rows[8 * row : 8 * row + 8] == wanted).all():
            return f"row {row} that was sent is {rows[8 * row]} instead of {wanted}, with {RUNS[run]}"
    return None


def is_rightly_refused(error, program, is_placed):
    """Returns True if an access in the error comes too early for other arguments than those of `RUNS`."""
    places = re.findall(r"<(?:as written|minimized|placed) .*?>:(\d+)", str(error))
    return bool(places) and int(places[0]) in program.lines_too_early(OTHER_RUNS)


def try_program(number, part):
    program = program_of(number, part)
    draw = random.Random(number)
    numbers = [*draw.sample(range(len(RUNS) - 2), RUNS_TRIED - 1), len(RUNS) - 1 - number % 2]

    def run(kernel, options):
        tried = zip(numbers, ("late", "late", "random"), strict=True)
        found = (run_once(kernel, program, number, run, completion, options) for run, completion in tried)
        return next(filter(None, found), None)

    return try_forms(number, program, header(), run, is_rightly_refused)


def run_batch(part, numbers):
    import hocket  # noqa: F401
    from hocket import _core  # noqa: F401  children share what is imported

    header()
    os.environ["HOCKET_EMULATOR_OPTIMIZE"] = "0"  # each kernel runs for a moment
    describe = functools.partial(source_of, part)
    return forked.try_all(numbers, functools.partial(try_program, part=part), describe, CPU_SECONDS)


def source_of(part, number):
    return f"# {part}, seed {number}\n{forms_of(program_of(number, part))['as written'][0]}\n"


PARTS = [
    Part(f"waits-{part}-sm_90a", long=5_000, quick=4, batch=10, run=functools.partial(run_batch, part))
    for part in KINDS
]
