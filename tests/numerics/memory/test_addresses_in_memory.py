"""Arrays whose addresses a kernel reads from memory, as grouped products have them."""

import mmap

import numpy as np
import pytest

import hocket
from hocket import errors
from hocket import language as gl


@hocket.jit
def scale_each(addresses, sizes, factor, given, BLOCK: gl.constexpr):
    """`given`: the arrays that lie there, of which the emulator has to know."""
    layout: gl.constexpr = gl.row_layout()
    number = gl.program_id(0)
    x = gl.load(addresses + number).to(gl.pointer_type(gl.float32))
    i = gl.arange(0, BLOCK, layout=layout)
    mask = i < gl.load(sizes + number)
    gl.store(x + i, gl.load(x + i, mask=mask) * factor, mask=mask)


def address_of(array):
    return array.data_ptr() if hasattr(array, "data_ptr") else array.ctypes.data


def test_groups(every_device):
    hosts = [np.arange(size, dtype=np.float32) for size in (5, 128, 77)]
    arrays = [every_device.to_device(host) for host in hosts]
    addresses = every_device.to_device(np.array([address_of(array) for array in arrays], np.int64))
    sizes = every_device.to_device(np.array([len(host) for host in hosts], np.int32))
    scale_each[(3,)](addresses, sizes, 3.0, tuple(arrays), BLOCK=128)
    for host, array in zip(hosts, arrays, strict=True):
        np.testing.assert_array_equal(every_device.to_host(array), host * 3)


def remote_array(size):
    """An array in the middle of 8 MiB of its own: an access less than 1 MiB from another array is described as one past
    that array's end."""
    memory = np.frombuffer(mmap.mmap(-1, 8 << 20), np.float32)
    return memory[len(memory) // 2 :][:size]


def test_arrays_that_are_not_passed():
    x = remote_array(8)
    arrays = np.array([x.ctypes.data], np.int64), np.array([8], np.int32)
    with pytest.raises(errors.OutOfBoundsError, match="also pass the array at this address"):
        scale_each[(1,)](*arrays, 3.0, (), BLOCK=8)
