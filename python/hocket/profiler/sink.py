"""Who takes what the launches of a session record (`runtime.profiling.Sink`).

The launch path itself does, in C++ (csrc/runtime/RecordRing.h): on a GPU, memory that is zero goes around in a ring, a
thread copies that of each launch when its kernel has ended, once half of the ring is in flight or somebody asks, and no
launch waits for the GPU, unless all of the ring is in flight.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .. import _core

if TYPE_CHECKING:
    from ..runtime.compiled import CompiledKernel
    from ..runtime.profiling import ProfileConfig

#: All memory of a GPU that one session has, unless a single launch needs more.
RING_BYTES = 256 << 20


class Recorded(NamedTuple):
    """A launch whose memory has been read."""

    kernel: CompiledKernel
    grid: tuple[int, int, int]
    place: int | str
    memory: np.ndarray


class LaunchSink:
    """Keeps what the launches of one session record. Any thread may launch."""

    def __init__(self, config: ProfileConfig):
        self.config = config
        self.recorder = _core.LaunchRecorder(RING_BYTES)

    def launches(self, begin: int = 0) -> list[Recorded]:
        """Those from number `begin` on. Waits until their memory has been read; launches that are part of a CUDA graph
        have what its last run has written."""
        return [
            Recorded(kernel, grid, place, np.frombuffer(memory, np.uint8))
            for kernel, grid, place, memory in self.recorder.launches(begin)
        ]

    def close(self) -> None:
        """When all has been read."""
        self.recorder.close()
