"""PyTorch built for ROCm, as far as hocket looks at it: its GPUs are called "cuda", `torch.version.hip` is set."""

import ctypes
import importlib.machinery
import sys
import types

import numpy as np
import pytest
from kernels import add
from stand_in import GFX950
from stand_ins.dlpack import KDL_ROCM, CurrentStream, ExchangeApi, FromObject, capsule, fill

from hocket import _core, devices


def raw_stream(device: int) -> int:
    return 0x7000 + device


@pytest.fixture(autouse=True)
def torch(monkeypatch):
    """A module that answers what hocket asks of PyTorch."""
    module = types.ModuleType("torch")
    module.__spec__ = importlib.machinery.ModuleSpec("torch", None)
    module.version = types.SimpleNamespace(hip="6.4.43482", cuda=None)
    module.cuda = types.SimpleNamespace(is_available=lambda: True)
    module._C = types.ModuleType("torch._C")
    module._C._cuda_getCurrentRawStream = raw_stream
    monkeypatch.setitem(sys.modules, "torch", module)
    monkeypatch.setitem(sys.modules, "torch._C", module._C)
    return module


@FromObject
def from_object(tensor, out):
    fill(out.contents, tensor.array, tensor.device, KDL_ROCM)
    return 0


@CurrentStream
def no_stream(device_type, device, out):
    out[0] = None
    return 0


API = ExchangeApi(1, 3, from_object=from_object, current_stream=no_stream)


class Tensor:
    """PyTorch's exchange table knows no stream of AMD's GPUs in several versions."""

    __module__ = "torch"
    __qualname__ = "Tensor"
    __dlpack_c_exchange_api__ = capsule(ctypes.pointer(API), b"dlpack_exchange_api")

    def __init__(self, array, device):
        self.array, self.device = array, device


class Parameter(Tensor):
    __module__ = "torch.nn.parameter"


@pytest.mark.parametrize("kind", [Tensor, Parameter])
def test_launches_on_the_current_stream(hip, kind):
    values = np.arange(64, dtype=np.float32)
    x, y, out = (hip.array(array, GFX950).array for array in (values, values, np.zeros_like(values)))
    kernel = add[(1,)](kind(x, GFX950), kind(y, GFX950), kind(out, GFX950), 64, BLOCK=64)
    np.testing.assert_array_equal(out, x + y)
    assert kernel.target == "gfx950"
    assert (hip.last.device, hip.last.stream) == (GFX950, 0x7001)


def test_a_launch_without_arrays(hip):
    assert _core.current_stream(3) == 0x7003


def test_devices(torch):
    assert devices.cuda() is None
    assert devices.hip().name == "hip"
    assert [device.name for device in devices.available()][-1] == "hip"
    torch.cuda.is_available = lambda: False
    assert devices.hip() is None


def test_pytorch_for_cuda_has_no_hip_device(torch):
    torch.version = types.SimpleNamespace(hip=None, cuda="13.0")
    assert devices.hip() is None
    assert devices.cuda().name == "cuda"
