"""What launches have recorded, and what can be made of it."""

from __future__ import annotations

import os
import pathlib
from typing import TYPE_CHECKING, Any

import numpy as np

from ..emulator import Timeline, timeline
from ..errors import LaunchError, shown_path
from .decoding import FREQUENCY_SOURCES, RAW_RECORD
from .explanation import Explanation, explain
from .launches import Launch, start_ns
from .statistics import Summary, site_times
from .timelines import timeline_of
from .traces import save_trace, trace_of

if TYPE_CHECKING:
    from ..pictures import Picture

#: What `records()` consists of: the fields of a raw record, and the cycle as it was read.
RECORD = np.dtype(
    [
        ("launch", "u4"),
        ("cta", "u4"),
        ("unit", "u2"),
        ("warp", "u2"),
        ("site", "u2"),
        ("kind", "u1"),
        ("payload", "u4"),
        ("cycle", "i8"),
        ("ns", "f8"),
        ("raw_cycle", "i8"),
    ]
)


def _unpaired_places(launch: Launch) -> list[str]:
    """Of records without their other half: what is recorded, and where."""
    if not launch.unpaired:
        return []
    sites = [launch.facts.sites[number] for number in launch.sites_of_unpaired()]
    return [f'"{site.name}" ({shown_path(site.file)}:{site.line})' for site in sites]


class Profile:
    """The launches of a session, in order.

    Attributes:
        name: of the session.
        launches: what each of them recorded.
    """

    def __init__(self, name: str):
        self.name = name
        self._launches: list[Launch] = []

    @property
    def launches(self) -> list[Launch]:
        """The profiled launches, in the order in which they began."""
        return self._launches

    def records(self) -> np.ndarray:
        """All records as a structured array: launch, cta, unit, warp, site, kind, payload, cycle, ns, raw_cycle.

        `cycle` counts on the block's multiprocessor, `ns` on a clock that all blocks of all launches share, from the
        first launch on; both without what recording costs. `raw_cycle` is what the warp read. `kind` is an index into
        `hocket.profiler.KINDS`, `site` one into the sites of the launch's kernel (`launches[i].facts.sites`).
        """
        launches = self.launches
        found = np.zeros(sum(len(launch.records) for launch in launches), RECORD)
        begin = 0
        for launch in launches:
            part = found[begin : begin + len(launch.records)]
            for name in RAW_RECORD.names or ():
                part[name] = launch.records[name]
            part["raw_cycle"] = launch.decoded.records["cycle"]
            part["ns"] += start_ns(self.launches, launch)
            begin += len(part)
        return found

    def raw(self, launch: int = 0) -> bytes:
        """The bytes that a launch wrote, as docs/profiling_format.md has them. Errors: LaunchError, no such launch."""
        return self._launch(launch).memory.tobytes()

    def summary(self) -> Summary:
        """How long each stage and scope takes: median, 95th percentile, longest, share of the warps' time."""
        launches = self.launches
        by_kernel: dict[tuple, list[Launch]] = {}
        for launch in launches:
            by_kernel.setdefault((launch.kernel, launch.target, id(launch.facts)), []).append(launch)
        rows = [row for group in by_kernel.values() for row in site_times(group)]
        return Summary(rows, self.dropped, self.notes())

    def explain(self, launch: int = -1, *, block: int | None = None) -> Explanation:
        """What bounds the steady state of a launch: the stage or partition, what the others wait for and for how long,
        and what would be gained if it took no time.

        Args:
            launch: which launch; the last by default.
            block: which block; None for what most of nine of those say that have run to their end.

        Errors: LaunchError if nothing was recorded that tells.
        """
        return explain(self._launch(launch), block)

    def timeline(self) -> Timeline:
        """The spans as a timeline, as the emulator records it: for pictures."""
        return timeline_of(self.launches)

    def picture(self, *, launch: int = -1, block: int = 0, begin: int | None = None, end: int | None = None) -> Picture:
        """One block as a picture: a row for each warp, colored by stage. Arguments as for
        `hocket.emulator.timeline`, in cycles since the first record of the block. Errors: LaunchError, no such launch;
        ValueError, nothing of the block."""
        self._launch(launch)
        return timeline(self.timeline(), launch=launch, block=block, begin=begin, end=end)

    def trace(self) -> dict[str, Any]:
        """What `save` writes: {"traceEvents": [..], ..}."""
        return trace_of(self.name, self.launches)

    def save(self, path: str | os.PathLike, *, progress: bool = False) -> None:
        """Write the trace for https://ui.perfetto.dev: a track for each warp, one for each warp and stage below it,
        tokens as asynchronous slices."""
        save_trace(self.trace(), pathlib.Path(path), progress)

    @property
    def dropped(self) -> int:
        """Records that were lost for lack of room, over all launches."""
        return sum(launch.dropped for launch in self.launches)

    def notes(self) -> list[str]:
        """What a reader of the figures must know, a sentence each."""
        notes = []
        for text in dict.fromkeys(launch.facts.note for launch in self.launches if launch.facts.note):
            notes.append(f"note: {text}")
        if self.dropped:
            kept = sum(len(launch.records) for launch in self.launches)
            notes.append(f"note: {self.dropped} of {kept + self.dropped} records were dropped for lack of room")
        if left_out := sum(
            launch.grid[0] * launch.grid[1] * launch.grid[2] - launch.blocks for launch in self.launches
        ):
            notes.append(f"note: blocks for which the static variable has no room: {left_out}")
        if missing := sum(launch.decoded.missing_blocks for launch in self.launches):
            notes.append(f"note: {missing} blocks did not run to their end")
        if any(launch.is_model for launch in self.launches):
            notes.append("note: cycles of the emulator's virtual clock, a model: not the speed of any hardware")
        sources = {launch.frequency_source for launch in self.launches if not launch.is_model}
        if sources & set(FREQUENCY_SOURCES[2:]):
            notes.append("note: the launches are too short to measure how long a cycle is; nanoseconds may be wrong")
        if unpaired := sum(launch.unpaired for launch in self.launches):
            places = ", ".join(dict.fromkeys(place for launch in self.launches for place in _unpaired_places(launch)))
            advice = "" if self.dropped else "; a token ends once"
            notes.append(f"note: {unpaired} records have lost their other half, of {places}{advice}")
        return notes

    def _launch(self, number: int) -> Launch:
        count = len(self.launches)
        if not isinstance(number, int) or isinstance(number, bool):
            raise LaunchError(f"launch must be the number of a launch, not {number!r}")
        if not count:
            raise LaunchError(f'no launch was recorded in the session "{self.name}" so far')
        if not -count <= number < count:
            raise LaunchError(f"there is no launch {number}; {count} were recorded")
        return self.launches[number]

    def _repr_html_(self) -> str | None:
        return self.timeline()._repr_html_() if self.launches else None

    def __repr__(self) -> str:
        return f"<Profile {self.name!r}: {len(self.launches)} launches>"
