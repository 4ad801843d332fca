"""Compiles kernels for the emulated GPU, and stores the settings of launches on it.

`hocket.emulator` changes the settings; launches read them (csrc/bindings/emulator/Kernel.h).
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import _core
from . import profiling
from .launch_settings import LaunchSetting

if TYPE_CHECKING:
    from typing import Protocol

    from .options import Options

    class Request(Protocol):
        """Protocol with the attributes of `runtime.compiler.Request` that this module uses."""

        function: _core.LaunchFunction
        types: list
        values: list
        target: str
        options: Options


class ScheduleSettings(NamedTuple):
    """Settings of `hocket.emulator.schedule`."""

    seed: int = 0
    threads: int = 0
    races: bool | None = None
    completion: str = "late"
    undefined: bool | None = None


class Recorder(NamedTuple):
    """Receives the timeline of a launch after its end. `add` is called with the name of the kernel, the slices of its
    first `blocks` blocks, and the partition's name for each warp."""

    add: Callable[[str, list[tuple], list[str]], None]
    blocks: int


#: Function that is called before a launch with the kernel (a JITFunction), the target, the grid and the number of
#: warps.
Watcher = Callable[[Any, str, tuple[int, int, int], int], object]

_NATURAL = ScheduleSettings()


def _print(text: str) -> None:
    print(text, end="")


schedule: LaunchSetting[ScheduleSettings] = LaunchSetting("hocket_emulator_schedule", _NATURAL)
watcher: LaunchSetting[Watcher | None] = LaunchSetting("hocket_watcher", None)
recorder: LaunchSetting[Recorder | None] = LaunchSetting("hocket_timeline", None)
#: Function that receives the output of `print` in kernels; None drops the output.
printer: LaunchSetting[Callable[[str], object] | None] = LaunchSetting("hocket_printer", _print)
#: Function that receives the bank counts of each launch.
bank_counter: LaunchSetting[Callable | None] = LaunchSetting("hocket_bank_counts", None)


_SETTINGS = _core.EmulatorSettings(schedule, watcher, recorder, printer, bank_counter, profiling.clock_start)


def load(request: Request) -> tuple[_core.DeviceKernel, _core.KernelFacts]:
    """Compiles a kernel for the emulator. Returns the kernel and its KernelFacts.

    A kernel has variants with different instrumentation. Each variant is compiled when a launch first needs it.
    """
    compile = functools.partial(_compile, request)
    return _core.load_emulated(request.function, request.target, request.values, request.options, compile, _SETTINGS)


def _compile(
    request: Request, timing: bool, undefined: bool, unwritten: bool, optimized: bool
) -> tuple[_core.KernelFacts, _core.EmulatedKernel]:
    return _core.compile_emulated(
        request.function,
        request.types,
        request.values,
        request.target,
        request.options,
        timing,
        undefined,
        unwritten,
        optimized,
    )
