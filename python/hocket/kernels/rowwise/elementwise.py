"""Plans of operations whose elements are independent, and their predicted times.

The elements of a row do not depend on each other, so a row may be divided among blocks. The planner of the norms cannot
be used, because its tiles are whole rows, or parts of rows that one block reads one after another.

    seconds = start + |memory, arithmetic| x imbalance

The terms are those of `norms.predict`. The bytes in flight are the elements that all resident blocks load at once,
without the padding of tiles. With larger tiles, each lane has more loads in flight, and the launch has fewer blocks.
Smaller tiles have less padding at the end of rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from ... import next_power_of_2
from ..norms.budget import ACCESS_BYTES, BASE_REGISTERS, OTHER_BYTES, plan_of, round_up, vector_of
from ..norms.plan import ELEMENTWISE, Plan
from ..norms.predict import CONSTANTS
from ..norms.problem import Machine
from .problem import RowProblem

#: `_WARPS`: numbers of warps of a block among which the planner chooses. `_ACCESSES`: numbers of 16-byte accesses per
#: lane and matrix among which the planner chooses.
_WARPS = (4, 8)
_ACCESSES = (1, 2, 4)
#: Largest allowed ratio of a row's number of columns including padding to the smallest such number of all tile shapes.
_PADDING = 1.07
#: Largest number of resident blocks of an SM.
_MOST_BLOCKS = 32


def _tile_columns(columns: int, tile: int, vector: int) -> int:
    """Returns the number of columns of a tile of `tile` elements: the largest power of two whose padding is close to
    the minimum. A tile with a long part of one row is better for memory than a tile with parts of many rows."""
    most = min(max(next_power_of_2(columns), vector), tile)
    candidates = [most >> shift for shift in range(5) if most >> shift >= vector]
    padded = {block: -(-columns // block) * block for block in candidates}
    return max(block for block in candidates if padded[block] <= _PADDING * min(padded.values()))


def elementwise_plans(problem: RowProblem, machine: Machine) -> Iterator[Plan]:
    """Yields all feasible plans of an operation whose elements are independent."""
    vector = vector_of(problem)
    matrices = problem.matrices_read + problem.matrices_written
    for num_warps in _WARPS:
        threads = num_warps * machine.lanes
        for accesses in _ACCESSES:
            elements = accesses * ACCESS_BYTES * 8 // problem.element_bits
            block = _tile_columns(problem.columns, threads * elements, vector)
            lanes_per_row = max(block // elements, 1)
            # A lane needs registers for all elements of operands and results in their stored dtype, and for the
            # elements of one access of each matrix in float32.
            words = elements * problem.element_bits // 32
            needed = matrices * (words + ACCESS_BYTES * 8 // problem.element_bits) + BASE_REGISTERS
            resident = min(machine.registers // (threads * round_up(needed)), machine.threads // threads, _MOST_BLOCKS)
            rows_per_tile = threads * elements // block
            plan = plan_of(
                problem, machine, ELEMENTWISE, num_warps, max(lanes_per_row // machine.lanes, 1), rows_per_tile, block,
                vector, elements, False, False, resident, needed,
            )  # fmt: skip
            blocks = -(-problem.rows // rows_per_tile) * parts_of_rows(plan)
            yield replace(plan, blocks=blocks, shared_bytes=OTHER_BYTES)


def parts_of_rows(plan: Plan) -> int:
    """Returns the number of tiles into which a row is divided."""
    return -(-plan.problem.columns // plan.block)


def predict_elementwise(plan: Plan) -> float:
    """Returns the predicted seconds of a launch of an elementwise plan with cold caches."""
    problem, machine, constants = plan.problem, plan.machine, CONSTANTS[plan.machine.target]
    threads = plan.num_warps * machine.lanes
    padded = parts_of_rows(plan) * plan.block
    resident = min(plan.blocks_per_multiprocessor, -(-plan.blocks // machine.multiprocessors))
    tile = problem.matrices_read * threads * plan.elements * problem.element_bits / 8
    in_flight = tile * resident * problem.columns / padded
    rate = machine.bytes_per_second * constants.reach
    asked = rate / machine.multiprocessors * constants.latency
    memory = problem.bytes_moved / rate * math.hypot(1, asked / in_flight)
    per_element = constants.instructions[0] + problem.more_instructions
    if plan.vector * problem.element_bits < ACCESS_BYTES * 8:
        per_element += constants.narrow * (problem.matrices_read + problem.matrices_written)
    used = min(plan.blocks, machine.multiprocessors)
    workers = min(plan.blocks, plan.blocks_per_multiprocessor * machine.multiprocessors)
    per_tile = threads * plan.elements * per_element / constants.issue
    waits = constants.begin + constants.latency
    arithmetic = plan.blocks * max(per_tile / used, (per_tile + waits) / workers)
    uneven = -(-plan.blocks // workers) * workers / plan.blocks
    return constants.start + math.hypot(memory, arithmetic) * uneven
