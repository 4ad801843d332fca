"""Estimates of the registers and shared memory that a plan needs.

registers = inputs as loaded, twice if the next tile is prefetched
          + two float32 values per element during the computation (forward pass: one)
          + weight and bias as loaded + one float32 value per element and gradient + addresses
"""

from __future__ import annotations

from .plan import STAGED, STREAMING, Plan
from .problem import Machine, Problem

#: Bytes of a lane's widest memory access.
ACCESS_BYTES = 16
#: Registers per lane for addresses, sizes and sums. ptxas uses this number in addition to the elements, in kernels with
#: few elements.
BASE_REGISTERS = 24
#: Registers per lane of kernels that read rows twice, in addition to the elements and the sums.
REREAD_REGISTERS = 48
#: Registers per lane of forward kernels that load weight and bias only when they are needed, in addition to the
#: elements.
LATE_REGISTERS = 16
#: Additional registers per lane of kernels that subtract the mean and mask the columns past the end of a row.
CENTERED_REGISTERS = 8
#: GPUs allocate the registers of a lane in multiples of this number.
REGISTER_STEP = 8
#: Number of bytes of shared memory for mbarriers, captured values and alignment.
OTHER_BYTES = 2048
MOST_WARPS = 32
#: Only rows with more than this number of columns may be read twice. Shorter rows fit into the registers of all GPUs.
LEAST_REREAD_COLUMNS = 8192
#: Fewest warps of a block.
LEAST_WARPS = 4
#: Numbers of elements per lane of a tile among which the planner chooses.
ELEMENTS = (4, 8, 16, 32, 64)


def vector_of(problem: Problem) -> int:
    """Returns the number of elements per access. An access has 16 bytes if rows are aligned, otherwise one element."""
    return ACCESS_BYTES * 8 // problem.element_bits if problem.is_aligned else 1


def registers_needed(problem: Problem, elements: int, prefetches: bool, rereads: bool = False) -> int:
    """Returns the estimated registers per lane, by the formula at the head of this module. Kernels that read rows twice
    keep no float32 values for the second pass."""
    words = elements * problem.element_bits // 32 or 1
    # A weight that is loaded element by element takes one register per element.
    is_narrow = vector_of(problem) == 1
    kept = elements if is_narrow else words
    vectors = problem.has_weight + (problem.is_centered and problem.has_bias and not problem.is_backward)
    if rereads:
        return problem.gradients * elements + 2 * words + REREAD_REGISTERS
    centered = CENTERED_REGISTERS * (problem.is_centered and (is_narrow or not problem.is_backward))
    if not problem.is_backward and not prefetches:
        # First the weight and then the bias is loaded, after the row has been converted to float32, so registers hold
        # only one of them. With narrow accesses, both are loaded at the same time.
        late = max(vectors if is_narrow else vectors > 0, problem.matrices_read - 1) * kept + LATE_REGISTERS
        return elements + late + centered
    inputs = problem.matrices_read - (problem.is_backward and problem.has_residual)
    work = elements * (2 if problem.is_backward else 1)
    held = inputs * words * (1 + prefetches) + work + vectors * kept + problem.gradients * elements
    return held + BASE_REGISTERS + centered


def early_weights(problem: Problem, warps_per_row: int) -> int:
    """Returns the additional registers per lane of plans that load weights late. Without a barrier before these loads,
    ptxas hoists the loads, so the weights occupy registers earlier. There is no barrier if a row belongs to a single
    warp."""
    return REGISTER_STEP * (warps_per_row == 1 and not problem.is_backward)


def spills_by_llvm(problem: Problem, machine: Machine, plan: Plan) -> bool:
    """Returns True if a block of `plan` needs more registers than a CDNA compute unit has.

    LLVM allocates more registers than `registers_needed`, depending on the plan. If a plan reads rows twice, LLVM keeps
    the float32 values of both passes in registers. If a plan prefetches and subtracts the mean, LLVM keeps one more
    value for each element. In other forward plans, LLVM hoists the loads of the weights, so the weights occupy
    registers longer. A streaming plan that keeps sums in shared memory needs no additional registers. Other streaming
    plans never spill.
    """
    if machine.lanes <= 32 or plan.blocks_per_multiprocessor > 1:
        return False
    if plan.schedule == STREAMING:
        more = 0 if plan.keeps_sums else -plan.registers_needed
    elif plan.rereads or problem.is_backward:
        more = 2 * plan.elements * plan.rereads
    elif plan.prefetches:
        more = plan.elements * (problem.is_centered and plan.schedule != STAGED)
    else:
        more = plan.elements * problem.element_bits // 32 + REGISTER_STEP * (plan.pieces > 1)
    return plan.registers_needed + more > plan.registers


def round_down(value: int, step: int = REGISTER_STEP) -> int:
    """Returns `value` rounded down to a multiple of `step`."""
    return value // step * step


def round_up(value: int, step: int = REGISTER_STEP) -> int:
    """Returns `value` rounded up to a multiple of `step`."""
    return -(-value // step) * step


def shared_for_sums(problem: Problem, threads: int, elements: int, has_separate_rows: bool) -> int:
    """Returns the bytes of shared memory for the exchange of sums between warps: sums along rows, partial sums of
    blocks, and, if the warps of a block have separate rows, sums over rows."""
    over_rows = problem.gradients * elements if has_separate_rows else 0
    return 4 * threads * max(over_rows, 8 * problem.gradients, 4) + OTHER_BYTES


def plan_of(
    problem, machine, schedule, num_warps, warps_per_row, rows_per_tile, block, vector, elements, prefetches,
    rereads, blocks_per_mp, needed,
) -> Plan:  # fmt: skip
    """Returns a plan with the given parameters, and with the number of blocks and the register limit that follow from
    them."""
    threads = num_warps * machine.lanes
    tiles = -(-problem.rows // rows_per_tile)
    granted = min(round_down(machine.registers // (threads * blocks_per_mp)), round_down(machine.registers_per_lane))
    # Without persistent blocks, blocks do not wait for each other, so the grid may have more blocks than run at the
    # same time.
    most = blocks_per_mp * machine.multiprocessors
    is_persistent = problem.is_backward or prefetches
    return Plan(
        problem, machine, schedule, num_warps, warps_per_row, rows_per_tile, block, vector, elements, prefetches,
        rereads, groups=1, stages=1, blocks_per_multiprocessor=blocks_per_mp,
        blocks=min(tiles, most) if is_persistent else tiles, registers=granted, registers_needed=needed,
        shared_bytes=shared_for_sums(problem, threads, elements, warps_per_row < num_warps),
    )  # fmt: skip


def can_reread(problem: Problem, rows_per_tile: int) -> bool:
    """Returns True if plans that read rows twice are considered for the problem: its rows are long, and a tile has one
    row."""
    return problem.is_backward and rows_per_tile == 1 and problem.columns > LEAST_REREAD_COLUMNS
