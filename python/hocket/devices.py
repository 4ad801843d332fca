"""Devices that kernels can run on: their properties, and uniform access to emulated and real devices for tests.

`properties` describes a GPU, a target or the device of an array, for the host side of kernels:

    gpu = hocket.devices.properties(x)
    blocks = 2 * gpu.multiprocessors

Launches through HIP have been tested against a fake library, and against the real library without a device, but not on
hardware.

    for device in hocket.devices.available():
        with device:
            out = device.to_device(np.zeros(1024, np.float32))
            kernel[(1,)](out, BLOCK=1024)
            print(device.name, device.to_host(out).sum())
"""

from __future__ import annotations

import contextlib
import functools
import importlib.util
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _core
from .errors import LaunchError

if TYPE_CHECKING:
    import numpy as np

__all__ = [
    "EMULATED_TARGETS",
    "DeviceProperties",
    "EmulatedDevice",
    "TorchDevice",
    "address_of",
    "available",
    "cuda",
    "emulated",
    "hip",
    "properties",
    "targets",
    "torch_to_numpy",
]


class DeviceProperties(NamedTuple):
    """Properties of a GPU, or of the GPUs of a target.

    Attributes:
        name: the GPU's name, such as "NVIDIA H200"; the target's name if the properties are those of a target.
        target: the target of compilations, such as "sm_90a".
        vendor: "nvidia" or "amd".
        ordinal: index of the GPU; None for a target or an emulated GPU.
        warp_size: lanes of a warp.
        max_threads_per_block: largest number of threads of a block.
        max_shared_bytes: shared memory that a block can use, in bytes.
        shared_banks: banks of shared memory, of 4 bytes each.
        cache_dies: number of dies with an L2 cache each; a launch distributes its blocks round-robin over them.
        multiprocessors: number of SMs or compute units; None without a GPU.
        memory_bytes: device memory in bytes; None without a GPU.
    """

    name: str
    target: str
    vendor: str
    ordinal: int | None
    warp_size: int
    max_threads_per_block: int
    max_shared_bytes: int
    shared_banks: int
    cache_dies: int
    multiprocessors: int | None
    memory_bytes: int | None

    @property
    def is_gpu(self) -> bool:
        """True for a GPU of this machine, False for a target or an emulated GPU."""
        return self.ordinal is not None


def targets() -> list[str]:
    """Returns the names of all targets that kernels can be compiled for.

    Example:
        >>> hocket.devices.targets()
        ['sm_80', 'sm_90a', 'gfx942', 'gfx950']
    """
    return [info.name for info in _core.targets()]


def properties(device: Any = None) -> DeviceProperties:
    """Returns the properties of a device.

    Args:
        device: a target, such as "gfx950"; the ordinal of a GPU; an array; or None. An array selects the device on
            which a launch with this array runs, i.e. the GPU that holds the array, or the emulated GPU. None selects
            the current GPU if there is one, otherwise the emulated GPU.

    Raises: LaunchError for an unknown target, or a GPU that is not available.

    Example:
        >>> hocket.devices.properties("gfx950").max_shared_bytes
        163840
    """
    if isinstance(device, str):
        return _of_target(device)
    if device is None:
        ordinal = _core.current_device() if _core.device_count() else None
    elif isinstance(device, int):
        ordinal = device
    else:
        ordinal = _ordinal_of(device)
    if ordinal is not None:
        return _of_gpu(ordinal)
    from . import emulator

    return _of_target(emulator.current_target())


def _ordinal_of(array: Any) -> int | None:
    """Returns the ordinal of the GPU that holds an array; None for arrays of the host."""
    device = getattr(array, "device", None)
    if getattr(device, "type", "") == "cpu":
        return None
    # PyTorch's device has the attribute `index`, and CuPy's has `id`; NumPy's device is a str.
    ordinal = getattr(device, "id", None) if isinstance(device, str) or not hasattr(device, "index") else device.index
    return ordinal if isinstance(ordinal, int) else None


@functools.cache
def _of_target(target: str) -> DeviceProperties:
    info = next((info for info in _core.targets() if info.name == target), None)
    if info is None:
        raise LaunchError(f"there is no target {target!r}\n  hint: the targets are {', '.join(targets())}")
    return DeviceProperties(
        name=target,
        target=target,
        vendor=info.vendor,
        ordinal=None,
        warp_size=info.warp_size,
        max_threads_per_block=info.max_threads_per_block,
        max_shared_bytes=info.max_shared_bytes,
        shared_banks=info.shared_banks,
        cache_dies=_core.cache_dies(target),
        multiprocessors=None,
        memory_bytes=None,
    )


@functools.cache
def _of_gpu(ordinal: int) -> DeviceProperties:
    gpu = _core.device_info(ordinal)
    return _of_target(gpu.target)._replace(
        name=gpu.name,
        ordinal=ordinal,
        max_shared_bytes=gpu.max_shared_bytes,
        multiprocessors=gpu.multiprocessors,
        memory_bytes=gpu.memory_bytes,
    )


def address_of(array: Any) -> int:
    """Returns the address of an array's first element, which kernels get as a pointer.

    Example:
        >>> hocket.devices.address_of(np.zeros(4, np.float32)[1:]) % 8
        4
    """
    return _core.array_memory(array)[1]


EMULATED_TARGETS = ("sm_90a", "gfx950")


class EmulatedDevice:
    """An emulated GPU. Arrays are NumPy arrays. Launches inside `with device:` run on the emulator for the device's
    target."""

    is_gpu = False

    def __init__(self, target: str):
        self.target = target
        self.name = f"{target} (emulated)"
        self._scopes: list[contextlib.AbstractContextManager] = []

    def __enter__(self) -> EmulatedDevice:
        from hocket import emulator

        scope = emulator.target(self.target)
        scope.__enter__()
        self._scopes.append(scope)
        return self

    def __exit__(self, *exception) -> None:
        self._scopes.pop().__exit__(*exception)

    def to_device(self, array: np.ndarray) -> np.ndarray:
        """Returns a copy of the array, which kernels may write."""
        return array.copy()

    def to_host(self, array: np.ndarray) -> np.ndarray:
        """Returns the array itself, which is a NumPy array."""
        return array


#: For each dtype that NumPy has only through ml_dtypes: an integer dtype of equal width, as which PyTorch and NumPy
#: exchange the data.
_CARRIERS = {
    "bfloat16": "int16",
    "float8_e5m2": "int8",
    "float8_e4m3fn": "int8",
    "float8_e5m2fnuz": "int8",
    "float8_e4m3fnuz": "int8",
}


class TorchDevice:
    """PyTorch's current GPU. Arrays are PyTorch tensors. `name` is "cuda" or "hip"; PyTorch's device is "cuda" in
    both cases."""

    is_gpu = True

    def __init__(self, name: str):
        self.name = name

    def __enter__(self) -> TorchDevice:
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

        return tensor.view(getattr(torch, carrier)).cpu().numpy().view(getattr(ml_dtypes, name))
    return tensor.cpu().numpy()


def emulated() -> list[EmulatedDevice]:
    """Returns an emulated NVIDIA GPU and an emulated AMD GPU."""
    return [EmulatedDevice(target) for target in EMULATED_TARGETS]


def cuda() -> TorchDevice | None:
    """Returns the CUDA GPU, or None if PyTorch is not installed, is built for another vendor, or finds no GPU."""
    return _torch_device("cuda")


def hip() -> TorchDevice | None:
    """Returns the HIP GPU, or None if PyTorch is not installed, is built for another vendor, or finds no GPU."""
    return _torch_device("hip")


def _torch_device(platform: str) -> TorchDevice | None:
    """Returns PyTorch's GPU, if `torch.version.cuda` or `torch.version.hip` shows that PyTorch is built for
    `platform`."""
    if importlib.util.find_spec("torch") is None:
        return None
    import torch

    built_for = getattr(torch.version, platform, None) is not None
    return TorchDevice(platform) if built_for and torch.cuda.is_available() else None


def available() -> list[EmulatedDevice | TorchDevice]:
    """Returns all available devices; emulated GPUs come first."""
    gpu = cuda() or hip()
    return [*emulated(), *([gpu] if gpu else [])]
