"""Feasible forward plans of the warp-specialized variant, whose ring buffer holds parts of rows (`parts`)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace

from .budget import ACCESS_BYTES, plan_of, round_down, shared_for_sums, vector_of
from .feasible_copied import MOST_MOVED_REGISTERS, why_not_specialized, why_not_staged
from .parts import COPYING_REGISTERS, COPYING_WARPS
from .plan import WARP_SPECIALIZED, Plan
from .problem import Machine, Problem

#: Numbers of consumer warps among which the planner chooses.
PART_WARPS = (8, 16)
#: Number of 16-byte accesses of a lane per part of a row, of all matrices together.
PART_ACCESSES = 2
#: `ONCE_ACCESSES`: numbers of accesses of a lane per part, for parts that are read once. `LEAST_ONCE_COLUMNS`: fewest
#: columns of rows for which these plans are considered.
ONCE_ACCESSES = (1, 2, 4)
LEAST_ONCE_COLUMNS = 8192
#: Registers per lane of the consumer warps.
PART_REGISTERS = 64


def _registers_beside_producers(num_warps: int, machine: Machine) -> int:
    """Returns the registers per lane of `num_warps` consumer warps."""
    threads, copying = num_warps * machine.lanes, COPYING_WARPS * machine.lanes
    pool = round_down(machine.registers // (threads + copying)) * (threads + copying)
    return min(round_down((pool - COPYING_REGISTERS * copying) // threads), MOST_MOVED_REGISTERS)


def in_parts(problem: Problem, machine: Machine) -> Iterator[Plan]:
    """Yields the plans whose ring buffer has at least one stage more than a row has parts."""
    if not problem.is_backward and not why_not_specialized(problem, machine):
        plans = (_plan(problem, machine, num_warps, PART_ACCESSES) for num_warps in PART_WARPS)
        yield from (plan for plan in plans if plan.stages > plan.pieces)


def read_once(problem: Problem, machine: Machine) -> Iterator[Plan]:
    """Yields the plans of operations that read each part of a row once. The ring buffer need not hold a whole row."""
    if not why_not_read_once(problem, machine):
        for num_warps, accesses in itertools.product(PART_WARPS, ONCE_ACCESSES):
            if num_warps * machine.lanes * vector_of(problem) * accesses < 2 * problem.columns:
                yield _plan(problem, machine, num_warps, accesses)


def why_not_read_once(problem: Problem, machine: Machine) -> str | None:
    """Returns the reason why `read_once` yields no plan, or None."""
    if not machine.specializes:
        return f"warps of {machine.target} cannot reallocate registers"
    if reason := why_not_staged(problem, machine):
        return reason
    if problem.columns < LEAST_ONCE_COLUMNS:
        return f"rows of fewer than {LEAST_ONCE_COLUMNS} columns fit into registers"
    return None


def _plan(problem: Problem, machine: Machine, num_warps: int, most_accesses: int) -> Plan:
    """Returns the plan of one block per SM whose lanes have `most_accesses` accesses per part of all matrices."""
    vector, matrices = vector_of(problem), problem.matrices_read
    accesses = max(most_accesses // matrices, 1)
    block = num_warps * machine.lanes * vector * accesses
    pieces = -(-problem.columns // block)
    sums = shared_for_sums(problem, num_warps * machine.lanes, vector, False)
    slot = num_warps * machine.lanes * ACCESS_BYTES * accesses * matrices
    stages = (machine.shared_bytes - sums) // slot
    plan = plan_of(
        problem, machine, WARP_SPECIALIZED, num_warps, num_warps, 1, block, vector, pieces * accesses * vector,
        False, True, 1, PART_REGISTERS,
    )  # fmt: skip
    return replace(
        plan,
        pieces=pieces,
        stages=stages,
        blocks=min(problem.rows, machine.multiprocessors),
        registers=_registers_beside_producers(num_warps, machine),
        shared_bytes=slot * stages + sums,
    )
