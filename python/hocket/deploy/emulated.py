"""Runs bundles on the emulator, from the lane form that `hocket export --emulator` adds to a bundle."""

from __future__ import annotations

import math
import os
from typing import Any

from .. import _core
from ..errors import LaunchError
from .arrays import GivenArray, extent_of, layout_of_map
from .bundle_files import read_file
from .element_types import ELEMENT_TYPES
from .manifest import Argument, Manifest
from .tensor_map_bytes import bytes_of_map


class EmulatedBundle:
    """A bundle on the emulator. Raises LaunchError if the bundle has no code for the emulator, or if another build of
    Hocket has written it."""

    def __init__(self, folder: str | os.PathLike, manifest: Manifest):
        if not all(kernel.lane for kernel in manifest.kernels):
            raise LaunchError(
                f"{manifest.name} was exported for {manifest.target} without code for the emulator, and the arrays are "
                "in host memory\n  hint: pass arrays on a GPU, or export with --emulator"
            )
        if manifest.build != _core.build_id():
            raise LaunchError(
                f"{manifest.name} was exported by another build of Hocket ({manifest.hocket}), whose code for the "
                "emulator this build cannot run\n  hint: export it again"
            )
        self._manifest = manifest
        self._kernels = [
            _core.emulate_lane(read_file(folder, manifest, kernel.lane).decode(), kernel.parameters)
            for kernel in manifest.kernels
        ]

    def launch(self, grids: list, arrays: dict[int, GivenArray], numbers: dict[int, int]) -> None:
        import numpy as np

        sizes = [temporary.bytes for temporary in self._manifest.temporaries]
        memory = [np.zeros((size + 63) // 64 * 64 + 64, np.uint8) for size in sizes]
        aligned = [array[-array.ctypes.data % 64 :] for array in memory]
        for launch, grid in zip(self._manifest.launches, grids, strict=True):
            values = [self._value(argument, arrays, numbers, aligned) for argument in launch.arguments]
            self._kernels[launch.kernel].launch(grid, values, 0, 0, True, "late")

    def _value(
        self, argument: Argument, arrays: dict[int, GivenArray], numbers: dict[int, int], memory: list[Any]
    ) -> Any:
        """Returns the value of an argument as csrc/bindings/LaunchValues.h describes it."""
        if argument.kind == "bits":
            return argument.bits
        if argument.kind == "number":
            return numbers[argument.parameter]
        if argument.kind in ("shape", "stride"):
            return extent_of(argument, arrays[argument.parameter])
        array = arrays.get(argument.parameter)
        if array is None:
            raw = memory[argument.temporary]
            whole = (raw.ctypes.data, self._manifest.temporaries[argument.temporary].bytes, True, "uint8", 0, [])
        else:
            whole = _host_memory(self._manifest.parameters[argument.parameter].name, array)
        described = (whole[0] + argument.offset, whole[1] - argument.offset, *whole[2:4], argument.offset, [])
        if argument.map is None:
            return described
        sizes, strides = layout_of_map(argument.map, array)
        return [bytes_of_map(argument.map, described[0], sizes, strides), described]


def _host_memory(name: str, array: GivenArray) -> tuple:
    """Returns the memory of an array on the host: address, bytes, writable, dtype, bytes before, dimensions."""
    if array.shape is None:
        raise LaunchError(f"`{name}` is an address, and the other arrays are in host memory: pass an array")
    if not array.address and 0 not in array.shape:
        raise LaunchError(f"`{name}` is an array without memory")
    size = ELEMENT_TYPES[array.element].size_bytes
    extents = zip(array.shape, array.strides or (), strict=True)
    last = 0 if 0 in array.shape else 1 + sum((extent - 1) * stride for extent, stride in extents)
    flags = getattr(array.array, "flags", None)
    return (
        array.address,
        max(last, math.prod(array.shape) and 1) * size,
        getattr(flags, "writeable", True),
        ELEMENT_TYPES[array.element].array_name,
        0,
        [],
    )
