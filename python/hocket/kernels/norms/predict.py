"""Performance model of plans, with constants per architecture.

    seconds = start + |memory, arithmetic| x imbalance + final sums

    |a, b|        sqrt(a^2 + b^2): the shorter time overlaps with the longer one, but not completely. The value is
                  a + b if a block is alone on its SM and prefetches nothing
    memory        bytes / bandwidth x |1, required / actual bytes in flight| (Little's law)
    in flight     bytes of rows that an SM has requested while it computes
    arithmetic    elements (including padding) x instructions per element / issue rate of the SMs; or, if this
                  takes longer, the latency of consecutive tiles, including barriers and shuffles
    imbalance     number of waves of tiles, relative to an even division of the tiles among the SMs

The constants come from data sheets and published latencies, or from `benchmarks/norms.py --fit`: see `SOURCES`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from .plan import CLUSTER, MULTI_WAVE, STAGED, STREAMING, WARP_SPECIALIZED, Plan


@dataclass(frozen=True)
class Constants:
    """Constants of the performance model for one target."""

    #: Fraction of the data sheet's bandwidth that a copy reaches.
    reach: float
    #: Latency in seconds of a load on a busy GPU.
    latency: float
    #: Issue rate of an SM or compute unit in lane instructions per second: lanes x clock.
    issue: float
    #: Seconds from a launch until all blocks run.
    start: float
    #: Seconds that the grid barrier takes, and also seconds of one pass over the partial sums.
    barrier: float
    #: Bandwidth of the L2 in bytes per second.
    l2: float
    #: Fraction of a tile's loads that are in flight while a persistent block without prefetching computes.
    not_ahead: float = 0.4
    #: Seconds per tile in which the tile's warps wait for barriers, shuffles, and loads from shared memory.
    tile_waits: float = 400e-9
    #: Additional instructions per element if rows are read twice.
    reread_instructions: float = 6.0
    #: Instructions per element: in the forward pass, and in the backward pass with one and with two gradients of
    #: vectors (weight and bias).
    instructions: tuple[float, float, float] = (8.0, 14.0, 18.0)
    #: Seconds that warp specialization adds to `start`, for the initialization of mbarriers and the rendezvous of
    #: warps.
    specialized_start: float = 1.5e-6
    #: Seconds of an exchange of sums between the blocks of a cluster.
    exchange: float = 2e-6
    #: Seconds that a warp needs to read a tile of a row from shared memory again.
    piece: float = 100e-9
    #: Seconds per sum of a row in the forward pass on a cluster, during which copies of the next row are in flight; and
    #: the additional seconds for each block of the cluster.
    cluster_sum: float = 250e-9
    cluster_block: float = 30e-9
    #: Constants of the forward pass. `begin`: seconds until a block has started, if blocks are not persistent.
    #: `in_step`: factor of the memory time if blocks are persistent, because their loads and stores then run in phase.
    begin: float = 0.0
    in_step: float = 1.0
    #: Cost of one memory access of less than 16 bytes per lane, in instructions.
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
        tile_waits=167.9e-9,
        reread_instructions=62.3,
        specialized_start=2.26e-6,
        exchange=1.465e-6,
        piece=202.2e-9,
        begin=0.5e-6,
        in_step=1.08,
        narrow=64.2,
    ),
    "gfx942": Constants(0.80, 900e-9, 256 * 2.1e9, 4e-6, 6e-6, 8.0e12),
    "gfx950": Constants(0.80, 900e-9, 256 * 2.4e9, 4e-6, 6e-6, 8.0e12),
}

#: Origin of the constants of each target.
SOURCES = {target: "datasheets and published latencies, not fitted to measurements" for target in CONSTANTS}
SOURCES["sm_90a"] = "fitted to 1366 measurements of 166 problems on an H200 (benchmarks/norms_h200*.json)"


#: Cost of repeated reads of rows in the forward pass, relative to the backward pass. The cost is lower in the forward
#: pass, because blocks read a row again after a shorter time.
FORWARD_AGAIN = 0.6


def bytes_in_flight(plan: Plan, constants: Constants | None = None) -> float:
    """Returns the number of bytes of input matrices that are in flight per SM."""
    problem = plan.problem
    constants = constants or CONSTANTS[plan.machine.target]
    inputs = problem.matrices_read
    tile = inputs * plan.rows_per_tile * min(plan.block * plan.pieces, problem.columns) * problem.element_bits / 8
    if plan.schedule == WARP_SPECIALIZED and not problem.is_backward:
        # A stage holds one of the row's parts. On average, half of the parts of a row have arrived.
        return tile * (plan.stages / plan.pieces - 0.5)
    if plan.schedule == WARP_SPECIALIZED:
        return tile * plan.groups * (plan.stages - 0.5)
    tile /= plan.num_ctas
    resident = min(plan.blocks_per_multiprocessor, -(-plan.blocks * plan.num_ctas // plan.machine.multiprocessors))
    if plan.schedule == CLUSTER:
        return tile * resident * (plan.stages - 0.5)
    if plan.schedule == STAGED and plan.prefetches:
        return tile * resident * (plan.stages - 0.5)
    # Blocks that are not persistent start at different times, so some blocks load while others compute.
    return tile * resident * (constants.not_ahead if problem.is_backward and not plan.prefetches else 1.0)


def _exchanges(plan: Plan) -> float:
    """Returns the time of an exchange of sums between the blocks of a cluster, including a warp's wait for its own
    stores. The unit is the time of an exchange between 4 blocks of 8 warps each."""
    if plan.num_ctas == 1:
        return 0.0
    return 0.7 + 0.025 * (plan.num_ctas + plan.num_warps * plan.blocks_per_multiprocessor)


def _iteration(plan: Plan, constants: Constants, is_ahead: bool) -> float:
    """Returns the number of seconds per tile in which the tile's warps wait."""
    if plan.schedule == CLUSTER and not plan.problem.is_backward:
        return (1 + plan.problem.is_centered) * (constants.cluster_sum + constants.cluster_block * plan.num_ctas)
    iteration = constants.tile_waits + constants.exchange * _exchanges(plan)
    if plan.schedule == STREAMING and plan.problem.is_backward:
        # The kernel reads each part of a row twice, and waits for each of these reads.
        return 2 * -(-plan.problem.columns // plan.block) * (constants.tile_waits + constants.latency)
    if not plan.problem.is_backward:
        passes = 1 + plan.problem.is_centered if plan.rereads else 0
        again = constants.piece * plan.pieces * passes
        # Latency of the loads of rows, followed by the loads of weight and bias.
        waits = 0.0 if is_ahead else constants.begin + constants.latency * (1 + plan.problem.is_centered)
        return iteration + again + constants.tile_waits * plan.problem.is_centered + waits
    # The first pass reads the parts of a row one after another, with one access per lane.
    return iteration * (1 + plan.elements / 64) if plan.rereads else iteration


def matrices_read_again(plan: Plan) -> float:
    """Returns the number of matrices that are read from the L2 again. Accesses of sums over rows that global memory
    holds are also counted."""
    problem = plan.problem
    if plan.schedule == STREAMING and not plan.keeps_sums:
        again = (
            problem.matrices_read * problem.repeated_reads
            + 2 * problem.gradients / plan.rows_per_tile * 32 / problem.element_bits
        )
        return again if problem.is_backward else FORWARD_AGAIN * again
    return problem.matrices_read if plan.keeps_sums or (plan.rereads and plan.schedule == MULTI_WAVE) else 0.0


def _accesses(plan: Plan) -> int:
    """Returns the number of memory accesses per element: one for each matrix, and one for each of weight and bias if
    the kernel does not keep them from row to row."""
    problem = plan.problem
    vectors = problem.has_weight + (problem.is_centered and problem.has_bias)
    is_late = not problem.is_backward and not plan.prefetches
    return problem.matrices_read + problem.matrices_written + is_late * vectors


def predict(plan: Plan, constants: Constants | None = None) -> float:
    """Returns the predicted seconds of a launch with cold caches. `constants` are by default those of the plan's
    target."""
    problem, machine = plan.problem, plan.machine
    constants = constants or CONSTANTS[machine.target]
    # If the grid has fewer blocks than SMs, not all SMs are used.
    used = min(plan.blocks * plan.num_ctas, machine.multiprocessors)
    rate = machine.bytes_per_second * constants.reach
    in_flight = bytes_in_flight(plan, constants) * used
    asked = rate * used / machine.multiprocessors * constants.latency
    memory = problem.bytes_moved / rate * math.hypot(1, asked / in_flight)
    if plan.prefetches and not problem.is_backward and plan.schedule != CLUSTER:
        memory *= constants.in_step
    memory *= 1 + matrices_read_again(plan) / (problem.matrices_read + problem.matrices_written) * rate / constants.l2
    per_element = constants.instructions[problem.gradients if problem.is_backward else 0]
    per_element += problem.more_instructions
    if plan.rereads and plan.schedule == WARP_SPECIALIZED and problem.is_backward:
        per_element += constants.reread_instructions
    if plan.vector * problem.element_bits < 128:
        per_element += constants.narrow * _accesses(plan)
    padded = plan.block * plan.pieces if plan.schedule != STREAMING else -(-problem.columns // plan.block) * plan.block
    tiles = -(-problem.rows // plan.rows_per_tile)
    resident = min(plan.blocks, plan.blocks_per_multiprocessor * machine.multiprocessors // plan.num_ctas)
    workers = max(resident, 1) * plan.groups
    per_tile = plan.rows_per_tile * padded * per_element / constants.issue
    is_ahead = plan.prefetches or plan.stages > 1
    iteration = _iteration(plan, constants, is_ahead)
    arithmetic = tiles * max(per_tile / used, (per_tile / plan.num_ctas + iteration) / workers)
    uneven = -(-tiles // workers) * workers / tiles
    sums = 0.0
    if problem.gradients:
        partials = 4 * workers * problem.gradients * problem.columns
        sums = constants.barrier * (1 + problem.gradients) + 2 * partials / constants.l2
    start = constants.start + (constants.specialized_start if plan.schedule == WARP_SPECIALIZED else 0.0)
    is_alone = plan.blocks_per_multiprocessor == 1 and not is_ahead and not (plan.schedule == STAGED and plan.rereads)
    is_alone = is_alone and (plan.schedule == STREAMING or not problem.is_backward)
    both = memory + arithmetic if is_alone else math.hypot(memory, arithmetic)
    return start + both * uneven + sums


def describe(plan: Plan) -> str:
    """Returns one sentence with a plan's bytes in flight, predicted time and bandwidth."""
    prefix = "" if plan.schedule != MULTI_WAVE or plan.prefetches else "without prefetching, "
    return (
        f"{prefix}{bytes_in_flight(plan) / 1024:.0f} KiB in flight per {plan.machine.processor}, "
        f"{predict(plan) * 1e6:.1f} us predicted ({plan.problem.bytes_moved / predict(plan) / 1e12:.2f} TB/s)"
    )
