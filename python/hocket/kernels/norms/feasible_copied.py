"""Feasible plans of the variants that copy rows into shared memory asynchronously: staged, warp-specialized.
`feasible_clustered` has the cluster variant.

For each variant, `why_not_...` returns the reason why the variant is impossible for all tile sizes. `feasible`
describes the conditions that all plans satisfy.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace

from ... import next_power_of_2
from .budget import (
    ELEMENTS,
    LEAST_WARPS,
    MOST_WARPS,
    REGISTER_STEP,
    can_reread,
    early_weights,
    plan_of,
    registers_needed,
    round_down,
    round_up,
    shared_for_sums,
    vector_of,
)
from .plan import STAGED, WARP_SPECIALIZED, Plan
from .problem import BOX, Machine, Problem, box_columns

#: Additional registers per lane of consumer warps in the warp-specialized variant: for buffer indices, phase bits, and
#: the mean and rstd of the next rows. Without the additional registers, a LayerNorm kernel with 16 elements per lane
#: and 120 registers spilled.
RING_REGISTERS = 16
#: `MOST_STAGED_PIECES`: largest number of tiles per row in the staged variant. `STAGED_WARPS`: numbers of warps per row
#: among which the planner chooses.
MOST_STAGED_PIECES = 8
STAGED_WARPS = (1, 2, 4, 8, 16, 32)
#: Number of registers per lane of kernels that read rows from shared memory for each use. The first index is 1 for
#: norms with a mean, and the second index is 1 for norms with a residual. For norms with a mean, ptxas needs more
#: registers if a row has more than `MOST_CENTERED_PIECES` tiles, or ends within a tile.
STAGED_REGISTERS = ((32, 40), (32, 56))
MOST_CENTERED_PIECES = 3
#: The staged variant requires a number of columns that is a multiple of this number. The compiler can then prove that
#: the 16 bytes of a lane's access are all inside a row.
STAGED_COLUMNS = 16
#: Registers per lane of the producer warp.
COPYING_REGISTERS = 24
#: Largest register count that consumer warps request by `setmaxnreg`.
MOST_MOVED_REGISTERS = 240
MOST_STAGES = 8
GROUPS = (1, 2, 3)
GROUP_WARPS = (4, 8, 16)
#: Largest number of warps of a worker partition of `warp_specialize`, i.e. of each partition except the first.
MOST_WORKER_WARPS = 8
#: Bytes of shared memory that the GPU reserves per block.
SHARED_RESERVED = 1024
#: Fewest bytes per row of a TMA box for which TMA reaches its full speed.
LEAST_BOX_BYTES = 128


def why_not_staged(problem: Problem, machine: Machine) -> str | None:
    """Returns the reason why the staged variant is impossible for all tile sizes, or None."""
    if not machine.copies_by_16_bytes:
        return (
            f"{machine.target} copies only 4 bytes per lane straight into shared memory, which takes longer than "
            "through registers"
        )
    if not problem.is_aligned or problem.columns % STAGED_COLUMNS:
        return f"rows must begin at multiples of 16 bytes, and have a multiple of {STAGED_COLUMNS} columns"
    if problem.is_backward and machine.specializes:
        return (
            f"{machine.target} has TMA: warp-specialized plans also copy past the registers, and a separate warp "
            "issues their copies"
        )
    return None


def staged(problem: Problem, machine: Machine) -> Iterator[Plan]:
    """Yields the plans of the staged variant, with one stage of shared memory or, for persistent blocks, with two.
    Kernels keep rows in registers, or read rows from shared memory for each use."""
    if why_not_staged(problem, machine):
        return
    for warps_per_row, (stages, rereads) in itertools.product(STAGED_WARPS, ((1, False), (1, True), (2, False))):
        # The backward pass needs persistent blocks, and thus two stages. On CDNA, plans with `rereads` are impossible:
        # these kernels load weights after the copies, and a wait for a load also waits for all earlier copies.
        is_possible = stages == 2 and not rereads if problem.is_backward else not (rereads and machine.lanes > 32)
        if is_possible:
            yield from _staged_plans(problem, machine, warps_per_row, stages, rereads)


def _staged_plans(problem, machine, warps_per_row, stages, rereads) -> Iterator[Plan]:
    vector = vector_of(problem)
    piece = warps_per_row * machine.lanes * vector
    pieces, num_warps = -(-problem.columns // piece), max(warps_per_row, LEAST_WARPS)
    if problem.is_backward:  # in the backward pass, a row is one tile, as in the multi-wave variant
        piece, pieces = piece * next_power_of_2(pieces), 1
    threads, rows = num_warps * machine.lanes, num_warps // warps_per_row
    elements = pieces * piece // (warps_per_row * machine.lanes)
    if rereads and (pieces == 1 or warps_per_row == 1):
        # With one tile per row, no row is read again. With one warp per row, no barrier separates the passes, so the
        # compiler merges their reads, and spills.
        return
    if threads > MOST_WARPS * 32 or elements > (vector * MOST_STAGED_PIECES if rereads else ELEMENTS[-1]):
        return
    keeps_weight = stages == 2 and not problem.is_backward
    needed = registers_needed(problem, elements, keeps_weight)
    if stages == 1:
        needed += early_weights(problem, warps_per_row)
    if rereads:
        needed = STAGED_REGISTERS[problem.is_centered][problem.has_residual]
        is_more = pieces > MOST_CENTERED_PIECES or problem.columns % piece > 0
        needed += REGISTER_STEP * (problem.is_centered and is_more)
    # The backward pass does not copy the matrix that is added to dx.
    matrices = 2 if problem.is_backward else problem.matrices_read
    shared = stages * matrices * rows * pieces * piece
    shared = shared * problem.element_bits // 8 + shared_for_sums(problem, threads, elements, warps_per_row < num_warps)
    blocks_per_mp = min(
        machine.registers // (threads * round_up(needed)),
        machine.threads // threads,
        (machine.shared_bytes + SHARED_RESERVED) // (shared + SHARED_RESERVED),
    )
    if needed > round_down(machine.registers_per_lane) or blocks_per_mp < 1:
        return
    plan = plan_of(
        problem, machine, STAGED, num_warps, warps_per_row, rows, piece, vector, elements, stages == 2, rereads,
        blocks_per_mp, needed,
    )  # fmt: skip
    yield replace(plan, pieces=pieces, stages=stages, shared_bytes=shared)


def group_registers(warps: int, machine: Machine) -> int:
    """Returns the registers per lane of `warps` consumer warps, if the producer's warpgroup keeps only
    `COPYING_REGISTERS` registers per lane."""
    left = machine.registers - COPYING_REGISTERS * 4 * machine.lanes
    return min(round_down(left // (warps * machine.lanes)), MOST_MOVED_REGISTERS)


def why_not_specialized(problem: Problem, machine: Machine) -> str | None:
    """Returns the reason why the warp-specialized variant is impossible for all tile sizes, or None."""
    if not problem.is_backward:
        return _why_not_in_parts(problem, machine)
    if not machine.specializes:
        return f"{machine.target} has no TMA"
    if not problem.is_aligned:
        return "TMA requires rows that begin at multiples of 16 bytes"
    return why_boxes_are_slow(problem, problem.columns)


def _why_not_in_parts(problem: Problem, machine: Machine) -> str | None:
    """Returns the reason why a forward pass has no warp-specialized variant, or None."""
    if not machine.specializes:
        return f"warps of {machine.target} cannot reallocate registers"
    return why_not_alone(problem, machine)


def why_not_alone(problem: Problem, machine: Machine) -> str | None:
    """Returns the reason why a forward pass needs no variant for rows of which an SM's shared memory holds a single
    one, or None."""
    if reason := why_not_staged(problem, machine):
        return reason
    if any(plan.blocks_per_multiprocessor > 1 for plan in staged(problem, machine)):
        return "several blocks of the staged variant fit on an SM, and hide the latency of each other"
    return None


def why_boxes_are_slow(problem: Problem, columns: int) -> str | None:
    if (width := box_columns(columns) * problem.element_bits // 8) < LEAST_BOX_BYTES:
        return (
            f"TMA would copy {columns} columns in boxes of {width} bytes, which is slow; boxes of at least "
            f"{LEAST_BOX_BYTES} bytes are fast"
        )
    return None


def warp_specialized(problem: Problem, machine: Machine) -> Iterator[Plan]:
    """Yields the backward plans of the warp-specialized variant: a producer warp and groups of consumer warps."""
    if not problem.is_backward or why_not_specialized(problem, machine):
        return
    vector = vector_of(problem)
    block = max(next_power_of_2(problem.columns), LEAST_BOX_BYTES * 8 // problem.element_bits)
    if block // box_columns(problem.columns) > BOX:
        return
    for groups, num_warps in itertools.product(GROUPS, GROUP_WARPS):
        registers = group_registers(groups * num_warps, machine)
        if groups * num_warps > MOST_WARPS - 4 or (groups > 1 and num_warps > MOST_WORKER_WARPS):
            continue
        for elements, rereads in itertools.product(ELEMENTS, (False, True)):
            lanes_per_row = max(block // elements, 1)
            warps_per_row = max(lanes_per_row // machine.lanes, 1)
            rows_per_tile = num_warps * machine.lanes // lanes_per_row
            needed = registers_needed(problem, elements, False, rereads) + (0 if rereads else RING_REGISTERS)
            if elements < vector or elements > block or not 1 <= rows_per_tile <= BOX or needed > registers:
                continue
            if rereads and not can_reread(problem, rows_per_tile):
                continue
            slot = 2 * rows_per_tile * block * problem.element_bits // 8
            sums = groups * shared_for_sums(problem, num_warps * machine.lanes, elements, warps_per_row < num_warps)
            stages = min((machine.shared_bytes - sums) // (slot * groups), MOST_STAGES)
            if stages < 2:
                continue
            plan = plan_of(
                problem, machine, WARP_SPECIALIZED, num_warps, warps_per_row, rows_per_tile, block, vector, elements,
                False, rereads, 1, needed,
            )  # fmt: skip
            tiles = -(-problem.rows // rows_per_tile)
            yield replace(
                plan,
                groups=groups,
                stages=stages,
                blocks=min(-(-tiles // groups), machine.multiprocessors),
                registers=registers,
                shared_bytes=slot * groups * stages + sums,
            )
