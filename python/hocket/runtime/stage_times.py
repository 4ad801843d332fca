"""How long each stage of a compilation takes: what HOCKET_TIMING=1 and `hocket compile --timing` print."""

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
    """A line for the front end, each pass and each step after them, and one for all of it."""
    front_end = total - sum(seconds for _, seconds in trace.seconds)
    for step, seconds in [("front end", front_end), *trace.seconds, ("total", total)]:
        _print_line(step, seconds)


def _print_line(step: str, seconds: float) -> None:
    print(f"{1e3 * seconds:10.2f} ms  {step}", file=sys.stderr)


@contextlib.contextmanager
def timed(what: str, trace: _core.CompileTrace | None = None) -> Iterator[None]:
    """With HOCKET_TIMING=1, says how long what is inside takes; with a trace of it, each of its stages."""
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
