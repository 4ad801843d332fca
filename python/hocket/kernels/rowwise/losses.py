"""Cross-entropy: the functions that users call, and their launches."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from ...errors import LaunchError
from ...launch_cache import LaunchCache
from .._common.arrays import facts_of, maker_of_empty
from .._common.checks import as_number, check_flags
from ..norms.arguments import MatrixPointer
from ..norms.operands import check_writable, matrix_of, stride_of_rows
from ..norms.plan import STREAMING
from .choose import check_schedule
from .cross_entropy_kernels import (
    RowLosses,
    Targets,
    Weights,
    add_up_losses,
    cross_entropy_resident,
    cross_entropy_streaming,
)
from .cross_entropy_kernels import cross_entropy_backward as backward_kernel
from .elementwise import parts_of_rows
from .launch import given_output, prepared

REDUCTIONS = ("none", "mean", "sum")

#: `_ADDING_WARPS`: number of warps of the block that adds up the losses of rows. `_ADDING_BLOCK`: number of losses that
#: this block loads at once.
_ADDING_WARPS = 16
_ADDING_BLOCK = 4096


class LossStatistics(NamedTuple):
    """Results of the forward pass that the backward pass needs: the logarithm of each row's sum of exponentials,
    float32 [...], and, if the loss is a mean, the number of rows that are not ignored, float32 []."""

    lse: Any
    count: Any


def cross_entropy(
    logits: Any,
    targets: Any,
    *,
    ignore_index: int = -100,
    label_smoothing: float = 0.0,
    z_loss: float = 0.0,
    reduction: str = "mean",
    return_statistics: bool = False,
    schedule: str | None = None,
) -> Any:
    """Returns the cross-entropy of rows of logits, float32, as `torch.nn.functional.cross_entropy` defines it.

    Each row is read once, part by part if it does not fit into registers (online softmax, arXiv 1805.02867).

    Args:
        logits: [..., columns], up to 262144 columns; rows may have any stride.
        targets: [...], int32 or int64: the column of each row's class. If a target is neither `ignore_index` nor one of
            0 ... columns - 1, the loss is NaN.
        ignore_index: target of ignored rows. The loss of ignored rows is 0.
        label_smoothing: from 0 to 1: part of the target's probability that is divided among all columns.
        z_loss: factor of the squared logarithm of the sum of exponentials, which is added to a row's loss (Chowdhery
            and others, arXiv 2204.02311).
        reduction: "mean" over the rows that are not ignored (NaN if there are none), "sum", or "none" for a loss per
            row.
        return_statistics: also return LossStatistics, for `cross_entropy_backward`.
        schedule: variant to use instead of the predicted best one, see `choose`.

    Returns: the loss, [] or [...], or a pair of the loss and the statistics.
    Raises: LaunchError for arrays with unsupported shapes, strides or dtypes, and for invalid settings.
    """
    operation = "cross_entropy"
    check_flags(operation, return_statistics=return_statistics)
    settings = _settings(operation, ignore_index, label_smoothing, z_loss, reduction)
    loss, statistics = _forwards.find((logits, targets), (operation, schedule, *settings))(logits, targets)
    return (loss, statistics) if return_statistics else loss


def cross_entropy_backward(
    gradient: Any,
    logits: Any,
    targets: Any,
    statistics: LossStatistics,
    *,
    ignore_index: int = -100,
    label_smoothing: float = 0.0,
    z_loss: float = 0.0,
    reduction: str = "mean",
    out: Any = None,
) -> Any:
    """Returns the gradient of the logits, in one launch that reads each logit once.

    Args:
        gradient: the gradient of the loss: float32, one element or, with reduction "none", one per row. If None, the
            gradient is 1.
        statistics: the LossStatistics that `cross_entropy` returned.
        out: array to write the result to, which may be `logits`; a new array if None.

    The other arguments are those that were passed to `cross_entropy`.
    Raises: LaunchError for arrays with unsupported shapes, strides or dtypes, and for invalid settings.
    """
    operation = "cross_entropy_backward"
    settings = _settings(operation, ignore_index, label_smoothing, z_loss, reduction)
    if not isinstance(statistics, tuple) or len(statistics) != 2:
        raise LaunchError(
            f"{operation}: statistics must be the LossStatistics that cross_entropy returned, not {statistics!r}"
        )
    arrays = logits, targets, gradient, *statistics, out
    return _backwards.find(arrays, (operation, *settings))(*arrays)


def _settings(operation, ignore_index, label_smoothing, z_loss, reduction) -> tuple[int, float, float, str]:
    if isinstance(ignore_index, bool) or not isinstance(ignore_index, int):
        raise LaunchError(f"{operation}: ignore_index must be an integer, not {ignore_index!r}")
    smoothing, factor = as_number(label_smoothing), as_number(z_loss)
    if smoothing is None or not 0 <= smoothing <= 1:
        raise LaunchError(f"{operation}: label_smoothing must be a number from 0 to 1, not {label_smoothing!r}")
    if factor is None or not 0 <= factor < math.inf:
        raise LaunchError(f"{operation}: z_loss must be a number from 0 on, not {z_loss!r}")
    if not isinstance(reduction, str) or reduction not in REDUCTIONS:
        raise LaunchError(f"{operation}: reduction is one of {', '.join(REDUCTIONS)}, not {reduction!r}")
    return ignore_index, smoothing, factor, reduction


def _stride_of_targets(operation: str, targets: Any, rows: int) -> int:
    hint = "pass class indices, not probabilities"
    return stride_of_rows(operation, "targets", targets, rows, ("int64", "int32"), hint, "logits")


def _prepare_forward(
    logits, targets, operation, schedule, ignored, smoothing, z_loss, reduction
) -> Callable[..., tuple[Any, LossStatistics]]:
    check_schedule(schedule)
    source = matrix_of(operation, "logits", logits)
    plan, options, strides = prepared(operation, [source], [], schedule, None)
    rows, columns = plan.problem.rows, plan.problem.columns
    stride = _stride_of_targets(operation, targets, rows)
    new_rows = maker_of_empty(logits, source.facts.shape[:-1], "float32")
    new_number = maker_of_empty(logits, (), "float32")
    kernel = cross_entropy_streaming if plan.schedule == STREAMING else cross_entropy_resident
    weights = Weights(smoothing, z_loss)

    def run(logits, targets):
        losses = RowLosses(new_rows(logits), new_rows(logits))
        of_rows = Targets(targets, stride, ignored)
        matrix = MatrixPointer(logits, strides[0])
        kernel[(plan.blocks,)](matrix, of_rows, weights, losses, rows, columns, smoothing > 0, **options)
        if reduction == "none":
            return losses.loss, LossStatistics(losses.lse, None)
        total = new_number(logits)
        count = new_number(logits) if reduction == "mean" else None
        add_up_losses[(1,)](
            losses.loss, of_rows, total, count, rows, reduction == "mean", BLOCK=_ADDING_BLOCK, num_warps=_ADDING_WARPS
        )
        return total, LossStatistics(losses.lse, count)

    return run


_forwards = LaunchCache(_prepare_forward)


def _prepare_backward(
    logits, targets, gradient, lse, count, out, operation, ignored, smoothing, z_loss, reduction
) -> Callable[..., Any]:
    check_writable(operation, "out", out)
    source = matrix_of(operation, "logits", logits)
    outputs = given_output(operation, "out", out, source, "logits")
    plan, options, strides = prepared(operation, [source], outputs, None, None)
    rows, columns = plan.problem.rows, plan.problem.columns
    targets_stride = _stride_of_targets(operation, targets, rows)
    hint = "pass what cross_entropy returned"
    if stride_of_rows(operation, "statistics.lse", lse, rows, ("float32",), hint, "logits") != 1 and rows > 1:
        raise LaunchError(f"{operation}: statistics.lse must be contiguous\n  hint: {hint}")
    if (count is not None) != (reduction == "mean"):
        raise LaunchError(
            f"{operation}: statistics.count must be the number of rows not ignored if the loss is a mean, else None\n"
            "  hint: pass the reduction that was passed to cross_entropy"
        )
    gradient_stride = 0
    if gradient is not None and reduction == "none":
        hint = "pass the gradient of the loss as float32"
        gradient_stride = stride_of_rows(operation, "gradient", gradient, rows, ("float32",), hint, "logits")
    elif gradient is not None:
        facts = facts_of(gradient, f"{operation}: gradient")
        if facts.dtype != "float32" or math.prod(facts.shape) != 1:
            raise LaunchError(
                f"{operation}: gradient must be one float32, as the loss is, not {facts.dtype} {list(facts.shape)}"
            )
    new = maker_of_empty(logits, source.facts.shape, source.facts.dtype)
    out_stride = strides[1] if outputs else columns
    weights, parts = Weights(smoothing, z_loss), parts_of_rows(plan)

    def run(logits, targets, gradient, lse, count, out):
        out = new(logits) if out is None else out
        backward_kernel[(plan.blocks,)](
            MatrixPointer(gradient, gradient_stride), MatrixPointer(logits, strides[0]),
            Targets(targets, targets_stride, ignored), weights, lse, count, MatrixPointer(out, out_stride), rows,
            columns, parts, **options,
        )  # fmt: skip
        return out

    return run


_backwards = LaunchCache(_prepare_backward)
