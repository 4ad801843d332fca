"""Replacements of `torch.cuda`'s functions: queries return properties of the emulated GPU, and waits return at once."""

from __future__ import annotations

import contextlib
import functools
import time
from typing import Any

import torch

from . import host_tensors
from .gpus import GPUS


class Stream:
    """Replacement of `torch.cuda.Stream`. On the emulator, a launch is complete when its call returns."""

    cuda_stream = 0

    def __init__(self, *args: Any, **kwargs: Any):
        self.device = torch.device("cuda", 0)

    def synchronize(self) -> None:
        pass

    wait_stream = wait_event = record_event = lambda self, *args: None

    def query(self) -> bool:
        return True

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *error: object) -> None:
        pass


class Event:
    """Replacement of `torch.cuda.Event` that records host times."""

    def __init__(self, *args: Any, **kwargs: Any):
        self._time = 0.0

    def record(self, stream: Any = None) -> None:
        self._time = time.perf_counter()

    def synchronize(self) -> None:
        pass

    def wait(self, stream: Any = None) -> None:
        pass

    def query(self) -> bool:
        return True

    def elapsed_time(self, end: Event) -> float:
        """Returns the milliseconds of host time between two events, which differ from the time on a GPU."""
        return 1e3 * (end._time - self._time)


class CUDAGraph:
    """Raises NotImplementedError: the emulator completes each launch before the call returns, so a graph could not
    capture queued launches."""

    def __init__(self, *args: Any, **kwargs: Any):
        raise NotImplementedError("an emulated GPU captures no graphs: launch the kernels themselves")


class Generator(torch.Generator):
    """Replacement of `torch.Generator`: a generator "on the GPU" is a generator of the CPU."""

    def __new__(cls, device: Any = "cpu") -> Generator:
        return super().__new__(cls, "cpu" if torch.device(device).type == "cuda" else device)


@contextlib.contextmanager
def _nothing(*args: Any, **kwargs: Any):
    yield


def _compile(model: Any = None, **options: Any) -> Any:
    """Returns the function unchanged, because `torch.compile` would compile for a real GPU."""
    return model if model is not None else lambda function: function


def _manual_seed(seed: int) -> None:
    """Seeds the host's generator, which also makes the random numbers "on the GPU"."""
    torch.default_generator.manual_seed(seed)


#: Functions of `torch.cuda` that do nothing on an emulated GPU.
_WAITS = """
init synchronize set_device set_stream empty_cache ipc_collect reset_peak_memory_stats reset_max_memory_allocated
"""


def stand_in(target: str) -> None:
    """Replaces the functions of `torch.cuda` that need a GPU, and the values that distinguish NVIDIA from AMD."""
    gpu = GPUS[target]
    is_amd = target.startswith("gfx")
    properties = gpu.properties(target)
    stream = Stream()
    said: dict[str, Any] = {
        "is_available": True,
        "is_initialized": True,
        "is_bf16_supported": True,
        "is_current_stream_capturing": False,
        "device_count": 1,
        "current_device": 0,
        "get_device_capability": gpu.capability,
        "get_device_name": gpu.name,
        "get_device_properties": properties,
        "get_arch_list": [target],
        "current_stream": stream,
        "default_stream": stream,
        "mem_get_info": (gpu.memory_bytes, gpu.memory_bytes),
        "memory_allocated": 0,
        "memory_reserved": 0,
        "max_memory_allocated": 0,
        "max_memory_reserved": 0,
    }
    for name, value in said.items():
        setattr(torch.cuda, name, functools.partial(lambda answer, *args, **kwargs: answer, value))
    for name in _WAITS.split():
        setattr(torch.cuda, name, lambda *args, **kwargs: None)
    for name in ("manual_seed", "manual_seed_all"):
        setattr(torch.cuda, name, _manual_seed)
    for name in ("device", "device_of", "stream"):
        setattr(torch.cuda, name, _nothing)
    torch.cuda.Stream, torch.cuda.Event, torch.cuda.CUDAGraph = Stream, Event, CUDAGraph  # type: ignore[misc]
    torch.version.hip, torch.version.cuda = ("7.0", None) if is_amd else (None, "13.0")  # type: ignore[assignment]
    torch.Generator = Generator  # type: ignore[misc]
    torch.set_default_device = host_tensors.set_default_device
    torch.compile = _compile  # type: ignore[assignment]
    from_numpy = torch.from_numpy
    torch.from_numpy = lambda array: host_tensors.mark_as_host(from_numpy(array))
