"""Requirements of Perfetto for a trace."""

from __future__ import annotations

from collections import Counter

#: A picosecond, in microseconds, and what adding floats loses.
_ROUNDING = 1.5e-6


def check_trace(trace: dict) -> dict[tuple[int, int], list[dict]]:
    """Raises AssertionError for a trace that viewers do not show as it is meant; the slices of each track."""
    assert set(trace) >= {"traceEvents", "displayTimeUnit"}
    tracks: dict[tuple[int, int], list[dict]] = {}
    named, open_pairs, arrows = set(), {}, Counter()
    for event in trace["traceEvents"]:
        assert isinstance(event["pid"], int) and isinstance(event["tid"], int)
        phase, place = event["ph"], (event["pid"], event["tid"])
        if phase == "M":
            named.add((event["name"], *place))
            continue
        assert event["name"] and event["cat"] and isinstance(event["ts"], int | float)
        if phase == "X":
            assert event["dur"] >= 0
            tracks.setdefault(place, []).append(event)
        elif phase in "be":
            key = event["pid"], event["cat"], event["id"], event["name"]
            if phase == "b":
                assert key not in open_pairs
                open_pairs[key] = event["ts"]
            else:
                assert open_pairs.pop(key) <= event["ts"] + _ROUNDING
        elif phase in "sf":
            arrows[event["id"]] += 1
            assert phase == "s" or event["bp"] == "e"
        else:
            assert phase == "i" and event["s"] == "t"
    assert not open_pairs, "a pair has no end"
    assert set(arrows.values()) <= {2}
    for (process, track), slices in tracks.items():
        assert ("thread_name", process, track) in named
        assert ("process_name", process, 0) in named
        _check_nesting(slices)
    return tracks


def _check_nesting(slices: list[dict]) -> None:
    open_ends: list[float] = []
    for event in sorted(slices, key=lambda event: (event["ts"], -event["dur"])):
        end = event["ts"] + event["dur"]
        while open_ends and open_ends[-1] <= event["ts"] + _ROUNDING:
            open_ends.pop()
        assert not open_ends or end <= open_ends[-1] + _ROUNDING, f"{event} overlaps what is around it"
        open_ends.append(end)
