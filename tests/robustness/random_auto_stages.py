"""Random loops with warp_pipeline="auto" (tests/numerics/support/auto_stage_loops.py), with 20 schedules each.

    python tests/robustness/random_auto_stages.py FIRST COUNT

prints the number of loops by decision, without findings of other processes.
"""

import collections
import functools
import pathlib
import sys

import compared_programs
import forked
from campaign import Part

sys.path.append(str(pathlib.Path(__file__).parents[1] / "numerics/support"))

import auto_stage_loops

SCHEDULES = [(order, ("late", "random", "now")[order % 3]) for order in range(20)]
CPU_SECONDS = 300  # for one loop


def try_loop(number, target):
    loop = auto_stage_loops.DRAWN_BY[target].Loop(number, target)
    names = compared_programs.load(f"<loop {number}>", loop.source, {"__name__": "loops"})
    kernel = names[f"loop_{number}"]
    return compared_programs.try_right(lambda: auto_stage_loops.check(kernel, target, SCHEDULES), loop.source)


def run_batch(target, numbers):
    import hocket  # noqa: F401
    from hocket import _core  # noqa: F401  children share what is imported

    describe = functools.partial(source_of, target)
    return forked.try_all(numbers, functools.partial(try_loop, target=target), describe, CPU_SECONDS)


def source_of(target, number):
    return f"# {target}, seed {number}\n{auto_stage_loops.DRAWN_BY[target].Loop(number, target).source}\n"


PARTS = [
    Part(f"auto-stages-{target}", long=1_000, quick=2, batch=10, run=functools.partial(run_batch, target))
    for target in auto_stage_loops.DRAWN_BY
]


def main(first, count):
    for target in auto_stage_loops.DRAWN_BY:
        decisions = collections.Counter()
        for number in range(first, first + count):
            loop = auto_stage_loops.DRAWN_BY[target].Loop(number, target)
            kernel = compared_programs.load(f"<loop {number}>", loop.source, {"__name__": "loops"})[f"loop_{number}"]
            decision = auto_stage_loops.DRAWN_BY[target].decisions(kernel, target)[0]
            decisions[decision.reason.split(";")[0] if decision.reason else "stages"] += 1
        for what, times in decisions.most_common():
            print(f"{target} {times:5} {what}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))
