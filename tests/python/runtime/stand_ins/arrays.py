"""Arrays in host memory that claim to lie on a GPU, for drivers whose device memory is host memory."""

import numpy as np


class CudaArray:
    """A NumPy array that says it lies on a GPU, through `__cuda_array_interface__`."""

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
    """An array with PyTorch's methods, on any GPU, or in host memory for device -1."""

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
