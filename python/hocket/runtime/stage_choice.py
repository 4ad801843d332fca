"""Chooses the automatic stages of an AMD kernel by the schedule model of its machine code.

The compiler ranks stages by an estimate (csrc/analysis/auto_stages/SchedulePlayer.h), which ignores the instructions
that compute addresses, and the room for loads in flight. This module therefore compiles a kernel once without stages
and once for each of the best candidates, and keeps the fastest one by the model of `hocket.isa.schedule`. Without MMAs,
both models are less reliable, so stages must then also gain more by the schedule model than the model's error.
"""

from __future__ import annotations

import copy
import dataclasses
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..errors import HocketError, InternalError

if TYPE_CHECKING:
    from typing import Protocol

    from .. import _core
    from .options import Options

    class Request(Protocol):
        """Protocol with the attributes of `runtime.compiler.Request` that this module uses."""

        options: Options

        @property
        def target_info(self) -> _core.TargetInfo: ...

    Made = tuple[_core.KernelFacts, dict[str, bytes]]

#: The choice of no stages; the candidates follow (`hk.stage_choice`).
NO_STAGES = 1
#: Artifacts from which the schedule model computes clocks.
_MODELED = ("amdgcn", "hk")


def choose_stages(request: Request, made: Made, run: Callable[[Request, list[str]], Made], names: list[str]) -> Made:
    """Returns the facts and artifacts of the kernel with the best stages, and sets the option `stage_choice` of
    `request` accordingly.

    Args:
        request: request that has been compiled without a choice.
        made: facts and artifacts that `request` gave.
        run: compiles a request, for a list of artifacts.
        names: names of the artifacts in the result.
    """
    report = _report_with_choices(request, made[0])
    if report is None:
        return made
    count, least_gain = report["choices"], 0  # `least_gain` in percent
    artifacts = list(dict.fromkeys([*names, *_MODELED]))
    best: tuple[float, int, Made] | None = None
    for choice in range(NO_STAGES, NO_STAGES + 1 + count):
        other = copy.copy(request)
        other.options = dataclasses.replace(request.options, stage_choice=choice)
        try:
            candidate = run(other, artifacts)
        except InternalError:
            raise
        except HocketError:
            continue  # these stages need more registers or shared memory than there are
        modeled = _clocks_of(*candidate)
        if modeled is None:
            return made
        clocks, has_mmas = modeled
        if choice == NO_STAGES:
            least_gain = 0 if has_mmas else report["error_percent"]
        else:
            clocks *= 1 + least_gain / 100
        if best is None or clocks < best[0]:
            best = clocks, choice, candidate
    if best is None:
        return made
    _, choice, (facts, artifacts_of_best) = best
    request.options = dataclasses.replace(request.options, stage_choice=choice)
    return facts, {name: artifacts_of_best[name] for name in artifacts_of_best if name in names}


def restore_choice(request: Request, facts: _core.KernelFacts) -> None:
    """Sets the option `stage_choice` of `request` to the choice with which a kernel from the disk cache was made."""
    for report in map(json.loads, facts.stage_reports):
        if "choice" in report:
            request.options = dataclasses.replace(request.options, stage_choice=report["choice"])


def _report_with_choices(request: Request, facts: _core.KernelFacts) -> dict[str, Any] | None:
    """Returns the report on the loop with stages; None if there is no choice: the option `stage_choice` is given, the
    target has no schedule model, or several loops, or none, have stages."""
    if request.options.stage_choice is not None or request.target_info.assembly != "amdgcn":
        return None
    formed = [report for report in map(json.loads, facts.stage_reports) if report["formed"]]
    return formed[0] if len(formed) == 1 and formed[0]["choices"] else None


def _clocks_of(facts: _core.KernelFacts, artifacts: dict[str, bytes]) -> tuple[float, bool] | None:
    """Returns the sum of the clocks of an iteration of each innermost loop by the schedule model, and True if a loop
    has MMAs; None if the model applies to no loop. The choice affects a single loop, but not always the hottest one:
    for a loop with `num_stages`, the kernel has a second loop, which executes a few iterations without prefetching."""
    from ..reports.code import report_of
    from .resources import resources_of_isa

    assembly, hk = (artifacts[name].decode() for name in _MODELED)
    report = report_of(facts, "amd", assembly, hk, resources_of_isa(assembly))
    schedules = [report.schedule_of(loop) for loop in report.loops]
    clocks = sum(schedule.clocks for schedule in schedules if schedule)
    return (clocks, any(loop.total("matrix") > 0 for loop in report.loops)) if clocks else None
