"""Prints the times of the steps of a compilation, for HOCKET_TIMING=1 and `hocket compile --timing`."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from . import environment

if TYPE_CHECKING:
    from .. import _core


def print_stages(trace: _core.CompileTrace, total: float) -> None:
    """Prints a line for the front end, for each pass and each later step, and for the total."""
    for step, seconds in [*steps_of(trace, total), ("total", total)]:
        _print_line(step, seconds)


def steps_of(trace: _core.CompileTrace, total: float) -> list[tuple[str, float]]:
    """Returns the name and the duration of the front end, each pass and each later step of a compilation that took
    `total` seconds."""
    front_end = total - sum(seconds for _, seconds in trace.seconds)
    return [("front end", front_end), *trace.seconds]


def _print_line(step: str, seconds: float) -> None:
    print(f"{1e3 * seconds:10.2f} ms  {step}", file=sys.stderr)


@contextlib.contextmanager
def timed(what: str, trace: _core.CompileTrace | None = None) -> Iterator[None]:
    """Returns a context manager. With HOCKET_TIMING=1, it prints the time of the `with` block; with a trace, it prints
    the time of each step."""
    if not environment.timing():
        yield
        return
    begin = time.perf_counter()
    yield
    total = time.perf_counter() - begin
    if trace is None:
        _print_line(what, total)
        return
    print(f"hocket: {what}", file=sys.stderr)
    print_stages(trace, total)
