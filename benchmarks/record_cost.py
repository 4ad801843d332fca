"""Measures how much recording slows down a kernel of about 20 us, with records in device memory and in shared memory.

    python benchmarks/record_cost.py [--rounds 300] [--blocks 528] [--json FILE]

Each block keeps 256 numbers in registers and computes in a loop; each iteration is a scope, so a warp writes two
records per several hundred cycles of work, as in proton.py. In the second kernel, an outer scope contains the scope of
each iteration, so a warp writes four records per iteration. Runs with and without records are interleaved in random
order. Launches record into memory that is allocated once, so the times contain neither the reading of records nor other
work of the host.
"""

import argparse

from interleave import gpu_times, print_table
from profiler import FixedMemory
from results import INTERLEAVED, Results

import hocket
from hocket import language as gl
from hocket import profiler
from hocket.profiler.facts import ProfileConfig
from hocket.runtime import profiling

ITERATIONS, WORK = 64, 64
#: Size of a warp's buffer in device memory, which is enough for the records of all iterations.
BYTES = 4096


@hocket.jit
def one_scope(x, ITERATIONS: gl.constexpr, WORK: gl.constexpr):
    i = gl.program_id(0) * 256 + gl.arange(0, 256, layout=gl.BlockedLayout([2], [32], [4], [0]))
    value = gl.load(x + i)
    for _ in range(ITERATIONS):
        with profiler.scope("work"):
            for _ in gl.static_range(WORK):
                value = value * 0.5 + 1.0
    gl.store(x + i, value)


@hocket.jit
def two_scopes(x, ITERATIONS: gl.constexpr, WORK: gl.constexpr):
    i = gl.program_id(0) * 256 + gl.arange(0, 256, layout=gl.BlockedLayout([2], [32], [4], [0]))
    value = gl.load(x + i)
    for _ in range(ITERATIONS):
        with profiler.scope("iteration"):
            with profiler.scope("work"):
                for _ in gl.static_range(WORK):
                    value = value * 0.5 + 1.0
    gl.store(x + i, value)


KERNELS = {"one scope": one_scope, "two scopes": two_scopes}
VARIANTS = {
    "shared memory": ProfileConfig(space="shared", bytes=1024),
    "device memory": ProfileConfig(space="device", bytes=BYTES),
    "device memory, 44-bit clock": ProfileConfig(space="device", bytes=BYTES, clock=44),
    "flushed to device memory": ProfileConfig(policy="flush", bytes=BYTES),
}


def profiled(run, sink):
    def call():
        choice = profiling.current.set(sink)
        try:
            run()
        finally:
            profiling.current.reset(choice)

    return call


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=300)
    parser.add_argument("--blocks", type=int, default=528, help="four blocks for each SM of an H200")
    results = Results("record_cost", inputs="ones", method=INTERLEAVED)
    results.add_option(parser)
    arguments = parser.parse_args()
    import torch  # imported here, so that --help works without PyTorch

    x = torch.ones(arguments.blocks * 256, device="cuda")
    table = results.table("records", "kernels with records", "us", better="lower", ours=("no records", *VARIANTS))
    rows = []
    for name, kernel in KERNELS.items():

        def plain(kernel=kernel):
            kernel[(arguments.blocks,)](x, ITERATIONS, WORK)

        sinks = {variant: FixedMemory(config) for variant, config in VARIANTS.items()}
        rivals = {"no records": plain} | {variant: profiled(plain, sink) for variant, sink in sinks.items()}
        times = gpu_times(rivals, rounds=arguments.rounds)
        table.add(name, {rival: 1e6 * seconds for rival, seconds in times.items()}, seconds=times)
        for rival, seconds in times.items():
            rows.append([name, rival, f"{1e6 * seconds:.2f} us", f"{seconds / times['no records'] - 1:+.1%}"])
    print_table("Records, interleaved with launches without records", ["kernel", "records in", "time", "added"], rows)
    results.save(arguments)


if __name__ == "__main__":
    main()
