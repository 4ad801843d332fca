"""Enumerates the feasible plans of a problem, from registers, shared memory and threads of the machine.

Each returned plan can be launched. All blocks of a backward plan are resident at the same time, because these blocks
wait for each other. `Plan.registers` is the register limit that is passed to the compiler. `Plan.registers_needed` is
an estimate (`budget`). Plans that need more registers than their limit would spill, and are omitted.

This module has the variants that load rows into registers: multi-wave and streaming. `feasible_copied` and
`feasible_parts` have the variants that copy rows into shared memory.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace

from ... import next_power_of_2
from .budget import (
    ACCESS_BYTES,
    ELEMENTS,
    LEAST_WARPS,
    MOST_WARPS,
    OTHER_BYTES,
    can_reread,
    early_weights,
    plan_of,
    registers_needed,
    round_down,
    round_up,
    shared_for_sums,
    spills_by_llvm,
    vector_of,
)
from .feasible_clustered import clustered
from .feasible_copied import staged, warp_specialized
from .feasible_parts import in_parts
from .plan import MULTI_WAVE, STREAMING, Plan
from .problem import Machine, Problem

#: `PIECES`: numbers of tiles per row among which the planner chooses. `PIECE_WARPS`: numbers of warps per row among
#: which the planner chooses.
PIECES = (3, 5, 6, 7)
PIECE_WARPS = (1, 2, 4, 8, 16)
#: `STREAMING_WARPS`: number of warps of streaming blocks. `KEEPING_WARPS`: numbers of warps among which the planner
#: chooses if blocks keep sums in shared memory.
STREAMING_WARPS = 8
KEEPING_WARPS = (16, 8)
#: Number of 16-byte accesses of each matrix that a lane has in flight.
STREAMED_ACCESSES = 4


def multi_wave(problem: Problem, machine: Machine) -> Iterator[Plan]:
    """Yields the plans of the multi-wave variant, which keeps rows in registers."""
    vector = vector_of(problem)
    block = max(next_power_of_2(problem.columns), ACCESS_BYTES * 8 // problem.element_bits)
    for elements in ELEMENTS:
        if elements < vector or elements > block:
            continue
        lanes_per_row = block // elements
        warps_per_row = max(lanes_per_row // machine.lanes, 1)
        num_warps = max(warps_per_row, LEAST_WARPS)
        if num_warps * machine.lanes > MOST_WARPS * 32:
            continue
        threads = num_warps * machine.lanes
        rows_per_tile = threads // lanes_per_row
        for prefetches, rereads in ((True, False), (False, False), (False, True)):
            if rereads and not can_reread(problem, rows_per_tile):
                continue
            needed = registers_needed(problem, elements, prefetches, rereads)
            if machine.lanes > 32 and problem.is_backward and problem.is_centered and prefetches:
                needed += elements  # LLVM needs one more register per element than ptxas
            if problem.columns < block and not prefetches:
                needed += early_weights(problem, warps_per_row)
            shared = shared_for_sums(problem, threads, elements, warps_per_row < num_warps)
            blocks_per_mp = min(
                machine.registers // (threads * round_up(needed)),
                machine.threads // threads,
                machine.shared_bytes // shared,
            )
            if needed > round_down(machine.registers_per_lane) or blocks_per_mp < 1:
                continue
            yield plan_of(
                problem, machine, MULTI_WAVE, num_warps, warps_per_row, rows_per_tile, block, vector, elements,
                prefetches, rereads, blocks_per_mp, needed,
            )  # fmt: skip


def multi_wave_in_pieces(problem: Problem, machine: Machine) -> Iterator[Plan]:
    """Yields forward plans of the multi-wave variant with several tiles per row, for rows that would have much padding
    in a single power-of-two tile."""
    vector = vector_of(problem)
    if problem.is_backward or vector == 1:
        return
    for warps_per_row in PIECE_WARPS:
        piece = warps_per_row * machine.lanes * vector
        pieces, num_warps = -(-problem.columns // piece), max(warps_per_row, LEAST_WARPS)
        if pieces not in PIECES or pieces * piece >= next_power_of_2(problem.columns):
            continue
        threads, elements = num_warps * machine.lanes, pieces * vector
        for prefetches in (True, False):
            needed = registers_needed(problem, elements, prefetches)
            shared = shared_for_sums(problem, threads, vector, warps_per_row < num_warps)
            blocks_per_mp = min(
                machine.registers // (threads * round_up(needed)),
                machine.threads // threads,
                machine.shared_bytes // shared,
            )
            if threads > MOST_WARPS * 32 or needed > round_down(machine.registers_per_lane) or blocks_per_mp < 1:
                continue
            plan = plan_of(
                problem, machine, MULTI_WAVE, num_warps, warps_per_row, num_warps // warps_per_row, piece, vector,
                elements, prefetches, False, blocks_per_mp, needed,
            )  # fmt: skip
            yield replace(plan, pieces=pieces)


def streaming(problem: Problem, machine: Machine) -> Iterator[Plan]:
    """Yields the plans of the streaming variant. In the backward pass, shared memory holds the sums over rows if they
    fit. Otherwise the sums are in global memory, and each block updates its sums once per tile of several rows."""
    vector = vector_of(problem)
    access = ACCESS_BYTES * 8 // problem.element_bits
    wide = access * STREAMED_ACCESSES
    if problem.gradients:
        for num_warps in KEEPING_WARPS:
            block = num_warps * machine.lanes * wide
            kept = 4 * problem.gradients * -(-problem.columns // block) * block
            if num_warps * machine.lanes <= MOST_WARPS * 32 and kept + OTHER_BYTES * 4 <= machine.shared_bytes:
                plan = _streaming_plan(problem, machine, num_warps, 1, block, vector, wide, most_blocks=1)
                yield replace(plan, keeps_sums=True, shared_bytes=kept + OTHER_BYTES * 4)
    rows_per_tile = min(STREAMED_ACCESSES, next_power_of_2(problem.rows)) if problem.is_backward else 1
    columns_per_lane = access if problem.is_backward else wide
    block = STREAMING_WARPS * machine.lanes * columns_per_lane
    yield _streaming_plan(
        problem, machine, STREAMING_WARPS, rows_per_tile, block, vector, columns_per_lane * rows_per_tile, 8
    )


def _streaming_plan(problem, machine, num_warps, rows_per_tile, block, vector, elements, most_blocks) -> Plan:
    threads = num_warps * machine.lanes
    needed = registers_needed(problem, elements, False)
    shared = shared_for_sums(problem, threads, elements, False)
    fitting = min(
        machine.registers // (threads * round_up(needed)), machine.threads // threads, machine.shared_bytes // shared,
        most_blocks,
    )  # fmt: skip
    return plan_of(
        problem, machine, STREAMING, num_warps, num_warps, rows_per_tile, block, vector, elements, False, False,
        max(fitting, 1), needed,
    )  # fmt: skip


def plans_of(problem: Problem, machine: Machine) -> list[Plan]:
    """Returns all feasible plans, at least one of which is a streaming plan."""
    resident = multi_wave(problem, machine), multi_wave_in_pieces(problem, machine), clustered(problem, machine)
    copied = warp_specialized(problem, machine), in_parts(problem, machine), staged(problem, machine)
    all_plans = itertools.chain(*resident, *copied, streaming(problem, machine))
    return [plan for plan in all_plans if not spills_by_llvm(problem, machine, plan)]
