"""Determines which operations the waits of a loop on AMD GPUs wait for, in the steady state.

A wave counts its pending operations: vmcnt counts accesses of global memory, and lgkmcnt counts accesses of LDS and of
the scalar cache. A wait with the count N returns when all operations except the newest N are complete. The module
simulates three iterations of the loop with a queue for each counter. In the last iteration, each wait removes all
operations except the newest N from the queue.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

#: For each counter: the units whose instructions increment the counter.
COUNTED = {
    "vmcnt": ("loads", "stores", "copies", "scratch"),
    "lgkmcnt": ("shared_reads", "shared_writes", "exchanges"),
}
#: Scalar loads may complete in any order. Scalar loads share a counter with accesses of LDS.
_SCALAR_LOAD = re.compile(r"s_(buffer_)?load")
_COUNT = re.compile(r"(vmcnt|lgkmcnt)\((\d+)\)")
_TRIPS = 3


class Wait(NamedTuple):
    """A wait in a loop.

    Attributes:
        text: the wait instruction.
        place: index of the wait among the loop's instructions.
        stage: index of the stage that contains the wait.
        finishes: number of operations that the wait completes, by (unit, stage, n), where n is the number of iterations
            between the operations and the wait. `finishes` is empty if the wait completes no operation.
        leaves: number of operations that may be pending after the wait, by counter.
        is_amid_mmas: True if the stage has MFMAs before and after the wait.
    """

    text: str
    place: int
    stage: int
    finishes: dict[tuple[str, int, int], int]
    leaves: dict[str, int]
    is_amid_mmas: bool

    def describe(self, names: list[str]) -> str:
        """Returns text that describes the wait. `names` has the names of the stages."""
        words = []
        for (unit, stage, ago), count in self.finishes.items():
            when = "" if ago == 0 else ", previous iteration" if ago == 1 else f", {ago} iterations before"
            where = f" ({names[stage]}{when})" if stage != self.stage or ago else ""
            words.append(f"{count} {_NAMES[unit][count != 1]}{where}")
        left = [f"{count} {_LEFT[counter][count != 1]}" for counter, count in self.leaves.items() if count]
        return (", ".join(words) or "nothing that is pending") + (f"; leaves {', '.join(left)} pending" if left else "")


_NAMES = {
    "loads": ("load", "loads"),
    "stores": ("store", "stores"),
    "copies": ("copy into LDS", "copies into LDS"),
    "scratch": ("access of scratch memory", "accesses of scratch memory"),
    "shared_reads": ("read of LDS", "reads of LDS"),
    "shared_writes": ("write of LDS", "writes of LDS"),
    "exchanges": ("exchange between lanes", "exchanges between lanes"),
}
_LEFT = {
    "vmcnt": ("access of global memory", "accesses of global memory"),
    "lgkmcnt": ("access of LDS", "accesses of LDS"),
}


def waits_of(instructions: list[str], units: list[str], stages: list[int]) -> list[Wait]:
    """Returns the waits of a loop.

    Args:
        units, stages: the unit and the stage of each instruction.
    """
    queues: dict[str, list[tuple[str, int, int]]] = {counter: [] for counter in COUNTED}
    mmas: dict[int, list[int]] = {}
    for place, (unit, stage) in enumerate(zip(units, stages, strict=True)):
        if unit == "matrix":
            mmas.setdefault(stage, []).append(place)
    found: list[Wait] = []
    for trip in range(_TRIPS):
        for place, (line, unit, stage) in enumerate(zip(instructions, units, stages, strict=True)):
            if unit == "waits":
                amid = stage in mmas and mmas[stage][0] < place < mmas[stage][-1]
                wait = _wait(line, place, stage, amid, trip, queues)
                found += [wait] if trip == _TRIPS - 1 else []
                continue
            for counter, counted in COUNTED.items():
                is_scalar = bool(_SCALAR_LOAD.match(line))
                if (unit in counted and not is_scalar) or (is_scalar and counter == "lgkmcnt"):
                    queues[counter].append((unit, stage, trip))
    return found


def _wait(
    line: str, place: int, stage: int, amid: bool, trip: int, queues: dict[str, list[tuple[str, int, int]]]
) -> Wait:
    finishes: Counter[tuple[str, int, int]] = Counter()
    for counter, newest in _COUNT.findall(line):
        queue = queues[counter]
        done = queue[: max(0, len(queue) - int(newest))]
        del queue[: len(done)]
        finishes.update((unit, begun, trip - when) for unit, begun, when in done)
    left = {counter: len(queue) for counter, queue in queues.items()}
    return Wait(line, place, stage, dict(finishes), left, amid)
