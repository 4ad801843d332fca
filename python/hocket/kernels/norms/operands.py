"""Checks of arrays, and the properties of arrays on which a plan depends."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from ...errors import LaunchError
from .._common.arrays import ArrayFacts, facts_of
from .._common.checks import as_number
from .problem import ELEMENT_BITS, Problem, checked_problem

_ALIGNMENT = 16


class Matrix(NamedTuple):
    """A matrix with rows of contiguous elements, and a row stride of `stride` elements."""

    array: Any
    facts: ArrayFacts
    stride: int


def has_rows(facts: ArrayFacts) -> bool:
    """Returns True if the elements of a row are contiguous, and the row stride is constant and positive."""
    if 0 in facts.shape or not facts.shape:
        return True
    distance = _distance(facts.shape[:-1], facts.strides[:-1], facts.shape[-1])
    return (facts.shape[-1] == 1 or facts.strides[-1] == 1) and distance is not None and distance > 0


def _distance(shape: Sequence[int], strides: Sequence[int], of_one: int) -> int | None:
    """Returns the distance between consecutive elements if all dimensions collapse into one, otherwise None. For a
    single element, returns `of_one`."""
    sizes = [(size, stride) for size, stride in zip(shape, strides, strict=True) if size > 1]
    if any(outer != size * inner for (_, outer), (size, inner) in itertools.pairwise(sizes)):
        return None
    return sizes[-1][1] if sizes else of_one


def matrix_of(operation: str, name: str, array: Any, like: Matrix | None = None, like_name: str = "x") -> Matrix:
    """Returns `array` as a matrix of rows. Raises a LaunchError unless the last dimension is contiguous and all others
    collapse into one. Raises a LaunchError if shape or dtype differ from those of `like`."""
    facts = facts_of(array, f"{operation}: {name}")
    if like is not None:
        _check_like(operation, name, facts, like.facts, like_name)
    elif not facts.shape:
        raise LaunchError(f"{operation}: {name} needs rows, but is a scalar")
    columns = facts.shape[-1]
    if 0 in facts.shape:
        return Matrix(array, facts, columns)  # a later check rejects empty arrays
    if columns > 1 and facts.strides[-1] != 1:
        raise LaunchError(
            f"{operation}: the elements of a row must be contiguous, but {name} has strides {list(facts.strides)}\n"
            f"  hint: pass a contiguous copy of {name}"
        )
    stride = _distance(facts.shape[:-1], facts.strides[:-1], columns)
    if stride is None:
        raise LaunchError(
            f"{operation}: all rows must be equally spaced in memory, but {name} of shape {list(facts.shape)} has "
            f"strides {list(facts.strides)}\n  hint: pass a contiguous copy of {name}"
        )
    if stride < 0:
        raise LaunchError(
            f"{operation}: rows must be ascending in memory, but {name} has strides {list(facts.strides)}\n"
            f"  hint: pass a contiguous copy of {name}"
        )
    return Matrix(array, facts, stride)


def _check_like(operation: str, name: str, facts: ArrayFacts, like: ArrayFacts, like_name: str) -> None:
    if facts.shape != like.shape:
        raise LaunchError(
            f"{operation}: {name} must have the shape of {like_name}, {list(like.shape)}, not {list(facts.shape)}"
        )
    if facts.dtype != like.dtype:
        raise LaunchError(f"{operation}: {name} must have the dtype of {like_name}, {like.dtype}, not {facts.dtype}")


def checked_eps(operation: str, eps: Any) -> float:
    """Returns `eps`, which is added to the mean square or the variance, as a float."""
    number = eps if type(eps) is float else as_number(eps)
    if number is None or not 0 <= number < math.inf:
        raise LaunchError(f"{operation}: eps must be a number from 0 on, not {eps!r}")
    return number


def checked_offset(operation: str, offset: Any, weight: Any) -> float:
    """Returns `weight_offset`, which is added to the weight, as a float."""
    number = as_number(offset)
    if number is None or not math.isfinite(number):
        raise LaunchError(f"{operation}: weight_offset must be a number, not {offset!r}")
    if weight is None and number != 0:
        raise LaunchError(f"{operation}: weight_offset is added to the weight, but there is no weight")
    return number


def check_writable(operation: str, name: str, array: Any) -> None:
    """Raises a LaunchError if `array` is read-only."""
    if not getattr(getattr(array, "flags", None), "writeable", True):
        raise LaunchError(f"{operation}: {name} is read-only\n  hint: pass an array that may be written, or None")


def check_output(operation: str, name: str, matrix: Matrix) -> Matrix:
    """Raises a LaunchError if rows of an output array overlap in memory."""
    if rows_of(matrix.facts) > 1 and matrix.stride < matrix.facts.shape[-1]:
        raise LaunchError(
            f"{operation}: rows of {name} overlap in memory: strides {list(matrix.facts.strides)}\n"
            f"  hint: pass a contiguous array as {name}"
        )
    return matrix


def check_vector(operation: str, name: str, array: Any, columns: int, of: str = "column") -> None:
    """Raises a LaunchError unless `array` is a weight or bias of `columns` elements, or None."""
    if array is None:
        return
    facts = facts_of(array, f"{operation}: {name}")
    if facts.shape != (columns,):
        raise LaunchError(
            f"{operation}: {name} must have one element per {of} of x, shape [{columns}], not {list(facts.shape)}"
        )
    if facts.dtype not in ELEMENT_BITS:
        raise LaunchError(f"{operation}: elements of {name} are {', '.join(ELEMENT_BITS)}, not {facts.dtype}")
    if columns > 1 and facts.strides[0] != 1:
        raise LaunchError(
            f"{operation}: {name} must be contiguous, but its stride is {facts.strides[0]}\n"
            f"  hint: pass a contiguous copy of {name}"
        )


def stride_of_statistics(operation: str, name: str, array: Any, rows: int) -> int:
    """Checks an array of row means or rstds, and returns its stride in elements."""
    return stride_of_rows(operation, name, array, rows, ("float32",), "pass what the forward pass returned")


def stride_of_rows(
    operation: str, name: str, array: Any, rows: int, dtypes: Sequence[str], hint: str, like_name: str = "x"
) -> int:
    """Checks an array with one element per row of the argument `like_name`, and returns its stride in elements. `hint`:
    hint in the error message about a wrong dtype."""
    facts = facts_of(array, f"{operation}: {name}")
    if facts.dtype not in dtypes:
        raise LaunchError(f"{operation}: {name} must be {' or '.join(dtypes)}, not {facts.dtype}\n  hint: {hint}")
    if math.prod(facts.shape) != rows:
        raise LaunchError(
            f"{operation}: {name} must have one element per row of {like_name}, {rows}, not {list(facts.shape)}"
        )
    distance = _distance(facts.shape, facts.strides, 1)
    if distance is None:
        raise LaunchError(
            f"{operation}: elements of {name} must be equally spaced in memory, but its strides are "
            f"{list(facts.strides)}\n  hint: pass a contiguous copy of {name}"
        )
    if distance < 0:
        raise LaunchError(
            f"{operation}: elements of {name} must be ascending in memory, but its strides are {list(facts.strides)}\n"
            f"  hint: pass a contiguous copy of {name}"
        )
    return distance


def address_of(array: Any) -> int:
    """Returns the address of an array's first element."""
    return array.data_ptr() if hasattr(array, "data_ptr") else array.ctypes.data


def rows_of(facts: ArrayFacts) -> int:
    """Returns the number of rows of an array."""
    return math.prod(facts.shape[:-1])


def problem_of(operation: str, matrices: list[Matrix], vectors: list[Any], **facts: bool) -> Problem:
    """Returns the Problem for x, which is the first of `matrices`."""
    x = matrices[0].facts
    aligned = are_aligned(matrices, vectors)
    return checked_problem(operation, rows_of(x), x.shape[-1], x.dtype, is_aligned=aligned, **facts)


def are_aligned(matrices: list[Matrix], vectors: list[Any]) -> bool:
    """Returns True if all rows and vectors begin at multiples of 16 bytes, and the size of a row is a multiple of 16
    bytes."""
    aligned = all(
        address_of(matrix.array) % _ALIGNMENT == 0
        and (
            rows_of(matrix.facts) == 1
            or (matrix.stride > 0 and matrix.stride * matrix.facts.element_bits // 8 % _ALIGNMENT == 0)
        )
        for matrix in matrices
    )
    x = matrices[0].facts
    aligned = aligned and x.shape[-1] * x.element_bits // 8 % _ALIGNMENT == 0
    return aligned and all(address_of(vector) % _ALIGNMENT == 0 for vector in vectors if vector is not None)
