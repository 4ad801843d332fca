"""How long a plan takes, by a small model with constants per architecture.

    seconds = start + |memory, arithmetic| x uneven rounds + what adding up partial sums takes

    |a, b|        the root of the sum of squares: what is slower hides most of the other, not all; their sum, of blocks
                  that are alone on their multiprocessor and load nothing ahead
    memory        bytes / rate x |1, what the latency asks for / in flight|: Little's law, softened in the same way
    in flight     bytes of rows that a multiprocessor has asked for while it computes
    arithmetic    elements, those of padding among them, x instructions each / what the multiprocessors issue; or, if
                  that is slower, tiles one after the other, each with its barriers and shuffles
    uneven        the rounds of tiles that blocks take, over what they would take if tiles could be divided

The constants come from datasheets and published latencies, or from `benchmarks/norms.py --fit`: `SOURCES` says which.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from .plan import CLUSTER, MULTI_WAVE, STAGED, STREAMING, WARP_SPECIALISED, Plan


@dataclass(frozen=True)
class Constants:
    """Of an architecture."""

    #: Share of the datasheet's rate that a copy reaches.
    reach: float
    #: Seconds from a load to its data, under load.
    latency: float
    #: Instructions of one lane per second and multiprocessor: lanes x clock.
    issue: float
    #: Of a launch until all blocks run.
    start: float
    #: Of the barrier of the grid, and of one round of partial sums.
    barrier: float
    #: Bytes per second of the L2.
    l2: float
    #: Share of a tile's loads that are in flight while a block that stays, but does not load ahead, computes.
    not_ahead: float = 0.4
    #: Seconds of a tile in which its warps wait: for barriers, shuffles, loads from shared memory.
    turn: float = 400e-9
    #: Instructions per element that are more where rows are read twice.
    reread_instructions: float = 6.0
    #: Instructions per element: forward, and backward with one and with two gradients.
    instructions: tuple[float, float, float] = (8.0, 14.0, 18.0)
    #: More of `start` where warps are specialised: mbarriers, and warps that meet.
    specialised_start: float = 1.5e-6
    #: Seconds in which the blocks of a cluster exchange sums.
    exchange: float = 2e-6
    #: Seconds of a warp for each time that it reads an access of its row from shared memory again.
    piece: float = 100e-9
    #: Forward, seconds until a block that does not stay has begun; and how much longer memory takes where blocks stay,
    #: whose loads and stores are in step.
    begin: float = 0.0
    in_step: float = 1.0
    #: Instructions that an access of less than 16 bytes a lane takes as long as.
    narrow: float = 0.0


CONSTANTS = {
    "sm_80": Constants(0.88, 700e-9, 128 * 1.4e9, 3e-6, 3e-6, 4.0e12),
    "sm_90a": Constants(
        0.890,
        428e-9,
        1256e9,
        6.52e-6,
        2.08e-6,
        5.29e12,
        not_ahead=0.574,
        turn=167.9e-9,
        reread_instructions=62.3,
        specialised_start=2.26e-6,
        exchange=1.465e-6,
        piece=202.2e-9,
        begin=0.5e-6,
        in_step=1.08,
        narrow=64.2,
    ),
    "gfx942": Constants(0.80, 900e-9, 256 * 2.1e9, 4e-6, 6e-6, 8.0e12),
    "gfx950": Constants(0.80, 900e-9, 256 * 2.4e9, 4e-6, 6e-6, 8.0e12),
}

#: Where constants come from.
SOURCES = {target: "datasheets and published latencies, not fitted to measurements" for target in CONSTANTS}
SOURCES["sm_90a"] = "fitted to 1366 measurements of 166 problems on an H200 (benchmarks/norms_h200*.json)"


#: Forward, rows that are read again cost so much of what they do backward: blocks read them soon after.
FORWARD_AGAIN = 0.6


def bytes_in_flight(plan: Plan, constants: Constants | None = None) -> float:
    """Per multiprocessor, of inputs."""
    problem = plan.problem
    constants = constants or CONSTANTS[plan.machine.target]
    inputs = problem.matrices_read
    tile = inputs * plan.rows_per_tile * min(plan.block * plan.pieces, problem.columns) * problem.element_bits / 8
    if plan.schedule == WARP_SPECIALISED:
        return tile * plan.groups * (plan.stages - 0.5)
    tile /= plan.num_ctas
    resident = min(plan.blocks_per_multiprocessor, -(-plan.blocks * plan.num_ctas // plan.machine.multiprocessors))
    if plan.schedule == CLUSTER:
        return tile * resident * (plan.stages - 0.5)
    if plan.schedule == STAGED and plan.prefetches:
        return tile * resident * (plan.stages - 0.5)
    # Blocks that do not stay start at different times.
    return tile * resident * (constants.not_ahead if problem.is_backward and not plan.prefetches else 1.0)


def _exchanges(plan: Plan) -> float:
    """The time of an exchange, over that of 8 warps in each of 4 blocks: each warp waits for its own stores first."""
    if plan.num_ctas == 1:
        return 0.0
    return 0.7 + 0.025 * (plan.num_ctas + plan.num_warps * plan.blocks_per_multiprocessor)


def _turn(plan: Plan, constants: Constants, is_ahead: bool) -> float:
    """Seconds in which the warps of a tile wait."""
    turn = constants.turn + constants.exchange * _exchanges(plan)
    if plan.schedule == STREAMING and plan.problem.is_backward:
        # For each piece, twice.
        return 2 * -(-plan.problem.columns // plan.block) * (constants.turn + constants.latency)
    if not plan.problem.is_backward:
        passes = 1 + plan.problem.is_centred if plan.schedule == STAGED and plan.rereads else 0
        again = constants.piece * plan.pieces * passes
        # Of the rows, then of weight and bias.
        waits = 0.0 if is_ahead else constants.begin + constants.latency * (1 + plan.problem.is_centred)
        return turn + again + constants.turn * plan.problem.is_centred + waits
    # The pieces that each lane reads first, one after the other.
    return turn * (1 + plan.elements / 64) if plan.rereads else turn


def matrices_read_again(plan: Plan) -> float:
    """From the L2, sums over rows that are kept there among them."""
    problem = plan.problem
    if plan.schedule == STREAMING and not plan.keeps_sums:
        again = problem.matrices_read + 2 * problem.gradients / plan.rows_per_tile * 32 / problem.element_bits
        return again if problem.is_backward else FORWARD_AGAIN * again
    return problem.matrices_read if plan.keeps_sums or (plan.rereads and plan.schedule == MULTI_WAVE) else 0.0


def _accesses(plan: Plan) -> int:
    """Of each element: of matrices, and of weight and bias if they are not kept from row to row."""
    problem = plan.problem
    vectors = problem.has_weight + (problem.is_centred and problem.has_bias)
    is_late = not problem.is_backward and not plan.prefetches
    return problem.matrices_read + problem.matrices_written + is_late * vectors


def predict(plan: Plan, constants: Constants | None = None) -> float:
    """Seconds of a launch with cold caches, with the constants of the plan's machine, or others."""
    problem, machine = plan.problem, plan.machine
    constants = constants or CONSTANTS[machine.target]
    # A small grid does not fill the machine.
    used = min(plan.blocks * plan.num_ctas, machine.multiprocessors)
    rate = machine.bytes_per_second * constants.reach
    in_flight = bytes_in_flight(plan, constants) * used
    asked = rate * used / machine.multiprocessors * constants.latency
    memory = problem.bytes_moved / rate * math.hypot(1, asked / in_flight)
    if plan.prefetches and not problem.is_backward:
        memory *= constants.in_step
    memory *= 1 + matrices_read_again(plan) / (problem.matrices_read + problem.matrices_written) * rate / constants.l2
    per_element = constants.instructions[problem.gradients if problem.is_backward else 0]
    if plan.rereads and plan.schedule == WARP_SPECIALISED:
        per_element += constants.reread_instructions
    if plan.vector * problem.element_bits < 128:
        per_element += constants.narrow * _accesses(plan)
    padded = plan.block * plan.pieces if plan.schedule != STREAMING else -(-problem.columns // plan.block) * plan.block
    tiles = -(-problem.rows // plan.rows_per_tile)
    resident = min(plan.blocks, plan.blocks_per_multiprocessor * machine.multiprocessors // plan.num_ctas)
    workers = max(resident, 1) * plan.groups
    per_tile = plan.rows_per_tile * padded * per_element / constants.issue
    is_ahead = plan.prefetches or plan.stages > 1
    turn = _turn(plan, constants, is_ahead)
    arithmetic = tiles * max(per_tile / used, (per_tile / plan.num_ctas + turn) / workers)
    uneven = -(-tiles // workers) * workers / tiles
    sums = 0.0
    if problem.gradients:
        partials = 4 * workers * problem.gradients * problem.columns
        sums = constants.barrier * (1 + problem.gradients) + 2 * partials / constants.l2
    start = constants.start + (constants.specialised_start if plan.schedule == WARP_SPECIALISED else 0.0)
    is_alone = plan.blocks_per_multiprocessor == 1 and not is_ahead and not (plan.schedule == STAGED and plan.rereads)
    is_alone = is_alone and (plan.schedule == STREAMING or not problem.is_backward)
    both = memory + arithmetic if is_alone else math.hypot(memory, arithmetic)
    return start + both * uneven + sums


def describe(plan: Plan) -> str:
    """The numbers that matter, in a sentence."""
    prefix = "" if plan.schedule != MULTI_WAVE or plan.prefetches else "not loading ahead, "
    return (
        f"{prefix}{bytes_in_flight(plan) / 1024:.0f} KiB in flight on a multiprocessor, "
        f"{predict(plan) * 1e6:.1f} us predicted ({plan.problem.bytes_moved / predict(plan) / 1e12:.2f} TB/s)"
    )
