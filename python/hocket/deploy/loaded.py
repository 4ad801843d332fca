"""Launches bundles from Python, without the compiler."""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Sequence
from typing import Any

from ..errors import LaunchError
from .arrays import GivenArray, check_array, current_stream, extent_of, layout_of_map, read_array
from .bundle_files import check_files, read_file, read_manifest
from .drivers import driver_of
from .element_types import scalar_bits
from .grid_rules import GridRule
from .manifest import Argument, BundleParameter, KernelCode, Manifest

#: Largest number of programs along each axis (CUDA C++ Programming Guide, "Technical Specifications per Compute
#: Capability").
_MOST_PROGRAMS = (2**31 - 1, 65535, 65535)


def load(folder: str | os.PathLike) -> LoadedBundle:
    """Reads a bundle, which `hocket export` or `kernel.export` has written, and verifies the checksums of its files.

    Neither the compiler nor a GPU is needed. A bundle is loaded on a GPU at the first launch with arrays of this GPU.

    Args:
        folder: the folder of the bundle.

    Returns: a LoadedBundle, which launches the bundle.
    Raises: LaunchError if the folder is not a bundle, a file was changed after the export, or the bundle was exported
    in another version of the format.

    Example:
        >>> add = hocket.load("build/add")  # doctest: +SKIP
        >>> add[(8,)](x, y, out, 8192)  # doctest: +SKIP
    """
    manifest = read_manifest(folder)
    check_files(folder, manifest)
    return LoadedBundle(folder, manifest)


class LoadedBundle:
    """An exported kernel, or an exported function that launches kernels.

    `bundle(*arguments, stream=None)` launches a bundle with a rule for its grid; `bundle[grid](*arguments)` launches a
    kernel that was exported without a grid. Arguments are arrays and numbers, by position or by name. Arrays on a GPU
    are PyTorch tensors, objects with `__cuda_array_interface__`, or addresses. On NumPy arrays, the emulator runs a
    bundle that was exported with the emulator's code. `stream` is a stream's handle; by default, PyTorch's current
    stream, or the default stream.

    Attributes:
        name: the bundle's name.
        target: the target of the machine code, such as "sm_90a".
        parameters: names and types of the arguments, such as {"x": "*f32", "n": "i32"}.
        manifest: the content of manifest.json.
    """

    def __init__(self, folder: str | os.PathLike, manifest: Manifest):
        self.manifest = manifest
        self.name = manifest.name
        self.target = manifest.target
        self.parameters = {parameter.name: parameter.type for parameter in manifest.parameters}
        self._folder = os.fspath(folder)
        self._positions = {parameter.name: i for i, parameter in enumerate(manifest.parameters)}
        names = dict.fromkeys(parameter.name for parameter in manifest.parameters if not parameter.is_array)
        self._rules = [launch.grid and [GridRule(rule, names) for rule in launch.grid] for launch in manifest.launches]
        self._on_devices: dict[int, list[ctypes.c_void_p]] = {}
        self._emulated: Any = None
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"<bundle {self.name} for {self.target}, {', '.join(self.parameters)}>"

    def __getitem__(self, grid: Sequence[int] | int) -> GridOfBundle:
        if not self.manifest.has_free_grid:
            raise LaunchError(f"{self.name} has a grid of its own\n  hint: write {self.name}(...) without brackets")
        return GridOfBundle(self, _checked_grid(grid))

    def __call__(self, *arguments: Any, stream: Any = None, **named: Any) -> None:
        if self.manifest.has_free_grid:
            raise LaunchError(f"{self.name} was exported without a grid\n  hint: write {self.name}[grid](...)")
        self._launch(None, arguments, named, stream)

    # Launches ---------------------------------------------------------------------------------------------------------

    def _launch(
        self, grid: tuple[int, int, int] | None, given: tuple[Any, ...], named: dict[str, Any], stream: Any
    ) -> None:
        arguments = self._bind(given, named)
        arrays: dict[int, GivenArray] = {}
        numbers: dict[int, int] = {}
        for i, parameter in enumerate(self.manifest.parameters):
            if parameter.is_array:
                arrays[i] = read_array(parameter.name, arguments[i])
                check_array(self.name, parameter, arrays[i])
            else:
                numbers[i] = self._number(parameter, arguments[i])
        integers = {
            parameter.name: arguments[i].__index__()
            for i, parameter in enumerate(self.manifest.parameters)
            if i in numbers and parameter.type[0] in "iu"
        }
        grids = [grid or tuple(rule(integers) for rule in rules or ()) for rules in self._rules]
        devices = {array.device for array in arrays.values() if array.device is not None}
        if len(devices) > 1:
            raise LaunchError(f"{self.name}: the arrays are on different devices")
        if devices == {-1}:
            self._launch_emulated(grids, arrays, numbers)
        else:
            self._launch_on_gpu(devices.pop() if devices else None, grids, arrays, numbers, stream)

    def _bind(self, given: tuple[Any, ...], named: dict[str, Any]) -> list[Any]:
        """Returns one argument for each parameter."""
        names = list(self.parameters)
        call = f"{self.name}({', '.join(names)})"
        if len(given) > len(names):
            raise LaunchError(f"{call} takes {len(names)} arguments, not {len(given)}")
        bound = dict(zip(names, given, strict=False))
        for name, value in named.items():
            if name not in self._positions:
                raise LaunchError(f"{call} has no parameter `{name}`")
            if name in bound:
                raise LaunchError(f"{call} gets `{name}` twice")
            bound[name] = value
        if missing := [name for name in names if name not in bound]:
            raise LaunchError(f"{call} needs a value for {', '.join(missing)}")
        return [bound[name] for name in names]

    def _number(self, parameter: BundleParameter, value: Any) -> int:
        try:
            bits = scalar_bits(parameter.type, value)
        except ValueError as error:
            raise LaunchError(f"{self.name}: `{parameter.name}`: {error}") from None
        if parameter.multiple_of > 1 and value % parameter.multiple_of:
            raise LaunchError(
                f"{self.name}: `{parameter.name}` is {value}, but the bundle was exported for multiples of "
                f"{parameter.multiple_of}"
            )
        return bits

    def _launch_emulated(self, grids: list, arrays: dict[int, GivenArray], numbers: dict[int, int]) -> None:
        if self._emulated is None:
            from .emulated import EmulatedBundle

            self._emulated = EmulatedBundle(self._folder, self.manifest)
        self._emulated.launch(grids, arrays, numbers)

    def _launch_on_gpu(
        self, device: int | None, grids: list, arrays: dict[int, GivenArray], numbers: dict[int, int], stream: Any
    ) -> None:
        driver = driver_of(self.manifest.is_amd)
        ordinal = driver.current_device() if device is None else device
        queue = current_stream(ordinal) if stream is None else int(getattr(stream, "cuda_stream", stream))
        functions = self._functions(ordinal)
        if driver.current_device() != ordinal or device is None:
            driver.make_current(ordinal)
        memory: list[int] = []
        try:
            for temporary in self.manifest.temporaries:
                memory.append(driver.allocate(temporary.bytes, temporary.fill, queue))
            for launch, grid in zip(self.manifest.launches, grids, strict=True):
                kernel = self.manifest.kernels[launch.kernel]
                values = [self._value(driver, argument, arrays, numbers, memory) for argument in launch.arguments]
                _queue(driver, functions[launch.kernel], kernel, grid, queue, values)
        finally:
            for address in memory:
                driver.free(address, queue)

    def _functions(self, ordinal: int) -> list[ctypes.c_void_p]:
        """Returns the functions of the kernels on a GPU. The first call for a GPU loads the machine code."""
        driver = driver_of(self.manifest.is_amd)
        with self._lock:
            if ordinal not in self._on_devices:
                why, needs_ptx = driver.why_not(self.target, ordinal, self.manifest.kernels)
                if why:
                    raise LaunchError(f"{self.name} {why}")
                names = [kernel.ptx if needs_ptx else kernel.code for kernel in self.manifest.kernels]
                codes = [read_file(self._folder, self.manifest, name) for name in names]
                driver.make_current(ordinal)
                self._on_devices[ordinal] = [
                    driver.load(code, kernel) for code, kernel in zip(codes, self.manifest.kernels, strict=True)
                ]
            return self._on_devices[ordinal]

    def _value(
        self, driver: Any, argument: Argument, arrays: dict[int, GivenArray], numbers: dict[int, int], memory: list[int]
    ) -> Any:
        """Returns the value of an argument as an object of ctypes."""
        if argument.kind == "bits":
            return ctypes.c_uint64(argument.bits)
        if argument.kind == "number":
            return ctypes.c_uint64(numbers[argument.parameter])
        if argument.kind in ("shape", "stride"):
            return ctypes.c_uint64(extent_of(argument, arrays[argument.parameter]))
        if argument.parameter >= 0:
            base = arrays[argument.parameter].address
        else:
            base = memory[argument.temporary]
        if argument.map is None:
            return ctypes.c_uint64(base + argument.offset)
        sizes, strides = layout_of_map(argument.map, arrays.get(argument.parameter))
        return driver.encode(argument.map, base + argument.offset, sizes, strides)


class GridOfBundle:
    """`bundle[grid]`: launches an exported kernel with a grid."""

    def __init__(self, bundle: LoadedBundle, grid: tuple[int, int, int]):
        self._bundle, self._grid = bundle, grid

    def __call__(self, *arguments: Any, stream: Any = None, **named: Any) -> None:
        self._bundle._launch(self._grid, arguments, named, stream)


def _checked_grid(grid: Any) -> tuple[int, int, int]:
    sizes = tuple(grid) if isinstance(grid, tuple | list) else (grid,)
    if not 1 <= len(sizes) <= 3 or not all(hasattr(size, "__index__") for size in sizes):
        raise LaunchError(f"a grid has one to three integers, not {grid!r}")
    x, y, z = (size.__index__() for size in (*sizes, 1, 1)[:3])
    return x, y, z


def _queue(
    driver: Any, function: Any, kernel: KernelCode, grid: tuple[int, int, int], stream: int, values: list[Any]
) -> None:
    """Queues a kernel, with memory for its implicit arguments."""
    for axis, (size, most) in enumerate(zip(grid, _MOST_PROGRAMS, strict=True)):
        if not 0 <= size <= most:
            raise LaunchError(f"{kernel.symbol}: a grid has 0 to {most} programs along axis {axis}, not {size}")
    blocks = grid[0] * grid[1] * grid[2]
    if blocks == 0:
        return
    scratch: list[int] = []
    try:
        for per_launch, per_block in kernel.scratch:
            scratch.append(driver.allocate(per_launch + per_block * blocks, None, stream))
        values = [*values, *map(ctypes.c_uint64, scratch)]
        addresses = (ctypes.c_void_p * max(len(values), 1))(*map(ctypes.addressof, values))
        driver.launch(function, kernel, grid, stream, addresses)
    finally:
        for address in scratch:
            driver.free(address, stream)
