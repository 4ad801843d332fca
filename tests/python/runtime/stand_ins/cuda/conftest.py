"""The stand-in for CUDA's driver."""

import ctypes

import pytest
from stand_ins.launch import Launch

import hocket


class _Launch(Launch):
    _fields_ = (("parameters", ctypes.c_uint64 * 64),)


class StandIn:
    """Functions of libcuda_stand_in.c by which tests control and query the driver."""

    def __init__(self):
        self._library = ctypes.CDLL("libcuda.so.1")
        self._library.stand_in_last_launch.restype = ctypes.POINTER(_Launch)
        self._library.stand_in_kernel_name.restype = ctypes.c_char_p
        self._library.stand_in_wide_bytes.restype = ctypes.c_void_p
        self._library.stand_in_variable.restype = ctypes.c_void_p

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
    def wide_bytes(self) -> bytes:
        """The 128 bytes of the parameter that "wide_parameter" says."""
        return ctypes.string_at(self._library.stand_in_wide_bytes(), 128)

    @property
    def variable(self) -> int:
        """The address of the variable of all modules, of "variable_bytes" bytes."""
        return self._library.stand_in_variable()

    @property
    def kernel_name(self) -> str:
        return self._library.stand_in_kernel_name().decode()


@pytest.fixture
def driver() -> StandIn:
    assert hocket._core.device_count() == 2, "the stand-in was not loaded"
    stand_in = StandIn()
    stand_in.set("parameter_count", 0)
    stand_in.set("wide_parameter", -1)
    return stand_in
