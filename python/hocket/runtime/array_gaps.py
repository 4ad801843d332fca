"""Warns of array views with gaps between their elements, if the kernel does not get their strides.

A pointer to an array has no strides: `x + 1` is the next element in memory, which may not belong to the view. Kernels
on views must therefore take strides as arguments; a launch without them warns.
"""

from __future__ import annotations

import re
import warnings
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .. import _core

#: (kernel, parameter) of each warning so far.
_warned: set[tuple[Any, str]] = set()


def _element_bytes(dtype: str) -> int:
    digits = re.search(r"\d+", dtype)
    return int(digits[0]) // 8 if digits else 1


def _strides_of(dtype: str, dimensions: list[tuple[int, int]]) -> tuple[int, ...]:
    """Strides in elements."""
    return tuple(stride // _element_bytes(dtype) for _, stride in dimensions)


def warn_of_gaps(kernel: _core.LaunchFunction, facts: _core.KernelFacts, constants: list, values: list) -> None:
    """Warns, once per kernel and parameter, of views whose strides are not among the integer arguments or constants of
    the launch.

    `values` are the arguments of the launch; an array is a tuple whose last entry is (size, stride in bytes) of each
    dimension. The innermost dimension needs no stride if its elements are contiguous.
    """
    given = {value & 0xFFFFFFFF for value in (*values, *constants) if type(value) is int}
    for parameter, value in zip(facts.parameters, values, strict=False):
        if type(value) is not tuple or not value[-1] or (kernel, parameter) in _warned:
            continue
        dtype, dimensions = value[3], value[-1]
        needed = _strides_of(dtype, [(size, stride) for size, stride in dimensions if size > 1])
        if {stride & 0xFFFFFFFF for stride in needed if stride not in (0, 1)} <= given:
            continue
        _warned.add((kernel, parameter))
        warnings.warn(
            f"`{parameter}` of {facts.name}() is a view whose strides are {_strides_of(dtype, dimensions)}, and the "
            f"kernel is not told: {parameter} + 1 points to the next element in memory, not to that of the view. Pass "
            "the strides as integers too, or a contiguous copy.",
            stacklevel=3,
        )
