"""Measures the host time of a launch of a tiny kernel on the emulator: a vector add of 128 elements by 4 warps.

    python benchmarks/emulated_launch.py [--json FILE]

The time of a launch with an empty grid is the time to bind the arguments, find the kernel and set up the emulator.
"""

import argparse
import contextlib
import time
from collections.abc import Callable

import numpy as np
from results import Results

import hocket
from hocket import language as gl

SIZE = 128


@hocket.jit
def add(x, y, out, n, BLOCK: gl.constexpr):
    i = gl.arange(0, BLOCK, layout=gl.row_layout())
    gl.store(out + i, gl.load(x + i, mask=i < n) + gl.load(y + i, mask=i < n), mask=i < n)


def seconds_of(run: Callable[[], object], calls: int, rounds: int = 9) -> float:
    """Returns the CPU time of this thread for one call: the smallest average of `rounds` loops of calls."""
    run()
    samples = []
    for _ in range(rounds):
        started = time.thread_time()
        for _ in range(calls):
            run()
        samples.append((time.thread_time() - started) / calls)
    return min(samples)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    results = Results("emulated_launch", inputs="standard normal, seed 0", method="CPU time of one thread, least of 9")
    results.add_option(parser)
    arguments = parser.parse_args()
    x, y = np.random.default_rng(0).standard_normal((2, SIZE), dtype=np.float32)
    out = np.empty_like(x)
    settings = {
        "default": contextlib.nullcontext,
        "without races": lambda: hocket.emulator.schedule(races=False),
        "in a target": lambda: hocket.emulator.target("sm_90a"),
    }
    table = results.table("launch", "a launch on the emulator", "us", better="lower", ours=("one block", "no blocks"))
    for name, setting in settings.items():
        with setting():
            seconds = {
                "one block": seconds_of(lambda: add[(1,)](x, y, out, SIZE, BLOCK=SIZE), calls=2000),
                "no blocks": seconds_of(lambda: add[(0,)](x, y, out, SIZE, BLOCK=SIZE), calls=10000),
            }
        microseconds = {part: 1e6 * time for part, time in seconds.items()}
        table.add(name, microseconds, seconds=seconds, settings=name)
    np.testing.assert_array_equal(out, x + y)
    table.show(1)
    results.save(arguments)


if __name__ == "__main__":
    main()
