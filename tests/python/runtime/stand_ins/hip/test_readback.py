"""Memory that kernels write and the host reads."""

import ctypes

import numpy as np

from hocket import _core


def test_what_a_kernel_writes_is_read(hip):
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
