"""The stand-in for CUDA's driver."""

import ctypes

import pytest
from stand_ins.launch import Launch

import hocket


class _Launch(Launch):
    _fields_ = (("parameters", ctypes.c_uint64 * 64),)


class StandIn:
    """What tests ask of and tell the driver in libcuda_stand_in.c."""

    def __init__(self):
        self._library = ctypes.CDLL("libcuda.so.1")
        self._library.stand_in_last_launch.restype = ctypes.POINTER(_Launch)
        self._library.stand_in_kernel_name.restype = ctypes.c_char_p

    def set(self, name: str, value: int) -> None:
        self._library.stand_in_set(name.encode(), value)

    def get(self, name: str) -> int:
        return self._library.stand_in_get(name.encode())

    @property
    def last(self) -> _Launch:
        return self._library.stand_in_last_launch().contents

    def parameters(self, count: int) -> list[int]:
        return list(self.last.parameters)[:count]

    @property
    def kernel_name(self) -> str:
        return self._library.stand_in_kernel_name().decode()


@pytest.fixture
def driver() -> StandIn:
    assert hocket._core.device_count() == 2, "the stand-in was not loaded"
    stand_in = StandIn()
    stand_in.set("parameter_count", 0)
    return stand_in
