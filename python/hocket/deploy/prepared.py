"""The launches of a bundle on a GPU, prepared once for each thread: memory for the values of the kernels' arguments,
with the constants in it, and tensor maps by address."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from ..errors import LaunchError
from .arrays import GivenArray, extent_of, layout_of_map
from .manifest import Argument, Launch, Manifest

if TYPE_CHECKING:
    from .drivers import CudaDriver, HipDriver

#: Largest number of programs along each axis (CUDA C++ Programming Guide, "Technical Specifications per Compute
#: Capability").
_MOST_PROGRAMS = (2**31 - 1, 65535, 65535)
#: Largest number of tensor maps that a launch keeps.
_MOST_MAPS = 256
_VALUE_BYTES = 8


class PreparedLaunch:
    """A launch of a kernel, for one thread."""

    def __init__(self, manifest: Manifest, launch: Launch):
        self.index = launch.kernel
        self._kernel = manifest.kernels[launch.kernel]
        explicit = len(launch.arguments)
        count = max(explicit + len(self._kernel.scratch), 1)
        self._values = (ctypes.c_uint64 * count)()
        begin = ctypes.addressof(self._values)
        self._pointers = (ctypes.c_void_p * count)(*(begin + _VALUE_BYTES * i for i in range(count)))
        self._first_scratch = explicit
        #: Index of the value, index of the parameter or temporary, offset in bytes.
        self._from_parameters: list[tuple[int, int, int]] = []
        self._from_memory: list[tuple[int, int, int]] = []
        self._extents: list[tuple[int, Argument]] = []
        self._maps: list[tuple[int, Argument]] = []
        self._encoded: dict[tuple[Any, ...], Any] = {}
        for i, argument in enumerate(launch.arguments):
            if argument.kind == "bits":
                self._values[i] = argument.bits
            elif argument.kind == "map":
                self._maps.append((i, argument))
            elif argument.kind in ("shape", "stride"):
                self._extents.append((i, argument))
            elif argument.parameter >= 0:
                self._from_parameters.append((i, argument.parameter, argument.offset))
            else:
                self._from_memory.append((i, argument.temporary, argument.offset))

    def queue(
        self,
        driver: CudaDriver | HipDriver,
        function: ctypes.c_void_p,
        grid: tuple[int, int, int],
        stream: int,
        given: list[int],
        arrays: dict[int, GivenArray],
        memory: list[int],
    ) -> None:
        """Queues the kernel.

        Args:
            driver, function, stream: of the GPU, whose context is current.
            grid: number of programs along each axis.
            given: for each parameter of the bundle, the address of the array or the bits of the number.
            arrays: arrays of descriptors, by the index of the parameter.
            memory: addresses of the temporaries.
        """
        x, y, z = grid
        if not (0 <= x <= _MOST_PROGRAMS[0] and 0 <= y <= _MOST_PROGRAMS[1] and 0 <= z <= _MOST_PROGRAMS[2]):
            self._raise_for(grid)
        blocks = x * y * z
        if blocks == 0:
            return
        values = self._values
        for i, parameter, offset in self._from_parameters:
            values[i] = given[parameter] + offset
        for i, temporary, offset in self._from_memory:
            values[i] = memory[temporary] + offset
        for i, argument in self._extents:
            values[i] = extent_of(argument, arrays[argument.parameter])
        for i, argument in self._maps:
            base = given[argument.parameter] if argument.parameter >= 0 else memory[argument.temporary]
            map_ = self._map(driver, i, argument, base + argument.offset, arrays.get(argument.parameter))
            self._pointers[i] = ctypes.addressof(map_)
        if self._kernel.scratch:
            self._queue_with_scratch(driver, function, grid, stream, blocks)
        else:
            driver.launch(function, self._kernel, grid, stream, self._pointers)

    def _map(
        self, driver: CudaDriver | HipDriver, i: int, argument: Argument, address: int, array: GivenArray | None
    ) -> Any:
        """Returns an encoded tensor map, which depends only on the arguments of this function."""
        assert argument.map
        sizes, strides = layout_of_map(argument.map, array)
        key = i, address, tuple(sizes), tuple(strides)
        found = self._encoded.get(key)
        if found is None:
            if len(self._encoded) >= _MOST_MAPS:
                self._encoded.clear()
            found = self._encoded[key] = driver.encode(argument.map, address, sizes, strides)
        return found

    def _queue_with_scratch(
        self, driver: CudaDriver | HipDriver, function: Any, grid: tuple[int, int, int], stream: int, blocks: int
    ) -> None:
        scratch: list[int] = []
        try:
            for i, (per_launch, per_block) in enumerate(self._kernel.scratch):
                scratch.append(driver.allocate(per_launch + per_block * blocks, None, stream))
                self._values[self._first_scratch + i] = scratch[-1]
            driver.launch(function, self._kernel, grid, stream, self._pointers)
        finally:
            for address in scratch:
                driver.free(address, stream)

    def _raise_for(self, grid: tuple[int, int, int]) -> None:
        for axis, (size, most) in enumerate(zip(grid, _MOST_PROGRAMS, strict=True)):
            if not 0 <= size <= most:
                raise LaunchError(
                    f"{self._kernel.symbol}: a grid has 0 to {most} programs along axis {axis}, not {size}"
                )
