"""Arrays of other libraries on an AMD GPU, and the streams that launches are queued on."""

import ctypes

import numpy as np
import pytest
from kernels import add
from stand_in import GFX942, GFX950
from stand_ins.arrays import CudaArray
from stand_ins.dlpack import KDL_CUDA, KDL_ROCM, CurrentStream, DLTensor, ExchangeApi, FromObject, capsule, fill

import hocket

N = 64


@pytest.fixture
def memory(hip):
    """x, y and out on device 0: NumPy arrays over device memory."""
    values = np.arange(N, dtype=np.float32)
    return [hip.array(array).array for array in (values, values + 1, np.zeros_like(values))]


def launch_and_check(arguments, memory, **options):
    x, y, out = memory
    kernel = add[(1,)](*arguments, N, BLOCK=N, **options)
    np.testing.assert_array_equal(out, x + y)
    return kernel


class DlpackArray:
    """With `__dlpack__`, as CuPy and JAX have it."""

    def __init__(self, array, device_type=KDL_ROCM, device=0):
        self.tensor = DLTensor()
        self.array = array
        fill(self.tensor, array, device, device_type)

    def __dlpack_device__(self):
        return (self.tensor.device_type, self.tensor.device_id)

    def __dlpack__(self, *, stream):
        assert stream == -1
        return capsule(ctypes.pointer(self.tensor), b"dltensor")


def test_dlpack(hip, memory):
    launch_and_check([DlpackArray(array) for array in memory], memory)
    assert hip.last.device == GFX942


def test_dlpack_of_an_nvidia_gpu(memory):
    x, y, out = memory
    with pytest.raises(hocket.LaunchError) as caught:
        add[(1,)](DlpackArray(x, KDL_CUDA), DlpackArray(y), DlpackArray(out), N, BLOCK=N)
    assert str(caught.value).startswith("argument `x` is on an NVIDIA GPU: the CUDA driver (libcuda.so.1)")


def test_dlpack_of_pinned_memory_is_host_memory(memory):
    x, y, out = memory
    with pytest.raises(hocket.LaunchError, match="`y` is on a GPU and `x` in host memory"):
        add[(1,)](capsule_of(x, 11), DlpackArray(y), DlpackArray(out), N, BLOCK=N)


def capsule_of(array, device_type):
    tensor = DLTensor()
    fill(tensor, array, 0, device_type)
    tensor.shape = ctypes.addressof(shape := ctypes.c_int64(array.size))
    made = capsule(ctypes.pointer(tensor), b"dltensor")
    _kept.append((tensor, shape))
    return made


_kept = []


def test_exchange_table(hip, memory):
    asked = []

    @FromObject
    def from_object(array, out):
        fill(out.contents, array.array, 0, KDL_ROCM)
        return 0

    @CurrentStream
    def current_stream(device_type, device, out):
        asked.append((device_type, device))
        out[0] = 0x4000
        return 0

    api = ExchangeApi(1, 3, from_object=from_object, current_stream=current_stream)

    class Array:
        __dlpack_c_exchange_api__ = capsule(ctypes.pointer(api), b"dlpack_exchange_api")

        def __init__(self, array):
            self.array = array

    launch_and_check([Array(array) for array in memory], memory)
    assert hip.last.stream == 0x4000
    assert asked == [(KDL_ROCM, 0)]


def test_cuda_array_interface_asks_hip_for_the_device(hip):
    values = np.arange(N, dtype=np.float32)
    memory = [hip.array(array, GFX950).array for array in (values, values, np.zeros_like(values))]
    kernel = launch_and_check([CudaArray(array) for array in memory], memory)
    assert (hip.last.device, kernel.target) == (GFX950, "gfx950")


def test_arrays_on_two_gpus(hip):
    x, y, out = (hip.array(np.zeros(N, np.float32), device) for device in (0, 0, 1))
    with pytest.raises(hocket.LaunchError, match="`x` is on GPU 0 and `out` on GPU 1"):
        add[(1,)](x, y, out, N, BLOCK=N)


class TestStream:
    @pytest.fixture
    def arrays(self, hip):
        return [hip.array(np.zeros(N, np.float32)) for _ in range(3)]

    def test_default_is_the_default_stream(self, hip, arrays):
        add[(1,)](*arrays, N, BLOCK=N)
        assert hip.last.stream == 0

    def test_handle(self, hip, arrays):
        add[(1,)](*arrays, N, BLOCK=N, stream=0x1234)
        assert hip.last.stream == 0x1234

    def test_object_of_a_library(self, hip, arrays):
        stream = type("Stream", (), {"cuda_stream": 0x77})()
        add[(1,)](*arrays, N, BLOCK=N, stream=stream)
        assert hip.last.stream == 0x77
