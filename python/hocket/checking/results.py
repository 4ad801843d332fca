"""Results of a checked function: its arrays by name, and the differences between two schedules."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from .. import _core
from ..errors import LaunchError
from ..testing.compare import to_numpy

Arrays = dict[str, np.ndarray]

_ROUNDING_HINT = (
    "\n  hint:  atomics add floats in any order, and sums are rounded in that order; if that is all, give a tolerance"
)


def named_arrays(value: Any, name: str = "result") -> Arrays:
    """Returns copies of the arrays and numbers in `value`, a nest of tuples, lists and dicts, by name: `{"result[0]":
    ...}`.

    Raises LaunchError for values of other types.
    """
    return {name: np.array(array, order="C", copy=True) for name, array in _walk(value, name)}


def unwritten(value: Any, name: str = "result") -> dict[str, str]:
    """Returns messages about the unwritten elements of arrays whose writes are tracked (`hocket.emulator.empty`)."""
    found = {name: _unwritten_elements(array) for name, array in _walk(value, name)}
    return {
        name: f"nothing has written {len(places)} of the {size} elements of `{name}`, the first at {_index(places[0])}"
        for name, (places, size) in found.items()
        if len(places)
    }


def _unwritten_elements(array: np.ndarray) -> tuple[np.ndarray, int]:
    """Returns the indices of the unwritten elements, and the number of all elements."""
    memory = _core.UnwrittenMemory.find(array.ctypes.data) if array.size else None
    if memory is None:
        return np.empty((0, array.ndim), int), array.size
    offset = array.ctypes.data - np.frombuffer(memory, np.uint8).ctypes.data
    bits = np.ndarray((*array.shape, array.itemsize), np.uint8, memory.shadow(), offset, (*array.strides, 1))
    return np.argwhere(bits.any(axis=-1)), array.size


def _walk(value: Any, name: str) -> Iterator[tuple[str, np.ndarray]]:
    if value is None:
        return
    if isinstance(value, Mapping):
        for key, part in value.items():
            yield from _walk(part, f"{name}[{key!r}]")
    elif isinstance(value, (tuple, list)):
        for index, part in enumerate(value):
            yield from _walk(part, f"{name}[{index}]")
    else:
        array = to_numpy(value)
        if array.dtype.kind in "OSUmM":
            raise LaunchError(
                f"{name} is of type {type(value).__name__}, which cannot be compared: return arrays, numbers, "
                "or tuples, lists and dicts of them"
            )
        yield name, array


def digest(arrays: Arrays) -> bytes:
    """Returns a hash of the names, shapes, dtypes and bits of the arrays."""
    state = hashlib.sha256()
    for name, array in arrays.items():
        state.update(f"{name} {array.shape} {array.dtype}".encode())
        state.update(array.tobytes())
    return state.digest()


def nans(name: str, array: np.ndarray) -> str | None:
    """Returns a message about the NaNs in a result, or None."""
    if not _is_float(array.dtype):
        return None
    places = np.argwhere(np.isnan(array.astype(np.float64)))
    if not len(places):
        return None
    return (
        f"`{name}` has {len(places)} NaN among {array.size} elements, the first at {_index(places[0])}\n"
        "  hint:  shared memory that nothing has written, copies that were not waited for, and masked-off loads "
        "without `other` read as NaN"
    )


def difference(name: str, array: np.ndarray, first: np.ndarray, tolerance: float) -> str | None:
    """Returns a message about the differences between `array` and the array `first` of the first schedule; None if
    there are none outside `tolerance`.

    `tolerance` is relative to the largest finite value of `first`, and only applies to floats.
    """
    if array.shape != first.shape or array.dtype != first.dtype:
        return (
            f"`{name}` depends on the schedule: it has shape {array.shape} and type {array.dtype}, "
            f"and was {first.shape}, {first.dtype}"
        )
    if array.tobytes() == first.tobytes():
        return None
    differs = (_bytes_of(array) != _bytes_of(first)).any(axis=-1)
    largest = ""
    if _is_float(array.dtype):
        now, before = array.astype(np.float64), first.astype(np.float64)
        with np.errstate(invalid="ignore"):
            distance = np.abs(now - before)
        if tolerance:
            limit = tolerance * np.abs(before[np.isfinite(before)]).max(initial=0.0)
            differs &= ~((distance <= limit) | (now == before) | (np.isnan(now) & np.isnan(before)))
        finite = distance[differs & np.isfinite(distance)]
        if finite.size:
            largest = f"\n  largest difference:  {finite.max():.3g}"
            if finite.size == differs.sum() and _may_be_rounding(finite.max(), before, first.dtype):
                largest += _ROUNDING_HINT
    places = np.argwhere(differs)
    if not len(places):
        return None
    place = tuple(places[0])
    return (
        f"`{name}` depends on the schedule: {len(places)} of {array.size} elements differ from the first schedule's\n"
        f"  at {_index(place)}:  {array[place]}, and was {first[place]}{largest}"
    )


def _may_be_rounding(distance: float, values: np.ndarray, dtype: np.dtype) -> bool:
    """Returns True if `distance`, relative to the largest of `values`, is small enough to be caused by another order of
    summation."""
    return distance <= (1e-4 if dtype.itemsize >= 4 else 1e-2) * np.abs(values[np.isfinite(values)]).max(initial=0.0)


def _is_float(dtype: np.dtype) -> bool:
    """Returns True for floats of NumPy and ml_dtypes. Some floats of ml_dtypes have the kind "V", like void."""
    return dtype.kind == "f" or (dtype.kind == "V" and dtype.fields is None)


def _bytes_of(array: np.ndarray) -> np.ndarray:
    """Returns an array with an additional last dimension: the bytes of each element."""
    return np.frombuffer(array.tobytes(), np.uint8).reshape(*array.shape, array.itemsize)


def _index(place: Any) -> str:
    return f"[{', '.join(map(str, place))}]"
