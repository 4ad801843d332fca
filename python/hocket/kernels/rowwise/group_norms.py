"""Group norm: the function that users call, and its launches."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ... import next_power_of_2
from ...errors import LaunchError
from ...launch_cache import LaunchCache
from .._common.arrays import facts_of, maker_of_empty
from .._common.checks import check_flags
from ..norms.arguments import MatrixPointer
from ..norms.operands import Matrix, check_vector, check_writable, checked_eps
from ..norms.plan import SPLIT
from .choose import check_schedule
from .elementwise import parts_of_rows
from .grouped import Channels, GroupedOutputs, group_norm_resident, normalize_parts, statistics_of_parts
from .launch import prepared


def group_norm(
    x: Any,
    groups: int,
    weight: Any = None,
    bias: Any = None,
    eps: float = 1e-5,
    *,
    out: Any = None,
    return_statistics: bool = False,
    schedule: str | None = None,
) -> Any:
    """Returns (x - mean) / sqrt(variance + eps) * weight + bias, with mean and variance of each group of channels.

    Rows of a group that do not fit into registers are divided into parts, whose statistics are combined by the formula
    of Chan, Golub and LeVeque (1979) in a second launch.

    Args:
        x: [batch, channels, ...], contiguous, float32, float16 or bfloat16; a group has up to 2^24 elements.
        groups: a divisor of the number of channels.
        weight, bias: [channels], or None.
        out: contiguous array to write the result to, which may be x; a new array if None.
        return_statistics: also return mean and 1 / sqrt(variance + eps) of each group, float32 [batch, groups].
        schedule: "multi-wave" or "split", see `choose`. A row of `choose` is a group with all elements of its channels.

    Returns: y, or a tuple of y, mean and rstd.
    Raises: LaunchError for arrays with unsupported shapes, strides or dtypes.
    """
    operation = "group_norm"
    check_flags(operation, return_statistics=return_statistics)
    run = _launches.find((x, weight, bias, out), (operation, schedule, groups))
    y, mean, rstd = run(x, weight, bias, out, checked_eps(operation, eps))
    return (y, mean, rstd) if return_statistics else y


def check_groups(operation: str, groups: Any) -> None:
    """Raises a LaunchError if `groups` is not a positive integer."""
    if isinstance(groups, bool) or not isinstance(groups, int) or groups < 1:
        raise LaunchError(f"{operation}: groups must be a positive integer, not {groups!r}")


def as_rows(operation: str, name: str, array: Any, groups: int) -> Matrix:
    """Returns a contiguous array as a matrix that has one row per group of channels of each image."""
    facts = facts_of(array, f"{operation}: {name}")
    shape = facts.shape
    if len(shape) < 2:
        raise LaunchError(f"{operation}: {name} must be [batch, channels, ...], not {list(shape)}")
    if shape[1] % groups:
        raise LaunchError(f"{operation}: groups must divide the number of channels, {shape[1]}, but groups is {groups}")
    expected = 1
    for size, stride in zip(reversed(shape), reversed(facts.strides), strict=True):
        if size > 1 and stride != expected:
            raise LaunchError(
                f"{operation}: {name} must be contiguous, channels before all other dimensions, but has strides "
                f"{list(facts.strides)}\n  hint: pass a contiguous copy of {name}"
            )
        expected *= size
    rows = shape[0] * groups
    columns = math.prod(shape[1:]) // groups
    return Matrix(array, facts._replace(shape=(rows, columns), strides=(columns, 1)), columns)


def _prepare(
    x, weight, bias, out, operation: str, schedule: str | None, groups: int
) -> Callable[..., tuple[Any, Any, Any]]:
    check_schedule(schedule)
    check_writable(operation, "out", out)
    check_groups(operation, groups)
    source = as_rows(operation, "x", x, groups)
    outputs = []
    shape = facts_of(x, "x").shape
    if out is not None:
        outputs.append(as_rows(operation, "out", out, groups))
        theirs = facts_of(out, "out")
        if theirs.shape != shape or theirs.dtype != source.facts.dtype:
            raise LaunchError(
                f"{operation}: out must be {source.facts.dtype} {list(shape)} as x is, not {theirs.dtype} "
                f"{list(theirs.shape)}"
            )
    for name, vector in (("weight", weight), ("bias", bias)):
        check_vector(operation, name, vector, shape[1], "channel")
    facts = {"has_weight": weight is not None, "has_bias": bias is not None}
    plan, options, _ = prepared(operation, [source], outputs, schedule, None, **facts)
    rows, columns = plan.problem.rows, plan.problem.columns
    elements = math.prod(shape[2:])
    by_access = plan.vector > 1 and elements % plan.vector == 0
    new_y = maker_of_empty(x, shape, source.facts.dtype)
    new_statistics = maker_of_empty(x, (shape[0], groups), "float32")
    sizes = groups, shape[1] // groups, elements
    parts = parts_of_rows(plan)
    new_partials = maker_of_empty(x, (2, rows, parts), "float32")

    def run(x, weight, bias, out, eps):
        results = new_y(x) if out is None else out, new_statistics(x), new_statistics(x)
        outputs = GroupedOutputs(MatrixPointer(results[0], columns), *results[1:])
        matrix, channels = MatrixPointer(x, columns), Channels(weight, bias, *sizes)
        if plan.schedule == SPLIT:
            partials = new_partials(x)
            statistics_of_parts[(plan.blocks,)](matrix, partials, rows, columns, parts, **options)
            normalize_parts[(plan.blocks,)](
                matrix, channels, partials, outputs, rows, columns, parts, eps,
                MOST_PARTS=next_power_of_2(parts), by_access=by_access, **options,
            )  # fmt: skip
        else:
            group_norm_resident[(plan.blocks,)](
                matrix, channels, outputs, rows, columns, eps, by_access=by_access, **options
            )
        return results

    return run


_launches = LaunchCache(_prepare)
