"""Writes traces for https://ui.perfetto.dev and chrome://tracing. A trace is a list of events, as JSON.

The events of one track must nest. Events of a track that may overlap are written as asynchronous events, which the
viewer shows in separate rows.
"""

from __future__ import annotations

import json
import pathlib
from collections.abc import Callable
from typing import Any

#: Number of events between two progress reports of `write_trace`.
_BATCH = 20_000


class TraceEvents:
    """Collects the events of a trace. A process of the trace is a block of a launch, and a track is usually a warp of
    this block. Times are in microseconds."""

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []

    def name_process(self, process: int, name: str) -> None:
        self._name("process_name", process, 0, {"name": name})

    def label_process(self, process: int, label: str) -> None:
        """Sets the text shown beside a process's name."""
        self._name("process_labels", process, 0, {"labels": label})

    def name_track(self, process: int, track: int, name: str, position: int | None = None) -> None:
        """Names a track. Tracks are sorted by `position`."""
        self._name("thread_name", process, track, {"name": name})
        if position is not None:
            self.sort_track(process, track, position)

    def sort_track(self, process: int, track: int, position: int) -> None:
        """Sets the position of a track among the tracks of its process."""
        self._name("thread_sort_index", process, track, {"sort_index": position})

    def slice(
        self, process: int, track: int, name: str, category: str, begin: float, duration: float, args: dict[str, Any]
    ) -> None:
        place = {"pid": process, "tid": track}
        self.events.append(
            {"ph": "X", "name": name, "cat": category, "ts": begin, "dur": duration, **place, "args": args}
        )

    def instant(
        self, process: int, track: int, name: str, category: str, at: float, args: dict[str, Any] | None = None
    ) -> None:
        place = {"pid": process, "tid": track}
        event = {"ph": "i", "s": "t", "name": name, "cat": category, "ts": at, **place}
        self.events.append({**event, "args": args} if args else event)

    def pair(
        self,
        process: int,
        tracks: tuple[int, int],
        name: str,
        category: str,
        times: tuple[float, float],
        args: dict[str, Any],
    ) -> None:
        """Adds an event that may begin and end on different tracks."""
        self._linked("be", process, tracks, name, category, times, ({"args": args}, {}))

    def arrow(
        self, process: int, tracks: tuple[int, int], name: str, category: str, times: tuple[float, float]
    ) -> None:
        """Adds an arrow from an event of one track to an event of another."""
        self._linked("sf", process, tracks, name, category, times, ({}, {"bp": "e"}))

    def finish(self, about: str, **more: Any) -> dict[str, Any]:
        return {"traceEvents": self.events, "displayTimeUnit": "ns", "otherData": {"about": about, **more}}

    def _linked(
        self,
        phases: str,
        process: int,
        tracks: tuple[int, int],
        name: str,
        category: str,
        times: tuple[float, float],
        more: tuple[dict[str, Any], dict[str, Any]],
    ) -> None:
        event = {"name": name, "cat": category, "id": f"{len(self.events):x}", "pid": process}
        for phase, track, time, extra in zip(phases, tracks, times, more, strict=True):
            self.events.append({"ph": phase, **event, "tid": track, "ts": time, **extra})

    def _name(self, kind: str, process: int, track: int, args: dict[str, Any]) -> None:
        self.events.append({"ph": "M", "name": kind, "pid": process, "tid": track, "args": args})


def write_trace(trace: dict[str, Any], path: pathlib.Path, report: Callable[[int], object] | None = None) -> None:
    """Writes a trace to a file, with one event per line. `report` is called with the number of events written so
    far."""
    events = trace["traceEvents"]
    rest = {name: value for name, value in trace.items() if name != "traceEvents"}
    with path.open("w", encoding="utf-8") as file:
        file.write(json.dumps(rest)[:-1] + ', "traceEvents": [\n')
        for begin in range(0, len(events), _BATCH):
            part = events[begin : begin + _BATCH]
            file.write(",\n".join(map(json.dumps, part)) + (",\n" if begin + _BATCH < len(events) else ""))
            if report:
                report(begin + len(part))
        file.write("\n]}\n")
