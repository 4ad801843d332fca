"""The stub driver and arrays that claim to lie on its GPUs."""

import ctypes

import numpy as np
import pytest

import hocket


class _Launch(ctypes.Structure):
    _fields_ = (
        ("grid", ctypes.c_uint * 3),
        ("block", ctypes.c_uint * 3),
        ("shared_bytes", ctypes.c_uint),
        ("stream", ctypes.c_uint64),
        ("device", ctypes.c_int),
        ("parameters", ctypes.c_uint64 * 64),
    )


class StubDriver:
    """What tests ask of and tell the driver in libcuda_stub.c."""

    def __init__(self):
        self._library = ctypes.CDLL("libcuda.so.1")
        self._library.stub_last_launch.restype = ctypes.POINTER(_Launch)
        self._library.stub_kernel_name.restype = ctypes.c_char_p

    def set(self, name: str, value: int) -> None:
        self._library.stub_set(name.encode(), value)

    def get(self, name: str) -> int:
        return self._library.stub_get(name.encode())

    @property
    def last(self) -> _Launch:
        return self._library.stub_last_launch().contents

    def parameters(self, count: int) -> list[int]:
        return list(self.last.parameters)[:count]

    @property
    def kernel_name(self) -> str:
        return self._library.stub_kernel_name().decode()


class CudaArray:
    """A NumPy array that says it lies on GPU 0, through `__cuda_array_interface__`."""

    def __init__(self, array: np.ndarray):
        self.array = array
        self.dtype = array.dtype

    @property
    def __cuda_array_interface__(self) -> dict:
        return {
            "shape": self.array.shape,
            "typestr": self.array.dtype.str,
            "data": (self.array.ctypes.data, False),
            "version": 3,
        }

    @property
    def address(self) -> int:
        return self.array.ctypes.data


class TorchLike:
    """An array with PyTorch's methods, on any of the stub's GPUs, or in host memory for device -1."""

    def __init__(self, array: np.ndarray, device: int = 0):
        self.array = array
        self.dtype = array.dtype
        self.shape = array.shape
        self._device = device

    def data_ptr(self) -> int:
        return self.array.ctypes.data

    def get_device(self) -> int:
        return self._device

    def is_contiguous(self) -> bool:
        return True


def aligned(elements: int, dtype=np.float32, offset: int = 0) -> np.ndarray:
    """An array whose address is a multiple of 64, plus `offset` elements."""
    itemsize = np.dtype(dtype).itemsize
    raw = np.zeros(elements * itemsize + 64 + offset * itemsize, np.uint8)
    start = -raw.ctypes.data % 64 + offset * itemsize
    return raw[start : start + elements * itemsize].view(dtype)


@pytest.fixture
def driver() -> StubDriver:
    assert hocket._core.device_count() == 2, "the stub driver was not loaded"
    stub = StubDriver()
    stub.set("parameter_count", 0)
    return stub
