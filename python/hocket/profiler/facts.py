"""The parts of `runtime.profiling.ProfileFacts` that the profiler uses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Site(Protocol):
    """A source location that makes records; docs/profiling_format.md explains the kinds."""

    id: int
    name: str
    parent: int
    file: str
    line: int
    kind: str
    stage: int
    payload: bool
    exclusive: bool


class Facts(Protocol):
    """The compiler's facts about the records of a kernel."""

    unit_warps: list[int]
    group_of_warp: list[int]
    partition_of_warp: list[str]
    bytes_per_unit: int
    bytes_per_cta: int
    steady_ns: float
    space: str
    note: str
    sites: Sequence[Site]
