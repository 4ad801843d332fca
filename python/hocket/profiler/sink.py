"""What launches inside a session ask for memory, and tell that they are queued (`runtime.profiling.Sink`)."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .buffers import HostBuffer, Ring

if TYPE_CHECKING:
    from ..runtime.compiled import CompiledKernel
    from ..runtime.profiling import ProfileConfig


class Recorded(NamedTuple):
    """A launch whose memory has been read."""

    kernel: CompiledKernel
    grid: tuple[int, int, int]
    place: int | str
    memory: np.ndarray


class _Waiting:
    """A launch that is queued: filled in when its memory has been read."""

    def __init__(self, kernel: CompiledKernel, grid: tuple[int, int, int], place: int | str):
        self._launch = (kernel, grid, place)
        self._done = threading.Event()
        self._read: np.ndarray | Exception | None = None

    def deliver(self, read: np.ndarray | Exception) -> None:
        self._read = read
        self._done.set()

    def result(self) -> Recorded:
        self._done.wait()
        if isinstance(self._read, Exception):
            raise self._read
        assert self._read is not None
        return Recorded(*self._launch, self._read)


class LaunchSink:
    """Keeps what the launches of one session record. Any thread may launch."""

    def __init__(self, config: ProfileConfig):
        self.config = config
        self._lock = threading.Lock()
        #: By thread: the memory of the launch that it makes, its address, size and place.
        self._lent: dict[int, tuple[Any, int, int, int | str]] = {}
        self._rings: dict[int, Ring] = {}
        self._launches: list[_Waiting] = []

    def buffer(
        self, kernel: CompiledKernel, grid: tuple[int, int, int], place: int | str, stream: int, nbytes: int
    ) -> int:
        """The address of zeroed memory for the launch that follows; 0 where it needs none."""
        if nbytes == 0:
            return 0
        self._take_back()
        if isinstance(place, str):
            memory: Any = HostBuffer(nbytes)
        else:
            memory = self._ring(place).take(nbytes)
            memory.clear(stream)
        with self._lock:
            self._lent[threading.get_ident()] = (memory, memory.address, nbytes, place)
        return memory.address

    def _take_back(self) -> None:
        """What this thread was lent for a launch that has failed."""
        with self._lock:
            memory, _, _, place = self._lent.pop(threading.get_ident(), (None, 0, 0, ""))
        if memory is not None and isinstance(place, int):
            self._ring(place).give_back(memory)

    def launched(
        self, kernel: CompiledKernel, grid: tuple[int, int, int], place: int | str, stream: int, address: int
    ) -> None:
        """What was lent for it is written when the launch has ended."""
        with self._lock:
            memory, lent, nbytes, _ = self._lent.pop(threading.get_ident(), (None, 0, 0, ""))
            if memory is None or lent != address:
                return
            launch = _Waiting(kernel, grid, place)
            self._launches.append(launch)
        if isinstance(place, str):
            launch.deliver(memory.bytes)
        else:
            memory.mark_written(stream)
            self._ring(place).read_later(memory, nbytes, launch.deliver)

    def launches(self, begin: int = 0) -> list[Recorded]:
        """Those from number `begin` on. Waits until their memory has been read."""
        with self._lock:
            waiting = self._launches[begin:]
        return [launch.result() for launch in waiting]

    def close(self) -> None:
        for ring in self._rings.values():
            ring.close()
        self._rings.clear()
        self._lent.clear()

    def _ring(self, ordinal: int) -> Ring:
        with self._lock:
            if ordinal not in self._rings:
                self._rings[ordinal] = Ring(ordinal)
            return self._rings[ordinal]
