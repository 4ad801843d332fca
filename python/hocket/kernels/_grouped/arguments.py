"""Arguments of the grouped GEMM, and checks that do not depend on the target."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ...errors import LaunchError
from .._common.arrays import ArrayFacts, facts_of
from .._common.checks import hint_for_dtype

if TYPE_CHECKING:
    from collections.abc import Sequence

ELEMENTS = ("float16", "bfloat16")
RESULTS = ("float16", "bfloat16", "float32")

#: Largest number of groups. The kernel keeps two numbers per group in shared memory.
MOST_GROUPS = 1024


class Arguments(NamedTuple):
    """Sizes and dtype of a grouped GEMM. `pitch` is the number of rows of A per group if groups are masked, or None if
    groups are adjacent."""

    rows: int
    groups: int
    n: int
    k: int
    pitch: int | None
    dtype: str

    @property
    def shape_of_a(self) -> tuple[int, ...]:
        return (self.rows, self.k) if self.pitch is None else (self.groups, self.pitch, self.k)

    @property
    def shape_of_b(self) -> tuple[int, ...]:
        return self.groups, self.k, self.n

    @property
    def result_shape(self) -> tuple[int, ...]:
        return (*self.shape_of_a[:-1], self.n)

    def with_k(self, k: int) -> Arguments:
        return self._replace(k=k)


def fail(message: str) -> LaunchError:
    return LaunchError(f"grouped_matmul: {message}")


def shape_text(shape: Sequence[int]) -> str:
    return str(list(shape))


def arguments_of(a: ArrayFacts, b: ArrayFacts, has_offsets: bool, has_counts: bool) -> Arguments:
    """Returns the Arguments of a call. Raises a LaunchError for operands that do not match."""
    if has_offsets == has_counts:
        raise fail(
            "pass either offsets, the index after the last row of each group, or counts, the number of valid rows of "
            "each group"
        )
    of_a = "[G, M, K] with counts" if has_counts else "[T, K] with offsets"
    if len(a.shape) != 2 + has_counts:
        raise fail(f"a must be {of_a}, but its shape is {shape_text(a.shape)}")
    if len(b.shape) != 3:
        raise fail(f"b must be [G, K, N], a matrix per group, but its shape is {shape_text(b.shape)}")
    groups, k, n = b.shape
    if a.shape[-1] != k:
        raise fail(f"a has {a.shape[-1]} columns and each matrix of b has {k} rows; they must be equal")
    if has_counts and a.shape[0] != groups:
        raise fail(f"a has {a.shape[0]} groups and b has {groups}; they must be equal")
    if a.dtype != b.dtype:
        raise fail(f"a is {a.dtype} and b is {b.dtype}; they must be of one dtype")
    if a.dtype not in ELEMENTS:
        raise fail(f"elements of a and b are {' or '.join(ELEMENTS)}, not {a.dtype}{hint_for_dtype(a.dtype)}")
    if groups > MOST_GROUPS:
        raise fail(f"b has {groups} groups, more than {MOST_GROUPS}")
    pitch = a.shape[1] if has_counts else None
    return Arguments(groups * a.shape[1] if has_counts else a.shape[0], groups, n, k, pitch, a.dtype)


def check_indices(array: Any, name: str, groups: int) -> None:
    """Raises a LaunchError unless `array` has one integer per group."""
    facts = facts_of(array, f"grouped_matmul: {name}")
    if facts.shape != (groups,):
        raise fail(f"{name} must have one number per matrix of b, {groups}, but its shape is {shape_text(facts.shape)}")
    if facts.dtype not in ("int32", "int64"):
        raise fail(f"{name} must be int32 or int64, not {facts.dtype}")
    if groups > 1 and facts.strides != (1,):
        raise fail(f"{name} must be contiguous, but its strides are {list(facts.strides)}")


def name_of_result(arguments: Arguments, out_dtype: str | None) -> str:
    """Returns the dtype of a new result."""
    if out_dtype is None:
        return arguments.dtype
    if not isinstance(out_dtype, str) or out_dtype not in RESULTS:
        raise fail(f"out_dtype is one of {', '.join(RESULTS)}, not {out_dtype!r}{hint_for_dtype(out_dtype)}")
    return out_dtype


def check_result(facts: ArrayFacts, arguments: Arguments) -> None:
    """Raises a LaunchError unless an array can hold the result."""
    if facts.shape != arguments.result_shape:
        wanted = " x ".join(map(str, arguments.result_shape))
        raise fail(f"out must be {wanted}, but its shape is {shape_text(facts.shape)}")
    if facts.dtype not in RESULTS:
        raise fail(f"elements of the result are {', '.join(RESULTS)}, not {facts.dtype}")


__all__ = ["Arguments", "arguments_of", "check_indices", "check_result", "fail", "name_of_result"]
