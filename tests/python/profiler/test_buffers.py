"""The ring of buffers of one GPU, over memory that says when it may be read."""

import threading

import numpy as np
import pytest

from hocket.profiler.buffers import HostBuffer, Ring
from hocket.profiler.sink import LaunchSink
from hocket.runtime.profiling import ProfileConfig


class Memory:
    """Stands for memory of a GPU; a launch ends when `end` is called."""

    allocated = 0

    def __init__(self, ordinal, nbytes):
        self.bytes, self.ordinal = nbytes, ordinal
        self.value, self._ended = 0, threading.Event()
        Memory.allocated += 1

    @property
    def address(self):
        return id(self)

    def clear(self, stream):
        self.value = 0

    def mark_written(self, stream):
        pass

    def end(self, value):
        self.value = value
        self._ended.set()

    def read(self, into):
        if not self._ended.wait(30):
            raise TimeoutError
        self._ended.clear()
        if self.value is None:
            raise RuntimeError("the launch has failed")
        into[:] = self.value


@pytest.fixture
def ring():
    Memory.allocated = 0
    ring = Ring(3, limit=4 * 4096, allocate=Memory)
    yield ring
    ring.close()


def delivery():
    """(a function for `read_later`, a function that waits for what was delivered)."""
    done, delivered = threading.Event(), []

    def deliver(read):
        delivered.append(read)
        done.set()

    def wait():
        assert done.wait(30)
        return delivered[0]

    return deliver, wait


def test_nothing_waits_as_long_as_there_is_room(ring):
    launches = []
    for _ in range(4):
        memory = ring.take(3000)
        deliver, wait = delivery()
        ring.read_later(memory, 3000, deliver)
        launches.append((memory, wait))
    assert Memory.allocated == 4 and all(memory.ordinal == 3 for memory, _ in launches)
    for number, (memory, wait) in enumerate(launches):
        memory.end(number)
        assert wait().tolist() == [number] * 3000


def test_a_full_ring_waits_for_its_oldest_launch(ring):
    held = [ring.take(4096) for _ in range(4)]
    deliver, wait = delivery()
    ring.read_later(held[2], 16, deliver)
    taken = []
    launching = threading.Thread(target=lambda: taken.append(ring.take(4096)))
    launching.start()
    launching.join(0.2)
    assert launching.is_alive()
    held[2].end(7)
    launching.join(30)
    assert taken == [held[2]] and wait().tolist() == [7] * 16
    assert Memory.allocated == 4


def test_buffers_come_back(ring):
    for number in range(20):
        memory = ring.take(1000)
        deliver, wait = delivery()
        memory.end(number)
        ring.read_later(memory, 1000, deliver)
        assert wait()[0] == number
    assert Memory.allocated <= 2  # a buffer comes back after its bytes are delivered


def test_one_launch_may_need_more_than_the_ring_may_have(ring):
    small = ring.take(100)
    ring.give_back(small)
    large = ring.take(1 << 20)
    assert large.bytes == 1 << 20
    ring.give_back(large)
    assert ring.take(100) is large


def test_what_cannot_be_read_is_told(ring):
    memory = ring.take(100)
    deliver, wait = delivery()
    ring.read_later(memory, 100, deliver)
    memory.end(None)
    assert str(wait()) == "the launch has failed"
    assert ring.take(100) is memory


def test_launches_that_fail_keep_no_memory(ring):
    """Each asks for memory and never tells that it is queued."""
    sink = LaunchSink(ProfileConfig())
    sink._rings[0] = ring
    for _ in range(20):
        sink.buffer(None, (1, 1, 1), 0, 0, 4096)
    assert Memory.allocated == 1
    assert sink.launches() == []


def test_host_buffers_are_aligned_and_zero():
    for nbytes in (1, 100, 5000):
        buffer = HostBuffer(nbytes)
        assert buffer.address % 256 == 0 and buffer.address == buffer.bytes.ctypes.data
        assert buffer.bytes.nbytes == nbytes and not np.any(buffer.bytes)
