"""Grouped GEMM: C[rows of group g] = A[rows of group g] x B[g], with the sizes of the groups on the device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...errors import LaunchError
from ...launch_cache import LaunchCache
from .._common.arrays import check_target, facts_of, maker_of_empty, target_of, zeros_like
from .._common.checks import is_hashable
from .arguments import Arguments, arguments_of, check_indices, check_result, name_of_result
from .host_hopper import prepare_rows

if TYPE_CHECKING:
    from collections.abc import Callable

TARGETS = ("sm_90a",)


def grouped_matmul(
    a: Any,
    b: Any,
    offsets: Any = None,
    out: Any = None,
    *,
    counts: Any = None,
    out_dtype: str | None = None,
    plan: Any = None,
) -> Any:
    """Multiplies each group of rows of A by its own matrix B, with float32 accumulation, on tensor cores.

    The sizes of the groups are in the memory of the GPU, and the host does not wait for them. With NumPy arrays,
    `grouped_matmul` runs in the emulator.

    Args:
        a: [T, K], the rows of all groups one after the other; or, with `counts`, [G, M, K], up to M rows per group. A
            NumPy array or a PyTorch tensor of float16 or bfloat16 with contiguous rows.
        b: [G, K, N], a matrix per group, of the same dtype. K or N is contiguous.
        offsets: [G] of int32 or int64: for each group the index after its last row, in ascending order. A group begins
            where the previous group ends, the first one at row 0. Groups may be empty.
        out: [T, N] or [G, M, N] to write the result to, with contiguous rows; a new array if None. Rows that belong to
            no group are not written.
        counts: [G] of int32 or int64, instead of `offsets`: number of valid rows of each group.
        out_dtype: dtype of a new `out`, by NumPy's name. The default is the dtype of `a`.
        plan: a `HopperPlan` of `hocket.kernels.plans` to use instead of the cost model's choice.

    Addresses, and distances between rows and between matrices, must be multiples of 16 bytes. NaN in rows of other
    groups, and in rows of no group, does not change the result of a group.

    Returns: `out`.
    Raises: LaunchError for shapes, dtypes and strides that the kernel does not support, and for targets other than
    sm_90a.
    """
    return _launches.find((a, b, offsets, counts, out), (out_dtype, plan))(a, b, offsets, counts, out)


def _prepare(
    a: Any, b: Any, offsets: Any, counts: Any, out: Any, out_dtype: str | None, plan: Any
) -> Callable[[Any, Any, Any, Any, Any], Any]:
    """Checks the arguments, chooses a plan, and returns a function `(a, b, offsets, counts, out)` that launches the
    kernel and returns the result."""
    if not all(map(is_hashable, (out_dtype, plan))):
        raise LaunchError(f"grouped_matmul: out_dtype and plan must be hashable, not {out_dtype!r} and {plan!r}")
    facts = [facts_of(array, f"grouped_matmul: {name}") for name, array in (("a", a), ("b", b))]
    arguments = arguments_of(*facts, offsets is not None, counts is not None)
    check_indices(offsets if counts is None else counts, "offsets" if counts is None else "counts", arguments.groups)
    dtype = name_of_result(arguments, out_dtype)
    new_result = maker_of_empty(a, arguments.result_shape, dtype)
    target = target_of(a)
    check_target("grouped_matmul", target, TARGETS)
    example = new_result(a) if out is None else out
    check_result(facts_of(example, "grouped_matmul: out"), arguments)
    launch = _prepare_launch(arguments, a, b, example, plan)

    def run(a: Any, b: Any, offsets: Any, counts: Any, out: Any) -> Any:
        if out is None:
            out = new_result(a)
        launch(a, b, offsets if counts is None else counts, out)
        return out

    return run


_launches = LaunchCache(_prepare)


def _prepare_launch(arguments: Arguments, a: Any, b: Any, out: Any, plan: Any) -> Callable[[Any, Any, Any, Any], None]:
    """Returns a function `(a, b, offsets, out)` that launches the kernel."""
    if 0 in (arguments.rows, arguments.groups, arguments.n):
        return lambda a, b, offsets, out: None
    if arguments.k > 0:
        return prepare_rows(arguments, a, b, out, plan)
    # Without elements of K, the result is 0, as for a K of zeros.
    wide = arguments.with_k(16)

    def zeros(a: Any, b: Any) -> tuple[Any, Any]:
        return zeros_like(a, wide.shape_of_a, wide.dtype), zeros_like(b, wide.shape_of_b, wide.dtype)

    launch = prepare_rows(wide, *zeros(a, b), out, None)
    return lambda a, b, offsets, out: launch(*zeros(a, b), offsets, out)


__all__ = ["TARGETS", "grouped_matmul"]
