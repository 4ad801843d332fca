"""Arguments of the grouped GEMM, and checks that do not depend on the target."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ...errors import LaunchError
from .._common.arrays import ArrayFacts, facts_of
from .._common.checks import hint_for_dtype
from .._matmul.plan_block_scaled import BLOCK

if TYPE_CHECKING:
    from collections.abc import Sequence

ELEMENTS = ("float16", "bfloat16", "float8_e4m3fn", "float8_e5m2")
RESULTS = ("float16", "bfloat16", "float32")

#: Largest number of groups. The kernel keeps two numbers per group in shared memory.
MOST_GROUPS = 1024

#: Largest number of rows of all groups (`limited_rows`).
MOST_ROWS = 1 << 30


class Arguments(NamedTuple):
    """Form, sizes and dtype of a grouped GEMM.

    form          A                 B                 result
    "adjacent"    [rows, k]         [groups, k, n]    [rows, n]
    "masked"      [groups, M, k]    [groups, k, n]    [groups, M, n], with rows = groups x M
    "gradient"    [k, rows]         [rows, n]         [groups, k, n]
    "gathered"    [sources, k]      [groups, k, n]    [rows, n], row t from row indices[t] of A

    `pitch`: M if groups are masked, or None. `is_block_scaled`: whether scales belong to 128 elements of a row of A and
    to 128 x 128 elements of B.
    """

    form: str
    rows: int
    groups: int
    n: int
    k: int
    dtype: str
    pitch: int | None = None
    is_block_scaled: bool = False

    @property
    def result_shape(self) -> tuple[int, ...]:
        if self.form == "gradient":
            return self.groups, self.k, self.n
        return (self.rows, self.n) if self.pitch is None else (self.groups, self.pitch, self.n)


def fail(message: str) -> LaunchError:
    return LaunchError(f"grouped_matmul: {message}")


def text_of(shape: Sequence[int]) -> str:
    return str(list(shape))


def arguments_of(a: ArrayFacts, b: ArrayFacts, offsets: Any, counts: Any, indices: Any) -> Arguments:
    """Returns the Arguments of a call. Raises a LaunchError for operands that do not match."""
    if (offsets is None) == (counts is None):
        raise fail(
            "pass either offsets, the index after the last row of each group, or counts, the number of valid rows of "
            "each group"
        )
    if len(b.shape) == 2 and counts is None:
        arguments = arguments_of_gradient(a, b, offsets)
    else:
        arguments = arguments_of_rows(a, b, offsets, counts)
    if indices is not None:
        if arguments.form != "adjacent":
            raise fail("indices are for a [S, K] and b [G, K, N] with offsets")
        check_indices(indices, "indices", None)
        if a.shape[0] == 0 and indices.shape[0] > 0:
            raise fail("indices select rows of a, which has no rows")
        arguments = arguments._replace(form="gathered", rows=indices.shape[0])
    if a.dtype != b.dtype:
        raise fail(f"a is {a.dtype} and b is {b.dtype}; they must be of one dtype")
    check_element(a.dtype)
    if arguments.form == "gradient" and a.element_bits == 8:
        raise fail(
            f"a GEMM over the rows of groups has no kernel for {a.dtype}, because tensor cores read K in contiguous "
            "order\n  hint: convert a and b to bfloat16"
        )
    if arguments.groups > MOST_GROUPS:
        raise fail(f"there are {arguments.groups} groups, more than {MOST_GROUPS}")
    if arguments.rows > MOST_ROWS:
        raise fail(f"the groups have {arguments.rows} rows, more than {MOST_ROWS}")
    return arguments


def check_element(dtype: Any) -> None:
    """Raises a LaunchError unless the kernels multiply elements of `dtype`."""
    if not isinstance(dtype, str) or dtype not in ELEMENTS:
        raise fail(f"elements of a and b are {', '.join(ELEMENTS)}, not {dtype}{hint_for_dtype(dtype)}")


def arguments_of_rows(a: ArrayFacts, b: ArrayFacts, offsets: Any, counts: Any) -> Arguments:
    """Returns the Arguments of a GEMM of each group's rows of A."""
    of_a = "[T, K] with offsets" if counts is None else "[G, M, K] with counts"
    if len(a.shape) != (2 if counts is None else 3):
        raise fail(f"a must be {of_a}, but its shape is {text_of(a.shape)}")
    if len(b.shape) != 3:
        raise fail(f"b must be [G, K, N], a matrix per group, but its shape is {text_of(b.shape)}")
    groups, k, n = b.shape
    if a.shape[-1] != k:
        raise fail(f"a has {a.shape[-1]} columns and each matrix of b has {k} rows; they must be equal")
    if counts is None:
        check_indices(offsets, "offsets", groups)
        return Arguments("adjacent", a.shape[0], groups, n, k, a.dtype)
    if a.shape[0] != groups:
        raise fail(f"a has {a.shape[0]} groups and b has {groups}; they must be equal")
    check_indices(counts, "counts", groups)
    return Arguments("masked", groups * a.shape[1], groups, n, k, a.dtype, a.shape[1])


def arguments_of_gradient(a: ArrayFacts, b: ArrayFacts, offsets: Any) -> Arguments:
    """Returns the Arguments of a GEMM over the rows of each group."""
    if len(a.shape) != 2:
        raise fail(f"a must be [M, T] if b has two dimensions, but its shape is {text_of(a.shape)}")
    if a.shape[1] != b.shape[0]:
        raise fail(f"a has {a.shape[1]} columns and b has {b.shape[0]} rows; they must be equal")
    check_indices(offsets, "offsets", None)
    return Arguments("gradient", b.shape[0], offsets.shape[0], b.shape[1], a.shape[0], a.dtype)


def check_indices(array: Any, name: str, groups: int | None) -> None:
    """Raises a LaunchError unless `array` has one integer per group. `groups`: None if the array determines it."""
    facts = facts_of(array, f"grouped_matmul: {name}")
    if len(facts.shape) != 1:
        raise fail(f"{name} must have one dimension, but its shape is {text_of(facts.shape)}")
    if groups is not None and facts.shape != (groups,):
        raise fail(f"{name} must have one number per matrix of b, {groups}, but its shape is {text_of(facts.shape)}")
    if facts.dtype not in ("int32", "int64"):
        raise fail(f"{name} must be int32 or int64, not {facts.dtype}")
    if facts.shape[0] > 1 and facts.strides != (1,):
        raise fail(f"{name} must be contiguous, but its strides are {list(facts.strides)}")


def with_scales(arguments: Arguments, scale_a: Any, scale_b: Any) -> Arguments:
    """Returns the Arguments of a call with scales. Raises a LaunchError unless the scales are None, or float32
    arrays of the right shapes."""
    if is_of_blocks(scale_a, scale_b, arguments):
        check_block_scales(scale_a, scale_b, arguments)
        return arguments._replace(is_block_scaled=True)
    shapes = arguments.result_shape[:-1], (arguments.groups, arguments.n)
    for name, array, shape in (("scale_a", scale_a, shapes[0]), ("scale_b", scale_b, shapes[1])):
        if array is None:
            continue
        if arguments.form == "gradient":
            raise fail(f"{name} is for GEMMs of the rows of groups, in which b has three dimensions")
        facts = checked_scale(name, array, shape)
        expected = [shape[1], 1] if len(shape) == 2 else [1]
        if any(size > 1 and own != other for size, own, other in zip(shape, facts.strides, expected, strict=True)):
            raise fail(f"{name} must be contiguous, but its strides are {list(facts.strides)}")
    return arguments


def checked_scale(name: str, array: Any, shape: tuple[int, ...]) -> ArrayFacts:
    """Returns the facts of scales. Raises a LaunchError unless they are float32 of a shape."""
    facts = facts_of(array, f"grouped_matmul: {name}")
    if facts.shape != shape:
        raise fail(f"{name} must be {' x '.join(map(str, shape))}, but its shape is {text_of(facts.shape)}")
    if facts.dtype != "float32":
        raise fail(f"{name} must be float32, not {facts.dtype}")
    return facts


def is_of_blocks(scale_a: Any, scale_b: Any, arguments: Arguments) -> bool:
    """Returns True if scales have a dimension for the blocks of K."""
    if arguments.form == "gradient" or scale_a is None or scale_b is None:
        return False
    dimensions = [len(facts_of(array, f"grouped_matmul: {name}").shape) for name, array in
                  (("scale_a", scale_a), ("scale_b", scale_b))]  # fmt: skip
    return dimensions == [len(arguments.result_shape), 3]


def check_block_scales(scale_a: Any, scale_b: Any, arguments: Arguments) -> None:
    """Raises a LaunchError unless the kernel for scales of blocks can compute the GEMM."""
    if arguments.form == "gathered":
        raise fail("scales of blocks are not supported with indices\n  hint: copy the rows of a and of scale_a first")
    if not arguments.dtype.startswith("float8"):
        raise fail(f"scales of blocks are for float8, not {arguments.dtype}")
    if arguments.k % BLOCK:
        raise fail(f"K must be a multiple of {BLOCK}, which share a scale, but it is {arguments.k}")
    steps = arguments.k // BLOCK
    of_a = checked_scale("scale_a", scale_a, (*arguments.result_shape[:-1], steps))
    of_b = checked_scale("scale_b", scale_b, (arguments.groups, -(-arguments.n // BLOCK), steps))
    for name, facts in (("scale_a", of_a), ("scale_b", of_b)):
        if any(stride < 0 for stride in facts.strides):
            raise fail(f"{name} has a negative stride: its strides are {list(facts.strides)}\n  hint: copy {name}")
    if arguments.pitch is not None and of_a.strides[0] != arguments.pitch * of_a.strides[1] and arguments.groups > 1:
        raise fail(
            f"the groups of scale_a must follow each other in memory, but its strides are {list(of_a.strides)}\n"
            "  hint: copy scale_a"
        )


def name_of_result(arguments: Arguments, out_dtype: str | None) -> str:
    """Returns the dtype of a new result."""
    if out_dtype is None:
        return arguments.dtype if arguments.dtype in RESULTS else "float16"
    if not isinstance(out_dtype, str) or out_dtype not in RESULTS:
        raise fail(f"out_dtype is one of {', '.join(RESULTS)}, not {out_dtype!r}{hint_for_dtype(out_dtype)}")
    return out_dtype


def check_result(facts: ArrayFacts, arguments: Arguments) -> None:
    """Raises a LaunchError unless an array can hold the result."""
    if facts.shape != arguments.result_shape:
        wanted = " x ".join(map(str, arguments.result_shape))
        raise fail(f"out must be {wanted}, but its shape is {text_of(facts.shape)}")
    if facts.dtype not in RESULTS:
        raise fail(f"elements of the result are {', '.join(RESULTS)}, not {facts.dtype}")


__all__ = [
    "Arguments",
    "arguments_of",
    "check_element",
    "check_indices",
    "check_result",
    "fail",
    "name_of_result",
    "with_scales",
]
