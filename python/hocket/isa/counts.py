"""Instruction counts of a loop: per iteration, and per stage between two barriers."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from .. import _core
from .loops import Loop, instructions_of_amd, instructions_of_ptx, instructions_of_sass, loops_of
from .schedule import ModeledSchedule, Residence, Step, simulate
from .units import UNITS, matrix_clocks_of, unit_of
from .waits import Wait, waits_of
from .work import work_of


class BankUse(NamedTuple):
    """Wavefronts of a warp's shared memory accesses: the actual number, and the number without bank conflicts."""

    actual: int = 0
    ideal: int = 0

    def __add__(self, other: tuple) -> BankUse:
        return BankUse(self.actual + other[0], self.ideal + other[1])


@dataclass
class Stage:
    """Counts of the instructions between two barriers of a loop.

    Attributes:
        name: the stage's label in the kernel, or the stage's number if the kernel has no labels.
        units: number of instructions by unit, see `units.UNITS`.
        matrix_clocks: clocks per iteration for which these instructions occupy a matrix core; 0 for NVIDIA, whose
            clocks are unknown. Instructions that some iterations skip are not included.
        reads, writes: bank use of shared memory, computed from layouts; None if the loop of machine code could not be
            matched to a loop of the kernel.
        line_use: by unit ("loads", "stores", "copies"), the bytes of all touched cache lines divided by the requested
            bytes: 2 if rows fill half a line. Units for which the ratio is unknown have no entry.
        optional: number of instructions, by unit, that some iterations skip.
    """

    name: str
    units: Counter[str] = field(default_factory=Counter)
    matrix_clocks: int = 0
    reads: BankUse | None = None
    writes: BankUse | None = None
    line_use: dict[str, float] = field(default_factory=dict)
    optional: Counter[str] = field(default_factory=Counter)

    @property
    def instructions(self) -> int:
        """Number of instructions of the stage."""
        return sum(self.units.values())


@dataclass
class LoopCounts:
    """Counts of the instructions of an innermost loop.

    Attributes:
        depth: nesting depth, 1 for an outermost loop.
        stages: the loop's stages in program order; a loop without barriers has one stage.
        waits: the loop's waits, with the operations that each wait completes (AMD).
        moves: number of instructions that only copy registers.
        steps: the instructions that every iteration executes, for the performance model (AMD).
        is_pipeline: True if the loop is a warp pipeline, in which two groups of warps alternate.
    """

    depth: int
    stages: list[Stage]
    waits: list[Wait]
    moves: int
    steps: list[Step] = field(default_factory=list)
    is_pipeline: bool = False

    def schedule(self, target: str, warps: int, blocks: int = 1) -> ModeledSchedule | None:
        """Estimates the clocks of an iteration (`hocket.isa.schedule`). Returns None for NVIDIA targets, and for a loop
        in which some iterations skip the MFMAs.

        Args:
            warps: number of warps of a block.
            blocks: number of blocks per compute unit.
        """
        multiplies = any(step.work.kind == "matrix" for step in self.steps)
        if not self.steps or ((self.matrix_clocks or self.total("matrix")) and not multiplies):
            return None  # some iterations skip the loop's MFMAs
        # In a simulated warp pipeline without barriers, the high group would wait forever. `steps` does not include
        # barriers that only some iterations execute, so a warp pipeline may have no barrier in `steps`.
        is_pipeline = self.is_pipeline and any(step.work.kind == "barrier" for step in self.steps)
        residence = Residence(-(-warps // 4), max(1, blocks), int(is_pipeline))
        return simulate(self.steps, [stage.name for stage in self.stages], target, residence)

    def total(self, unit: str) -> int:
        """Returns the number of instructions of `unit`, summed over all stages."""
        return sum(stage.units[unit] for stage in self.stages)

    def optional(self, *units: str) -> int:
        """Returns the number of instructions of `units` that some iterations skip; by default of all units."""
        return sum(stage.optional[unit] for stage in self.stages for unit in units or UNITS)

    @property
    def instructions(self) -> int:
        """Number of instructions of the loop."""
        return sum(stage.instructions for stage in self.stages)

    @property
    def matrix_clocks(self) -> int:
        """Clocks per iteration for which the loop occupies a matrix core."""
        return sum(stage.matrix_clocks for stage in self.stages)

    @property
    def heat(self) -> tuple:
        """Sort key for hot loops, the largest first.

        The criteria, in order, are matrix work, nesting depth, and several stages, which the prologue and epilogue of a
        pipeline lack. Among loops with equal matrix work, fewer instructions come first, because a loop for the last
        iterations has additional masks. Among loops without matrix work, more instructions come first.
        """
        work = self.matrix_clocks or self.total("matrix")
        return work, self.depth, len(self.stages) > 1, -self.instructions if work else self.instructions


#: Instructions that only copy registers.
_MOVE = re.compile(
    r"v_(accvgpr_(read|write|mov)|mov)_b|v_accvgpr_|mov\.b|MOV\s+R\d+, R\d|IMAD\.MOV\S*\s+R\d+, RZ, RZ, R"
)

_READERS = {"amd": instructions_of_amd, "ptx": instructions_of_ptx, "sass": instructions_of_sass}


def count_loops(text: str, kernel: str, target: str, language: str, hk: str = "") -> list[LoopCounts]:
    """Returns the innermost loops of a kernel, the hottest first.

    Args:
        text: AMD assembly, PTX, or the output of nvdisasm.
        language: language of the text: "amd", "ptx" or "sass".
        hk: the kernel's tile IR, which determines the names of stages and the bank conflicts; "" if the IR is not
            available.
    """
    loops = [loop for loop in loops_of(_READERS[language](text, kernel)) if loop.is_innermost]
    facts = _facts_of_loops(loops, _core.loop_accesses(hk) if hk else [], language)
    counted = [_count(loop, fact, target, language) for loop, fact in zip(loops, facts, strict=True)]
    return sorted(counted, key=lambda loop: loop.heat, reverse=True)


def _barriers(loop: Loop, language: str) -> list[int]:
    return [i for i, line in enumerate(loop.instructions) if unit_of(line, language) == "barriers"]


def _facts_of_loops(loops: list[Loop], known: list[tuple], language: str) -> list[tuple | None]:
    """Returns, for each loop, the properties that the compiler has recorded for it, or None.

    Loops and properties are in program order. Loops with stages are matched by their number of barriers. Loops without
    stages are matched only if the assembly and the kernel have equal numbers of such loops.
    """
    result: list[tuple | None] = []
    of_pipelines = [fact for fact in known if len(fact[1]) > 1]
    others = [fact for fact in known if len(fact[1]) <= 1]
    count = sum(1 for loop in loops if not _is_pipeline(loop, of_pipelines, language))
    for loop in loops:
        if _is_pipeline(loop, of_pipelines, language):
            result.append(of_pipelines.pop(0))
        else:
            result.append(others.pop(0) if others and len(others) == count else None)
            count -= 1
    return result


def _is_pipeline(loop: Loop, of_pipelines: list[tuple], language: str) -> bool:
    return bool(of_pipelines) and len(_barriers(loop, language)) == len(of_pipelines[0][1])


def _count(loop: Loop, fact: tuple | None, target: str, language: str) -> LoopCounts:
    clocks_of = matrix_clocks_of(target) if language == "amd" else lambda instruction: 0
    units = [unit_of(line, language) for line in loop.instructions]
    barriers = _barriers(loop, language)
    numbers = _stages_of(len(units), barriers)
    labels = fact[1] if fact and len(fact[1]) == len(barriers) else []
    # A loop has one stage for each barrier. The instructions after the last barrier and before the first barrier form
    # the first stage.
    count = max(1, len(barriers))
    names = [labels[stage - 1] for stage in range(count)] if labels else [str(stage + 1) for stage in range(count)]
    stages = [Stage(name) for name in names]
    for line, unit, number, optional in zip(loop.instructions, units, numbers, loop.is_optional, strict=True):
        stages[number].units[unit] += 1
        stages[number].matrix_clocks += clocks_of(line) if unit == "matrix" and not optional else 0
        if optional:
            stages[number].optional[unit] += 1
    if fact:
        _add_banks(stages, fact[2], len(labels))
        _add_lines(stages, fact[3], len(labels))
    moves = sum(bool(_MOVE.match(line)) for line in loop.instructions)
    if language != "amd":
        return LoopCounts(loop.depth, stages, [], moves)
    waits = waits_of(loop.instructions, units, numbers)
    steps = _steps(loop, units, numbers, stages, target)
    return LoopCounts(loop.depth, stages, waits, moves, steps, len(labels) > 1)


def _steps(loop: Loop, units: list[str], numbers: list[int], stages: list[Stage], target: str) -> list[Step]:
    steps = []
    for line, unit, number, optional in zip(loop.instructions, units, numbers, loop.is_optional, strict=True):
        if optional:
            continue
        stage = stages[number]
        use = {"shared_reads": stage.reads, "shared_writes": stage.writes}.get(unit)
        conflicts = use.actual / use.ideal if use and use.ideal else 1.0
        steps.append(Step(work_of(line, target, conflicts, stage.line_use.get(unit, 1.0)), number))
    return steps


def _stages_of(length: int, barriers: list[int]) -> list[int]:
    """Returns the index of each instruction's stage. A barrier ends a stage. The instructions after the last barrier
    belong to the first stage."""
    count = max(1, len(barriers))
    stage, result = 0, []
    for i in range(length):
        result.append(stage % count)
        stage += i in barriers
    return result


def _add_banks(stages: list[Stage], accesses: list[tuple], labels: int) -> None:
    for stage in stages:
        stage.reads = stage.writes = BankUse()
    for is_store, index, actual, ideal in accesses:
        # The compiler numbers stages from the first barrier of the loop, but `stages` begins at the loop header.
        stage = stages[(index + 1) % labels if labels else 0]
        if is_store:
            stage.writes = (stage.writes or BankUse()) + (actual, ideal)
        else:
            stage.reads = (stage.reads or BankUse()) + (actual, ideal)


def _add_lines(stages: list[Stage], accesses: list[tuple[str, int, int, int]], labels: int) -> None:
    touched: Counter[tuple[int, str]] = Counter()
    wanted: Counter[tuple[int, str]] = Counter()
    for unit, index, line_bytes, tile_bytes in accesses:
        number = (index + 1) % labels if labels else 0
        touched[number, unit] += line_bytes
        wanted[number, unit] += tile_bytes
    for (number, unit), bytes_wanted in wanted.items():
        stages[number].line_use[unit] = touched[number, unit] / bytes_wanted


__all__ = ["UNITS", "BankUse", "LoopCounts", "Stage", "Wait", "count_loops"]
