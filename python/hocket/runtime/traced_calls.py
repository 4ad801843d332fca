"""Records the launches of a Python function without running them, and exports them as a bundle.

The function gets arrays without contents (TracedArray), for which kernels are compiled but not launched. The launch
path passes each launch to `places.launch_tracer`. Addresses in the launches are then attributed to arrays of the
caller, and to arrays that the function has allocated.
"""

from __future__ import annotations

import contextlib
import inspect
import math
import os
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from .. import __version__, _core
from ..deploy.element_types import BY_ARRAY_NAME
from ..deploy.manifest import Argument, BundleParameter, Launch, Manifest, Temporary, TensorMap
from ..deploy.tensor_map_bytes import map_of_bytes
from ..errors import LaunchError
from . import places
from .export import BundleFiles, check_slots, checked_name, slots_of, write

#: Kernels are compiled for addresses that are multiples of this number of bytes.
ALIGNMENT = 16
#: Alignment in bytes of the arrays of a traced call, as allocators of GPU memory return. The ready kernels choose plans
#: by alignments of up to 32 bytes; each plan is correct for all multiples of ALIGNMENT.
_WIDEST_ALIGNMENT = 256


class TracedArray(np.ndarray):
    """An array without contents. The host side of a function may read its properties and take views, but no
    elements."""

    _recorder: Any = None

    def __array_finalize__(self, origin: Any) -> None:
        self._recorder = getattr(origin, "_recorder", None)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        raise _on_host(f"numpy.{ufunc.__name__}")

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        raise _on_host(f"numpy.{function.__name__}")

    def __setitem__(self, key: Any, value: Any) -> None:
        if self._recorder is None or key is not Ellipsis or type(value) not in (int, float) or value != 0:
            raise _on_host("an assignment to elements")
        self._recorder.fill_zero(self)

    def hocket_empty(self, shape: tuple[int, ...], kind: np.dtype) -> TracedArray:
        """Returns a new array of the same call: kernels/_common/arrays.py calls this method to allocate arrays."""
        return self._recorder.allocate(shape, kind)


def _on_host(what: str) -> LaunchError:
    return LaunchError(f"an exported function uses {what} on an array on the host, which an export cannot hold")


class _Memory(NamedTuple):
    """An array of the call and its memory. `name`: "" for an array that the function has allocated."""

    array: TracedArray
    name: str
    begin: int
    end: int


class _Recorder:
    """The arrays and launches of one call."""

    def __init__(self) -> None:
        self.memory: list[_Memory] = []
        self.zeros: set[int] = set()
        self.launches: list[tuple[Any, tuple[int, int, int], list[Any]]] = []

    def allocate(self, shape: tuple[int, ...], kind: Any, name: str = "") -> TracedArray:
        dtype = np.dtype(kind)
        size = math.prod(shape) * dtype.itemsize
        raw = np.empty(size + _WIDEST_ALIGNMENT, np.uint8)  # the system provides pages at the first access: none here
        begin = -raw.ctypes.data % _WIDEST_ALIGNMENT
        array = raw[begin : begin + size].view(dtype).reshape(shape).view(TracedArray)
        array._recorder = self
        address = raw.ctypes.data + begin
        self.memory.append(_Memory(array, name, address, address + max(size, 1)))
        return array

    def forget_call(self) -> None:
        """Removes the launches, and the arrays that the function has allocated."""
        self.memory = [memory for memory in self.memory if memory.name]
        self.zeros.clear()
        self.launches.clear()

    def fill_zero(self, array: TracedArray) -> None:
        index = self.find(array.ctypes.data)
        if index is None or self.memory[index].name or array.nbytes != self.memory[index].array.nbytes:
            raise _on_host("an assignment to elements")
        self.zeros.add(index)

    def record(self, compiled: Any, grid: tuple[int, int, int], values: list[Any]) -> None:
        self.launches.append((compiled, grid, values))

    def find(self, address: int) -> int | None:
        """Returns the index in `memory` of the array that contains an address."""
        return next((i for i, memory in enumerate(self.memory) if memory.begin <= address < memory.end), None)


def export_function(
    function: Callable[..., Any],
    folder: str | os.PathLike,
    *args: Any,
    target: str,
    name: str | None = None,
    emulator: bool = False,
    **kwargs: Any,
) -> Manifest:
    """Exports the launches of a call of a Python function. hocket.export documents the arguments."""
    places.check_target(target)
    recorder = _Recorder()
    bound = _bound(function, args, kwargs)
    for parameter, value in list(bound.arguments.items()):
        if isinstance(value, np.ndarray):
            bound.arguments[parameter] = _traced(recorder, parameter, value)
    with _tracing(target, recorder):
        # The first call prepares the launches of a ready kernel, which may take copies and launch kernels itself.
        function(*bound.args, **bound.kwargs)
        recorder.forget_call()
        result = function(*bound.args, **bound.kwargs)
    if not recorder.launches:
        raise LaunchError(f"{_name_of(function)} has launched no kernel that an export could hold")
    _name_results(recorder, result, function, bound)
    files = BundleFiles(emulator)
    parameters = [_parameter(memory) for memory in recorder.memory if memory.name]
    launches = [_launch(recorder, files, *launch) for launch in recorder.launches]
    _mark_written(recorder, parameters)
    temporaries = [
        Temporary(memory.array.nbytes, 0 if i in recorder.zeros else None)
        for i, memory in enumerate(recorder.memory)
        if not memory.name
    ]
    manifest = Manifest(
        hocket=__version__,
        build=_core.build_id(),
        name=checked_name(name or _name_of(function), name is not None),
        target=target,
        parameters=parameters,
        kernels=files.kernels,
        launches=launches,
        temporaries=temporaries,
        constants={name: repr(value) for name, value in bound.arguments.items() if not isinstance(value, np.ndarray)},
    )
    return write(folder, manifest, files)


def _name_of(function: Any) -> str:
    return getattr(function, "__name__", type(function).__name__)


def _bound(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> inspect.BoundArguments:
    try:
        return inspect.signature(function).bind(*args, **kwargs)
    except TypeError as error:
        raise LaunchError(f"{_name_of(function)} cannot be called with these arguments: {error}") from None


@contextlib.contextmanager
def _tracing(target: str, recorder: _Recorder) -> Iterator[None]:
    token = places.launch_tracer.set(recorder.record)
    try:
        with places.compile_only(target):
            yield
    finally:
        places.launch_tracer.reset(token)


def _traced(recorder: _Recorder, name: str, given: np.ndarray) -> TracedArray:
    """Returns an array without contents that has the shape, the strides and the dtype of `given`."""
    if given.size == 0:
        raise LaunchError(f"`{name}` has no elements, so there is nothing to export")
    if given.dtype.name not in BY_ARRAY_NAME:
        raise LaunchError(f"`{name}` has elements of {given.dtype.name}, which kernels do not support")
    if any(stride < 0 for stride in given.strides):
        raise LaunchError(f"`{name}` has a negative stride, which an export cannot hold")
    size = given.dtype.itemsize
    last = sum((extent - 1) * stride for extent, stride in zip(given.shape, given.strides, strict=True))
    flat = recorder.allocate((last // size + 1,), given.dtype, name)
    view = np.lib.stride_tricks.as_strided(flat.view(np.ndarray), given.shape, given.strides).view(TracedArray)
    view._recorder = recorder
    recorder.memory[-1] = recorder.memory[-1]._replace(array=view)
    return view


def _name_results(recorder: _Recorder, result: Any, function: Any, bound: inspect.BoundArguments) -> None:
    """Makes the results of the function that it has allocated parameters of the bundle."""
    results = result if isinstance(result, tuple | list) else (result,)
    fields = getattr(result, "_fields", None)
    taken = {memory.name for memory in recorder.memory}
    for i, array in enumerate(results):
        if array is None:
            continue
        index = recorder.find(array.ctypes.data) if isinstance(array, TracedArray) else None
        if index is None:
            raise LaunchError(
                f"{_name_of(function)} returns a {type(array).__name__}, which is not an array that a kernel has "
                "written; an export holds only arrays"
            )
        if recorder.memory[index].name:
            continue
        if fields:
            name = fields[i]
        elif len(results) > 1:
            name = f"result{i}"
        else:
            name = "out" if "out" in inspect.signature(function).parameters else "result"
        while name in taken:
            name += "_"
        taken.add(name)
        recorder.memory[index] = recorder.memory[index]._replace(array=array, name=name)


def _parameter(memory: _Memory) -> BundleParameter:
    array = memory.array
    strides = [stride // array.itemsize for stride in array.strides]
    type_ = f"*{BY_ARRAY_NAME[array.dtype.name]}"
    return BundleParameter(memory.name, type_, ALIGNMENT, shape=list(array.shape), strides=strides)


def _launch(
    recorder: _Recorder, files: BundleFiles, compiled: Any, grid: tuple[int, int, int], values: list[Any]
) -> Launch:
    slots = list(slots_of(compiled._request))
    check_slots(compiled.metadata, slots)
    arguments = [
        _argument(recorder, compiled, slot.name, slot.kind, value) for slot, value in zip(slots, values, strict=True)
    ]
    return Launch(files.add(compiled), [str(size) for size in grid], arguments)


def _argument(recorder: _Recorder, compiled: Any, name: str, kind: str, value: Any) -> Argument:
    if kind not in ("address", "map"):
        return Argument("bits", bits=value)
    tensor_map: TensorMap | None = None
    address = value
    if kind == "map":
        address, tensor_map = map_of_bytes(value)
    index = recorder.find(address)
    if index is None:
        raise LaunchError(
            f"the argument `{name}` of kernel {compiled.name} is an array that the call neither gets nor allocates "
            "with the functions of hocket.kernels; an export cannot hold it"
        )
    memory = recorder.memory[index]
    position = sum(1 for other in recorder.memory[:index] if bool(other.name) == bool(memory.name))
    where = {"parameter": position} if memory.name else {"temporary": position}
    return Argument(kind, **where, offset=address - memory.begin, map=tensor_map)


def _mark_written(recorder: _Recorder, parameters: list[BundleParameter]) -> None:
    """Sets `is_written` of the arrays that a kernel writes."""
    named = [memory for memory in recorder.memory if memory.name]
    for compiled, _, values in recorder.launches:
        written = compiled.metadata.written_arguments
        for slot, value in zip(slots_of(compiled._request), values, strict=True):
            if slot.kind not in ("address", "map") or slot.root not in written:
                continue
            address = map_of_bytes(value)[0] if slot.kind == "map" else value
            for parameter, memory in zip(parameters, named, strict=True):
                parameter.is_written |= memory.begin <= address < memory.end


__all__ = ["ALIGNMENT", "TracedArray", "export_function"]
