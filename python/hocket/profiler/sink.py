"""Collects the records of a session's launches (`runtime.profiling.Sink`).

The launch path collects records in C++ (csrc/runtime/RecordRing.h). On a GPU, launches write records to a ring buffer
of device memory. When launches in flight use half of the ring buffer, or when results are requested, a thread copies
the records of each completed launch to the host, and clears the launch's memory. A launch waits for the GPU only if
launches in flight use the whole ring buffer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .. import _core

if TYPE_CHECKING:
    from ..runtime.compiled import CompiledKernel
    from .facts import ProfileConfig

#: Largest size of a session's ring buffer in GPU memory, in bytes, unless a single launch needs more memory.
RING_BYTES = 256 << 20


class Recorded(NamedTuple):
    """A launch whose records are in host memory."""

    kernel: CompiledKernel
    grid: tuple[int, int, int]
    place: int | str
    memory: np.ndarray


class LaunchSink:
    """Keeps the records of the launches of one session. Thread-safe."""

    def __init__(self, config: ProfileConfig):
        self.config = config
        self.recorder = _core.LaunchRecorder(RING_BYTES)

    def launches(self, begin: int = 0) -> list[Recorded]:
        """Returns the launches from number `begin` on. The call waits until the records of these launches are in host
        memory. A launch in a CUDA graph has the records of the last run of the graph."""
        return [
            Recorded(kernel, grid, place, np.frombuffer(memory, np.uint8))
            for kernel, grid, place, memory in self.recorder.launches(begin)
        ]

    def close(self) -> None:
        """Releases the device memory after all records have been copied to the host."""
        self.recorder.close()
