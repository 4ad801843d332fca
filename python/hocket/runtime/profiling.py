"""Stores the receiver of the records of profiled launches, which also provides the memory for the records.

`hocket.profiler` sets `current`; launches read it. docs/profiling_format.md specifies the format.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Protocol

from .. import _core
from .launch_settings import LaunchSetting

if TYPE_CHECKING:
    from ..profiler.facts import ProfileConfig


class Sink(Protocol):
    """Receives the records of launches. The arguments `kernel` are CompiledKernels."""

    config: ProfileConfig

    def buffer(self, kernel: Any, grid: tuple[int, int, int], place: int | str, stream: int, nbytes: int) -> int:
        """Returns the address of `nbytes` bytes of memory for the next launch, a multiple of 256. Returns 0 if the
        records will not be read; the launch then uses other memory. `place` is the ordinal of a GPU, or the target of
        an emulated GPU, for which the memory is host memory. `stream` is the driver's stream of the launch, or 0 on the
        emulator."""
        ...

    def launched(self, kernel: Any, grid: tuple[int, int, int], place: int | str, stream: int, address: int) -> None:
        """The launch path calls this method when the launch is queued (on a GPU) or completed (on the emulator)."""
        ...


class RecorderSink(Protocol):
    """A sink whose memory the launch path manages itself."""

    config: ProfileConfig
    recorder: _core.LaunchRecorder


class _SinkSetting(LaunchSetting["Sink | RecorderSink | None"]):
    """A setting that reports the number of active sinks to the launch path. If no sink is active, launches have no
    overhead."""

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


#: The receiver of the records of launches by this thread or task: a Sink, a RecorderSink, or None.
current = _SinkSetting()
#: Initial value of the virtual clock of emulated blocks.
clock_start: LaunchSetting[int] = LaunchSetting("hocket_clock_start", 0)


# Called by the launch path (bindings/dispatch/Profile.cpp) -----------------------------------------------------


def sink_for_launch() -> Sink | RecorderSink | None:
    """Returns the object that receives the profiling records of a launch."""
    return current.get_if_agreed()
