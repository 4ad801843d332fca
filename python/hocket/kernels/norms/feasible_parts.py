"""Feasible forward plans of the warp-specialized variant, whose ring buffer holds parts of long rows (`parts`)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from .budget import ACCESS_BYTES, plan_of, round_down, shared_for_sums, vector_of
from .feasible_copied import MOST_MOVED_REGISTERS, why_not_specialized
from .parts import COPYING_REGISTERS, COPYING_WARPS
from .plan import WARP_SPECIALIZED, Plan
from .problem import Machine, Problem

#: Numbers of consumer warps among which the planner chooses.
PART_WARPS = (8, 16)
#: Number of 16-byte accesses of a lane per part of a row, of all matrices together.
PART_ACCESSES = 2
#: Registers per lane of the consumer warps.
PART_REGISTERS = 64


def _registers_beside_producers(num_warps: int, machine: Machine) -> int:
    """Returns the registers per lane of `num_warps` consumer warps."""
    threads, copying = num_warps * machine.lanes, COPYING_WARPS * machine.lanes
    pool = round_down(machine.registers // (threads + copying)) * (threads + copying)
    return min(round_down((pool - COPYING_REGISTERS * copying) // threads), MOST_MOVED_REGISTERS)


def in_parts(problem: Problem, machine: Machine) -> Iterator[Plan]:
    """Yields the plans whose ring buffer has at least one stage more than a row has parts."""
    if problem.is_backward or why_not_specialized(problem, machine):
        return
    vector, matrices = vector_of(problem), problem.matrices_read
    for num_warps in PART_WARPS:
        accesses = max(PART_ACCESSES // matrices, 1)
        block = num_warps * machine.lanes * vector * accesses
        pieces = -(-problem.columns // block)
        sums = shared_for_sums(problem, num_warps * machine.lanes, vector, False)
        slot = num_warps * machine.lanes * ACCESS_BYTES * accesses * matrices
        stages = (machine.shared_bytes - sums) // slot
        if stages <= pieces:
            continue
        plan = plan_of(
            problem, machine, WARP_SPECIALIZED, num_warps, num_warps, 1, block, vector, pieces * accesses * vector,
            False, True, 1, PART_REGISTERS,
        )  # fmt: skip
        yield replace(
            plan,
            pieces=pieces,
            stages=stages,
            blocks=min(problem.rows, machine.multiprocessors),
            registers=_registers_beside_producers(num_warps, machine),
            shared_bytes=slot * stages + sums,
        )
