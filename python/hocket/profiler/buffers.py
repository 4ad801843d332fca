"""The memory that launches record into, and how it comes back.

On the emulator a launch is over when it returns: its memory is the host's. On a GPU launches go on while earlier ones
are read:

    launching thread   take a buffer, clear it, launch, mark it written       nothing here waits for the GPU
    reading thread     wait for the oldest launch, copy, hand the buffer on   on a stream of its own

Buffers go around in a ring. Only when all of them are in flight does a launch wait for the oldest.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _core

#: All buffers of a GPU together, unless a single launch needs more.
RING_BYTES = 256 << 20
#: What the address of a buffer is a multiple of.
_ALIGNMENT = 256


class HostBuffer:
    """Zeroed memory of the host at an aligned address."""

    def __init__(self, nbytes: int):
        whole = np.zeros(nbytes + _ALIGNMENT, np.uint8)
        skipped = -whole.ctypes.data % _ALIGNMENT
        self.bytes = whole[skipped : skipped + nbytes]

    @property
    def address(self) -> int:
        return self.bytes.ctypes.data


class Ring:
    """The buffers of one GPU, and the thread that reads them."""

    def __init__(
        self,
        ordinal: int,
        limit: int = RING_BYTES,
        allocate: Callable[[int, int], Any] = _core.ReadbackMemory,
    ):
        self._ordinal, self._limit, self._allocate = ordinal, limit, allocate
        self._free: list[Any] = []
        self._total = 0
        self._changed = threading.Condition()
        self._written: queue.SimpleQueue = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._read, name=f"hocket profile of GPU {ordinal}", daemon=True)
        self._thread.start()

    def take(self, nbytes: int) -> Any:
        """A buffer of at least `nbytes`. Waits where all are in flight."""
        size = max(1 << (nbytes - 1).bit_length(), 4096)
        with self._changed:
            while True:
                fitting = [memory for memory in self._free if memory.bytes >= nbytes]
                if fitting:
                    best = min(fitting, key=lambda memory: memory.bytes)
                    self._free.remove(best)
                    return best
                if self._total == 0 or self._total + size <= self._limit:
                    memory = self._allocate(self._ordinal, size)
                    self._total += size
                    return memory
                if self._free:  # too small: make room
                    self._total -= sum(memory.bytes for memory in self._free)
                    self._free.clear()
                    continue
                self._changed.wait()

    def give_back(self, memory: Any) -> None:
        with self._changed:
            self._free.append(memory)
            self._changed.notify_all()

    def read_later(self, memory: Any, nbytes: int, deliver: Callable[[np.ndarray | Exception], object]) -> None:
        """`deliver` is given the first bytes of `memory` when what writes it has ended, or why that is not to be."""
        self._written.put((memory, nbytes, deliver))

    def close(self) -> None:
        """When all has been delivered."""
        self._written.put(None)
        self._thread.join()
        self._free.clear()

    def _read(self) -> None:
        while (work := self._written.get()) is not None:
            memory, nbytes, deliver = work
            try:
                read = np.empty(nbytes, np.uint8)
                memory.read(read)
                deliver(read)
            except Exception as error:
                deliver(error)
            self.give_back(memory)
