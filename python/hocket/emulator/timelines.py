"""Timelines of the warps of a launch, on the emulator's virtual clock.

Each warp has a clock, in clocks of a GPU's compute unit. The target's cost table has the time of each operation
(csrc/target/CostTable.cpp): an MFMA takes the clocks of its passes, and an access to shared memory takes one clock per
phase. The result of a load from global memory is available after some hundred clocks. Warps that need the same unit
wait for each other. A barrier opens for all warps at the last arrival (csrc/emulator/VirtualClock.h).

**The virtual clock is a model. The model shows which warps wait for each other, and which operations overlap.
Clocks of the model do not measure the speed of any hardware, and must not be quoted as such.** The clock does not model
bank conflicts (`count_bank_conflicts` counts them), caches, blocks that share a compute unit, the instruction
scheduling of a back end, or instructions that the first lane of a warp does not execute.
"""

from __future__ import annotations

import os
import pathlib
from typing import TYPE_CHECKING, Any

from ..errors import shown_path
from ..pictures.trace_events import TraceEvents, write_trace
from .slices import Slice
from .timeline_summary import TimelineSummary, summarize

if TYPE_CHECKING:
    from ..pictures import Picture


_ABOUT_CLOCKS = "Clocks of a model of the compute unit: who waits for whom, not the speed of any hardware."


#: Number of the first track for wgmmas. The wgmmas of a warp have a separate track, because they run concurrently with
#: the warp.
_WGMMA_TRACKS = 1000


class Timeline:
    """The slices of all launches within one `record_timeline`; shown as a picture at the end of a Jupyter cell.

    Attributes:
        about: a sentence about the meaning of the timeline's clocks.
        slices: sorted by launch, block, warp and begin; a stage precedes the slices that it contains.
        kernels: the name of each launch's kernel.
        partitions: for each launch, the partition of each warp in `gl.warp_specialize`; see `name_of`. A kernel without
            partitions has an empty list.
    """

    def __init__(self, about: str = _ABOUT_CLOCKS) -> None:
        self.about = about
        self.slices: list[Slice] = []
        self.kernels: list[str] = []
        self.partitions: list[list[str]] = []

    def _add(self, kernel: str, slices: list[tuple], workers: list[str]) -> None:
        """Adds the records of a launch."""
        launch = len(self.kernels)
        self.kernels.append(kernel)
        self.partitions.append(_partitions(workers))
        for block, warp, kind, label, count, filename, line, begin, end in slices:
            label = label or (kind if count == 1 else f"{kind} x{count}")
            self.slices.append(Slice(launch, block, warp, kind, label, filename, line, begin, end))

    def name_of(self, launch: int, warp: int) -> str:
        """Returns the name of a warp in pictures and traces: "warp 4"; in a kernel with partitions "warp 4 (load)" for
        a warp of the worker `load`, "warp 0 (default)", or "warp 5 (idle)" for a warp that belongs to no partition and
        only fills up a warpgroup."""
        partitions = self.partitions[launch]
        return f"warp {warp} ({partitions[warp]})" if warp < len(partitions) else f"warp {warp}"

    def save(self, path: str | os.PathLike) -> None:
        """Writes the timeline in Chrome's trace format, for https://ui.perfetto.dev or chrome://tracing.

        In the trace, each block is a process, and each warp is a thread of the block's process. One microsecond of the
        trace is one clock of the model. Markers show when barriers open.
        """
        write_trace(self.trace(), pathlib.Path(path))

    def summary(self, *, launch: int = -1, block: int = 0) -> TimelineSummary:
        """Summarizes the time of one block: each stage's work, waits and barriers, and the use of the matrix cores.

        Args:
            launch: index of the launch; the last one by default.
            block: number of the block.

        Errors: ValueError if nothing of that block was recorded.
        """
        slices = self.of_block(launch, block)
        return summarize(self.kernels[slices[0].launch], block, slices)

    def of_block(self, launch: int = -1, block: int = 0) -> list[Slice]:
        """Returns the slices of one block. A negative `launch` counts from the end. Errors: ValueError if there is no
        slice."""
        launch = launch if launch >= 0 else launch + len(self.kernels)
        found = [s for s in self.slices if s.launch == launch and s.block == block]
        if not found:
            blocks = sorted({s.block for s in self.slices if s.launch == launch})
            known = f"; there are slices of blocks {blocks[0]} to {blocks[-1]}" if blocks else ""
            raise ValueError(f"no slice of block {block} of launch {launch} was recorded{known}")
        return found

    def trace(self) -> dict[str, Any]:
        """Returns the data that `save` writes: {"traceEvents": [...], ...}."""
        events = TraceEvents()
        processes = {}
        has_mmas = any(s.kind == "mma" for s in self.slices)
        for launch, block, warp in sorted({(s.launch, s.block, s.warp) for s in self.slices}):
            if (launch, block) not in processes:
                process = processes[launch, block] = len(processes) + 1
                name = f"{self.kernels[launch]}, block {block}" + (f", launch {launch}" if launch else "")
                events.name_process(process, name)
            position = 2 * warp if has_mmas else None
            events.name_track(processes[launch, block], warp, self.name_of(launch, warp), position)
        for launch, block, warp in sorted({(s.launch, s.block, s.warp) for s in self.slices if s.kind == "mma"}):
            name = f"warp {warp}: matrix core"
            events.name_track(processes[launch, block], _WGMMA_TRACKS + warp, name, 2 * warp + 1)
        for s in self.slices:
            track = processes[s.launch, s.block], s.warp + (_WGMMA_TRACKS if s.kind == "mma" else 0)
            args = {"line": f"{shown_path(s.filename)}:{s.line}"}
            events.slice(*track, s.label, s.kind, s.begin, s.clocks, args)
            if s.kind == "barrier":
                events.instant(*track, "barrier opens", "barrier", s.end)
        return events.finish("Virtual clocks of a model, one per microsecond. Not the speed of any hardware.")

    def _repr_html_(self) -> str | None:
        return timeline(self).svg if self.slices else None

    def __repr__(self) -> str:
        if not self.slices:
            return "Timeline: nothing was recorded"
        blocks = len({s[:2] for s in self.slices})
        clocks = max(s.end for s in self.slices)
        return (
            f"Timeline: {len(self.slices)} slices of {blocks} block{'' if blocks == 1 else 's'}, "
            f"{clocks} clocks of the model"
        )


def _partitions(workers: list[str]) -> list[str]:
    """Returns the partition of each warp of a cluster. All blocks of the cluster have the same partitions.

    Args:
        workers: the name of each warp's worker. The name is "" for the warps of the default partition, which come first
            in a block, and for warps that belong to no partition.
    """
    if not any(workers):
        return []
    count = len(workers)
    block = next(n for n in range(1, count + 1) if count % n == 0 and workers == workers[:n] * (count // n))
    first = next(warp for warp, worker in enumerate(workers) if worker)
    return [worker or ("default" if warp % block < first else "idle") for warp, worker in enumerate(workers)]


def timeline(
    recorded: Timeline, *, launch: int = -1, block: int = 0, begin: int | None = None, end: int | None = None
) -> Picture:
    """Draws the timeline of one block. Each warp has a row of stages in different colors, and a row of operations below
    the stages.

    Args:
        recorded: the result of `record_timeline`.
        launch: index of the launch; the last one by default.
        block: number of the block.
        begin, end: range of clocks to draw; None for the first and the last clock of the block.

    Errors: ValueError if nothing of that block was recorded.

    Example:
        with hocket.emulator.record_timeline() as recorded:
            gemm[grid](a, b, c)
        hocket.emulator.timeline(recorded, begin=2000, end=4000).save("gemm.svg")
    """
    from ..pictures.timelines import draw_timeline

    return draw_timeline(recorded, launch, block, begin, end)
