"""The Python side of libamdhip64_stand_in.c: reads the code objects that hocket loads, and runs their kernels in the
emulator when hocket launches them, on the arguments that it packed."""

import contextlib
import ctypes
import hashlib
import re
from typing import Any, NamedTuple

import code_object
import numpy as np
from stand_ins.arrays import TorchLike
from stand_ins.launch import Launch

from hocket import _core, errors
from hocket.runtime.compiler import Request
from hocket.runtime.emulated import load

GFX942, GFX950, GFX1100, NAMELESS = range(4)
_TARGETS = {GFX950: "gfx950", GFX1100: "gfx1100"}
_LDS_BYTES = {GFX950: 160 * 1024}

# HIP's numbers.
INVALID_VALUE, NO_BINARY_FOR_GPU, NOT_FOUND, LAUNCH_FAILURE = 1, 209, 500, 719
# hipFunction_attribute; -1 asks whether the kernel exists. -2 asks for the size of a variable instead.
_ATTRIBUTES = {
    -1: ".kernarg_segment_size",
    0: ".max_flat_workgroup_size",
    3: ".private_segment_fixed_size",
    4: ".vgpr_count",
}

_DTYPES = {"f32": "float32", "f16": "float16", "i64": "int64"}


_Load = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int)
_Describe = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_char_p, ctypes.c_int)
_Run = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_int, ctypes.c_char_p, ctypes.POINTER(Launch), ctypes.POINTER(ctypes.c_void_p)
)


_Note = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_void_p)
_SIZE_OF_VARIABLE = -2


class _Module(NamedTuple):
    request: Request
    kernels: dict[str, dict[str, Any]]
    variables: dict[str, int]  # sizes
    addresses: list[int]  # of the variable, once it is known


class Refusal(Exception):
    """The stand-in answers with this error number."""


class StandIn:
    """Interface of the stand-in for tests. `last` is the newest launch, `last_kernel` its kernel; `error` is an
    exception of the emulator, or of a failed check of a launch."""

    def __init__(self):
        self._library = ctypes.CDLL("libamdhip64.so")
        self._requests: dict[str, Request] = {}
        self._modules: list[_Module] = []
        self.last: Launch | None = None
        self.last_kernel: dict[str, Any] | None = None
        self.error: Exception | None = None
        self._remember_code_objects()
        # Kept alive: C holds their addresses.
        self._functions = _Load(self._load), _Describe(self._describe), _Run(self._run), _Note(self._note_variable)
        self._library.stand_in_register(*self._functions)

    # For tests

    def fail(self, function: str, result: int) -> None:
        """The next call of `function` returns `result`."""
        self._library.stand_in_fail(function.encode(), result)

    def __getattr__(self, function: str) -> Any:
        """Functions of the library, its own and HIP's."""
        return getattr(self._library, function)

    @property
    def properties_function(self) -> str:
        """Name of the function that fills a hipDeviceProp_t."""
        newer = "hipGetDevicePropertiesR0600"
        return newer if hasattr(self._library, newer) else "hipGetDeviceProperties"

    @property
    def loads(self) -> int:
        return len(self._modules)

    def array(self, values: np.ndarray, device: int = GFX942) -> TorchLike:
        """Returns an array on a GPU with these values. `.array` is its memory."""
        address = ctypes.c_void_p()
        self.hipSetDevice(device)
        assert self.hipMalloc(ctypes.byref(address), ctypes.c_size_t(max(values.nbytes, 1))) == 0
        self.hipSetDevice(0)
        memory = np.frombuffer((ctypes.c_char * values.nbytes).from_address(address.value), values.dtype)
        memory = memory.reshape(values.shape)
        memory[...] = values
        return TorchLike(memory, device)

    # For the library

    def _remember_code_objects(self) -> None:
        run = Request.run

        def run_and_remember(request: Request, *wanted: Any) -> Any:
            result = run(request, *wanted)
            if (code := result[1].get("hsaco")) is not None:
                self._requests[hashlib.sha256(code).hexdigest()] = request
            return result

        Request.run = run_and_remember

    def _load(self, address: int, device: int) -> int:
        def load() -> int:
            image = ctypes.string_at(address, code_object.elf_bytes(ctypes.string_at(address, 64)))
            facts = code_object.metadata(image)
            if facts["amdhsa.target"] != f"amdgcn-amd-amdhsa--{_TARGETS.get(device, 'gfx942')}":
                raise Refusal(NO_BINARY_FOR_GPU)
            kernels = {kernel[".name"]: kernel for kernel in facts["amdhsa.kernels"]}
            request = self._requests[hashlib.sha256(image).hexdigest()]
            self._modules.append(_Module(request, kernels, code_object.variables(image), []))
            return len(self._modules) - 1

        return self._guarded(load)

    def _note_variable(self, module: int, address: int) -> int:
        self._modules[module].addresses.append(address)
        return 0

    def _describe(self, module: int, kernel: bytes, attribute: int) -> int:
        if attribute == _SIZE_OF_VARIABLE:
            return self._modules[module].variables.get(kernel.decode(), -NOT_FOUND)
        facts = self._modules[module].kernels.get(kernel.decode())
        return -NOT_FOUND if facts is None else facts[_ATTRIBUTES[attribute]]

    def _run(self, module: int, kernel: bytes, launch: Any, parameters: Any) -> int:
        def run() -> int:
            request, kernels, _, addresses = self._modules[module]
            # A copy: the library's is gone after the call.
            self.last = Launch.from_buffer_copy(launch.contents)
            self.last_kernel = kernels[kernel.decode()]
            _check(self.last, self.last_kernel)
            types = list(_flatten(request.types))
            # HIP itself passes those that are hidden.
            arguments = [each for each in self.last_kernel[".args"] if not each[".value_kind"].startswith("hidden_")]
            has_implicit = len(arguments) == len(types) + 1
            assert has_implicit or len(types) == len(arguments)
            types += ["*i64"] * has_implicit
            values = [self._value(*each) for each in zip(types, arguments, parameters, strict=False)]
            if has_implicit and not request.options.profile:
                self._run_with_messages(request, values)
            else:
                emulated, _ = load(request)
                profile = values.pop()[0] if has_implicit else next(iter(addresses), 0)
                emulated.launch(tuple(self.last.grid), values, profile=profile)
            return 0

        return self._guarded(run)

    def _run_with_messages(self, request: Request, values: list) -> None:
        """The lane form that the GPU gets writes the messages to where hocket says: an argument as any other."""
        facts, artifacts = request.run(["lane"])
        text = re.sub(
            r", hk\.implicit = #hk\.implicit<messages[^>]*>|hk\.implicit = #hk\.implicit<messages[^>]*>, ",
            "",
            artifacts["lane"].decode(),
        )
        assert "hk.implicit" not in text
        kernel = _core.emulate_lane(text, [*facts.parameters, "messages"])
        # An assertion that fails ends a warp, not the launch; the emulator ends all.
        with contextlib.suppress(errors.DeviceAssertError, errors.InvalidIndexError):
            kernel.launch(tuple(self.last.grid), values, 0, 1, True, "late")

    def _value(self, kind: str, facts: dict[str, Any], place: int) -> Any:
        """Reads a parameter for the emulator: the bytes at the address that hocket passes, with the size in the code
        object."""
        value = int.from_bytes(ctypes.string_at(place, facts[".size"]), "little")
        if facts[".value_kind"] != "global_buffer":
            assert not kind.startswith("*")
            return value
        begin, size, device = ctypes.c_size_t(), ctypes.c_size_t(), ctypes.c_int()
        found = self.stand_in_find(ctypes.c_size_t(value), *map(ctypes.byref, (begin, size, device)))
        assert found, f"{value:#x} is not device memory"
        assert device.value == self.last.device
        before = value - begin.value
        return value, size.value - before, True, _DTYPES[kind.strip("*").partition(":")[0]], before, []

    def _guarded(self, body: Any) -> int:
        """Returns the result of `body`, or minus the number of the error that it raises, because C has no
        exceptions."""
        try:
            return body()
        except Refusal as refusal:
            return -refusal.args[0]
        except Exception as error:
            self.error = error
            return -LAUNCH_FAILURE

    @contextlib.contextmanager
    def no_surprises(self) -> Any:
        """Context manager: fails if a launch inside raised an error that the test did not read."""
        self.error = None
        yield self
        if self.error is not None:
            raise self.error


def _flatten(types: Any) -> Any:
    """The run-time parameters: what a tuple holds is passed one by one, constants are not passed."""
    for kind in types:
        if isinstance(kind, str):
            yield kind
        elif kind is not None:
            yield from _flatten(kind)


def _check(launch: Launch, kernel: dict[str, Any]) -> None:
    """Checks the hardware's requirements for a launch."""
    if list(launch.block) != kernel[".reqd_workgroup_size"]:
        raise Refusal(INVALID_VALUE)
    if kernel[".group_segment_fixed_size"] + launch.shared_bytes > _LDS_BYTES.get(launch.device, 64 * 1024):
        raise Refusal(INVALID_VALUE)
