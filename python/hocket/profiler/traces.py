"""Converts a profile to a trace for Perfetto.

Each block of a launch is a process. Each warp of a block has a track with all scopes of the warp, which nest. Below
this track, each stage of the warp's pipelines has a track, where executions of a stage are easy to compare. Tokens are
asynchronous slices, because tokens overlap. If another warp ends a token, an arrow points to its end.
"""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np

from ..errors import shown_path
from ..pictures.trace_events import TraceEvents, write_trace
from .decoding import FREQUENCY_SOURCES, MARK
from .launches import ProfiledLaunch, start_ns
from .progress import progress_bar

#: Number of tracks of one warp: one track for all scopes, and tracks for stages.
TRACKS_OF_WARP = 64
#: Perfetto's unit of time is a microsecond. Times are written with six decimals, i.e. in picoseconds, so rounding does
#: not change their order.
_PICOSECONDS = 1000.0
_PER_MICROSECOND = 1e6


def trace_of(name: str, launches: list[ProfiledLaunch]) -> dict[str, Any]:
    events = TraceEvents()
    process = 0
    for launch in launches:
        process = _add_launch(events, launch, start_ns(launches, launch), process)
    about = f"What the warps of {name} recorded (hocket.profiler)."
    if any(launch.is_model for launch in launches):
        about += " Cycles of the emulator's virtual clock, one per nanosecond: not the speed of any hardware."
    return events.finish(about, dropped=sum(launch.dropped for launch in launches))


def save_trace(trace: dict[str, Any], path: pathlib.Path, progress: bool) -> None:
    if not progress:
        return write_trace(trace, path)
    with progress_bar(f"writing {path.name}", len(trace["traceEvents"])) as advance:
        write_trace(trace, path, advance)


def _add_launch(events: TraceEvents, launch: ProfiledLaunch, start_ns: float, process: int) -> int:
    """Adds a launch to the trace. Returns the number of the last process of this launch."""
    dropped = np.zeros(launch.blocks, np.int64)
    np.add.at(dropped, launch.decoded.units["cta"], launch.decoded.units["dropped"].astype(np.int64))
    stages = [site.id for site in launch.facts.sites if site.kind == "stage"]
    spans, records = launch.spans, launch.records
    marks = records[records["kind"] == MARK]
    for block in launch.decoded.blocks:
        process += 1
        cta = int(block["cta"])
        events.name_process(process, _process_name(launch, cta, int(block["hardware"])))
        facts = {
            "cycles_per_ns": round(float(block["cycles_per_ns"]), 6),
            "freq_src": launch.frequency_source if launch.is_model else FREQUENCY_SOURCES[int(block["source"])],
            "dropped": int(dropped[cta]),
        }
        events.label_process(process, _labels(facts))
        of_block = _between(spans, cta)
        _name_tracks(events, process, launch, of_block, _between(marks, cta), stages)
        _add_spans(events, process, launch, of_block, stages, start_ns, facts)
        _add_marks(events, process, launch, _between(marks, cta), start_ns)
    return process


def _between(rows: np.ndarray, cta: int) -> np.ndarray:
    """Returns the rows of one block; `rows` is sorted by block."""
    begin, end = np.searchsorted(rows["cta"], (cta, cta + 1))
    return rows[begin:end]


def _process_name(launch: ProfiledLaunch, cta: int, hardware: int) -> str:
    x, y, _ = launch.grid
    place = f"{cta % x},{cta // x % y},{cta // x // y}"
    unit = "" if launch.is_model else f" @{'SM' if launch.target.startswith('sm_') else 'CU'}{hardware}"
    return f"{launch.kernel} L{launch.number} CTA({place}){unit}"


def _labels(facts: dict[str, Any]) -> str:
    labels = f"{facts['cycles_per_ns']} cycles per ns, {facts['freq_src']}"
    return labels + (f", {facts['dropped']} records dropped" if facts["dropped"] else "")


def _name_tracks(
    events: TraceEvents, process: int, launch: ProfiledLaunch, spans: np.ndarray, marks: np.ndarray, stages: list[int]
) -> None:
    warps = np.unique(np.concatenate([spans["warp"], spans["end_warp"], marks["warp"]]))
    for warp in warps.tolist():
        partition = launch.facts.partition_of_warp[warp]
        group = f"group {launch.facts.group_of_warp[warp]}"
        name = f"warp {warp} ({partition + ', ' if partition else ''}{group})"
        events.name_track(process, warp * TRACKS_OF_WARP, name, warp * TRACKS_OF_WARP)
        for stage in np.intersect1d(spans["site"][spans["warp"] == warp], stages).tolist():
            track = _stage_track(warp, stages, stage)
            events.name_track(process, track, f"warp {warp}: {launch.facts.sites[stage].name}", track)


def _stage_track(warp: int, stages: list[int], stage: int) -> int:
    """Returns the number of the track for a stage of a warp. If a warp has more stages than tracks, several stages use
    one track. This is allowed, because stages of one warp never overlap, and the events of a track only have to
    nest."""
    return warp * TRACKS_OF_WARP + 1 + stages.index(stage) % (TRACKS_OF_WARP - 1)


def _microseconds(ns: float) -> float:
    return round(ns * _PICOSECONDS) / _PER_MICROSECOND


def _add_spans(
    events: TraceEvents,
    process: int,
    launch: ProfiledLaunch,
    spans: np.ndarray,
    stages: list[int],
    start_ns: float,
    facts: dict[str, Any],
) -> None:
    fields = ["warp", "end_warp", "site", "payload", "begin", "end", "raw_begin", "raw_end", "begin_ns", "end_ns"]
    for row in spans[fields].tolist():
        warp, end_warp, number, payload, begin, end, raw_begin, raw_end, begin_ns, end_ns = row
        site = launch.facts.sites[number]
        times = _microseconds(start_ns + begin_ns), _microseconds(start_ns + end_ns)
        args: dict[str, Any] = {"cycles": end - begin, "raw_begin": raw_begin, "raw_end": raw_end}
        if site.payload or site.kind == "stage":
            args["payload"] = payload
        if site.line:
            args["line"] = f"{shown_path(site.file)}:{site.line}"
        if site.kind in ("warp", "partition"):
            args |= facts
        track, end_track = warp * TRACKS_OF_WARP, end_warp * TRACKS_OF_WARP
        if site.kind == "token":
            events.pair(process, (track, end_track), site.name, "token", times, args)
            if warp != end_warp:
                events.arrow(process, (track, end_track), site.name, "token", times)
            continue
        duration = round((times[1] - times[0]) * _PER_MICROSECOND) / _PER_MICROSECOND
        events.slice(process, track, site.name, site.kind, times[0], duration, args)
        if site.kind == "stage":
            events.slice(process, _stage_track(warp, stages, number), site.name, site.kind, times[0], duration, args)


def _add_marks(events: TraceEvents, process: int, launch: ProfiledLaunch, marks: np.ndarray, start_ns: float) -> None:
    for warp, number, payload, ns in marks[["warp", "site", "payload", "ns"]].tolist():
        site = launch.facts.sites[number]
        args = {"payload": payload} if site.payload else None
        track = warp * TRACKS_OF_WARP
        events.instant(process, track, site.name, "mark", _microseconds(start_ns + ns), args)
