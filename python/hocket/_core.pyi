"""The C++ core: the functions and classes that csrc/bindings/ exports to Hocket's Python files. Not for users."""

import os
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any

from hocket.language._dtype import dtype
from hocket.runtime.compiled import CompiledKernel
from hocket.runtime.options import Options

llvm_version: str

# Targets.cpp

class TargetInfo:
    @property
    def name(self) -> str: ...
    @property
    def family(self) -> str: ...
    @property
    def vendor(self) -> str: ...
    @property
    def warp_size(self) -> int: ...
    @property
    def max_threads_per_block(self) -> int: ...
    @property
    def max_shared_bytes(self) -> int: ...
    @property
    def shared_banks(self) -> int:
        """Banks of 4 bytes each."""

def targets() -> list[TargetInfo]: ...

# CodeFacts.cpp

def occupancy(target: str, warps: int, registers: int, shared_bytes: int) -> tuple[int, int, str]:
    """Return (blocks per multiprocessor, warps per SIMD unit, the resource that limits them).

    The blocks have `warps` warps with `registers` registers per lane: on AMD, vector and accumulation registers
    together.
    """

def cache_dies(target: str) -> int:
    """Return the number of dies with an L2 cache each. A launch distributes its blocks round-robin over them. 1: one
    L2 cache."""

def matrix_clocks(target: str, m: int, blocks: int, rate: str) -> int:
    """Return the clocks of a matrix instruction with an m x m result in each of its blocks, or 0 if there is none.

    `rate` is "narrow", "f32", "f64", "scaled" or "scaled8".
    """

def costs(target: str) -> dict[str, int]:
    """Return the costs that the model of a schedule uses, by name; see csrc/target/CostTable.h."""

def shared_clocks(target: str, is_store: bool, bytes: int) -> int:
    """Return the clocks for which one warp's access of `bytes` per lane occupies shared memory, without bank
    conflicts."""

def loop_accesses(
    hk: str,
) -> list[tuple[int, list[str], list[tuple[bool, int, int, int]], list[tuple[str, int, int, int]]]]:
    """Return the memory accesses of each innermost loop of `kernel.asm["hk"]`.

    Each loop: (depth, labels of stages, accesses of shared memory, accesses of global memory).
    Each access of shared memory, for the warp that takes longest:
        (True for a store, index of its stage, wavefronts, wavefronts without conflicts).
    Each access of global memory:
        ("loads", "stores" or "copies", index of its stage, bytes of the cache lines that it touches, bytes of the
        tile).

    The first stage follows the first barrier of the loop's body.
    """

# Frontend.cpp

def emit_hk(
    function: Any,
    signature: list[str],
    constexprs: dict[str, Any] = ...,
    target: str = "sm_90a",
    num_warps: int = 4,
    debug: bool = False,
    locations: bool = False,
) -> str: ...

# Layouts.cpp

def layout_bases(layout: Any, shape: Sequence[int]) -> dict[str, Any]:
    """Return the bases of a layout: {"register" | "lane" | "warp" | "block": rows}.

    A shared layout has {"offset" | "block": rows, "paddings": pairs}.
    """

def bank_wavefronts(distr_ty: Any, shared_ty: Any, access: str, target: str) -> list[tuple[int, int]]:
    """Return (actual, ideal) wavefronts of each warp for one load or store of the tile. ValueError if the arguments do
    not
    match.
    """

def bank_phases(distr_ty: Any, shared_ty: Any, access: str, target: str) -> list[dict[str, Any]]:
    """Return the phases of warp 0: "register", "bytes", "banks", "lanes", their byte "addresses", "actual", "ideal"."""

# MatrixLayouts.cpp

def matrix_shapes(version: int) -> list[list[int]]:
    """Return [M, N, K] of every matrix instruction of a generation: 3 for CDNA3, 4 for CDNA4."""

def scale_layout(operand: Any, shape: Sequence[int]) -> Any:
    """Return the layout of a dot operand's scales, a tensor of `shape`, for an AMDMFMALayout."""

# KernelFacts.cpp

class KernelFacts:
    """The facts of a compiled kernel."""

    def __init__(self, **facts: Any) -> None:
        """Facts that are not given are 0 or empty."""
    FACTS: tuple[tuple[str, str, str], ...]
    """(name, type, description) of each."""
    # Written by tools/write_fact_stubs.py from csrc/runtime/KernelFacts.def:
    @property
    def name(self) -> str:
        """The kernel's name."""
    @property
    def target(self) -> str:
        """What it was compiled for, such as gfx950."""
    @property
    def num_warps(self) -> int:
        """Warps of one block that the launch asks for."""
    @property
    def worker_warps(self) -> int:
        """Warps of one block that warp_specialize adds."""
    @property
    def shared(self) -> int:
        """Shared memory of one block, in bytes."""
    @property
    def warp_size(self) -> int:
        """Lanes of one warp."""
    @property
    def num_ctas(self) -> int:
        """Blocks that form a cluster."""
    @property
    def launch_cooperative_grid(self) -> bool:
        """Whether all blocks of a launch run at once, so that they may wait for each other."""
    @property
    def launch_pdl(self) -> bool:
        """Whether launches may begin before those ahead of them on their stream have ended, where the GPU can."""
    @property
    def parameters(self) -> list[str]:
        """Names of the arguments that a launch hands over, in order."""
    @property
    def read_arguments(self) -> list[str]:
        """Names of the arguments that the kernel reads memory through."""
    @property
    def written_arguments(self) -> list[str]:
        """Names of the arguments that the kernel writes memory through."""
    @property
    def implicit_arguments(self) -> list[tuple[str, int, int]]:
        """What the runtime passes after them: kind, bytes per launch, bytes per block."""
    @property
    def messages(self) -> list[tuple[str, str]]:
        """Where the driver has no printf: how the lines are made that the kernel prints, and why it stops."""
    @property
    def synchronization(self) -> list[tuple[Any, ...]]:
        """Waits, fences and barriers: what, where, whether it is written, the operation before and after, and why."""
    @property
    def profile(self) -> str:
        """What the profiler's records mean, as JSON; empty without records. See docs/profiling_format.md."""
    @property
    def records_variable(self) -> str:
        """The module's variable that the profiler's records go to; empty where launches hand over memory."""
    @property
    def record_bytes(self) -> int:
        """Bytes of the profiler's records of one block; 0 without records."""
    @property
    def recorded_blocks(self) -> int:
        """How many blocks have room in that variable; 0 where all blocks of a launch record."""
    @property
    def warnings(self) -> list[str]:
        """What was asked for and left undone."""
    # End of what it writes.
    def to_bytes(self) -> bytes: ...
    @staticmethod
    def from_bytes(bytes: bytes) -> KernelFacts | None:
        """Return the facts that `to_bytes` has written, or None if the build that wrote them has other facts."""
    def issue_warnings(self) -> None:
        """Issue each of `warnings` as a CompileWarning at its source line."""

# Compile.cpp: `types` and `values` as LaunchFunction hands them to `_compile`

def compile(
    function: Any,
    types: list,
    values: list,
    target: str,
    options: Options,
    wanted: Sequence[str],
    trace: CompileTrace | None = None,
) -> tuple[KernelFacts, dict[str, bytes]]:
    """Return the facts, and the artifacts by name."""

def codegen_passes() -> list[str]: ...
def set_machine_verifier(on: bool) -> None: ...

class CompileTrace:
    """Records the steps of a compilation, also of one that fails."""

    def __init__(self, print_after: str = "") -> None:
        """`print_after`: the pass after which the module is printed, "all" or ""."""

    @property
    def printed(self) -> str: ...
    @property
    def seconds(self) -> list[tuple[str, float]]:
        """The time of each pass, and of each step after the passes, in order."""

def emit(function: Any, types: list, values: list, target: str, options: Options) -> str:
    """Return the front end's output, before any pass."""

def emit_to_go_on(function: Any, types: list, values: list, target: str, options: Options) -> tuple[str, list[str]]:
    """Return the front end's output with all locations, and the names of the parameters: the input of
    `compile_emitted`."""

def compile_emitted(
    text: str, parameters: list[str], target: str, options: Options, wanted: Sequence[str]
) -> tuple[KernelFacts, dict[str, bytes]]:
    """Compile the output of `emit_to_go_on`, possibly in another process. ValueError if it comes from another build."""

def check_signature(text: str) -> None: ...
def artifacts(target: str) -> list[str]: ...
def cubin_assembler(ptx: str | bytes = "") -> str: ...
def set_cuda_toolchain(folders: Sequence[str], newest_major: int) -> None: ...
def hold_compilations_at(step: str) -> None:
    """Hold the next compilation that reaches this step until this is called again with "". For tests."""

def is_compilation_held() -> bool:
    """Return True if a compilation is held. For tests."""

def finish_prefetch() -> None: ...
def ptx_to_cubin(ptx: bytes, target: str) -> bytes: ...

# Emulator.cpp

class EmulatedKernel:
    def launch(
        self,
        grid: tuple[int, int, int],
        values: list,
        seed: int,
        threads: int,
        races: bool,
        completion: str,
        count_banks: bool = False,
        recorded_blocks: int = 0,
        show: Callable[[str], object] | None = None,
        cooperative: bool = False,
        keeps_time: bool = False,
        clock_start: int = 0,
        profile: int = 0,
    ) -> tuple[list[tuple[str, int, str, int, int, int, int]], list[tuple]]:
        """Run the kernel. Return two lists, empty unless requested.

        With `count_banks`: file, line, access, bytes, instructions, wavefronts and ideal wavefronts of each source
        line. If the
        kernel was compiled with timing: block, warp, kind, label, operations, file, line, begin and end of each
        interval.
        `show` is called with the text that the kernel prints. With `keeps_time`, the kernel reads the virtual clock.
        `profile`
        is the address of the memory for the profiler's records.
        """

    @property
    def workers(self) -> list[str]:
        """The name of each warp's partition of warp_specialize; empty for the warps of the default partition."""

def compile_emulated(
    function: Any,
    types: list,
    values: list,
    target: str,
    options: Options,
    timing: bool = False,
    undefined: bool = False,
    unwritten: bool = False,
    optimized: bool = True,
) -> tuple[KernelFacts, EmulatedKernel]: ...

class UnwrittenMemory:
    """Memory with the buffer protocol that records which of its bytes were never written."""

    def __init__(self, bytes: int) -> None: ...
    def __buffer__(self, flags: int, /) -> memoryview: ...
    @staticmethod
    def find(address: int) -> UnwrittenMemory | None:
        """Return the memory that contains `address`."""

    def shadow(self) -> bytes:
        """Return a copy of the shadow memory, whose bits are set for bytes that were never written."""

def lane_form(function: Any, types: list, values: list, target: str, options: Options) -> tuple[KernelFacts, str]:
    """Like `compile_emulated`, but return the kernel's lane form as text, with all locations."""

def emulate_lane(text: str, parameters: list[str], timing: bool = False) -> EmulatedKernel:
    """Return the kernel of a module in lane form, as "lane" or `lane_form` shows it. ValueError if there is none."""

# Runtime.cpp

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
    @property
    def registers(self) -> int: ...
    @property
    def spill_bytes(self) -> int: ...
    @property
    def max_threads(self) -> int: ...
    def launch(self, grid: tuple[int, int, int], values: list[int | bytes], stream: int = 0) -> None:
        """Queue the kernel with the bits of its arguments. An argument wider than 64 bits is passed as bytes."""

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
        """Return the kernel, grid, target and records of each launch from number `begin` on, after waiting until
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
    """Return records, blocks and units as bytes for NumPy, the number of missing blocks, and the steady clock at the
    start.

    ValueError if the buffer was not written by a kernel.
    """

def correct_records(records: Any, cycles_of_record: float, cycles_per_ns: Any) -> Any:
    """Return the corrected records, as bytes. `cycles_per_ns` has an entry per block."""

def pair_records(shown: Any, raw: Any, is_token: Any) -> tuple[Any, int]:
    """Return the spans as bytes, and the number of records without a partner. `is_token` has an entry per site."""

class CacheFlusher:
    def __init__(self, ordinal: int) -> None: ...
    def flush(self, stream: int = 0) -> None: ...

class DiskCache:
    def __init__(self, directory: str | os.PathLike, limit_bytes: int) -> None: ...
    def read(self, key: str) -> dict[str, bytes] | None: ...
    def write(self, key: str, parts: dict[str, bytes]) -> bool: ...
    def status(self) -> tuple[str, int, int]:
        """Return the reason why the directory is not used, or ""; the number of entries; their bytes."""

    def clear(self) -> int: ...

# Of the platform that this process launches on.
def set_profilers(count: int) -> None:
    """Set the number of active profilers. If there are any, launches call `hocket.runtime.profiling`."""

def set_launch_hooks(count: int) -> None:
    """Set the number of functions that observe launches. If there are any, launches call `hocket.hooks`."""

def device_count() -> int:
    """Return 0 if kernels cannot be launched on the current GPU."""

def why_no_device() -> str: ...
def current_device() -> int: ...
def current_stream(ordinal: int) -> int: ...
def device_info(ordinal: int) -> DeviceInfo: ...
def synchronize(ordinal: int) -> None: ...
def load_kernel(ordinal: int, code: bytes, facts: KernelFacts) -> DeviceKernel: ...
def definition_source(function: FunctionType) -> str: ...
def stamp_source(function: FunctionType) -> None: ...
def build_id() -> str: ...
def set_fork_patience(seconds: float) -> None: ...

# LaunchDescriptor.cpp

class PixelBox:
    """The pixels of each image that im2col covers. The outermost dimension of an image comes first."""

    def __init__(self, lower_corner: Sequence[int], upper_corner: Sequence[int], steps: Sequence[int]) -> None: ...

class LaunchDescriptor:
    """The form of a `TensorDescriptor` that a launch uses, stored in its `_launch_descriptor`.

    `shape`, `strides` (in elements) and `box` start with the outermost dimension. For im2col, `box` is pixels and
    channels.
    """

    def __init__(
        self,
        base: Any,
        specialization: Any,
        shape: Sequence[int],
        strides: Sequence[int],
        box: Sequence[int],
        swizzle_bytes: int,
        fills_nan: bool,
        rounds_to_tf32: bool,
        pixels: PixelBox | None = None,
    ) -> None: ...

def array_memory(base: Any) -> tuple[dtype, int, int | None]:
    """Return the element type and the address of an array, and the bytes from there to its end if known."""

# LaunchFunction.cpp

class LaunchFunction:
    """Base class of JITFunction: `self[grid]` is a callable that launches.

    For a new specialization, it calls `self._compile(types, values, options, place)`, whose result has the attributes
    `_launcher` and `_used_globals`.
    """

    def __getitem__(self, grid: Any) -> Callable[..., Any]: ...
    def warmup(self, *args: Any, grid: Any = None, target: str | None = None, **kwargs: Any) -> CompiledKernel: ...
    def _configure(
        self,
        name: str,
        parameters: Sequence[tuple[str, int, bool, Any, Any]],
        options: Sequence[tuple[str, Any]],
        positional_count: int,
        var_args: int,
        constexpr_class: type,
        constant_types: tuple[type, ...],
    ) -> None: ...
    def _specialize(self, *args: Any, **kwargs: Any) -> Any: ...
    def _forget(self) -> None: ...
