"""GPUs, profiles and the disk cache: csrc/bindings/Runtime.cpp and Profiler.cpp."""

import os
from types import FunctionType
from typing import Any

from .kernel_facts import KernelFacts

class DeviceInfo:
    @property
    def ordinal(self) -> int: ...
    @property
    def name(self) -> str: ...
    @property
    def target(self) -> str: ...
    @property
    def needs_ptx(self) -> bool: ...
    @property
    def multiprocessors(self) -> int: ...
    @property
    def max_shared_bytes(self) -> int: ...
    @property
    def memory_bytes(self) -> int: ...

class DeviceKernel:
    """A kernel on a GPU, or on the emulator, where resources are None."""

    @property
    def registers(self) -> int | None: ...
    @property
    def spill_bytes(self) -> int | None: ...
    @property
    def max_threads(self) -> int | None: ...
    def launch(self, grid: tuple[int, int, int], values: list, stream: int = 0, profile: int = 0) -> None:
        """Queue the kernel with the bits of its arguments, or run it on the emulator.

        An argument wider than 64 bits is bytes. On the emulator, an array is a tuple (address, bytes, writable,
        dtype's name, bytes before the address, (size, stride in bytes) of each dimension if there are gaps), and a
        tensor map a list of its bytes and the tuple of its array. `profile`: address of the memory for the profiler's
        records.
        """

class Platform:
    """The GPUs of one vendor."""

    @property
    def name(self) -> str: ...
    @property
    def device_count(self) -> int: ...
    @property
    def driver_version(self) -> int: ...
    @property
    def why_no_device(self) -> str: ...
    def device_info(self, ordinal: int) -> DeviceInfo: ...

cuda: Platform
hip: Platform

class DeviceEvent:
    def __init__(self, ordinal: int) -> None: ...
    def record(self, stream: int = 0) -> None: ...
    def synchronize(self) -> None: ...
    def milliseconds_since(self, start: DeviceEvent) -> float: ...

class ReadbackMemory:
    """Memory of a GPU that kernels write, and that the host reads while other work runs. Zero at first, and after
    `read`."""

    def __init__(self, ordinal: int, bytes: int) -> None: ...
    @property
    def bytes(self) -> int: ...
    @property
    def address(self) -> int: ...
    def mark_written(self, stream: int) -> None: ...
    def read(self, into: Any) -> None: ...

class LaunchBytes:
    """The records of one launch, with the buffer protocol."""

    def __buffer__(self, flags: int, /) -> memoryview: ...

class LaunchRecorder:
    """Collects the records of the launches of a profiling session; see csrc/bindings/dispatch/Recorder.h."""

    def __init__(self, limit_bytes: int) -> None: ...
    def launches(self, begin: int = 0) -> list[tuple[Any, tuple[int, int, int], int | str, LaunchBytes]]:
        """Returns the kernel, grid, target and records of each launch from number `begin` on, after waiting until
        they were read."""

    def close(self) -> None: ...

class ProfileFacts:
    def __init__(
        self,
        *,
        blocks: int,
        bytes_per_unit: int,
        warps: list[int],
        sites: int,
        launch: int = 0,
        steady_ns_per_tick: float = 1.0,
        cycles_per_ns: float = 0.0,
    ) -> None: ...

def decode_profile(buffer: Any, facts: ProfileFacts) -> tuple[Any, Any, Any, int, int]:
    """Returns records, blocks and units as bytes for NumPy, the number of missing blocks, and the steady clock at the
    start.

    ValueError if the buffer was not written by a kernel.
    """

def correct_records(records: Any, cycles_of_record: float, cycles_per_ns: Any) -> Any:
    """Returns the corrected records, as bytes. `cycles_per_ns` has an entry per block."""

def pair_records(shown: Any, raw: Any, is_token: Any) -> tuple[Any, int]:
    """Returns the spans as bytes, and the number of records without a partner. `is_token` has an entry per site."""

class CacheFlusher:
    def __init__(self, ordinal: int) -> None: ...
    def flush(self, stream: int = 0) -> None: ...

class DiskCache:
    def __init__(self, directory: str | os.PathLike, limit_bytes: int) -> None: ...
    def read(self, key: str) -> dict[str, bytes] | None: ...
    def write(self, key: str, parts: dict[str, bytes]) -> bool: ...
    def status(self) -> tuple[str, int, int]:
        """Returns the reason why the directory is not used, or ""; the number of entries; their bytes."""

    def clear(self) -> int: ...

# The platform that this process launches on:
def set_profilers(count: int) -> None:
    """Sets the number of active profilers. If there are any, launches call `hocket.runtime.profiling`."""

def set_launch_hooks(count: int) -> None:
    """Sets the number of functions that observe launches. If there are any, launches call `hocket.hooks`."""

def device_count() -> int:
    """Returns 0 if kernels cannot be launched on the current GPU."""

def why_no_device() -> str: ...
def current_device() -> int: ...
def current_stream(ordinal: int) -> int: ...
def device_info(ordinal: int) -> DeviceInfo: ...
def synchronize(ordinal: int) -> None: ...
def load_kernel(ordinal: int, code: bytes, facts: KernelFacts) -> DeviceKernel: ...
def definition_source(function: FunctionType) -> str: ...
def stamp_source(function: FunctionType) -> None: ...
def build_id() -> str: ...
