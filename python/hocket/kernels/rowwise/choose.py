"""Chooses the plan of an operation on rows: the feasible plan with the least predicted time, or the caller's variant.

Registers, shared memory, threads and predicted times of plans that keep rows in registers, or stream them, come from
the planner of `norms`. This module adds rules for the streaming variant. Streaming kernels load the next part of a row
while they compute the current part, so they need more registers. Rows may have up to 262144 columns, so the rows of all
blocks may not fit into the L2, from which they are read again. Persistent plans with one large block per SM have fewer
rows in flight.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ...errors import LaunchError
from .._common.arrays import check_target
from .._common.checks import check_flags
from ..norms.budget import (
    ACCESS_BYTES,
    MOST_WARPS,
    registers_needed,
    round_down,
    round_up,
    shared_for_sums,
    spills_by_llvm,
)
from ..norms.choose import comparison, machine_for
from ..norms.feasible import multi_wave, multi_wave_in_pieces, streaming
from ..norms.feasible_copied import staged, why_not_specialized, why_not_staged
from ..norms.feasible_parts import in_parts
from ..norms.plan import ELEMENTWISE, MULTI_WAVE, SPLIT, STAGED, STREAMING, WARP_SPECIALIZED, Plan
from ..norms.predict import CONSTANTS, SOURCES, predict
from ..norms.problem import MACHINES, Machine, machine_of
from .elementwise import elementwise_plans, predict_elementwise
from .problem import OPERATIONS, RowProblem, checked_problem

SCHEDULES = (MULTI_WAVE, WARP_SPECIALIZED, STAGED, STREAMING, ELEMENTWISE, SPLIT)

#: Bytes of the last-level cache, from data sheets: the L2 or, on CDNA, the Infinity Cache.
L2_BYTES = {"sm_80": 40 << 20, "sm_90a": 50 << 20, "gfx942": 256 << 20, "gfx950": 256 << 20}
#: Fraction of the last-level cache that is available for rows that are read again. Results, and the rows that are
#: loaded next, occupy the rest of the cache.
_L2_SHARE = 0.6
#: Warps, and registers per lane, of streaming plans of cross-entropy in small blocks. Six blocks are resident on an SM,
#: so more blocks load while one reaches the end of its row (`benchmarks/streamed_rows.py`).
_SMALL_WARPS, _SMALL_REGISTERS = 4, 80
#: Registers per lane that ptxas allocates for staged softmax kernels: for one and for two matrices.
_STAGED_REGISTERS = (40, 48)


def choose(
    rows: int,
    columns: int,
    dtype: str,
    op: str,
    device: Any = "sm_90a",
    *,
    schedule: str | None = None,
    is_aligned: bool | None = None,
    **facts: bool,
) -> Plan:
    """Returns the plan that an operation uses: all parameters of its launches. The plan's `explain()` gives the reasons
    for the choice.

    Args:
        dtype: "float32", "float16" or "bfloat16".
        op: the name of a function of `rowwise`.
        device: a target, such as "sm_90a", or an array on a GPU.
        schedule: "multi-wave", "warp-specialized", "staged", "streaming" or "split", to override the prediction.
            Operations whose elements are independent are always "elementwise".
        is_aligned: whether all rows begin at multiples of 16 bytes; by default, as in contiguous arrays.
        facts: only for norms: has_weight and has_bias (both True by default), and has_residual.

    Raises: LaunchError for problems without a kernel, and for a schedule without a feasible plan.

    Example:
        >>> choose(4096, 128256, "bfloat16", "softmax").schedule
        'streaming'
    """
    check_flags("rowwise.choose", is_aligned=is_aligned, **facts)
    check_schedule(schedule)
    if isinstance(device, str):
        check_target(op, device, tuple(MACHINES))
        machine = machine_of(device)
    else:
        machine = machine_for(device, "rowwise.choose")
    problem = checked_problem(op, rows, columns, dtype)
    is_norm = OPERATIONS[op].is_norm
    known = ("has_weight", "has_bias") if is_norm else ()
    if op.endswith("_quantized"):
        known += ("has_residual",)
    if wrong := [name for name in facts if name not in known]:
        raise LaunchError(f"rowwise.choose: {op} has no fact {wrong[0]}; its facts are {', '.join(known) or 'none'}")
    if is_norm:
        facts = {"has_weight": True, "has_bias": problem.is_centered, **facts}
        problem = replace(problem, **facts)
    if is_aligned is None:
        is_aligned = columns * problem.element_bits // 8 % ACCESS_BYTES == 0
    return plan_for(replace(problem, is_aligned=bool(is_aligned)), machine, schedule)


def check_schedule(schedule: Any) -> None:
    """Raises a LaunchError if `schedule` is neither None nor the name of a variant."""
    if schedule is not None and (not isinstance(schedule, str) or schedule not in SCHEDULES):
        raise LaunchError(f"rowwise: schedule is one of {', '.join(SCHEDULES)}, not {schedule!r}")


@functools.lru_cache(4096)
def plan_for(problem: RowProblem, machine: Machine, schedule: str | None = None) -> Plan:
    """Returns the plan that `choose` returns."""
    best: dict[str, Plan] = {}
    for plan in plans_of(problem, machine):
        plan = replace(plan, seconds=predict_rows(plan))
        if plan.schedule not in best or plan.seconds < best[plan.schedule].seconds:
            best[plan.schedule] = plan
    if schedule is None:
        chosen = min(best.values(), key=lambda plan: plan.seconds)
        rule = f"the plan with the least predicted time is chosen; constants: {SOURCES[machine.target]}"
    else:
        if schedule not in best:
            raise LaunchError(
                f"{problem.operation}: no {schedule} plan for {problem.rows} x {problem.columns} {problem.dtype} on "
                f"{machine.target}: {_why_none(problem, machine, schedule)}\n"
                f"  hint: leave schedule out, or take {' or '.join(best)}"
            )
        chosen, rule = best[schedule], "chosen by the caller"
    expected = MULTI_WAVE, SPLIT if problem.is_divided else STREAMING
    if OPERATIONS[problem.operation].is_copied:
        expected = MULTI_WAVE, WARP_SPECIALIZED, STAGED, STREAMING
    if problem.is_elementwise:
        expected = (ELEMENTWISE,)
    missing = [f"not {name}: {_why_none(problem, machine, name)}" for name in expected if name not in best]
    return replace(chosen, reasons=(rule, *comparison(chosen, best), *missing))


def _why_none(problem: RowProblem, machine: Machine, schedule: str) -> str:
    if problem.is_elementwise:
        return "its elements are independent, so it needs no whole rows"
    if schedule == ELEMENTWISE:
        return "it has sums or maxima along rows"
    if schedule == SPLIT and not problem.is_divided:
        return "only group norm has this variant"
    if schedule == STREAMING and problem.is_divided:
        return "rows that do not fit into registers are divided among blocks"
    if schedule in (STAGED, WARP_SPECIALIZED):
        return _why_not_copied(problem, machine, schedule)
    if not OPERATIONS[problem.operation].is_resident:
        return "a row is a channel, and its sums along groups need all channels of a group"
    processor = f"{'an' if machine.processor == 'SM' else 'a'} {machine.processor}"
    return f"a row of {problem.columns} columns does not fit into the registers of {processor}"


def _why_not_copied(problem: RowProblem, machine: Machine, schedule: str) -> str:
    """Returns the reason why there is no plan of a variant that copies rows into shared memory."""
    if not OPERATIONS[problem.operation].is_copied:
        return "only softmax, log_softmax and their gradients have this variant"
    if schedule == WARP_SPECIALIZED:
        reason = why_not_specialized(problem, machine)
        return reason or f"a row of {problem.columns} columns does not fit into shared memory"
    if machine.lanes > 32:
        return "on CDNA, the variant would keep rows in registers, as multi-wave does"
    if reason := why_not_staged(problem, machine):
        return reason
    return f"a row of {problem.columns} columns is too short for several tiles, or does not fit into shared memory"


def plans_of(problem: RowProblem, machine: Machine) -> list[Plan]:
    """Returns all feasible plans, at least one of which is a streaming, a split or an elementwise plan."""
    if problem.is_elementwise:
        return list(elementwise_plans(problem, machine))
    resident: Iterator[Plan] = iter(())
    if OPERATIONS[problem.operation].is_resident:
        resident = itertools.chain(multi_wave(problem, machine), multi_wave_in_pieces(problem, machine))
    if problem.is_divided:
        streamed = [replace(plan, schedule=SPLIT) for plan in elementwise_plans(problem, machine)]
    else:
        streamed = [_with_next_part(plan) for plan in streaming(problem, machine)]
        if problem.operation == "cross_entropy":
            streamed = [_in_small_blocks(plan) or plan for plan in streamed]
    every = [_with_registers(plan, plan.registers_needed + _more_registers(plan)) for plan in resident]
    every += streamed
    if OPERATIONS[problem.operation].is_copied:
        every += [*_staged(problem, machine), *in_parts(problem, machine)]
    every += [_alone(plan) for plan in streamed if plan.schedule == STREAMING and problem.repeated_reads]
    return [plan for plan in every if plan is not None and not spills_by_llvm(problem, machine, plan)]


def _staged(problem: RowProblem, machine: Machine) -> Iterator[Plan | None]:
    """Yields the plans of the staged variant, whose kernels read each row twice from one buffer in shared memory."""
    for plan in staged(problem, machine):
        if plan.rereads:
            yield _with_registers(plan, _STAGED_REGISTERS[problem.matrices_read - 1])


def _more_registers(plan: Plan) -> int:
    """Returns the number of registers per lane that an operation needs in addition to the registers of a norm of
    `norms`. For an operation with two input matrices, ptxas keeps most elements in registers, as float32, from the sum
    along the row until the result of the operation is computed. For a float8 result, registers also hold the results in
    float32 until their scale is known."""
    if OPERATIONS[plan.problem.operation].is_norm:
        return plan.elements // 2
    return (plan.problem.matrices_read - 1) * plan.elements * 3 // 4


def _with_registers(plan: Plan, needed: int) -> Plan | None:
    """Returns the plan with the number of resident blocks that `needed` registers per lane allow, or None if not even
    one block fits."""
    machine, threads = plan.machine, plan.num_warps * plan.machine.lanes
    blocks = min(machine.registers // (threads * round_up(needed)), plan.blocks_per_multiprocessor)
    if blocks < 1 or needed > round_down(machine.registers_per_lane):
        return None
    granted = min(round_down(machine.registers // (threads * blocks)), round_down(machine.registers_per_lane))
    count = min(plan.blocks, blocks * machine.multiprocessors) if plan.prefetches else plan.blocks
    return replace(plan, registers_needed=needed, blocks_per_multiprocessor=blocks, registers=granted, blocks=count)


def predict_rows(plan: Plan) -> float:
    """Returns the predicted seconds of a plan: the result of `norms.predict.predict`, plus the time of repeated reads
    that miss the last-level cache. If the rows of all resident blocks exceed the cache, the reads of the excess part
    miss."""
    problem, machine = plan.problem, plan.machine
    if plan.schedule == ELEMENTWISE:
        return predict_elementwise(plan)
    if plan.schedule == SPLIT:
        return predict_elementwise(plan) + _seconds_of_first_launch(plan)
    if plan.schedule != STREAMING or not problem.repeated_reads:
        return predict(plan)
    read_again = problem.matrices_read * problem.columns * problem.element_bits / 8
    in_flight = min(plan.blocks, plan.blocks_per_multiprocessor * machine.multiprocessors) * plan.rows_per_tile
    missing = max(1 - L2_BYTES[machine.target] * _L2_SHARE / (in_flight * read_again), 0.0)
    rate = machine.bytes_per_second * CONSTANTS[machine.target].reach
    return predict(plan) + missing * problem.repeated_reads * problem.rows * read_again / rate


def _seconds_of_first_launch(plan: Plan) -> float:
    """Returns the predicted seconds of the first launch of a split plan, which reads the rows. If the rows fit into the
    L2, the time that the second launch saves by reading them from the L2 is subtracted."""
    problem, machine, constants = plan.problem, plan.machine, CONSTANTS[plan.machine.target]
    rate = machine.bytes_per_second * constants.reach
    read = problem.matrices_read * problem.rows * problem.columns * problem.element_bits / 8
    fits = read <= L2_BYTES[machine.target] * _L2_SHARE
    return constants.start + read / rate - fits * read * (1 / rate - 1 / constants.l2)


def _in_small_blocks(plan: Plan) -> Plan | None:
    """Returns the streaming plan with smaller blocks, or None on AMD GPUs and for rows that are accessed by single
    elements, for which the registers have not been measured."""
    machine, lanes = plan.machine, _SMALL_WARPS * plan.machine.lanes
    if machine.lanes != 32 or plan.vector == 1:
        return None
    shared = shared_for_sums(plan.problem, lanes, plan.elements, False)
    small = replace(
        plan, num_warps=_SMALL_WARPS, warps_per_row=_SMALL_WARPS, block=plan.block // plan.num_warps * _SMALL_WARPS,
        shared_bytes=shared, blocks_per_multiprocessor=machine.threads // lanes,
    )  # fmt: skip
    return _with_registers(small, _SMALL_REGISTERS)


def _alone(plan: Plan) -> Plan:
    """Returns the streaming plan with one persistent block per SM. The block has the largest number of warps that the
    registers permit."""
    machine = plan.machine
    num_warps = plan.num_warps
    while 2 * num_warps * machine.lanes <= MOST_WARPS * 32 and (
        2 * num_warps * machine.lanes * round_up(plan.registers_needed) <= machine.registers
    ):
        num_warps *= 2
    registers = round_down(machine.registers // (num_warps * machine.lanes))
    return replace(
        plan,
        num_warps=num_warps,
        warps_per_row=num_warps,
        block=plan.block // plan.num_warps * num_warps,
        blocks=min(machine.multiprocessors, -(-plan.problem.rows // plan.rows_per_tile)),
        blocks_per_multiprocessor=1,
        registers=min(registers, round_down(machine.registers_per_lane)),
        shared_bytes=shared_for_sums(plan.problem, num_warps * machine.lanes, plan.elements, False),
    )


def _with_next_part(plan: Plan) -> Plan:
    """Returns the streaming plan with enough registers to load the next part of a row while the current part is
    computed."""
    most = round_down(plan.machine.registers_per_lane)
    needed = min(registers_needed(plan.problem, plan.elements, prefetches=True), most)
    return _with_registers(plan, needed) or plan
