"""The stub driver."""

import ctypes

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


@pytest.fixture
def driver() -> StubDriver:
    assert hocket._core.device_count() == 2, "the stub driver was not loaded"
    stub = StubDriver()
    stub.set("parameter_count", 0)
    return stub
