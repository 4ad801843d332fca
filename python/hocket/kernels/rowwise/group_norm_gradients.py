"""The gradient of group norm: the function that users call, and its launches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...errors import LaunchError
from ...launch_cache import LaunchCache
from .._common.arrays import facts_of, maker_of_empty
from .._common.checks import check_flags
from ..norms.arguments import MatrixPointer
from ..norms.operands import check_vector
from .elementwise import parts_of_rows
from .group_norms import as_rows, check_groups
from .grouped_backward import (
    ChannelGradients,
    GroupSizes,
    GroupStatistics,
    add_up_channels,
    gradient_of_parts,
    sums_of_parts,
)
from .launch import prepared

#: `_ADDING_WARPS`: number of warps of the blocks that add up the sums of channels. `_ADDING_BLOCK`: number of sums that
#: such a block loads at once. `_ADDING_CHANNELS`: number of channels for which such a block computes dw and db.
_ADDING_WARPS = 4
_ADDING_BLOCK = 512
_ADDING_CHANNELS = 8


def group_norm_backward(
    dy: Any,
    x: Any,
    groups: int,
    weight: Any,
    mean: Any,
    rstd: Any,
    *,
    has_bias: bool = True,
) -> tuple[Any, Any, Any]:
    """Returns the gradients of `group_norm`: dx, dw (None without a weight) and db (None if `has_bias` is False).

    Three launches read dy and x twice. No sum uses atomics.

    Args:
        dy: an array like x, contiguous.
        x: [batch, channels, ...], the input of `group_norm`.
        groups, weight: the arguments of `group_norm`.
        mean, rstd: float32 [batch, groups], as `group_norm` returns them.
        has_bias: whether to compute the gradient of the bias.

    dw and db have the dtype of the weight; without a weight, db is float32.
    Raises: LaunchError for arrays with unsupported shapes, strides or dtypes.
    """
    operation = "group_norm_backward"
    arrays = x, dy, weight, mean, rstd
    return _launches.find(arrays, (operation, groups, has_bias))(*arrays)


def _check_statistics(operation: str, name: str, array: Any, shape: tuple[int, int]) -> None:
    facts = facts_of(array, f"{operation}: {name}")
    if facts.dtype != "float32" or facts.shape != shape:
        raise LaunchError(
            f"{operation}: {name} must be float32 {list(shape)}, not {facts.dtype} {list(facts.shape)}\n"
            "  hint: pass what group_norm returned"
        )
    if any(size > 1 and stride != step for size, stride, step in zip(shape, facts.strides, (shape[1], 1), strict=True)):
        raise LaunchError(
            f"{operation}: {name} must be contiguous, but has strides {list(facts.strides)}\n"
            f"  hint: pass a contiguous copy of {name}"
        )


def _prepare(
    x, dy, weight, mean, rstd, operation: str, groups: int, has_bias: bool
) -> Callable[..., tuple[Any, Any, Any]]:
    check_flags(operation, has_bias=has_bias)
    check_groups(operation, groups)
    as_rows(operation, "x", x, groups)  # checks the number of groups
    shape = facts_of(x, "x").shape
    images, channels = shape[:2]
    source = as_rows(operation, "x", x, channels)
    facts = facts_of(dy, f"{operation}: dy")
    if facts.shape != shape or facts.dtype != source.facts.dtype:
        raise LaunchError(
            f"{operation}: dy must be {source.facts.dtype} {list(shape)} as x is, not {facts.dtype} {list(facts.shape)}"
        )
    inputs = [source, as_rows(operation, "dy", dy, channels)]
    check_vector(operation, "weight", weight, channels, "channel")
    for name, statistic in (("mean", mean), ("rstd", rstd)):
        _check_statistics(operation, name, statistic, (images, groups))
    plan, options, _ = prepared(operation, inputs, [], None, None)
    rows, columns, parts = plan.problem.rows, plan.problem.columns, parts_of_rows(plan)
    sizes = GroupSizes(images, channels, channels // groups, parts)
    dtype = "float32" if weight is None else facts_of(weight, "weight").dtype
    new_dx, new_vector = maker_of_empty(x, shape, source.facts.dtype), maker_of_empty(x, (channels,), dtype)
    new_partials = maker_of_empty(x, (2, rows, parts), "float32")
    new_sums = maker_of_empty(x, (2, images, groups), "float32")
    adding = images * groups
    if has_bias or weight is not None:
        adding += -(-channels // _ADDING_CHANNELS)

    def run(x, dy, weight, mean, rstd):
        dx, partials, sums = new_dx(x), new_partials(x), new_sums(x)
        gradients = ChannelGradients(None if weight is None else new_vector(x), new_vector(x) if has_bias else None)
        matrices = MatrixPointer(dy, columns), MatrixPointer(x, columns)
        statistics = GroupStatistics(mean, rstd)
        sums_of_parts[(plan.blocks,)](*matrices, statistics, partials, sizes, rows, columns, **options)
        add_up_channels[(adding,)](
            partials, weight, sums, gradients, sizes, rows,
            CHANNELS=_ADDING_CHANNELS, BLOCK=_ADDING_BLOCK, num_warps=_ADDING_WARPS,
        )  # fmt: skip
        gradient_of_parts[(plan.blocks,)](
            *matrices, statistics, sums, weight, MatrixPointer(dx, columns), sizes, rows, columns, **options
        )
        return dx, *gradients

    return run


_launches = LaunchCache(_prepare)
