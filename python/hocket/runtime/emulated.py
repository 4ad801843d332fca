"""Kernels on the emulated GPU: their launcher, and the settings of launches.

`hocket.emulator` changes the settings; launches read them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import _core
from . import environment, profiling
from .array_gaps import warn_of_gaps
from .launch_settings import LaunchSetting

if TYPE_CHECKING:
    from typing import Protocol

    from .options import Options

    class Request(Protocol):
        """The parts of `runtime.compiler.Request` that this module uses."""

        function: _core.LaunchFunction
        types: list
        values: list
        target: str
        options: Options


class Schedule(NamedTuple):
    """Settings of `hocket.emulator.schedule`."""

    seed: int = 0
    threads: int = 0
    races: bool | None = None
    completion: str = "late"
    undefined: bool | None = None


class Recorder(NamedTuple):
    """Receives, after a launch, the name of the kernel, the slices of its first `blocks` blocks, and by warp the
    names of partitions."""

    add: Callable[[str, list[tuple], list[str]], None]
    blocks: int


#: Called before a launch with the kernel (a JITFunction), the target, the grid and the number of warps.
Watcher = Callable[[Any, str, tuple[int, int, int], int], object]

_NATURAL = Schedule()


def _print(text: str) -> None:
    print(text, end="")


schedule: LaunchSetting[Schedule] = LaunchSetting("hocket_emulator_schedule", _NATURAL)
watcher: LaunchSetting[Watcher | None] = LaunchSetting("hocket_watcher", None)
recorder: LaunchSetting[Recorder | None] = LaunchSetting("hocket_timeline", None)
#: Receives the output of `print` in kernels; None drops it.
printer: LaunchSetting[Callable[[str], object] | None] = LaunchSetting("hocket_printer", _print)
#: Receives the bank counts of a launch.
bank_counter: LaunchSetting[Callable | None] = LaunchSetting("hocket_bank_counts", None)


class _Variant(NamedTuple):
    """Instrumentation of a kernel. Each variant is compiled at its first use."""

    timing: bool
    undefined: bool
    unwritten: bool = False
    optimized: bool = True

    @classmethod
    def now(cls, values: list) -> _Variant:
        """The variant for a launch with these values and the current settings."""
        if recorder.get_if_agreed() is not None:
            return cls(timing=True, undefined=False, optimized=environment.emulator_optimize())
        undefined = schedule.get_if_agreed().undefined
        undefined = environment.emulator_undefined() if undefined is None else undefined
        unwritten = undefined and any(map(_is_unwritten, values))
        return cls(False, undefined, unwritten, environment.emulator_optimize())


def _is_unwritten(value: Any) -> bool:
    """True if a launch value is an array whose memory tracks writes, or a tensor map of one."""
    if type(value) is list:
        value = value[1]
    return type(value) is tuple and _core.UnwrittenMemory.find(value[0]) is not None


def make_launcher(request: Request) -> tuple[Callable[..., None], _core.KernelFacts]:
    """Compiles for the emulator. Returns the function that the launch path calls, and the facts about the kernel."""
    compiled = functools.cache(functools.partial(_compile, request))
    facts, _ = compiled(_Variant.now([]))

    def launch(grid: tuple[int, int, int], values: list, profile: int = 0) -> None:
        if (watch := watcher.get_if_agreed()) is not None:
            watch(request.function, request.target, tuple(grid), request.options.num_warps)
        if any(type(value) is tuple and value[-1] for value in values):
            warn_of_gaps(request.function, facts, request.values, values)
        seed, threads, races, completion, _ = schedule.get_if_agreed()
        if races is None:
            races = environment.emulator_races()
        count, record = bank_counter.get_if_agreed(), recorder.get_if_agreed()
        # Profiled launches use the virtual clock.
        keeps_time = profile != 0
        _, chosen = compiled(_Variant(timing=True, undefined=False) if keeps_time else _Variant.now(values))
        recorded_blocks = record.blocks if record else 0
        counted, slices = chosen.launch(
            grid,
            values,
            seed,
            threads,
            races,
            completion,
            count is not None,
            recorded_blocks,
            printer.get_if_agreed(),
            request.options.launch_cooperative_grid,
            keeps_time,
            profiling.clock_start.get_if_agreed(),
            profile,
        )
        if count is not None:
            count(counted)
        if record:
            record.add(facts.name, slices, chosen.workers)

    return launch, facts


def _compile(request: Request, variant: _Variant) -> tuple[_core.KernelFacts, _core.EmulatedKernel]:
    return _core.compile_emulated(
        request.function, request.types, request.values, request.target, request.options, *variant
    )
