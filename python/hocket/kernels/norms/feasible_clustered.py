"""Feasible plans of the cluster variant, in which the blocks of a cluster share each row (Hopper).

`why_not_clustered` returns the reason why the variant is impossible for all tile sizes. `feasible` describes the
conditions that all plans satisfy.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator
from dataclasses import replace

from ... import next_power_of_2
from .budget import (
    ELEMENTS,
    plan_of,
    registers_needed,
    round_down,
    round_up,
    shared_for_sums,
    vector_of,
)
from .feasible_copied import RING_REGISTERS, SHARED_RESERVED, why_boxes_are_slow, why_not_alone
from .plan import CLUSTER, Plan
from .problem import BOX, Machine, Problem, box_columns

#: `CLUSTERS`, `CLUSTER_WARPS`: numbers of blocks of a cluster, and of warps of a block, among which the planner
#: chooses. `LEAST_CLUSTER_COLUMNS`: fewest columns of rows for which the cluster variant is considered, because the
#: exchange of sums costs time.
CLUSTERS = (2, 4, 8)
CLUSTER_WARPS = (4, 8, 16)
LEAST_CLUSTER_COLUMNS = 8192
MOST_CLUSTER_ROWS = 4
MOST_CLUSTER_STAGES = 8
#: Hopper: `MOST_GROUPS` is the largest number of GPCs, and `GROUP_MULTIPROCESSORS` the largest number of SMs of a GPC.
#: The SMs of a GPC come in pairs.
MOST_GROUPS = 8
GROUP_MULTIPROCESSORS = 18
#: Largest number of tiles of a block's part of a row, in the forward pass.
MOST_PARTS = 8
#: `FORWARD_STAGES`: number of stages of a forward kernel. `LEAST_RESIDENT_WARPS`: fewest resident warps per SM of a
#: forward plan; on an H200, 8 warps were slower than 12 warps in larger clusters.
FORWARD_STAGES = 2
LEAST_RESIDENT_WARPS = 12
#: Bytes of shared memory of a forward kernel in addition to rows.
EXCHANGE_BYTES = 2048


def why_not_clustered(problem: Problem, machine: Machine) -> str | None:
    """Returns the reason why the cluster variant is impossible for all tile sizes, or None."""
    if not machine.specializes:
        return f"{machine.target} has no clusters"
    if problem.columns < LEAST_CLUSTER_COLUMNS:
        return f"one block can hold rows of fewer than {LEAST_CLUSTER_COLUMNS} columns"
    if not problem.is_backward and (reason := why_not_alone(problem, machine)):
        return reason
    if not problem.is_backward and (problem.has_residual or problem.element_bits != 16):
        return "in the forward pass, only rows of 16-bit elements without a residual have this variant"
    if not problem.is_aligned:
        return "the parts of a row in the blocks of a cluster must begin at multiples of 16 bytes"
    shares = [
        problem.columns // num_ctas for num_ctas in CLUSTERS if problem.columns % (num_ctas * vector_of(problem)) == 0
    ]
    if not shares:
        return f"{problem.columns} columns cannot be split evenly over a cluster in multiples of 16 bytes"
    if not problem.is_backward:
        return None
    reasons = [why_boxes_are_slow(problem, share) for share in shares]
    return None if None in reasons else reasons[0]


def clustered(problem: Problem, machine: Machine) -> Iterator[Plan]:
    """Yields the plans of the cluster variant."""
    if why_not_clustered(problem, machine):
        return
    if not problem.is_backward:
        plans = [plan for plan in forward_clusters(problem, machine) if _has_enough_warps(plan)]
        least = min((plan.num_ctas for plan in plans), default=0)
        yield from (plan for plan in plans if plan.num_ctas == least)
        return
    vector = vector_of(problem)
    for num_ctas in CLUSTERS:
        share = problem.columns // num_ctas
        if problem.columns % (num_ctas * vector) or why_boxes_are_slow(problem, share):
            continue
        part = next_power_of_2(share)
        if part // box_columns(share) > BOX:
            continue
        for num_warps, elements in itertools.product(CLUSTER_WARPS, ELEMENTS):
            lanes_per_row = part // elements
            rows_per_tile = num_warps * machine.lanes // lanes_per_row if lanes_per_row else 0
            if num_warps * num_ctas > machine.cluster_warps:
                continue
            if vector <= elements and 1 <= rows_per_tile <= MOST_CLUSTER_ROWS and lanes_per_row >= machine.lanes:
                yield from _of_cluster(problem, machine, num_ctas, part, num_warps, elements, rows_per_tile)


def _of_cluster(problem, machine, num_ctas, part, num_warps, elements, rows_per_tile) -> Iterator[Plan]:
    threads = num_warps * machine.lanes
    warps_per_row = part // elements // machine.lanes
    sums = shared_for_sums(problem, threads, elements, warps_per_row < num_warps)
    slot = 2 * rows_per_tile * part * problem.element_bits // 8
    tiles = -(-problem.rows // rows_per_tile)
    needed = registers_needed(problem, elements, False) + RING_REGISTERS
    most = min(machine.registers // (threads * round_up(needed)), machine.threads // threads)
    if needed > round_down(machine.registers_per_lane):
        return
    for blocks_per_mp in range(1, most + 1):
        room = machine.shared_bytes // blocks_per_mp - SHARED_RESERVED
        stages = min((room - sums) // slot, MOST_CLUSTER_STAGES)
        if stages < 2:
            break
        plan = plan_of(
            problem, machine, CLUSTER, num_warps, warps_per_row, rows_per_tile, part * num_ctas, vector_of(problem),
            elements, False, False, blocks_per_mp, needed,
        )  # fmt: skip
        yield replace(
            plan, num_ctas=num_ctas, stages=stages, shared_bytes=sums + stages * slot,
            blocks=min(tiles, clusters_at_once(machine, num_ctas) * blocks_per_mp),
        )  # fmt: skip


@functools.cache
def clusters_at_once(machine: Machine, num_ctas: int) -> int:
    """Returns the number of clusters, with one block per SM, that are guaranteed to run at the same time. A cluster
    stays within a GPC, and the number of SMs per GPC differs from chip to chip."""
    worst = {0: 0}
    for _ in range(MOST_GROUPS):
        further: dict[int, int] = {}
        for total, clusters in worst.items():
            for size in range(0, GROUP_MULTIPROCESSORS + 1, 2):
                count = clusters + size // num_ctas
                further[total + size] = min(count, further.get(total + size, count))
        worst = further
    return max(worst.get(machine.multiprocessors // 2 * 2, 1), 1)


def _has_enough_warps(plan: Plan) -> bool:
    """Returns True if enough warps are resident per SM, and each has many tiles per sum."""
    resident = plan.num_warps * plan.blocks_per_multiprocessor
    return resident >= LEAST_RESIDENT_WARPS and plan.pieces > MOST_PARTS // 2


def forward_clusters(problem: Problem, machine: Machine) -> Iterator[Plan]:
    """Yields all forward plans. Persistent blocks copy their parts of the next row into shared memory. `clustered`
    yields those with the fewest blocks per cluster and enough resident warps."""
    vector = vector_of(problem)
    for num_ctas, num_warps in itertools.product(CLUSTERS, CLUSTER_WARPS):
        share = problem.columns // num_ctas
        piece = num_warps * machine.lanes * vector
        pieces = -(-share // piece)
        if problem.columns % (num_ctas * vector) or num_warps * num_ctas > machine.cluster_warps:
            continue
        if not 1 < pieces <= MOST_PARTS:
            continue
        threads, elements = num_warps * machine.lanes, pieces * vector
        needed = _forward_registers(problem, elements)
        shared = FORWARD_STAGES * problem.matrices_read * pieces * piece * problem.element_bits // 8 + EXCHANGE_BYTES
        blocks_per_mp = min(
            machine.registers // (threads * round_up(needed)),
            machine.threads // threads,
            (machine.shared_bytes + SHARED_RESERVED) // (shared + SHARED_RESERVED),
        )
        if needed > round_down(machine.registers_per_lane) or blocks_per_mp < 1:
            continue
        plan = plan_of(
            problem, machine, CLUSTER, num_warps, num_warps, 1, piece * num_ctas, vector, elements, True, True,
            blocks_per_mp, needed,
        )  # fmt: skip
        blocks = min(problem.rows, clusters_at_once(machine, num_ctas) * blocks_per_mp)
        yield replace(plan, num_ctas=num_ctas, pieces=pieces, stages=FORWARD_STAGES, shared_bytes=shared, blocks=blocks)


def _forward_registers(problem: Problem, elements: int) -> int:
    """Returns the registers per lane that ptxas allocates for a forward kernel, which keeps weight and bias."""
    words = (problem.has_weight + (problem.is_centered and problem.has_bias)) * elements * problem.element_bits // 32
    return min(24 + 3 * words, 104 + words) + 24 * problem.has_residual
