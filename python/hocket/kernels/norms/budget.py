"""Registers and shared memory that a plan needs, and the plan that has what it is granted.

registers needed = inputs, as loaded, twice if the next tile is loaded ahead
                 + two float32 per element while it is computed on (forward: one)
                 + weight and bias, as loaded + a float32 per element and gradient + what addresses take
"""

from __future__ import annotations

from .plan import STAGED, STREAMING, Plan
from .problem import Machine, Problem

#: Bytes of the widest access.
ACCESS_BYTES = 16
#: Registers for addresses, sizes, sums: what ptxas takes beyond the elements, in kernels of few elements.
BASE_REGISTERS = 24
#: Beside the sums, of kernels that read rows twice.
REREAD_REGISTERS = 48
#: The same forward, of kernels that load weights late.
LATE_REGISTERS = 16
#: More of them forward, where the mean is taken from values but not from what is beyond the columns.
CENTRED_REGISTERS = 8
#: Registers are given to warps in steps of 8 per lane.
REGISTER_STEP = 8
#: Shared memory for mbarriers, captured values, and what is aligned.
OTHER_BYTES = 2048


def vector_of(problem: Problem) -> int:
    """Elements of an access: 16 bytes where rows allow it."""
    return ACCESS_BYTES * 8 // problem.element_bits if problem.is_aligned else 1


def registers_needed(problem: Problem, elements: int, prefetches: bool, rereads: bool = False) -> int:
    """Per lane, by the rule at the head of this module. Who reads twice holds no float32 of the second reading."""
    words = elements * problem.element_bits // 32 or 1
    # Weights that are loaded element by element have a register each.
    is_narrow = vector_of(problem) == 1
    kept = elements if is_narrow else words
    vectors = problem.has_weight + (problem.is_centred and problem.has_bias and not problem.is_backward)
    if rereads:
        return problem.gradients * elements + 2 * words + REREAD_REGISTERS
    centred = CENTRED_REGISTERS * (problem.is_centred and (is_narrow or not problem.is_backward))
    if not problem.is_backward and not prefetches:
        # The weight, then the bias, come when the row is in float32; narrow ones at once.
        late = max(vectors if is_narrow else vectors > 0, problem.matrices_read - 1) * kept + LATE_REGISTERS
        return elements + late + centred
    inputs = problem.matrices_read - (problem.is_backward and problem.has_residual)
    work = elements * (2 if problem.is_backward else 1)
    held = inputs * words * (1 + prefetches) + work + vectors * kept + problem.gradients * elements
    return held + BASE_REGISTERS + centred


def early_weights(problem: Problem, warps_per_row: int) -> int:
    """Registers that plans which load weights late need for them all the same: ptxas loads them early where no barrier
    of a sum over several warps is in the way."""
    return REGISTER_STEP * (warps_per_row == 1 and not problem.is_backward)


def spills_by_llvm(problem: Problem, machine: Machine, plan: Plan) -> bool:
    """Whether a block of `plan` needs more than all registers of a CDNA multiprocessor. Beyond `registers_needed`, LLVM
    holds float32 of both readings of a row, or more around a mean, or loads weights before the row is in float32. The
    plan that only streams always fits."""
    if machine.lanes <= 32 or plan.blocks_per_multiprocessor > 1:
        return False
    if plan.schedule == STREAMING:
        more = 0 if plan.keeps_sums else -plan.registers_needed
    elif plan.rereads or problem.is_backward:
        more = 2 * plan.elements * plan.rereads
    elif plan.prefetches:
        more = plan.elements * (problem.is_centred and plan.schedule != STAGED)
    else:
        more = plan.elements * problem.element_bits // 32 + REGISTER_STEP * (plan.pieces > 1)
    return plan.registers_needed + more > plan.registers


def round_down(value: int, step: int = REGISTER_STEP) -> int:
    return value // step * step


def round_up(value: int, step: int = REGISTER_STEP) -> int:
    return -(-value // step) * step


def shared_for_sums(problem: Problem, threads: int, elements: int, has_rows_of_its_own: bool) -> int:
    """Bytes through which warps exchange sums: along rows, of partial sums, and over rows if each has some."""
    over_rows = problem.gradients * elements if has_rows_of_its_own else 0
    return 4 * threads * max(over_rows, 8 * problem.gradients, 4) + OTHER_BYTES


def plan_of(
    problem, machine, schedule, num_warps, warps_per_row, rows_per_tile, block, vector, elements, prefetches,
    rereads, blocks_per_mp, needed,
) -> Plan:  # fmt: skip
    threads = num_warps * machine.lanes
    tiles = -(-problem.rows // rows_per_tile)
    granted = min(round_down(machine.registers // (threads * blocks_per_mp)), round_down(machine.registers_per_lane))
    # Forward, blocks do not wait for each other: there may be more than fit at once, which start as others end.
    most = blocks_per_mp * machine.multiprocessors
    stays = problem.is_backward or prefetches
    return Plan(
        problem, machine, schedule, num_warps, warps_per_row, rows_per_tile, block, vector, elements, prefetches,
        rereads, groups=1, stages=1, blocks_per_multiprocessor=blocks_per_mp,
        blocks=min(tiles, most) if stays else tiles, registers=granted, registers_needed=needed,
        shared_bytes=shared_for_sums(problem, threads, elements, warps_per_row < num_warps),
    )  # fmt: skip
