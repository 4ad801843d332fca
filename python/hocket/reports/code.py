"""Report on a kernel's machine code: the instructions of its hottest loops, as text and as a dictionary.

`pictures/code_report.py` shows the report in Jupyter.
"""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import _core
from ..isa.counts import UNITS, BankUse, LoopCounts, Stage, count_loops

if TYPE_CHECKING:
    from ..isa.schedule import ModeledSchedule

#: Largest number of loops that the report shows. The omitted loops are mostly in the prologue and the epilogue.
SHOWN_LOOPS = 2
#: Largest number of kinds of waits that the report shows for a loop.
_SHOWN_WAITS = 24

#: Column headings of the table, by language and unit, in order.
_HEADINGS = {
    "amd": {
        "matrix": "MFMA",
        "vector": "VALU",
        "transcendental": "trans",
        "scalar": "SALU",
        "shared_reads": "LDS rd",
        "shared_writes": "LDS wr",
        "exchanges": "lane ex",
        "loads": "loads",
        "stores": "stores",
        "copies": "to LDS",
        "scratch": "scratch",
        "waits": "waits",
        "barriers": "barriers",
        "other": "other",
    },
}
_HEADINGS["ptx"] = _HEADINGS["sass"] = _HEADINGS["amd"] | {
    "matrix": "MMA",
    "vector": "ALU",
    "shared_reads": "smem rd",
    "shared_writes": "smem wr",
    "exchanges": "shuffles",
    "copies": "async",
    "scratch": "local",
}


class Occupancy(NamedTuple):
    """Number of blocks and warps that an SM or compute unit runs at once.

    Attributes:
        blocks: number of blocks of a compute unit (AMD) or SM (NVIDIA).
        warps_per_simd: number of warps of each of the four SIMD units.
        bound: the resource that limits occupancy: "registers", "shared memory", "warps" or "blocks".
    """

    blocks: int
    warps_per_simd: int
    bound: str


class CodeReport:
    """The hottest loops of a kernel in machine code, and the resources that the kernel uses. `print` shows the report
    as text.

    Attributes:
        name, target: name and target of the kernel.
        language: language of the text that was read: "amd", "ptx" or "sass".
        resources: registers, accumulation_registers, registers_spilled, ..., shared_bytes, as far as they are known.
        occupancy: an Occupancy, or None if the registers are not known.
        loops: innermost loops (`hocket.isa.counts.LoopCounts`), the hottest first. Loops are ordered by their work for
            matrix units, then by depth, then by the number of other instructions, fewest first. Without work for matrix
            units, the longest of the deepest loops is first.
        schedule: estimated time of an iteration of the hottest loop (`hocket.isa.schedule.ModeledSchedule`), by a model
            that was never compared with hardware. None on NVIDIA GPUs, and without a loop.
        warnings: sentences about instructions that should not be in a hot loop.
    """

    def __init__(
        self,
        name: str,
        target: str,
        language: str,
        resources: dict[str, int],
        occupancy: Occupancy | None,
        loops: list[LoopCounts],
    ):
        self.name, self.target, self.language = name, target, language
        self.resources, self.occupancy, self.loops = resources, occupancy, loops
        self.warnings = [*_warnings_of_kernel(resources), *(_warnings_of_loop(loops[0]) if loops else [])]

    @cached_property
    def schedule(self) -> ModeledSchedule | None:
        return self.schedule_of(self.loops[0]) if self.loops else None

    def schedule_of(self, loop: LoopCounts) -> ModeledSchedule | None:
        """Returns the estimated time of an iteration of `loop`, one of `loops`; None as for `schedule`."""
        blocks = self.occupancy.blocks if self.occupancy else 1
        return loop.schedule(self.target, self.resources.get("warps", 4), blocks)

    def draw_schedule(self) -> Any:
        """Draws the waves of a SIMD unit during two iterations of the hottest loop, as simulated by the model.

        Returns:
            A `hocket.pictures.Picture`.

        Raises:
            ValueError: if there is no schedule: on NVIDIA GPUs, without a loop, or if some iterations skip the MFMAs.
        """
        from .._display import picture_of

        if self.schedule is None:
            why = "some trips of the hottest loop leave its MMAs out"
            if not self.loops:
                why = "the kernel has no loop"
            elif self.language != "amd":
                why = "it is of AMD GPUs only"
            raise ValueError(f"there is no model of the schedule to draw: {why}")
        return picture_of(self)

    def as_dict(self) -> dict[str, Any]:
        """Returns the report as numbers and lists, for JSON."""
        return {
            "kernel": self.name,
            "target": self.target,
            "language": self.language,
            "resources": self.resources,
            "occupancy": self.occupancy._asdict() if self.occupancy else None,
            "loops": [_dict_of_loop(loop) for loop in self.loops],
            "schedule": _dict_of_schedule(self.schedule) if self.schedule else None,
            "warnings": self.warnings,
        }

    def __str__(self) -> str:
        lines = [f"{self.name} for {self.target}: {described(self.resources)}"]
        lines += [f"  {sentence}" for sentence in self.occupancy_lines()]
        if not self.loops:
            lines.append("  no loop")
        for number, loop in enumerate(self.loops[:SHOWN_LOOPS]):
            lines += ["", f"{'hottest loop' if number == 0 else 'next loop'}: {headline(loop, self.language)}"]
            schedule = self.schedule if number == 0 else None
            lines += [f"  {line}" for line in _text_table(table(loop, self.language, schedule))]
            lines += [f"  {line}" for line in schedule_lines(schedule)]
            lines += [f"  wait in {line}" for line in wait_lines(loop)]
        lines += [f"warning: {warning}" for warning in self.warnings]
        return "\n".join(lines)

    __repr__ = __str__

    def occupancy_lines(self) -> list[str]:
        """Returns a list with one line: the number of blocks and warps that fit on an SM or compute unit. The list is
        empty if the registers are not known."""
        if self.occupancy is None:
            return []
        blocks, warps, bound = self.occupancy
        unit = "compute unit" if self.language == "amd" else "multiprocessor"
        if not blocks:
            return [f"not one block fits on a {unit}: too many {bound}"]
        fit = f"{blocks} block{'s' * (blocks != 1)} on a {unit}, {warps} warp{'s' * (warps != 1)} on a SIMD unit"
        return [f"{fit}; more are kept away by {bound}"]

    def _repr_html_(self) -> str | None:
        from .._display import html_of

        return html_of(self)


def report_of(facts: _core.KernelFacts, language: str, text: str, hk: str, resources: dict[str, int]) -> CodeReport:
    """Returns the report on a kernel's machine code.

    Args:
        language: language of the text: "amd", "ptx" or "sass".
        text: AMD assembly, PTX, or the output of nvdisasm.
        hk: the kernel's tile IR.
        resources: registers and spills as `runtime.resources` reads them, as far as they are known.
    """
    warps = facts.num_warps + facts.worker_warps
    occupancy = None
    if "registers" in resources:
        occupancy = Occupancy(*_core.occupancy(facts.target, warps, resources["registers"], facts.shared))
    loops = count_loops(text, facts.name, facts.target, language, hk)
    known = {"warps": warps, **resources, "shared_bytes": facts.shared}
    return CodeReport(facts.name, facts.target, language, known, occupancy, loops)


def described(resources: dict[str, int]) -> str:
    return ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in resources.items())


def headline(loop: LoopCounts, language: str) -> str:
    words = [f"{loop.instructions - loop.optional()} instructions a trip"]
    if loop.optional():
        words.append(f"{loop.optional()} more in some trips")
    if loop.matrix_clocks:
        words.append(f"matrix core busy for {loop.matrix_clocks} clocks per warp")
    if loop.moves:
        words.append(f"{loop.moves} only move registers")
    if language == "ptx":
        words.append("PTX, from which the assembler makes the GPU's own")
    return ", ".join(words)


def wait_lines(loop: LoopCounts) -> list[str]:
    """Returns the text of each kind of wait once, in the order of first occurrence."""
    names = [stage.name for stage in loop.stages]
    counts: Counter[str] = Counter()
    for wait in loop.waits:
        where = f"stage {names[wait.stage]}" if len(names) > 1 else "the loop"
        counts[f"{where}, {wait.text}: {wait.describe(names)}"] += 1
    lines = [line if count == 1 else f"{line} ({count} times)" for line, count in counts.items()]
    more = len(lines) - _SHOWN_WAITS
    return [*lines[:_SHOWN_WAITS], f"{more} more"] if more > 0 else lines


# Tables --------------------------------------------------------------------------------------------------------------


def table(loop: LoopCounts, language: str, schedule: ModeledSchedule | None) -> list[list[str]]:
    """Returns the rows of a table: a heading, a row for each stage, and the sum if there are several stages."""
    headings = _HEADINGS[language]
    units = [unit for unit in UNITS if loop.total(unit)]
    has_clocks = loop.matrix_clocks > 0
    has_banks = any(stage.reads or stage.writes for stage in loop.stages)
    head = ["stage", "all"]
    for unit in units:
        head += [headings[unit], *(["clocks"] if unit == "matrix" and has_clocks else [])]
    rows = [head + (["wavefronts rd", "wr"] if has_banks else [])]
    for stage in loop.stages:
        rows.append(_row(stage, units, has_clocks, has_banks))
    if len(loop.stages) > 1:
        rows.append(_row(_sum(loop.stages), units, has_clocks, has_banks))
    return [row + cells for row, cells in zip(rows, _times(schedule, len(rows)), strict=True)]


def _times(schedule: ModeledSchedule | None, rows: int) -> list[list[str]]:
    """Returns further columns of the table, with headings: the estimated times of the stages."""
    if schedule is None:
        return [[]] * rows
    work, waiting = (sum(getattr(stage, name) for stage in schedule.stages) for name in ("work", "waiting"))
    times = [(stage.work, stage.waiting) for stage in schedule.stages] + [(work, waiting)]
    return [["model: work", "barrier"], *([f"{work:.0f}", f"{waiting:.0f}"] for work, waiting in times)][:rows]


def schedule_lines(schedule: ModeledSchedule | None) -> list[str]:
    if schedule is None:
        return []
    lines = [f"{schedule.sentence()} (never timed on hardware)"]
    if schedule.idle:
        causes = ", ".join(f"{cause} {clocks:.0f}" for cause, clocks in schedule.idle.items() if round(clocks))
        lines += [f"clocks per trip without work for the matrix core, by cause: {causes}"] if causes else []
    return lines


def _row(stage: Stage, units: list[str], has_clocks: bool, has_banks: bool) -> list[str]:
    row = [stage.name, count_cell(stage.instructions, stage.optional.total())]
    for unit in units:
        row.append(count_cell(stage.units[unit], stage.optional[unit]) if stage.units[unit] else ".")
        if unit == "matrix" and has_clocks:
            row.append(str(stage.matrix_clocks or "."))
    return row + ([_bank_cell(stage.reads), _bank_cell(stage.writes)] if has_banks else [])


def count_cell(count: float, optional: float) -> str:
    """Returns the text of a count: "267", or "267 + 33" if some iterations skip 33 of 300 instructions."""
    return f"{count - optional:g}" + (f" + {optional:g}" if optional else "")


def _bank_cell(use: BankUse | None) -> str:
    """Returns the text of a number of wavefronts: "512", or "512 + 448" if 448 of 960 wavefronts are due to bank
    conflicts."""
    if use is None or not use.actual:
        return "."
    return f"{use.ideal}" + (f" + {use.actual - use.ideal}" if use.actual > use.ideal else "")


def _sum(stages: list[Stage]) -> Stage:
    total = Stage("a trip")
    for stage in stages:
        total.units.update(stage.units)
        total.matrix_clocks += stage.matrix_clocks
        total.optional.update(stage.optional)
        if stage.reads is not None and stage.writes is not None:
            total.reads = (total.reads or BankUse()) + stage.reads
            total.writes = (total.writes or BankUse()) + stage.writes
    return total


def _text_table(rows: list[list[str]]) -> list[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = []
    for first, *rest in rows:
        cells = [first.ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(rest, widths[1:], strict=True))]
        lines.append("  ".join(cells).rstrip())
    return lines


def _dict_of_loop(loop: LoopCounts) -> dict[str, Any]:
    names = [stage.name for stage in loop.stages]
    return {
        "depth": loop.depth,
        "instructions": loop.instructions,
        "matrix_clocks": loop.matrix_clocks,
        "moves": loop.moves,
        "stages": [
            {
                "name": stage.name,
                "instructions": stage.instructions,
                "optional": stage.optional.total(),
                "matrix_clocks": stage.matrix_clocks,
                "units": {unit: stage.units[unit] for unit in UNITS if stage.units[unit]},
                "read_wavefronts": stage.reads._asdict() if stage.reads is not None else None,
                "write_wavefronts": stage.writes._asdict() if stage.writes is not None else None,
            }
            for stage in loop.stages
        ],
        "waits": [
            {"stage": names[wait.stage], "text": wait.text, "finishes": wait.describe(names)} for wait in loop.waits
        ],
    }


def _dict_of_schedule(schedule: ModeledSchedule) -> dict[str, Any]:
    return {
        "clocks": schedule.clocks,
        "waves": schedule.waves,
        "matrix_share": schedule.matrix_share,
        "bound": schedule.bound,
        "idle": schedule.idle,
        "shares": schedule.shares,
        "stages": [stage._asdict() for stage in schedule.stages],
    }


# Warnings ------------------------------------------------------------------------------------------------------------


def _warnings_of_kernel(resources: dict[str, int]) -> list[str]:
    spilled = {name: resources.get(name, 0) for name in ("registers_spilled", "scalar_registers_spilled")}
    return [f"{count} {name.replace('_', ' ')}" for name, count in spilled.items() if count]


def _warnings_of_loop(loop: LoopCounts) -> list[str]:
    """Returns warnings about the hottest loop."""
    warnings = []
    if scratch := loop.total("scratch"):
        warnings.append(
            f"the hottest loop accesses scratch memory {scratch} times a trip: registers are spilled, or arrays "
            f"indexed, in it"
        )
    for what, uses in (("reads", [s.reads for s in loop.stages]), ("writes", [s.writes for s in loop.stages])):
        actual, ideal = (sum(use[i] for use in uses if use) for i in (0, 1))
        if actual > ideal:
            warnings.append(
                f"{what} of shared memory take {actual} wavefronts a trip and warp where {ideal} would do: bank "
                "conflicts"
            )
    late = sum(wait.is_amid_mmas for wait in loop.waits)
    if late and len(loop.stages) > 1:
        warnings.append(f"{late} waits are between MFMAs of a stage and leave the matrix core idle")
    return warnings
