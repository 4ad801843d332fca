"""Devices that kernels can run on: emulated GPUs and a real one, for code that compares them, such as tests.

Launches through HIP have been tested against a fake library, and against the real library without a device, but not on
hardware.

for device in hocket.devices.available():
    with device:
        out = device.to_device(np.zeros(1024, np.float32))
        kernel[(1,)](out, BLOCK=1024)
        print(device.name, device.to_host(out).sum())
"""

import contextlib
import importlib.util
from typing import Any

import numpy as np

EMULATED_TARGETS = ("sm_90a", "gfx950")


class EmulatedDevice:
    """An emulated GPU. Arrays are NumPy's, and launches inside `with device:` use its target."""

    is_gpu = False

    def __init__(self, target: str):
        self.target = target
        self.name = f"{target} (emulated)"
        self._scopes: list[contextlib.AbstractContextManager] = []

    def __enter__(self) -> "EmulatedDevice":
        from hocket import emulator

        scope = emulator.target(self.target)
        scope.__enter__()
        self._scopes.append(scope)
        return self

    def __exit__(self, *exception) -> None:
        self._scopes.pop().__exit__(*exception)

    def to_device(self, array: np.ndarray) -> np.ndarray:
        """Returns a copy that kernels may write to."""
        return array.copy()

    def to_host(self, array: np.ndarray) -> np.ndarray:
        """Returns the array itself, which is a NumPy array."""
        return array


#: Dtypes that NumPy only knows through ml_dtypes, and integer dtypes of the same width, which torch can take from
#: NumPy.
_CARRIERS = {
    "bfloat16": np.int16,
    "float8_e5m2": np.int8,
    "float8_e4m3fn": np.int8,
    "float8_e5m2fnuz": np.int8,
    "float8_e4m3fnuz": np.int8,
}


class TorchDevice:
    """PyTorch's current GPU. Arrays are PyTorch tensors. `name` is "cuda" or "hip"; PyTorch's device is "cuda" in
    both cases."""

    is_gpu = True

    def __init__(self, name: str):
        self.name = name

    def __enter__(self) -> "TorchDevice":
        return self

    def __exit__(self, *exception) -> None:
        pass

    def to_device(self, array: np.ndarray) -> Any:
        """Returns a tensor on the GPU with the array's shape, dtype (including bfloat16 and float8) and contents."""
        import torch

        if (carrier := _CARRIERS.get(array.dtype.name)) is not None:
            return torch.from_numpy(array.view(carrier).copy()).cuda().view(getattr(torch, array.dtype.name))
        return torch.from_numpy(array.copy()).cuda()

    def to_host(self, tensor: Any) -> np.ndarray:
        """Returns a NumPy array with the contents of a tensor."""
        return torch_to_numpy(tensor)


def torch_to_numpy(tensor: Any) -> np.ndarray:
    """Returns a NumPy array with the contents of a PyTorch tensor on any device."""
    import torch

    name = str(tensor.dtype).removeprefix("torch.")
    if (carrier := _CARRIERS.get(name)) is not None:
        import ml_dtypes

        carrier_name = np.dtype(carrier).name
        return tensor.view(getattr(torch, carrier_name)).cpu().numpy().view(getattr(ml_dtypes, name))
    return tensor.cpu().numpy()


def emulated() -> list[EmulatedDevice]:
    """Returns the emulated GPUs for comparisons: an NVIDIA one and an AMD one."""
    return [EmulatedDevice(target) for target in EMULATED_TARGETS]


def cuda() -> TorchDevice | None:
    """Returns the CUDA GPU, or None if PyTorch is not installed, is built for another vendor, or finds no GPU."""
    return _torch_device("cuda")


def hip() -> TorchDevice | None:
    """Returns the HIP GPU, or None if PyTorch is not installed, is built for another vendor, or finds no GPU."""
    return _torch_device("hip")


def _torch_device(platform: str) -> TorchDevice | None:
    """PyTorch's GPU, if `torch.version.cuda` or `torch.version.hip` show that PyTorch is built for `platform`."""
    if importlib.util.find_spec("torch") is None:
        return None
    import torch

    built_for = getattr(torch.version, platform, None) is not None
    return TorchDevice(platform) if built_for and torch.cuda.is_available() else None


def available() -> list[EmulatedDevice | TorchDevice]:
    """Returns every available device, emulated ones first."""
    gpu = cuda() or hip()
    return [*emulated(), *([gpu] if gpu else [])]
