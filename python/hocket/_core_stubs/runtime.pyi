"""Access to GPUs, profiles and the disk cache (csrc/bindings/Runtime.cpp and Profiler.cpp)."""

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
    """A kernel that is loaded on a GPU or on the emulator. On the emulator, `registers`, `spill_bytes` and
    `max_threads` are None."""

    @property
    def registers(self) -> int | None: ...
    @property
    def spill_bytes(self) -> int | None: ...
    @property
    def max_threads(self) -> int | None: ...
    def launch(self, grid: tuple[int, int, int], values: list, stream: int = 0, profile: int = 0) -> None:
        """Queues the kernel on the GPU, or runs the kernel on the emulator. `values` are the bits of the arguments.

        The value of an argument wider than 64 bits is a bytes object. On the emulator, the value of an array is a tuple
        (address, bytes, writable, name of the dtype, bytes before the address, (size, stride in bytes) of each
        dimension if the array has gaps). The value of a tensor map is a list of the map's bytes and the tuple of its
        array. `profile` is the address of the memory for the profiler's records.
        """

class Platform:
    """The driver of one vendor, and its GPUs."""

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
    """GPU memory that kernels write, and that the host reads while other kernels run. The memory contains zeros at
    first, and after `read`."""

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
        """Waits until all records have been copied to the host. Returns the kernel, grid, target and records of each
        launch from number `begin` on."""

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
    """Returns the records, blocks and units as bytes for NumPy, the number of missing blocks, and the time of the
    steady clock at the start of the first block.

    Raises ValueError if the buffer was not written by a kernel.
    """

def correct_records(records: Any, cycles_of_record: float, cycles_per_ns: Any) -> Any:
    """Returns the records with corrected times, as bytes. `cycles_per_ns` is an array with the frequency of each
    block."""

def pair_records(shown: Any, raw: Any, is_token: Any) -> tuple[Any, int]:
    """Returns the spans as bytes, and the number of records without a partner. `is_token` is an array with True for
    each site of a token."""

class CacheFlusher:
    def __init__(self, ordinal: int) -> None: ...
    def flush(self, stream: int = 0) -> None: ...

class DiskCache:
    def __init__(self, directory: str | os.PathLike, limit_bytes: int) -> None: ...
    def read(self, key: str) -> dict[str, bytes] | None: ...
    def write(self, key: str, parts: dict[str, bytes]) -> bool: ...
    def status(self) -> tuple[str, int, int]:
        """Returns the reason why the cache cannot use its directory ("" if it can), the number of entries, and the size
        of all entries in bytes."""

    def clear(self) -> int: ...

# Functions of the platform on which this process launches kernels:
def set_profilers(count: int) -> None:
    """Sets the number of active profilers. If it is not 0, launches call `hocket.runtime.profiling`."""

def set_launch_hooks(count: int) -> None:
    """Sets the number of launch hooks. If it is not 0, launches call `hocket.hooks`."""

def device_count() -> int:
    """Returns the number of GPUs; 0 if kernels cannot be launched on the current GPU."""

def why_no_device() -> str: ...
def current_device() -> int: ...
def current_stream(ordinal: int) -> int: ...
def device_info(ordinal: int) -> DeviceInfo: ...
def synchronize(ordinal: int) -> None: ...
def load_kernel(ordinal: int, code: bytes, facts: KernelFacts) -> DeviceKernel: ...
def definition_source(function: FunctionType) -> str: ...
def stamp_source(function: FunctionType) -> None: ...
def build_id() -> str: ...
