"""Chooses the plan of a problem: the feasible plan with the least predicted time, or the plan that a policy or the
caller selects."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import Any

from ...errors import LaunchError
from ...runtime import places
from .._common.arrays import check_target, gpu_of, target_of
from .._common.checks import check_flags
from .feasible import plans_of
from .feasible_clustered import why_not_clustered
from .feasible_copied import why_not_specialized, why_not_staged
from .forced import CALLER, PASSES, forced, forced_for
from .plan import CLUSTER, MULTI_WAVE, SCHEDULES, SPELLINGS, STAGED, STREAMING, WARP_SPECIALIZED, Plan
from .predict import SOURCES, describe, predict
from .problem import MACHINES, Machine, Problem, checked_problem, emulated, machine_of

POLICIES = ("hocket", "nvfuser")


def choose(
    rows: int,
    columns: int,
    dtype: str,
    op: str,
    device: Any = "sm_90a",
    *,
    schedule: str | None = None,
    policy: str = "hocket",
    **facts: bool,
) -> Plan:
    """Returns the plan that a normalization uses: all parameters of its launch. The plan's `explain()` gives the
    reasons for the choice.

    Args:
        dtype: "float32", "float16" or "bfloat16".
        op: "rms_norm", "layer_norm", or one of them with "_backward".
        device: a target, such as "sm_90a", or an array on a GPU.
        schedule: "multi-wave", "warp-specialized", "cluster", "staged" or "streaming", to override the prediction. If
            None, a `with norms.force_schedule(...)` block or the variable HOCKET_NORM_SCHEDULE may override the
            prediction.
        policy: "hocket" for the model of `predict`, or "nvfuser" for nvFuser's published rule, which chooses the
            variant. `with` blocks and the environment variable do not override this rule.
        facts: has_weight, has_bias, has_residual, is_aligned: see `Problem`.

    Raises: LaunchError for problems without a kernel, and for a schedule without a feasible plan.

    Example:
        >>> choose(16384, 4096, "bfloat16", "rms_norm_backward", "gfx950").schedule
        'multi-wave'
    """
    check_flags(f"norms.choose: {op}" if isinstance(op, str) else "norms.choose", **facts)
    known = ("has_weight", "has_bias", "has_residual", "is_aligned")
    if wrong := [name for name, flag in facts.items() if name not in known or flag is None]:
        raise LaunchError(f"norms.choose: facts are {', '.join(known)}, each True or False, not {wrong[0]}")
    check_choice(schedule, policy)
    if isinstance(device, str):
        check_target(op, device, tuple(MACHINES))
        machine = machine_of(device)
    else:
        machine = machine_for(device)
    problem = checked_problem(op, rows, columns, dtype, **facts)
    if policy == "hocket":
        return plan_for(problem, machine, *resolved(schedule, problem.is_backward))
    return plan_for(problem, machine, schedule, policy=policy)


def machine_for(array: Any, kernel: str = "norms") -> Machine:
    """Returns the Machine on which launches with `array` run. `kernel`: the kernel's name in error messages."""
    target = target_of(array)
    check_target(kernel, target, tuple(MACHINES))
    gpu = gpu_of(array)
    if gpu is not None:
        return machine_of(target, gpu.multiprocessors)
    return machine_of(target) if places.compiled_only.get() else emulated(machine_of(target))


def check_choice(schedule: Any, policy: Any = "hocket") -> None:
    """Raises a LaunchError if `schedule` is not the name of a variant, or `policy` not the name of a policy. `schedule`
    may be None."""
    if schedule is not None and not (isinstance(schedule, str) and SPELLINGS.get(schedule, schedule) in SCHEDULES):
        raise LaunchError(f"norms: schedule is one of {', '.join(SCHEDULES)}, not {schedule!r}")
    if not isinstance(policy, str) or policy not in POLICIES:
        raise LaunchError(f"norms: policy is one of {', '.join(POLICIES)}, not {policy!r}")


def resolved(schedule: str | None, is_backward: bool) -> tuple[str | None, str]:
    """Returns the variant that is forced for a launch, or None, and the origin of the choice: the argument `schedule`,
    a `with` block, or the environment variable."""
    return forced_for(is_backward) if schedule is None else (schedule, CALLER)


@functools.lru_cache(4096)
def plan_for(
    problem: Problem, machine: Machine, schedule: str | None = None, forced_by: str = CALLER, policy: str = "hocket"
) -> Plan:
    """Returns the plan that `choose` returns. `forced_by`: the origin of `schedule`, for the explanation."""
    check_choice(schedule, policy)
    best = best_by_schedule(problem, machine)
    if schedule is not None:
        return _forced(problem, machine, SPELLINGS.get(schedule, schedule), best, forced_by)
    if policy == "nvfuser":
        from .nvfuser import decide

        wanted, reason = decide(problem, machine)
        chosen = best.get(wanted) or best.get(MULTI_WAVE) or best[STREAMING]
        return replace(chosen, reasons=(f"nvFuser's rule: {reason}", *comparison(chosen, best)))
    chosen = min(best.values(), key=lambda plan: plan.seconds)
    return replace(chosen, reasons=_reasons(problem, machine, chosen, best))


def best_by_schedule(problem: Problem, machine: Machine) -> dict[str, Plan]:
    """Returns the plan with the least predicted time of each feasible variant."""
    best: dict[str, Plan] = {}
    for plan in plans_of(problem, machine):
        plan = replace(plan, seconds=predict(plan))
        if plan.schedule not in best or plan.seconds < best[plan.schedule].seconds:
            best[plan.schedule] = plan
    return best


def _forced(problem: Problem, machine: Machine, schedule: str, best: dict[str, Plan], forced_by: str) -> Plan:
    if schedule not in best:
        reason = _why_none(problem, machine, schedule)
        possible = f"one of {', '.join(best)}" if len(best) > 1 else next(iter(best))
        hint = f"leave schedule out, or take {possible}"
        if forced_by != CALLER:
            hint = f"{forced_by} forces {schedule}: force {possible}"
            if forced(schedule).forward:  # the forward and the backward pass have this variant
                other = PASSES[not problem.is_backward]
                hint += f", or force {schedule} for the {other} pass only: {{{other!r}: {schedule!r}}}"
        raise LaunchError(
            f"{problem.operation}: no {schedule} plan for {problem.rows} x {problem.columns} {problem.dtype} on "
            f"{machine.target}: {reason}\n  hint: {hint}"
        )
    chosen = best[schedule]
    cheapest = min(best.values(), key=lambda plan: plan.seconds)
    cost = (
        "it is also the choice of the model"
        if cheapest.schedule == schedule
        else f"the model predicts {chosen.seconds / cheapest.seconds - 1:.0%} more time than for {cheapest.schedule}"
    )
    return replace(chosen, reasons=(f"chosen by {forced_by}: {cost}", *comparison(chosen, best)))


def _why_none(problem: Problem, machine: Machine, schedule: str) -> str:
    why_not = {WARP_SPECIALIZED: why_not_specialized, CLUSTER: why_not_clustered, STAGED: why_not_staged}
    if schedule in why_not and (reason := why_not[schedule](problem, machine)):
        return reason
    processor = f"{'an' if machine.processor == 'SM' else 'a'} {machine.processor}"
    return f"a row of {problem.columns} columns does not fit into registers and shared memory of {processor}"


def comparison(chosen: Plan, best: dict[str, Plan]) -> tuple[str, ...]:
    """Returns one sentence with the predicted time of the chosen plan, and one for the best plan of each other
    variant."""
    others = [plan for plan in best.values() if plan.schedule != chosen.schedule]
    return tuple(f"{plan.schedule}: {describe(plan)}" for plan in (chosen, *others))


def _reasons(problem: Problem, machine: Machine, chosen: Plan, best: dict[str, Plan]) -> tuple[str, ...]:
    """Returns the reasons for the choice: the rule, the compared plans, and the nearest number of columns for which
    another variant is chosen."""
    rule = f"the plan with the least predicted time is chosen; constants: {SOURCES[machine.target]}"
    reasons = [rule, *comparison(chosen, best)]
    for schedule in (MULTI_WAVE, WARP_SPECIALIZED, CLUSTER, STAGED):
        if schedule not in best:
            reasons.append(f"not {schedule}: {_why_none(problem, machine, schedule)}")
    if (flip := _nearest_flip(problem, machine, chosen)) is not None:
        reasons.append(flip)
    return tuple(reasons)


def _nearest_flip(problem: Problem, machine: Machine, chosen: Plan) -> str | None:
    """Returns a sentence with a number of columns for which another variant has the least predicted time, or None. The
    number of columns is doubled and halved up to three times."""
    for factor in (2, 4, 8):
        for columns in (problem.columns * factor, problem.columns // factor):
            if not 64 <= columns <= 1 << 16:
                continue
            other = replace(problem, columns=columns)
            winner = min(best_by_schedule(other, machine).values(), key=lambda plan: plan.seconds)
            if winner.schedule != chosen.schedule:
                return f"with {columns} columns, it would be {winner.schedule}"
    return None
