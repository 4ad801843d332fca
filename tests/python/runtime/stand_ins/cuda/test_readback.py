"""Memory that kernels write and the host reads."""

import ctypes

import numpy as np
import pytest

from hocket import _core


def test_what_a_kernel_writes_is_read(driver):
    memory = _core.ReadbackMemory(1, 4096)
    assert memory.bytes == 4096
    read = np.full(4096, 7, np.uint8)
    memory.mark_written(0)
    memory.read(read)
    assert not read.any()  # when it is made
    ctypes.memset(memory.address, 0xAB, 100)  # as a kernel would
    memory.read(read[:200])
    assert read[:200].tolist() == [0xAB] * 100 + [0] * 100
    memory.read(read)
    assert not read.any()  # after it was read


@pytest.mark.parametrize("count", [1, 4 << 20, (9 << 20) + 5])
def test_memory_is_copied_in_pieces_and_cleared(driver, count):
    """4 MB at a time, by way of memory that is locked."""
    size = -(-count // 256) * 256
    memory = _core.ReadbackMemory(0, size)
    pattern = (bytes(range(1, 252)) * (size // 251 + 1))[:size]  # no piece is like the one before
    ctypes.memmove(memory.address, pattern, size)
    found = bytearray(count)
    memory.mark_written(0)
    memory.read(found)
    assert bytes(found) == pattern[:count]
    cleared = -(-count // 4) * 4
    assert ctypes.string_at(memory.address, size) == bytes(cleared) + pattern[cleared:]
