"""Restores arrays before timed runs, so that a kernel that works in place is not tuned on its own results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from .. import _core
from ..runtime.compiled import CompiledKernel
from .hooks import copy_of, fill


class Restored:
    """Keeps copies of the arrays that a launch both reads and writes, and restores them.

    Args:
        built: the kernels of all configurations. `metadata` of a kernel lists the arguments that the kernel reads and
            writes memory through.
        arguments: the arguments of the launch, by name.
        left_out: names of arrays that this object does not restore.
    """

    def __init__(self, built: Iterable[Any], arguments: dict[str, Any], left_out: Sequence[str]):
        kernels = [kernel for kernel in built if isinstance(kernel, CompiledKernel)]
        read = _arrays(arguments, [name for kernel in kernels for name in kernel.metadata.read_arguments])
        written = _arrays(arguments, [name for kernel in kernels for name in kernel.metadata.written_arguments])
        spans = [_span(array) for array in read.values()]
        self._kept = {
            name: (array, copy_of(array))
            for name, array in written.items()
            if name.partition("[")[0] not in left_out and any(_overlap(_span(array), span) for span in spans)
        }

    def put_back(self) -> None:
        """Restores the contents of the arrays from the copies."""
        for array, kept in self._kept.values():
            fill(array, kept)

    @property
    def prepare(self) -> Callable[[], None] | None:
        """Returns the function to call before each run; None if there is no array to restore."""
        return self.put_back if self._kept else None


def _arrays(arguments: dict[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """Returns all arrays of the arguments that `names` refers to.

    `names` are names from the metadata of a kernel. Each name is that of a parameter or of a part of a parameter, such
    as "x", "tensors[1]" or "desc". The keys of the result are the name of a parameter and a number, such as
    "tensors[1]".
    """
    wanted = {name.partition("[")[0].partition(".")[0] for name in names}
    return {
        f"{name}[{index}]": array
        for name in sorted(wanted & arguments.keys())
        for index, array in enumerate(_arrays_in(arguments[name]))
    }


def _arrays_in(value: Any) -> Iterator[Any]:
    if isinstance(value, tuple):
        for part in value:
            yield from _arrays_in(part)
        return
    array = getattr(value, "base", None) if hasattr(value, "_launch_descriptor") else value
    if hasattr(array, "__setitem__") and (hasattr(array, "clone") or hasattr(array, "copy")):
        yield array


def _span(array: Any) -> tuple[int, int]:
    """Returns the address of the first byte of an array, and the address after the last byte."""
    _, address, reach = _core.array_memory(array)
    return address, address + max(reach or getattr(array, "nbytes", 1), 1)


def _overlap(a: tuple[int, int], b: tuple[int, int]) -> bool:
    return a[0] < b[1] and b[0] < a[1]
