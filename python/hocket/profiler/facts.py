"""Settings of recording, which are input of the compiler, and properties of a kernel's records, which are its output.

Launches use this module, too. Therefore this module imports no other module of the profiler, and `hocket.runtime` may
import this module. docs/profiling_format.md specifies the formats of settings and properties.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from functools import cached_property

from ..errors import LaunchError

SPACES = ("auto", "shared", "device", "static")
POLICIES = ("circular", "keep_first", "flush")
UNITS = ("warp", "group", "cta")
CLOCKS = (32, 44)
WAITS = ("never", "always", "auto")
_MOST_BYTES = 2**24


@dataclass(frozen=True)
class ProfileConfig:
    """Settings of recording.

    Attributes:
        space: "device" memory, "shared" memory that is copied when a warp ends, "static" for a variable of the module,
            or "auto": shared memory, unless a buffer in shared memory would reduce occupancy or the L1 cache.
        policy: "circular" keeps the last records of a warp, and "keep_first" the first records. "flush" collects
            records in shared memory, and moves full segments to device memory while the kernel runs.
        clock: bits of a time. 32 leaves 20 bits for a payload, and needs a record at least every 2^32 cycles; 44 leaves
            8 bits.
        units: "warp" records every warp, "group" the first of each four warps, "cta" warp 0.
        warps: numbers of the warps in `units` that record; empty for all warps in `units`.
        bytes: size of a warp's buffer, 8 bytes per record: a power of two, at least 16, or 0 for automatic.
        stages: also record stages of warp pipelines, partitions, and lifetimes of warps.
        max_ctas: with space "static", number of blocks that have memory for records in the variable.
        waits: record waits for barriers outside of stages: "always", "never", or "auto": in kernels without scopes and
            tokens of their own.
    """

    space: str = "auto"
    policy: str = "circular"
    clock: int = 32
    units: str = "warp"
    warps: tuple[int, ...] = ()
    bytes: int = 0
    stages: bool = True
    max_ctas: int = 0
    waits: str = "never"

    def __post_init__(self) -> None:
        choices_of = {"space": SPACES, "policy": POLICIES, "clock": CLOCKS, "units": UNITS, "waits": WAITS}
        for name, choices in choices_of.items():
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
        if self.policy == "flush" and self.space not in ("auto", "shared"):
            raise LaunchError(
                f'the profiler\'s policy="flush" cannot be used with space="{self.space}": records are moved out of '
                "shared memory"
            )
        if (self.space == "static") != (self.max_ctas > 0):
            raise LaunchError(
                f'the profiler\'s max_ctas={self.max_ctas} cannot be used with space="{self.space}": max_ctas must be '
                'positive if space="static", and 0 otherwise'
            )

    def text(self) -> str:
        """Returns the value of the launch option `profile` for these settings. All calls for one ProfileConfig return
        the same str object, because launches compare the values of this launch option by identity."""
        return self._text

    @cached_property
    def _text(self) -> str:
        shown = {field.name: getattr(self, field.name) for field in fields(self)}
        shown |= {"warps": ",".join(map(str, self.warps)), "stages": int(self.stages)}
        return ";".join(f"{name}={value}" for name, value in shown.items())

    @classmethod
    def parse(cls, text: str) -> ProfileConfig:
        """Parses a text that the method `text` has returned."""
        given = dict(part.partition("=")[::2] for part in text.split(";"))
        if list(given) != [field.name for field in fields(cls)]:
            raise LaunchError(f"the launch option profile must be ProfileConfig(...).text() or empty, not {text!r}")
        try:
            warps = tuple(map(int, given["warps"].split(","))) if given["warps"] else ()
            numbers = {name: int(given[name]) for name in ("clock", "bytes", "stages", "max_ctas")}
        except ValueError:
            raise LaunchError(
                f"the launch option profile must be ProfileConfig(...).text() or empty, not {text!r}"
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
            given["waits"],
        )


@dataclass(frozen=True)
class Site:
    """A source location at which a kernel records; see docs/profiling_format.md."""

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
    """Properties of a kernel that are needed to read its records; docs/profiling_format.md explains the fields."""

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
    staging: int
    origin: str
    symbol: str
    max_ctas: int
    steady_ns: float
    note: str
    sites: list[Site]

    @property
    def collects_in(self) -> str:
        """Memory in which a warp collects its records: "shared" or "device"."""
        return "shared" if self.staging else self.space

    @classmethod
    def parse(cls, text: str) -> ProfileFacts | None:
        """Parses `metadata.profile`; None for a kernel that records nothing."""
        if not text:
            return None
        given = json.loads(text)
        return cls(**{**given, "sites": [Site(**site) for site in given["sites"]]})
