"""The CUDA driver and the HIP runtime through ctypes, for bundles. Neither loads the compiler."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Sequence
from ctypes import byref, c_char_p, c_int, c_size_t, c_uint, c_uint32, c_uint64, c_void_p
from typing import Any

from ..errors import LaunchError
from .manifest import KernelCode, TensorMap, capability_of

_SWIZZLES = {0: 0, 32: 1, 64: 2, 128: 3}
#: Values of CUlaunchAttributeID, CUdevice_attribute and CUfunction_attribute.
_COOPERATIVE, _CLUSTER, _PROGRAMMATIC = 2, 4, 6
_CAPABILITY_MAJOR, _CAPABILITY_MINOR = 75, 76
_MAX_SHARED_BYTES, _LARGE_CLUSTERS = 8, 14
_SHARED_BYTES_WITHOUT_OPT_IN = 48 * 1024
_PORTABLE_CLUSTER = 8
_L2_PROMOTION_128 = 2


class _AttributeValue(ctypes.Union):
    _fields_ = (("value", c_int), ("cluster", c_uint * 3), ("bytes", ctypes.c_char * 64))


class _Attribute(ctypes.Structure):
    _fields_ = (("id", c_int), ("padding", c_int), ("is_", _AttributeValue))


class _Config(ctypes.Structure):
    _fields_ = (
        ("grid", c_uint * 3),
        ("block", c_uint * 3),
        ("shared_bytes", c_uint),
        ("stream", c_void_p),
        ("attributes", ctypes.POINTER(_Attribute)),
        ("count", c_uint),
    )


class GpuDriver:
    """Base class of the drivers of both vendors. All functions raise LaunchError if the driver reports an error."""

    #: Names under which the driver's library is searched.
    LIBRARIES: tuple[str, ...]
    NAME: str
    ALLOCATE: str
    FREE: str
    CLEAR: str

    def __init__(self) -> None:
        problem: OSError | None = None
        for name in self.LIBRARIES:
            try:
                self._library = ctypes.CDLL(name)
                return
            except OSError as error:
                problem = problem or error
        raise LaunchError(f"{self.NAME} cannot be loaded: {problem}")

    def call(self, doing: str, function: str, *arguments: Any) -> None:
        """Calls a function of the driver."""
        try:
            result = getattr(self._library, function)(*arguments)
        except AttributeError:
            raise LaunchError(f"{self.NAME} is too old: it has no function {function}") from None
        if result:
            raise LaunchError(f"{doing} failed: {self.describe(result)}")

    def describe(self, result: int) -> str:
        """Returns the text of an error code."""
        raise NotImplementedError

    def allocate(self, bytes_: int, fill: int | None, stream: int) -> int:
        """Returns the address of new memory on the current device, allocated in stream order. `fill`: 0 or None."""
        address, size = c_void_p(), (bytes_ + 15) // 16 * 16
        self.call("allocating temporary memory", self.ALLOCATE, byref(address), c_size_t(size), c_void_p(stream))
        if fill == 0:
            self.call(
                "clearing temporary memory", self.CLEAR, address, c_uint(0), c_size_t(size // 4), c_void_p(stream)
            )
        assert address.value
        return address.value

    def free(self, address: int, stream: int) -> None:
        self.call("freeing temporary memory", self.FREE, c_void_p(address), c_void_p(stream))


class CudaDriver(GpuDriver):
    LIBRARIES = ("libcuda.so.1",)
    NAME = "the CUDA driver"
    ALLOCATE, FREE, CLEAR = "cuMemAllocAsync", "cuMemFreeAsync", "cuMemsetD32Async"

    def __init__(self) -> None:
        super().__init__()
        self._contexts: dict[int, c_void_p] = {}
        self.call("starting the CUDA driver", "cuInit", c_uint(0))
        self._get_current = self._library.cuCtxGetCurrent
        self._launch_kernel = self._library.cuLaunchKernel
        self._launch_kernel.argtypes = [c_void_p, *[c_uint] * 7, c_void_p, c_void_p, c_void_p]

    def describe(self, result: int) -> str:
        text = c_char_p()
        self._library.cuGetErrorString(c_int(result), byref(text))
        return f"{(text.value or b'unknown error').decode()} (CUDA error {result})"

    def current_device(self) -> int:
        """Returns the ordinal of the calling thread's current device; 0 without one."""
        device = c_int()
        return device.value if self._library.cuCtxGetDevice(byref(device)) == 0 else 0

    def enter(self, ordinal: int) -> c_void_p | None:
        """Makes the primary context of a device current, which PyTorch and CuPy also use. Returns the context that was
        current, or None if the current context is the same."""
        wanted = self._contexts.get(ordinal)
        if wanted is None:
            device, wanted = c_int(), c_void_p()
            self.call("opening the GPU", "cuDeviceGet", byref(device), c_int(ordinal))
            self.call("creating a CUDA context", "cuDevicePrimaryCtxRetain", byref(wanted), device)
            self._contexts[ordinal] = wanted
        before = c_void_p()
        self._get_current(byref(before))
        if before.value == wanted.value:
            return None
        self.call("selecting the GPU", "cuCtxSetCurrent", wanted)
        return before

    def leave(self, before: c_void_p | None) -> None:
        """Makes the context current that was current before `enter`."""
        if before is not None:
            self.call("selecting the GPU", "cuCtxSetCurrent", before)

    def why_not(self, target: str, ordinal: int, kernels: Sequence[KernelCode]) -> tuple[str, bool]:
        """Returns the reason why a GPU cannot run code for `target`, or "", and True if its driver must compile the
        PTX."""
        device, parts = c_int(), []
        self.call("opening the GPU", "cuDeviceGet", byref(device), c_int(ordinal))
        for attribute in (_CAPABILITY_MAJOR, _CAPABILITY_MINOR):
            part = c_int()
            self.call("querying the compute capability", "cuDeviceGetAttribute", byref(part), c_int(attribute), device)
            parts.append(part.value)
        wanted, suffix = capability_of(target)
        found = 10 * parts[0] + parts[1]
        if found < wanted or (suffix and found != wanted):
            return f"was exported for {target}, and GPU {ordinal} has compute capability {parts[0]}.{parts[1]}", False
        needs_ptx = parts[0] != wanted // 10 or not all(kernel.code for kernel in kernels)
        if needs_ptx and not all(kernel.ptx for kernel in kernels):
            return f"was exported without PTX, which GPU {ordinal} needs", True
        return "", needs_ptx

    def load(self, code: bytes, kernel: KernelCode) -> c_void_p:
        """Returns the function of a kernel, loaded on the current device."""
        module, function, doing = c_void_p(), c_void_p(), f"loading kernel '{kernel.symbol}'"
        image = ctypes.create_string_buffer(code)
        self.call(doing, "cuModuleLoadDataEx", byref(module), image, c_uint(0), None, None)
        self.call(doing, "cuModuleGetFunction", byref(function), module, c_char_p(kernel.symbol.encode()))
        attributes = {}
        if kernel.shared_bytes > _SHARED_BYTES_WITHOUT_OPT_IN:
            attributes[_MAX_SHARED_BYTES] = kernel.shared_bytes
        if kernel.num_ctas > _PORTABLE_CLUSTER:
            attributes[_LARGE_CLUSTERS] = 1
        for attribute, value in attributes.items():
            self.call(doing, "cuFuncSetAttribute", function, c_int(attribute), c_int(value))
        return function

    def launch(
        self, function: c_void_p, kernel: KernelCode, grid: tuple[int, int, int], stream: int, values: Any
    ) -> None:
        if not (kernel.is_cooperative or kernel.is_programmatic or kernel.num_ctas > 1):
            shared = kernel.shared_bytes
            result = self._launch_kernel(function, *grid, kernel.threads, 1, 1, shared, stream, values, None)
            if result:
                raise LaunchError(f"launching kernel '{kernel.symbol}' failed: {self.describe(result)}")
            return
        x, y, z = grid[0] * kernel.num_ctas, grid[1], grid[2]
        doing = f"launching kernel '{kernel.symbol}'"
        attributes, count = (_Attribute * 3)(), 0
        for is_set, id_ in ((kernel.is_cooperative, _COOPERATIVE), (kernel.is_programmatic, _PROGRAMMATIC)):
            if is_set:
                attributes[count].id, attributes[count].is_.value = id_, 1
                count += 1
        if kernel.num_ctas > 1:
            attributes[count].id, attributes[count].is_.cluster = _CLUSTER, (c_uint * 3)(kernel.num_ctas, 1, 1)
            count += 1
        config = _Config(
            (c_uint * 3)(x, y, z), (c_uint * 3)(kernel.threads, 1, 1), kernel.shared_bytes, stream, attributes, count
        )
        self.call(doing, "cuLaunchKernelEx", byref(config), function, values, None)

    def encode(self, given: TensorMap, address: int, sizes: Sequence[int], stride_bytes: Sequence[int]) -> Any:
        """Returns the 128 bytes of a tensor map, aligned to 64 bytes. The innermost dimension comes first."""
        rank = given.rank
        memory = ctypes.create_string_buffer(128 + 64)
        encoded = (ctypes.c_char * 128).from_buffer(memory, -ctypes.addressof(memory) % 64)
        self.call(
            "encoding a tensor map",
            "cuTensorMapEncodeTiled",
            encoded,
            c_int(given.element),
            c_uint32(rank),
            c_void_p(address),
            (c_uint64 * rank)(*sizes),
            (c_uint64 * rank)(*stride_bytes[1:], 0),
            (c_uint32 * rank)(*given.box),
            (c_uint32 * rank)(*[1] * rank),
            c_int(0),
            c_int(_SWIZZLES[given.swizzle_bytes]),
            c_int(_L2_PROMOTION_128),
            c_int(int(given.fills_nan)),
        )
        return encoded


class HipDriver(GpuDriver):
    LIBRARIES = ("libamdhip64.so", "libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5")
    NAME = "the HIP runtime"
    ALLOCATE, FREE, CLEAR = "hipMallocAsync", "hipFreeAsync", "hipMemsetD32Async"
    #: Bytes of the device's name, the first field of hipDeviceProp_t.
    _NAME_BYTES = 256

    def __init__(self) -> None:
        super().__init__()
        self._library.hipGetErrorString.restype = c_char_p
        self._code: list[Any] = []  # HIP reads the code of a module as long as the module is loaded
        self.call("starting the HIP runtime", "hipInit", c_uint(0))

    def describe(self, result: int) -> str:
        return f"{self._library.hipGetErrorString(c_int(result)).decode()} (HIP error {result})"

    def current_device(self) -> int:
        device = c_int()
        return device.value if self._library.hipGetDevice(byref(device)) == 0 else 0

    def enter(self, ordinal: int) -> int | None:
        """Makes a device current. Returns the device that was current, or None if it is the same."""
        before = self.current_device()
        if before == ordinal:
            return None
        self.call("selecting the GPU", "hipSetDevice", c_int(ordinal))
        return before

    def leave(self, before: int | None) -> None:
        """Makes the device current that was current before `enter`."""
        if before is not None:
            self.call("selecting the GPU", "hipSetDevice", c_int(before))

    def why_not(self, target: str, ordinal: int, kernels: Sequence[KernelCode]) -> tuple[str, bool]:
        """Returns the reason why a GPU cannot run code for `target`, or "", and False."""
        # The offset of the architecture's name differs between versions of ROCm: third_party/hip/Driver.cpp.
        properties = ctypes.create_string_buffer(16384)
        function = "hipGetDevicePropertiesR0600"
        if not hasattr(self._library, function):
            function = "hipGetDeviceProperties"
        self.call("querying the GPU's architecture", function, properties, c_int(ordinal))
        begin = properties.raw.find(b"gfx", self._NAME_BYTES)
        found = properties.raw[begin : begin + 64].partition(b"\0")[0].decode().partition(":")[0] if begin >= 0 else ""
        if found == target:
            return "", False
        return f"was exported for {target}, and GPU {ordinal} is a {found or 'GPU without a name'}", False

    def load(self, code: bytes, kernel: KernelCode) -> c_void_p:
        module, function, doing = c_void_p(), c_void_p(), f"loading kernel '{kernel.symbol}'"
        self._code.append(ctypes.create_string_buffer(code))
        self.call(doing, "hipModuleLoadData", byref(module), self._code[-1])
        self.call(doing, "hipModuleGetFunction", byref(function), module, c_char_p(kernel.symbol.encode()))
        return function

    def launch(
        self, function: c_void_p, kernel: KernelCode, grid: tuple[int, int, int], stream: int, values: Any
    ) -> None:
        # A code object declares its LDS itself, so the dynamic size is 0.
        sizes = map(c_uint, (*grid, kernel.threads, 1, 1, 0))
        doing = f"launching kernel '{kernel.symbol}'"
        if kernel.is_cooperative:
            self.call(doing, "hipModuleLaunchCooperativeKernel", function, *sizes, c_void_p(stream), values)
        else:
            self.call(doing, "hipModuleLaunchKernel", function, *sizes, c_void_p(stream), values, None)

    def encode(self, given: TensorMap, address: int, sizes: Sequence[int], stride_bytes: Sequence[int]) -> Any:
        raise LaunchError("AMD GPUs have no tensor maps")


@functools.cache
def driver_of(is_amd: bool) -> CudaDriver | HipDriver:
    """Returns the driver of a vendor. Raises LaunchError if this machine has none."""
    return HipDriver() if is_amd else CudaDriver()
