"""The stages that the compiler formed from loops with `warp_pipeline="auto"`, as data and text.

The compiler's estimates come from a model. The estimates serve to rank schedules, and are not measurements of a GPU.
"""

from __future__ import annotations

import ast
import json
import linecache
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from .synchronization import short_name


class ScheduledStage(NamedTuple):
    """A stage.

    Attributes:
        label: the unit that the stage occupies longest; "pause" for a stage without operations on tiles.
        priority: priority of the warps in the stage, or None.
        exclusive: True if only one of the two groups executes the stage at a time.
        lines: source locations (file, line) of its operations, in program order.
        wait: number of commit groups that the wait before the stage leaves in flight; None without a wait.
        wait_line: source location of this wait in the kernel; None without a wait.
    """

    label: str
    priority: int | None
    lines: list[tuple[str, int]]
    wait: int | None
    wait_line: tuple[str, int] | None
    exclusive: bool = False


class ScheduledSlot(NamedTuple):
    """A slot of a schedule, in which the low group and the high group execute two different stages.

    Attributes:
        low, high: labels of the stages of the two groups.
        clocks: estimated clocks, including the barrier.
        waiting: the part of these clocks that is spent waiting for copies.
        units: clocks for which each unit is occupied, by name of the unit.
    """

    low: str
    high: str
    clocks: int
    waiting: int
    units: dict[str, int]


class StageSchedule(NamedTuple):
    """A division of a loop into stages, with the estimated clocks of an iteration. `slots` is empty if stages are
    exclusive: the two groups then synchronize only at these stages."""

    clocks: int
    phase_gap: int
    stages: list[ScheduledStage]
    slots: list[ScheduledSlot]

    @property
    def source(self) -> str:
        """The stages as source text: `with` statements around the statements of the kernel. A statement whose
        operations are in several stages is marked, because the user must divide it."""
        return "\n".join(_source_of(self))


class LoopSchedule(NamedTuple):
    """The compiler's decision for one loop with `warp_pipeline="auto"`.

    Attributes:
        file, line: source location of the loop.
        formed: True if the loop has stages.
        reason: the reason why the loop has no stages; None if it has stages.
        reason_line: line of the operation that prevents stages; None if no single operation does.
        plain_clocks: estimated clocks of an iteration without stages; None if the loop was not analyzed.
        error_percent: error of the estimated clocks, in percent. The compiler forms stages only if they are faster by
            more than this error.
        bound: lower bound of the clocks of all schedules with this number of stages.
        limit: the unit that determines the bound, or "issue" for instruction issue.
        is_exact: True if the search for schedules was complete.
        mma_parts: numbers of parts along M, N and K into which each MMA is divided.
        choice: value of the launch option `stage_choice` with which the kernel was compiled: on AMD GPUs, the schedule
            model of the machine code chooses. None if the estimate has chosen the best schedule.
        best, runner_up: the best and the second best schedule; None if unknown.
    """

    file: str
    line: int
    formed: bool
    reason: str | None
    reason_line: int | None
    plain_clocks: int | None
    error_percent: int
    bound: int | None
    limit: str | None
    is_exact: bool
    mma_parts: tuple[int, int, int]
    choice: int | None
    best: StageSchedule | None
    runner_up: StageSchedule | None

    def __str__(self) -> str:
        return "\n".join(_lines_of(self))


class ScheduleReport(Sequence):
    """The loops of a kernel that have `warp_pipeline="auto"`: a sequence of LoopSchedule that prints as text."""

    def __init__(self, name: str, target: str, facts: list[str]):
        """`facts`: `kernel.metadata.stage_reports`."""
        self.name, self.target = name, target
        self.loops = [_loop_of(json.loads(fact)) for fact in facts]

    def __getitem__(self, index):
        return self.loops[index]

    def __len__(self) -> int:
        return len(self.loops)

    def __iter__(self) -> Iterator[LoopSchedule]:
        return iter(self.loops)

    def __str__(self) -> str:
        if not self.loops:
            return f'{self.name} for {self.target}: no loop has warp_pipeline="auto"'
        return "\n\n".join([f"{self.name} for {self.target}", *map(str, self.loops)])

    __repr__ = __str__


# Data -----------------------------------------------------------------------------------------------------------------


def _loop_of(fact: dict[str, Any]) -> LoopSchedule:
    def schedule_of(name: str) -> StageSchedule | None:
        return _schedule_of(fact[name]) if name in fact else None

    return LoopSchedule(
        file=fact["file"],
        line=fact["line"],
        formed=fact["formed"],
        reason=fact.get("reason"),
        reason_line=fact.get("at") or None,
        plain_clocks=fact.get("plain_clocks"),
        error_percent=fact["error_percent"],
        bound=fact.get("bound"),
        limit=fact.get("limit"),
        is_exact=fact["exact"],
        mma_parts=tuple(fact["mma_parts"]),
        choice=fact.get("choice"),
        best=schedule_of("best"),
        runner_up=schedule_of("runner_up"),
    )


def _schedule_of(fact: dict[str, Any]) -> StageSchedule:
    stages = [
        ScheduledStage(
            stage["label"],
            stage.get("priority"),
            [(file, line) for file, line in stage["lines"]],
            stage.get("wait"),
            tuple(stage["wait_line"]) if "wait_line" in stage else None,
            stage.get("exclusive", False),
        )
        for stage in fact["stages"]
    ]
    gap = fact["phase_gap"]
    slots = [
        ScheduledSlot(
            stages[index].label, stages[index - gap].label, slot["clocks"], slot["waiting"], dict(slot["units"])
        )
        for index, slot in enumerate(fact["slots"])
    ]
    return StageSchedule(fact["clocks"], gap, stages, slots)


# Text -----------------------------------------------------------------------------------------------------------------


def _statements_in(file: str) -> list[tuple[int, int]]:
    """Returns the first and last line of each simple statement of a file; an empty list if the file cannot be
    parsed."""
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except SyntaxError:
        return []
    simple = [node for node in ast.walk(tree) if isinstance(node, ast.stmt) and not hasattr(node, "body")]
    return [(node.lineno, node.end_lineno or node.lineno) for node in simple]


def _statements_of(stage: ScheduledStage) -> list[tuple[str, int, int]]:
    """Returns the file, the first line and the last line of each statement that the stage executes, in the order of
    their first operations."""
    found = {}
    for file, line in stage.lines:
        inside = [(first, last) for first, last in _statements_in(file) if first <= line <= last]
        first, last = inside[0] if inside else (line, line)
        found[file, first, last] = None
    return list(found)


def _source_of(schedule: StageSchedule) -> list[str]:
    statements = [_statements_of(stage) for stage in schedule.stages]
    uses = Counter(statement for of_stage in statements for statement in of_stage)
    text = []
    for index, stage in enumerate(schedule.stages):
        if stage.wait_line is not None:
            text.append(f"wait_group({stage.wait})  # line {stage.wait_line[1]}")
        arguments = [f'"{stage.label}"']
        if stage.priority is not None:
            arguments.append(f"priority={stage.priority}")
        if index == 0 and schedule.phase_gap != 1:
            arguments.append(f"phase_gap={schedule.phase_gap}")
        if stage.exclusive:
            arguments.append("exclusive=True")
        text.append(f"with gl.warp_pipeline_stage({', '.join(arguments)}):")
        for file, first, last in statements[index]:
            source = linecache.getline(file, first).strip() + (" ..." if last > first else "")
            note = ", in several stages" if uses[file, first, last] > 1 else ""
            text.append(f"    {source}  # line {first}{note}")
        if not stage.lines:
            text.append("    pass")
    return text


def _parts_of(loop: LoopSchedule) -> str:
    parts = [f"{count} along {name}" for name, count in zip("MNK", loop.mma_parts, strict=True) if count > 1]
    return f"; each MMA divided into {' and '.join(parts)}" if parts else ""


def _lines_of(loop: LoopSchedule) -> list[str]:
    where = f"{short_name(loop.file)}, line {loop.line}"
    if loop.formed and loop.best:
        text = [f"{where}: {len(loop.best.stages)} stages{_parts_of(loop)}"]
    else:
        at = f" (line {loop.reason_line})" if loop.reason_line else ""
        text = [f"{where}: no stages: {loop.reason}{at}"]
    best = loop.best
    if best is None:
        return text
    bound = f"{loop.bound} by {'the issue of instructions' if loop.limit == 'issue' else f'the {loop.limit} unit'}"
    found = "" if loop.formed else "best "
    text += [
        f"    clocks of an iteration, by the model ({loop.error_percent} % error):",
        f"      with stages {best.clocks}, without {loop.plain_clocks}, bound {bound}"
        + ("" if loop.is_exact else "; the search was not complete"),
    ]
    if loop.runner_up:
        runner_up = ", ".join(stage.label for stage in loop.runner_up.stages)
        text.append(f"      next best {loop.runner_up.clocks}: {runner_up}")
    if best.slots:
        text.append(f"    {found}slots:")
    for slot in best.slots:
        shares = {unit: 100 * clocks // max(slot.clocks, 1) for unit, clocks in slot.units.items() if clocks}
        busy = ", ".join(f"{unit} {share} %" for unit, share in shares.items())
        waiting = f", waits {slot.waiting} for copies" if slot.waiting else ""
        text.append(f"      {slot.low} | {slot.high}: {slot.clocks} clocks{waiting}; {busy or 'no unit'}")
    return [*text, f"    {found}stages:", *(f"      {line}" for line in best.source.splitlines())]
