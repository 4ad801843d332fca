"""Host side of the operations on rows: checks arrays, chooses plans, and launches kernels. A LaunchCache keeps the
result of all work that depends only on the form of a call, as in `norms.launch`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ...launch_cache import LaunchCache
from .._common.arrays import maker_of_empty
from ..norms.arguments import MatrixPointer
from ..norms.choose import machine_for
from ..norms.operands import Matrix, are_aligned, check_output, check_writable, matrix_of, rows_of
from ..norms.plan import MULTI_WAVE, STAGED, STREAMING, WARP_SPECIALIZED, Plan, config_of
from .choose import check_schedule, plan_for
from .problem import checked_problem
from .softmax_kernels import (
    softmax_backward_resident,
    softmax_backward_staged,
    softmax_backward_streaming,
    softmax_resident,
    softmax_staged,
    softmax_streaming,
)
from .softmax_parts import softmax_backward_specialized, softmax_specialized

#: Kernels of softmax and log-softmax, indexed by a flag (True for gradients), and by the variant.
_SOFTMAX = {
    False: {
        MULTI_WAVE: softmax_resident,
        WARP_SPECIALIZED: softmax_specialized,
        STAGED: softmax_staged,
        STREAMING: softmax_streaming,
    },
    True: {
        MULTI_WAVE: softmax_backward_resident,
        WARP_SPECIALIZED: softmax_backward_specialized,
        STAGED: softmax_backward_staged,
        STREAMING: softmax_backward_streaming,
    },
}


class Prepared(NamedTuple):
    """Parameters of a launch that depend only on the shapes, strides, dtypes and alignment of its arrays."""

    plan: Plan
    options: dict[str, Any]
    #: The row strides of the input matrices, followed by the row strides of the outputs.
    strides: list[int]


def prepared(
    operation: str,
    inputs: list[Matrix],
    outputs: list[Matrix],
    schedule: str | None,
    plan: Plan | None,
    vectors: Sequence[Any] = (),
    **facts: bool,
) -> Prepared:
    """Returns the plan, the launch options and the strides of a launch, for its input matrices and the outputs that the
    caller passed. `vectors`: weight and bias. `facts`: other fields of RowProblem."""
    x = inputs[0]
    matrices = [*inputs, *outputs]
    sizes = rows_of(x.facts), x.facts.shape[-1]
    problem = checked_problem(operation, *sizes, x.facts.dtype, are_aligned(matrices, list(vectors)), **facts)
    plan = plan or plan_for(problem, machine_for(x.array, operation), schedule)
    config = config_of(plan, True, max(matrix.stride for matrix in matrices))
    options = {"cfg": config, "num_warps": plan.num_warps, "maxnreg": plan.limit}
    return Prepared(plan, options, [matrix.stride for matrix in matrices])


def given_output(operation: str, name: str, out: Any, x: Matrix, like_name: str = "x") -> list[Matrix]:
    """Checks the output array that the caller passed, and returns a list with its Matrix. If `out` is None, the list is
    empty."""
    return [] if out is None else [check_output(operation, name, matrix_of(operation, name, out, x, like_name))]


def softmax(operation: str, arrays: tuple[Any, ...], out: Any, schedule: str | None, plan: Plan | None = None) -> Any:
    """Launches softmax or log-softmax of the array x, or their gradient for the arrays dy and y. Returns the result."""
    return softmaxes.find((*arrays, out), (operation, schedule, plan))(*arrays, out)


def _prepare_softmax(*arguments: Any) -> Callable[..., Any]:
    *arrays, out, operation, schedule, plan = arguments
    check_schedule(schedule)
    check_writable(operation, "out", out)
    is_backward = len(arrays) == 2
    if is_backward:
        source = matrix_of(operation, "y", arrays[1])
        inputs = [matrix_of(operation, "dy", arrays[0], source, "y"), source]
    else:
        source = matrix_of(operation, "x", arrays[0])
        inputs = [source]
    outputs = given_output(operation, "out", out, source)
    plan, options, strides = prepared(operation, inputs, outputs, schedule, plan)
    shape = source.facts.shape
    new = maker_of_empty(source.array, shape, source.facts.dtype)
    out_stride = strides[len(inputs)] if outputs else shape[-1]
    launch = _SOFTMAX[is_backward][plan.schedule][(plan.blocks,)]
    is_log = operation.startswith("log")
    rows, columns = plan.problem.rows, plan.problem.columns

    def run(x, out):
        out = new(x) if out is None else out
        launch(MatrixPointer(x, strides[0]), MatrixPointer(out, out_stride), rows, columns, is_log, **options)
        return out

    def run_backward(dy, y, out):
        out = new(dy) if out is None else out
        pointers = MatrixPointer(dy, strides[0]), MatrixPointer(y, strides[1]), MatrixPointer(out, out_stride)
        launch(*pointers, rows, columns, is_log, **options)
        return out

    return run_backward if is_backward else run


softmaxes = LaunchCache(_prepare_softmax)
