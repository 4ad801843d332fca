"""Profiled launches: the request to the compiler, the facts about a kernel's records, and the memory for them.

`hocket.profiler` sets `current`; launches read it. docs/profiling_format.md specifies the format.
"""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Protocol

from .. import _core
from ..errors import LaunchError
from .launch_settings import LaunchSetting

_SPACES = ("auto", "shared", "device", "static")
_POLICIES = ("circular", "keep_first")
_UNITS = ("warp", "group", "cta")
_CLOCKS = (32, 44)
_MOST_BYTES = 2**24


@dataclass(frozen=True)
class ProfileConfig:
    """Settings of recording.

    Attributes:
        space: "device" memory, "shared" memory that is copied when a warp ends, "static" for a variable of the module,
            or "auto": shared memory unless that costs occupancy or L1 cache.
        policy: "circular" keeps the last records of a warp, "keep_first" the first ones.
        clock: bits of a time. 32 leaves 20 bits for a payload, and needs a record at least every 2^32 cycles; 44 leaves
            8.
        units: "warp" records every warp, "group" the first of each four, "cta" warp 0.
        warps: the warps among these that are recorded; all if it is empty.
        bytes: size of a warp's buffer, 8 bytes per record: a power of two, at least 16, or 0 for automatic.
        stages: also record stages of warp pipelines, partitions, and lifetimes of warps.
        max_ctas: number of blocks that have room in a static variable.
        waits: record waits for barriers inside partitions of `warp_specialize`.
    """

    space: str = "auto"
    policy: str = "circular"
    clock: int = 32
    units: str = "warp"
    warps: tuple[int, ...] = ()
    bytes: int = 0
    stages: bool = True
    max_ctas: int = 0
    waits: bool = False

    def __post_init__(self) -> None:
        for name, choices in (("space", _SPACES), ("policy", _POLICIES), ("clock", _CLOCKS), ("units", _UNITS)):
            value = getattr(self, name)
            if value not in choices:
                raise LaunchError(
                    f"the profiler's {name} must be {', '.join(map(repr, choices[:-1]))} or {choices[-1]!r}, "
                    f"not {value!r}"
                )
        object.__setattr__(self, "warps", tuple(sorted(set(self.warps))))
        if any(not isinstance(warp, int) or warp < 0 for warp in self.warps):
            raise LaunchError(f"the profiler's warps must be numbers of warps, not {self.warps!r}")
        if self.bytes and not (16 <= self.bytes <= _MOST_BYTES and self.bytes & (self.bytes - 1) == 0):
            raise LaunchError(
                f"the profiler's bytes must be 0 or a power of two from 16 to 2**24, not {self.bytes!r}: a record has 8"
            )
        if (self.space == "static") != (self.max_ctas > 0):
            raise LaunchError(
                f'the profiler\'s max_ctas={self.max_ctas} does not go with space="{self.space}": the blocks that have '
                "room are counted where the space is static, and only there"
            )

    def text(self) -> str:
        """The value of the launch option `profile` for these settings. It is always the same object, because
        launches compare it."""
        return self._text

    @cached_property
    def _text(self) -> str:
        shown = {field.name: getattr(self, field.name) for field in fields(self)}
        shown |= {"warps": ",".join(map(str, self.warps)), "stages": int(self.stages), "waits": int(self.waits)}
        return ";".join(f"{name}={value}" for name, value in shown.items())

    @classmethod
    def parse(cls, text: str) -> ProfileConfig:
        """The inverse of `text`."""
        given = dict(part.partition("=")[::2] for part in text.split(";"))
        if list(given) != [field.name for field in fields(cls)]:
            raise LaunchError(f"the launch option profile must be ProfileConfig(..).text() or empty, not {text!r}")
        try:
            warps = tuple(map(int, given["warps"].split(","))) if given["warps"] else ()
            numbers = {name: int(given[name]) for name in ("clock", "bytes", "stages", "max_ctas", "waits")}
        except ValueError:
            raise LaunchError(
                f"the launch option profile must be ProfileConfig(..).text() or empty, not {text!r}"
            ) from None
        return cls(
            given["space"],
            given["policy"],
            numbers["clock"],
            given["units"],
            warps,
            numbers["bytes"],
            bool(numbers["stages"]),
            numbers["max_ctas"],
            bool(numbers["waits"]),
        )


@dataclass(frozen=True)
class Site:
    """A source location that makes records; see docs/profiling_format.md."""

    id: int
    name: str
    parent: int
    file: str
    line: int
    kind: str
    stage: int
    payload: bool
    exclusive: bool


@dataclass(frozen=True)
class ProfileFacts:
    """Facts about a kernel for reading its records; docs/profiling_format.md explains the fields."""

    version: int
    units: int
    unit_warps: list[int]
    group_of_warp: list[int]
    partition_of_warp: list[str]
    warps: int
    bytes_per_unit: int
    bytes_per_cta: int
    clock_bits: int
    policy: str
    space: str
    origin: str
    symbol: str
    max_ctas: int
    steady_ns: float
    note: str
    sites: list[Site]

    @classmethod
    def parse(cls, text: str) -> ProfileFacts | None:
        """Parses `metadata.profile`; None for a kernel that records nothing."""
        if not text:
            return None
        given = json.loads(text)
        return cls(**{**given, "sites": [Site(**site) for site in given["sites"]]})


class Sink(Protocol):
    """Receives the records of launches. `kernel` is the CompiledKernel."""

    config: ProfileConfig

    def buffer(self, kernel: Any, grid: tuple[int, int, int], place: int | str, stream: int, nbytes: int) -> int:
        """Returns the address of `nbytes` bytes for the next launch, a multiple of 256, or 0 if the launch should
        use memory that is not read. `place`: a GPU's ordinal, or the target of an emulated GPU, for which the
        address is the host's. `stream`: the driver's stream of the launch; 0 on the emulator."""
        ...

    def launched(self, kernel: Any, grid: tuple[int, int, int], place: int | str, stream: int, address: int) -> None:
        """Called when the launch is queued (on a GPU) or completed (on the emulator)."""
        ...


class RecorderSink(Protocol):
    """A sink whose memory the launch path manages itself."""

    config: ProfileConfig
    recorder: _core.LaunchRecorder


class _SinkSetting(LaunchSetting["Sink | RecorderSink | None"]):
    """A setting that also informs the launch path whether there are any sinks, so that launches without a profiler
    cost nothing."""

    def __init__(self) -> None:
        super().__init__("hocket_profiler", None)
        self._count = 0
        self._count_lock = threading.Lock()

    def _add(self, number: int) -> None:
        with self._count_lock:
            self._count += number
            _core.set_profilers(self._count)

    def set(self, value: Sink | RecorderSink | None) -> Any:
        self._add(1)
        return super().set(value)

    def reset(self, choice: Any) -> None:
        super().reset(choice)
        self._add(-1)


#: The sink for launches of this thread or task.
current = _SinkSetting()
#: Initial value of the virtual clock of emulated blocks.
clock_start: LaunchSetting[int] = LaunchSetting("hocket_clock_start", 0)


# Called by the launch path (bindings/launch/LaunchProfile.cpp) -----------------------------------------------------


def sink_for_launch() -> Sink | RecorderSink | None:
    """The sink for the records of a launch."""
    return current.get_if_agreed()
