"""Adds the records of a profile to a trace of PyTorch's profiler (`torch.profiler`, `export_chrome_trace`).

PyTorch's trace has a row for each kernel, in a track for each stream of a GPU. The times of a launch's records lie
within the time interval of the launch's row. Each recording warp of the chosen blocks has a track below the stream's
track.

Launches of a profile and rows of a trace are matched by the name of the kernel and by their order. A trace may have
rows of launches outside the session. The records are times of the GPU's clock, and the rows are times of the host's
clock. Both clocks advance at the same rate, so their difference is the same for all launches on one GPU. `_offset`
finds the difference for which each launch is nearest to a row.
"""

from __future__ import annotations

import gzip
import json
import pathlib
from collections import Counter, defaultdict
from typing import Any, NamedTuple

import numpy as np

from ..errors import LaunchError
from ..pictures.trace_events import TraceEvents
from .decoding import MARK
from .launches import ProfiledLaunch, start_ns

#: Factor by which the positions of PyTorch's tracks are multiplied, to make room for tracks between them.
_ROOM = 1 << 12
#: Largest difference, in microseconds, between the host's clock in a trace and the host's clock in the session.
_CLOCK_ERROR = 1000.0
#: `_TOLERANCE`: microseconds by which records may lie outside their row. `_TIE`: microseconds by which equally good
#: clock differences may differ.
_TOLERANCE, _TIE = 50.0, 2.0
#: Largest number of launches that are compared with rows, for each candidate of the clock difference.
_COMPARED = 256


class Row(NamedTuple):
    """A kernel's row in a trace, in microseconds."""

    begin: float
    end: float
    process: Any
    stream: Any


class Times(NamedTuple):
    """First and last time of a launch's records, in microseconds of the GPU's clock."""

    begin: float
    end: float


def merge(
    launches: list[ProfiledLaunch],
    window: tuple[int, int] | None,
    path: pathlib.Path,
    out: pathlib.Path,
    blocks: tuple[int, ...] | None,
) -> None:
    """Adds the records of `launches` to the trace in `path`, and writes the result to `out`.

    Args:
        window: the host's clock at the begin and the end of the session, in nanoseconds; None if unknown.
        blocks: numbers of the blocks whose records are added; None for all.

    Errors: LaunchError if `path` is not a trace, and for launches without a row.
    """
    if any(launch.is_model for launch in launches):
        raise LaunchError(
            "the launches ran on the emulator, whose clock is a model: a trace of PyTorch has no rows for them\n"
            "  hint: profile.save(path) writes a trace of their own"
        )
    trace = _read(path)
    placed = _placed(launches, trace, window)
    events = TraceEvents()
    tracks = _Tracks(trace, events)
    for launch, row, offset in placed:
        _add_launch(events, tracks, launch, row, offset, blocks)
    tracks.move_streams()
    trace["traceEvents"] += events.events
    _write(trace, out)


def _read(path: pathlib.Path) -> dict[str, Any]:
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise LaunchError(f"{str(path)!r} cannot be read: {error.strerror}") from None
    try:
        trace = json.loads(gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw)
    except (ValueError, OSError, EOFError):
        trace = None
    if not isinstance(trace, dict) or not isinstance(trace.get("traceEvents"), list):
        raise LaunchError(f"{str(path)!r} is not a trace\n  hint: pass a file that export_chrome_trace has written")
    return trace


def _write(trace: dict[str, Any], out: pathlib.Path) -> None:
    text = json.dumps(trace)
    if out.suffix == ".gz":
        out.write_bytes(gzip.compress(text.encode(), 6))
    else:
        out.write_text(text, encoding="utf-8")


# Launches and rows --------------------------------------------------------------------------------------------


def _placed(
    launches: list[ProfiledLaunch], trace: dict[str, Any], window: tuple[int, int] | None
) -> list[tuple[ProfiledLaunch, Row, float]]:
    """Returns the row of each launch, and the difference between the trace's clock and the launch's clock."""
    placed = []
    for place in dict.fromkeys(launch.place for launch in launches):
        of_place = [launch for launch in launches if launch.place == place and len(launch.decoded.blocks)]
        times = [_times(of_place, launch) for launch in of_place]
        rows = _rows(trace, place, of_place, window)
        found = _matched(of_place, times, rows)
        # The times of a launch's records lie within the launch's row, which bounds the difference between the two
        # clocks.
        least = max(row.begin - time.begin for row, time in zip(found, times, strict=True))
        most = min(row.end - time.end for row, time in zip(found, times, strict=True))
        offset = max((least + most) / 2, least) if least <= most else least
        for launch, time, row in zip(of_place, times, found, strict=True):
            latest = max(row.end - time.end, row.begin - time.begin)
            begin = min(max(offset, row.begin - time.begin), latest)
            placed.append((launch, row, time.begin + begin))
    return placed


def _times(launches: list[ProfiledLaunch], launch: ProfiledLaunch) -> Times:
    decoded = launch.decoded
    begin = start_ns(launches, launch) / 1000
    ticks = int(decoded.blocks["steady_flushed"].max()) - decoded.steady_origin
    return Times(begin, begin + ticks * launch.steady_ns / 1000)


def _rows(
    trace: dict[str, Any], place: int | str, launches: list[ProfiledLaunch], window: tuple[int, int] | None
) -> dict[str, list[Row]]:
    """Returns the rows of each kernel on one GPU, sorted by time. If the host's clock during the session is known, only
    rows inside the session are returned."""
    counts = Counter(launch.kernel for launch in launches)
    rows: dict[str, list[Row]] = {kernel: [] for kernel in counts}
    for event in trace["traceEvents"]:
        if event.get("cat") != "kernel" or event.get("ph") != "X":
            continue
        name, arguments = str(event.get("name")).split("(")[0], event.get("args", {})
        if name in counts and arguments.get("device", place) == place:
            begin = float(event["ts"])
            rows[name].append(Row(begin, begin + float(event["dur"]), event["pid"], event["tid"]))
    for kernel, of_kernel in rows.items():
        of_kernel.sort()
        if len(of_kernel) < counts[kernel]:
            raise LaunchError(
                f"the trace has {len(of_kernel)} rows of {kernel} on device {place}, and the session "
                f"{counts[kernel]} launches\n"
                "  hint: enter the session while torch.profiler is active, with ProfilerActivity.CUDA"
            )
    inside = {kernel: _inside(of_kernel, trace, window) for kernel, of_kernel in rows.items()}
    return inside if all(len(inside[kernel]) >= counts[kernel] for kernel in counts) else rows


def _inside(rows: list[Row], trace: dict[str, Any], window: tuple[int, int] | None) -> list[Row]:
    """Returns the rows that begin during the session, with a tolerance of `_CLOCK_ERROR`."""
    if window is None:
        return rows
    base = int(trace.get("baseTimeNanoseconds", 0))
    begin, end = ((time - base) / 1000 for time in window)
    return [row for row in rows if begin - _CLOCK_ERROR <= row.begin <= end + _CLOCK_ERROR]


def _matched(launches: list[ProfiledLaunch], times: list[Times], rows: dict[str, list[Row]]) -> list[Row]:
    """Returns the row of each launch, in the order of `launches`."""
    counts = Counter(launch.kernel for launch in launches)
    order = sorted(range(len(launches)), key=lambda index: times[index].begin)
    if all(len(rows[kernel]) == count for kernel, count in counts.items()):
        following = {kernel: iter(of_kernel) for kernel, of_kernel in rows.items()}
        in_order = {index: next(following[launches[index].kernel]) for index in order}
        return [in_order[index] for index in range(len(launches))]
    begins = {kernel: np.array([row.begin for row in of_kernel]) for kernel, of_kernel in rows.items()}
    offset = _offset([launches[index] for index in order], [times[index].begin for index in order], begins)
    found: dict[Row, None] = {}
    for launch, time in zip(launches, times, strict=True):
        nearest = int(np.argmin(abs(begins[launch.kernel] - (time.begin + offset))))
        row = rows[launch.kernel][nearest]
        if abs(row.begin - time.begin - offset) > _TOLERANCE or row in found:
            raise LaunchError(
                f"launch {launch.number}, of {launch.kernel}, has no row in the trace at its time\n"
                "  hint: enter the session while torch.profiler is active, with ProfilerActivity.CUDA"
            )
        found[row] = None
    return list(found)


def _offset(launches: list[ProfiledLaunch], times: list[float], begins: dict[str, np.ndarray]) -> float:
    """Returns the difference between the clock of the trace and the clock of the records for which the launches are
    nearest to their rows.

    `launches` and `times` are sorted by time. Of equally good differences, the largest is chosen: a launch in a CUDA
    graph has a row for each run of the graph, and its records are from the last run.
    """
    present = {launch.kernel for launch in launches}
    rarest = min(present, key=lambda kernel: len(begins[kernel]))
    first = next(time for launch, time in zip(launches, times, strict=True) if launch.kernel == rarest)
    step = -(-len(launches) // _COMPARED)
    compared: dict[str, list[float]] = defaultdict(list)
    for launch, time in list(zip(launches, times, strict=True))[::step]:
        compared[launch.kernel].append(time)
    best, least = 0.0, float("inf")
    for candidate in begins[rarest] - first:
        far = [
            abs(np.subtract.outer(np.array(of), begins[kernel] - candidate)).min(axis=1)
            for kernel, of in compared.items()
        ]
        mean = float(np.concatenate(far).mean())
        if mean <= least + _TIE:
            best, least = float(candidate), min(mean, least)
    return best


# Events -------------------------------------------------------------------------------------------------------


class _Tracks:
    """Creates tracks for warps below the tracks of streams. Launches on one stream use one track per warp, unless the
    launches overlap."""

    def __init__(self, trace: dict[str, Any], events: TraceEvents):
        self._trace, self._events = trace, events
        self._next: dict[Any, int] = {}
        self._ends: dict[tuple, list[float]] = {}
        self._tracks: dict[tuple, int] = {}
        self._streams: dict[tuple, None] = {}
        self._positions: dict[tuple, int] = {}
        for event in trace["traceEvents"]:
            process, track = event.get("pid"), event.get("tid")
            if isinstance(track, int):
                self._next[process] = max(self._next.get(process, 0), track + 1)
            if event.get("name") == "thread_sort_index":
                self._positions[process, track] = int(event["args"]["sort_index"])

    def track(self, row: Row, block: int, warp: int) -> int:
        """Returns the track for the records of a warp in the launch of `row`."""
        self._streams[row.process, row.stream] = None
        ends = self._ends.setdefault((row.process, row.stream, block, warp), [])
        lane = next((lane for lane, end in enumerate(ends) if end <= row.begin), len(ends))
        ends[lane : lane + 1] = [row.end]
        return self._track((row.process, row.stream, block, warp, lane))

    def _track(self, key: tuple) -> int:
        if key not in self._tracks:
            process, stream, block, warp, lane = key
            self._tracks[key] = self._next[process]
            self._next[process] += 1
            name = f"stream {stream}: block {block}, warp {warp}" + (f" ({lane + 1})" if lane else "")
            self._events.name_track(process, self._tracks[key], name)
        return self._tracks[key]

    def move_streams(self) -> None:
        """Multiplies all track positions in the processes of GPUs, so that new tracks fit below the tracks of their
        streams."""
        processes = {process for process, _ in self._streams}
        for event in self._trace["traceEvents"]:
            if event.get("name") == "thread_sort_index" and event.get("pid") in processes:
                event["args"] = {"sort_index": int(event["args"]["sort_index"]) * _ROOM}
        order: dict[tuple, int] = defaultdict(int)
        for key in sorted(self._tracks, key=lambda key: (str(key[0]), str(key[1]), *key[2:])):
            stream = key[:2]
            if stream not in self._positions:
                self._positions[stream] = stream[1] if isinstance(stream[1], int) else 0
                self._events.sort_track(*stream, self._positions[stream] * _ROOM)
            order[stream] += 1
            position = self._positions[stream] * _ROOM + min(order[stream], _ROOM - 1)
            self._events.sort_track(key[0], self._tracks[key], position)


def _add_launch(
    events: TraceEvents,
    tracks: _Tracks,
    launch: ProfiledLaunch,
    row: Row,
    begin: float,
    blocks: tuple[int, ...] | None,
) -> None:
    spans, records = launch.spans, launch.records
    marks = records[records["kind"] == MARK]
    for block in launch.decoded.blocks["cta"].tolist():
        if blocks is not None and block not in blocks:
            continue
        of_block = spans[spans["cta"] == block]
        warps = np.unique(
            np.concatenate([of_block["warp"], of_block["end_warp"], marks["warp"][marks["cta"] == block]])
        )
        track = {warp: tracks.track(row, block, warp) for warp in warps.tolist()}
        _add_spans(events, launch, row.process, track, of_block, begin)
        for mark in marks[marks["cta"] == block]:
            name = launch.facts.sites[int(mark["site"])].name
            args = {"payload": int(mark["payload"])}
            events.instant(row.process, track[int(mark["warp"])], name, "mark", begin + float(mark["ns"]) / 1000, args)


def _add_spans(
    events: TraceEvents, launch: ProfiledLaunch, process: Any, track: dict[int, int], spans: np.ndarray, begin: float
) -> None:
    fields = ["warp", "end_warp", "site", "payload", "begin", "end", "begin_ns", "end_ns"]
    for warp, end_warp, number, payload, first, last, begin_ns, end_ns in spans[fields].tolist():
        site = launch.facts.sites[number]
        args = {"launch": launch.number, "cycles": last - first, "payload": payload}
        times = begin + begin_ns / 1000, begin + end_ns / 1000
        if site.kind == "token":
            events.pair(process, (track[warp], track[end_warp]), site.name, "token", times, args)
            continue
        name = launch.kernel if site.kind == "warp" else site.name
        events.slice(process, track[warp], name, site.kind, times[0], times[1] - times[0], args)
