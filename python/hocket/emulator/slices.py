"""The slices of a timeline: time intervals in which a warp executes or waits."""

from __future__ import annotations

from typing import NamedTuple


class Slice(NamedTuple):
    """A time interval in which one warp executes or waits.

    Attributes:
        launch: index of the launch among the recorded launches.
        block: number of the block; blocks are numbered along x first, then along y and z.
        warp: number of the warp in the block.
        kind: "stage" of a warp pipeline (`amd.warp_pipeline_stage`), which contains slices of other kinds;
            "arithmetic", "matrix", "shared load", "shared store", "global load", "global store", "atomic", "copy"
            (asynchronous), "shuffle"; "wait" for results or copies; "barrier", from the warp's arrival until the
            barrier opens; "mma" for a wgmma, while the warp's matrix core executes the wgmma, concurrently with the
            warp. In a profile (`hocket.profiler`): "stage", also for an outermost scope, "scope", and "wait" for a
            scope whose name begins with "wait".
        label: for a stage, its name; for other kinds, the kind, and the number of consecutive operations of this kind
            if there are several.
        filename, line: source location; the line of a stage is the line of its `with` statement.
        begin, end: clocks since the block began; in a profile, clocks since the first record of the block.
    """

    launch: int
    block: int
    warp: int
    kind: str
    label: str
    filename: str
    line: int
    begin: int
    end: int

    @property
    def clocks(self) -> int:
        """Duration in clocks."""
        return self.end - self.begin
