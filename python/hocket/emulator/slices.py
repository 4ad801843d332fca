"""What a timeline is made of."""

from __future__ import annotations

from typing import NamedTuple


class Slice(NamedTuple):
    """A piece of one warp's time.

    Attributes:
        launch: which of the recorded launches, from 0 on.
        block: number of the block: x first, then y, then z.
        warp: in the block.
        kind: "stage" of a warp pipeline (`amd.warp_pipeline_stage`), in which the others lie; "arithmetic", "matrix",
            "shared load", "shared store", "global load", "global store", "atomic", "copy" (an asynchronous one),
            "shuffle"; "wait" for results or copies; "barrier", from the arrival until it opens; "product" of a
            warpgroup (wgmma), while the warp's matrix core works on it, beside what the warp does. Of a profile
            (`hocket.profiler`): "stage", also of a scope that lies in no other, "scope", and "wait" of a scope whose
            name begins so.
        label: of a stage; of others the kind, with the number of operations if there are several in a row.
        filename, line: where it is in the source; a stage's line is that of its `with`.
        begin, end: clocks since the block began; of a profile, since its first record.
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
        """How long it takes."""
        return self.end - self.begin
