"""Launches bundles from Python, without the compiler."""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Callable, Sequence
from typing import Any

from ..errors import LaunchError
from .arrays import GivenArray, check_array, current_stream, element_of, read_array
from .bundle_files import check_files, read_file, read_manifest
from .drivers import driver_of
from .element_types import scalar_bits
from .grid_rules import GridRule
from .manifest import BundleParameter, Manifest
from .prepared import PreparedLaunch


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
        self._folder = os.path.abspath(folder)
        self._positions = {parameter.name: i for i, parameter in enumerate(manifest.parameters)}
        names = dict.fromkeys(parameter.name for parameter in manifest.parameters if not parameter.is_array)
        self._rules = [_rules_of(launch.grid, names) for launch in manifest.launches]
        self._readers = [self._reader(parameter) for parameter in manifest.parameters]
        self._prepared = threading.local()
        self._has_free_grid, self._is_amd = manifest.has_free_grid, manifest.is_amd
        self._on_devices: dict[int, list[ctypes.c_void_p]] = {}
        self._emulated: Any = None
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"<bundle {self.name} for {self.target}, {', '.join(self.parameters)}>"

    def __getitem__(self, grid: Sequence[int] | int) -> GridOfBundle:
        if not self._has_free_grid:
            raise LaunchError(f"{self.name} has a grid of its own\n  hint: write {self.name}(...) without brackets")
        return GridOfBundle(self, _checked_grid(grid))

    def __call__(self, *arguments: Any, stream: Any = None, **named: Any) -> None:
        if self._has_free_grid:
            raise LaunchError(f"{self.name} was exported without a grid\n  hint: write {self.name}[grid](...)")
        self._launch(None, arguments, named, stream)

    # Launches ---------------------------------------------------------------------------------------------------------

    def _launch(
        self, grid: tuple[int, int, int] | None, given: tuple[Any, ...], named: dict[str, Any], stream: Any
    ) -> None:
        if named or len(given) != len(self._readers):
            given = self._bind(given, named)
        values: list[int] = []
        arrays: dict[int, GivenArray] = {}
        device: int | None = None
        for i, (reader, argument) in enumerate(zip(self._readers, given, strict=True)):
            value, where, array = reader(argument)
            values.append(value)
            if array is not None:
                arrays[i] = array
            if where is not None:
                if device is not None and where != device:
                    raise LaunchError(f"{self.name}: the arrays are on different devices")
                device = where
        grids = [grid or fixed or self._grid(rules, given) for fixed, rules in self._rules]
        if device == -1:
            self._launch_emulated(grids, given)
        else:
            self._launch_on_gpu(device, grids, values, arrays, stream)

    def _grid(self, rules: list[GridRule], given: Sequence[Any]) -> tuple[int, int, int]:
        integers = {
            parameter.name: given[i].__index__()
            for i, parameter in enumerate(self.manifest.parameters)
            if not parameter.is_array and parameter.type[0] in "iu" and parameter.type != "i1"
        }
        x, y, z = (rule(integers) for rule in rules)
        return x, y, z

    def _reader(self, parameter: BundleParameter) -> Callable[[Any], tuple[int, int | None, GivenArray | None]]:
        """Returns a function that checks an argument. The function returns the address or the bits of the argument, the
        device of an array, and the array if a launch needs its shape."""
        if not parameter.is_array:
            return lambda value: (self._number(parameter, value), None, None)
        element, multiple, is_described = parameter.element_type, parameter.multiple_of, bool(parameter.rank)
        shape = None if parameter.shape is None else tuple(parameter.shape)
        strides = tuple(parameter.strides or ())

        def read(value: Any) -> tuple[int, int | None, GivenArray | None]:
            if not is_described:
                try:  # a tensor of PyTorch
                    address = value.data_ptr()
                    if element_of(value.dtype) == element and not address % multiple:
                        if shape is None or (value.shape == shape and value.stride() == strides):
                            return address, value.get_device(), None
                except AttributeError:
                    pass
            array = read_array(parameter.name, value)
            check_array(self.name, parameter, array)
            return array.address, array.device, array

        return read

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

    def _launch_emulated(self, grids: list[tuple[int, int, int]], given: Sequence[Any]) -> None:
        if self._emulated is None:
            from .emulated import EmulatedBundle

            self._emulated = EmulatedBundle(self._folder, self.manifest)
        arrays: dict[int, GivenArray] = {}
        numbers: dict[int, int] = {}
        for i, parameter in enumerate(self.manifest.parameters):
            if parameter.is_array:
                arrays[i] = read_array(parameter.name, given[i])
            else:
                numbers[i] = self._number(parameter, given[i])
        self._emulated.launch(grids, arrays, numbers)

    def _launch_on_gpu(
        self,
        device: int | None,
        grids: list[tuple[int, int, int]],
        values: list[int],
        arrays: dict[int, GivenArray],
        stream: Any,
    ) -> None:
        driver = driver_of(self._is_amd)
        ordinal = driver.current_device() if device is None else device
        queue = current_stream(ordinal) if stream is None else int(getattr(stream, "cuda_stream", stream))
        functions = self._on_devices.get(ordinal) or self._functions(ordinal)
        before = driver.enter(ordinal)
        memory: list[int] = []
        try:
            for temporary in self.manifest.temporaries:
                memory.append(driver.allocate(temporary.bytes, temporary.fill, queue))
            for launch, grid in zip(self._launches(), grids, strict=True):
                launch.queue(driver, functions[launch.index], grid, queue, values, arrays, memory)
        finally:
            for address in memory:
                driver.free(address, queue)
            driver.leave(before)

    def _launches(self) -> list[PreparedLaunch]:
        """Returns the launches that are prepared for this thread."""
        try:
            return self._prepared.launches
        except AttributeError:
            self._prepared.launches = [PreparedLaunch(self.manifest, launch) for launch in self.manifest.launches]
            return self._prepared.launches

    def _functions(self, ordinal: int) -> list[ctypes.c_void_p]:
        """Returns the functions of the kernels on a GPU. The first call for a GPU loads the machine code."""
        driver = driver_of(self._is_amd)
        with self._lock:
            if ordinal not in self._on_devices:
                why, needs_ptx = driver.why_not(self.target, ordinal, self.manifest.kernels)
                if why:
                    raise LaunchError(f"{self.name} {why}")
                names = [kernel.ptx if needs_ptx else kernel.code for kernel in self.manifest.kernels]
                codes = [read_file(self._folder, self.manifest, name) for name in names]
                before = driver.enter(ordinal)
                try:
                    self._on_devices[ordinal] = [
                        driver.load(code, kernel) for code, kernel in zip(codes, self.manifest.kernels, strict=True)
                    ]
                finally:
                    driver.leave(before)
            return self._on_devices[ordinal]


class GridOfBundle:
    """`bundle[grid]`: launches an exported kernel with a grid."""

    def __init__(self, bundle: LoadedBundle, grid: tuple[int, int, int]):
        self._bundle, self._grid = bundle, grid

    def __call__(self, *arguments: Any, stream: Any = None, **named: Any) -> None:
        self._bundle._launch(self._grid, arguments, named, stream)


def _rules_of(grid: list[str] | None, names: dict[str, None]) -> tuple[tuple[int, int, int] | None, list[GridRule]]:
    """Returns the grid of a launch if it does not depend on arguments, and its rules."""
    if grid is None:
        return None, []
    rules = [GridRule(rule, names) for rule in grid]
    if not all(rule.text.isdigit() for rule in rules):
        return None, rules
    x, y, z = (int(rule.text) for rule in rules)
    return (x, y, z), rules


def _checked_grid(grid: Any) -> tuple[int, int, int]:
    sizes = tuple(grid) if isinstance(grid, tuple | list) else (grid,)
    if not 1 <= len(sizes) <= 3 or not all(hasattr(size, "__index__") for size in sizes):
        raise LaunchError(f"a grid has one to three integers, not {grid!r}")
    x, y, z = (size.__index__() for size in (*sizes, 1, 1)[:3])
    return x, y, z
