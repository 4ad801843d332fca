"""What the waits of a loop on AMD GPUs wait for, once it has run a few trips.

A wave counts what it has under way: vmcnt accesses of global memory, lgkmcnt those of LDS and of the scalar cache. A
wait lets the newest N stay. So the loop is walked through three times with a queue for each counter, and the last time
says what each wait finds in front of the newest N.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

#: By counter, the units whose instructions it counts.
COUNTED = {
    "vmcnt": ("loads", "stores", "copies", "scratch"),
    "lgkmcnt": ("shared_reads", "shared_writes", "exchanges"),
}
#: Scalar loads come back in any order, and count with LDS.
_SCALAR_LOAD = re.compile(r"s_(buffer_)?load")
_COUNT = re.compile(r"(vmcnt|lgkmcnt)\((\d+)\)")
_TRIPS = 3


class Wait(NamedTuple):
    """A wait in a loop.

    Attributes:
        text: the instruction.
        place: its number among the loop's instructions.
        stage: the stage that it is in.
        finishes: what it waits for: (unit, stage, trips ago) -> how many. Empty where all has arrived already, on this
            way of counting.
        leaves: what stays under way, by counter.
        is_amid_products: whether its stage has products before it and after it.
    """

    text: str
    place: int
    stage: int
    finishes: dict[tuple[str, int, int], int]
    leaves: dict[str, int]
    is_amid_products: bool

    def describe(self, names: list[str]) -> str:
        """In words, with the stages' names."""
        words = []
        for (unit, stage, ago), count in self.finishes.items():
            trips = "" if ago == 0 else ", the trip before" if ago == 1 else f", {ago} trips before"
            where = f" ({names[stage]}{trips})" if stage != self.stage or ago else ""
            words.append(f"{count} {_NAMES[unit][count != 1]}{where}")
        left = [f"{count} {_LEFT[counter]}" for counter, count in self.leaves.items() if count]
        return (", ".join(words) or "nothing that is under way") + (f"; leaves {', '.join(left)}" if left else "")


_NAMES = {
    "loads": ("load", "loads"),
    "stores": ("store", "stores"),
    "copies": ("copy into LDS", "copies into LDS"),
    "scratch": ("access of scratch memory", "accesses of scratch memory"),
    "shared_reads": ("read of LDS", "reads of LDS"),
    "shared_writes": ("write of LDS", "writes of LDS"),
    "exchanges": ("exchange between lanes", "exchanges between lanes"),
}
_LEFT = {"vmcnt": "of global memory under way", "lgkmcnt": "of LDS under way"}


def waits_of(instructions: list[str], units: list[str], stages: list[int]) -> list[Wait]:
    """The waits of a loop.

    Args:
        units, stages: the unit and the stage of each instruction.
    """
    queues: dict[str, list[tuple[str, int, int]]] = {counter: [] for counter in COUNTED}
    products: dict[int, list[int]] = {}
    for place, (unit, stage) in enumerate(zip(units, stages, strict=True)):
        if unit == "matrix":
            products.setdefault(stage, []).append(place)
    found: list[Wait] = []
    for trip in range(_TRIPS):
        for place, (line, unit, stage) in enumerate(zip(instructions, units, stages, strict=True)):
            if unit == "waits":
                amid = stage in products and products[stage][0] < place < products[stage][-1]
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
