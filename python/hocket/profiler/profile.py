"""The profile of a session, with the records of its launches, summaries, pictures and traces."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..emulator import Timeline, timeline
from ..errors import LaunchError, shown_path
from .decoding import FREQUENCY_SOURCES, RAW_RECORD
from .explanation import Explanation, explain
from .launches import ProfiledLaunch, start_ns
from .statistics import ProfileSummary, site_times
from .timelines import timeline_of
from .torch_traces import merge
from .traces import save_trace, trace_of

if TYPE_CHECKING:
    from ..pictures import Picture

#: Fields of the array that `Profile.records` returns: the fields of a raw record, and the uncorrected cycle.
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


def _checked_blocks(blocks: Sequence[int] | None) -> tuple[int, ...] | None:
    if blocks is None:
        return None
    is_list = isinstance(blocks, Sequence) and not isinstance(blocks, str)
    if not is_list or not all(type(block) is int and block >= 0 for block in blocks):
        raise LaunchError(f"blocks must be numbers of blocks, or None for all, not {blocks!r}")
    return tuple(blocks)


def _unpaired_places(launch: ProfiledLaunch) -> list[str]:
    """Returns the names and source locations of unpaired records."""
    if not launch.unpaired:
        return []
    sites = [launch.facts.sites[number] for number in launch.sites_of_unpaired()]
    return [f'"{site.name}" ({shown_path(site.file)}:{site.line})' for site in sites]


class Profile:
    """The launches of a session, in order.

    Attributes:
        name: name of the session.
        launches: the profiled launches.
    """

    def __init__(self, name: str):
        self.name = name
        self._launches: list[ProfiledLaunch] = []

    @property
    def launches(self) -> list[ProfiledLaunch]:
        """The profiled launches, in the order in which they began."""
        return self._launches

    def records(self) -> np.ndarray:
        """Returns all records as a structured array: launch, cta, unit, warp, site, kind, payload, cycle, ns,
        raw_cycle.

        `cycle` is the cycle counter of the block's SM. `ns` is the time since the start of the first launch, on a clock
        shared by all blocks of all launches. The cost of recording is subtracted from `cycle` and `ns`. `raw_cycle` is
        the uncorrected value of the clock. `kind` is an index into `hocket.profiler.KINDS`, and `site` an index into
        the sites of the launch's kernel (`launches[i].facts.sites`).
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
        """Returns the bytes that a launch wrote (docs/profiling_format.md). Errors: LaunchError for a launch that does
        not exist."""
        return self._launch(launch).memory.tobytes()

    def summary(self) -> ProfileSummary:
        """Returns the time of each stage and scope: median, 95th percentile, maximum, share of the warps' time."""
        launches = self.launches
        by_kernel: dict[tuple, list[ProfiledLaunch]] = {}
        for launch in launches:
            by_kernel.setdefault((launch.kernel, launch.target, id(launch.facts)), []).append(launch)
        rows = [row for group in by_kernel.values() for row in site_times(group)]
        return ProfileSummary(rows, self.dropped, self.notes())

    def explain(self, launch: int = -1, *, block: int | None = None) -> Explanation:
        """Explains the steady state of a launch: the bottleneck, the waits of the other warps, and the gain if the
        bottleneck took no time.

        Args:
            launch: index of the launch; by default the last launch.
            block: number of the explained block. By default, up to nine completed blocks are examined. The explained
                block is a typical block with the most frequent bottleneck.

        Errors: LaunchError if the records do not suffice.
        """
        return explain(self._launch(launch), block)

    def timeline(self) -> Timeline:
        """Returns the spans as a timeline for pictures, like the timelines that the emulator records."""
        return timeline_of(self.launches)

    def picture(self, *, launch: int = -1, block: int = 0, begin: int | None = None, end: int | None = None) -> Picture:
        """Draws one block: a row for each warp, colored by stage.

        The arguments are as in `hocket.emulator.timeline`. Times are in cycles since the first record of the block.
        Errors: LaunchError for a launch that does not exist; ValueError for a block without records.
        """
        self._launch(launch)
        return timeline(self.timeline(), launch=launch, block=block, begin=begin, end=end)

    def trace(self) -> dict[str, Any]:
        """Returns the data that `save` writes: {"traceEvents": [...], ...}."""
        return trace_of(self.name, self.launches)

    def save(self, path: str | os.PathLike, *, progress: bool = False) -> None:
        """Writes the trace for https://ui.perfetto.dev: a track for each warp, tracks for the stages of the warp below
        this track, and tokens as asynchronous slices."""
        save_trace(self.trace(), pathlib.Path(path), progress)

    def merge_into(
        self, trace: str | os.PathLike, *, out: str | os.PathLike | None = None, blocks: Sequence[int] | None = (0,)
    ) -> None:
        """Adds the records to a trace of PyTorch's profiler, below the rows of their kernels.

            with torch.profiler.profile() as steps, profiler.session("step") as profile:
                loss = model(x)
                loss.backward()
            steps.export_chrome_trace("step.json")
            profile.merge_into("step.json")

        Args:
            trace: a file that `export_chrome_trace` has written, .json or .json.gz.
            out: the file to write; None to replace `trace`.
            blocks: numbers of the blocks whose records are added; None for all.

        Errors: LaunchError for launches on the emulator, and if the trace has no row for a launch.
        """
        merge(self.launches, self._window(), pathlib.Path(trace), pathlib.Path(out or trace), _checked_blocks(blocks))

    def _window(self) -> tuple[int, int] | None:
        """Returns the host's clock at the begin and at the end of the session, in nanoseconds; None if unknown."""
        return None

    @property
    def dropped(self) -> int:
        """Number of records that were dropped because buffers were full, in all launches."""
        return sum(launch.dropped for launch in self.launches)

    def notes(self) -> list[str]:
        """Notes on the accuracy and completeness of the profile, one sentence each."""
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

    def _launch(self, number: int) -> ProfiledLaunch:
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
