"""Grouped GEMM, with the sizes of the groups on the device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...errors import LaunchError
from ...launch_cache import LaunchCache
from .._common.arrays import check_target, facts_of, maker_of_empty, target_of
from .._common.checks import check_flags, checked_shape, is_hashable
from .._common.explain import with_explain
from .arguments import MOST_GROUPS, Arguments, arguments_of, check_element, check_result, name_of_result, with_scales
from .host_block_scaled import prepare_block_scaled
from .host_hopper import grouped_plan, prepare_gather, prepare_gradient, prepare_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

TARGETS = ("sm_90a",)


def explain(shape: Sequence[int], groups: int, dtype: str, target: str, *, is_gathered: bool = False) -> str:
    """Returns sentences that describe how `grouped_matmul` multiplies the rows of groups.

    Args:
        shape: (T, N, K): number of rows of all groups, columns of the result, and columns of A.
        groups: number of groups.
        dtype: NumPy's name of the operands' dtype: "float16", "bfloat16", "float8_e4m3fn", ...
        target: "sm_90a".
        is_gathered: whether `indices` select the rows of A.
    """
    check_target("grouped_matmul", target, TARGETS)
    check_flags("grouped_matmul.explain", is_gathered=is_gathered)
    if isinstance(groups, bool) or not isinstance(groups, int) or not 1 <= groups <= MOST_GROUPS:
        raise LaunchError(f"grouped_matmul.explain: groups must be a number from 1 to {MOST_GROUPS}, not {groups!r}")
    rows, n, k = checked_shape("grouped_matmul", shape, "(T, N, K)")
    check_element(dtype)
    arguments = Arguments("gathered" if is_gathered else "adjacent", rows, groups, n, k, dtype)
    plan = grouped_plan(arguments, 8 if dtype.startswith("float8") else 16, 16, None)
    sizes = f"{rows} x {k} in {groups} groups times {k} x {n} {dtype}"
    head = f"{target}, {sizes}: tile {plan.tile}, k-tiles of {plan.block_k}"
    return "\n".join([head, *(f"- {reason}" for reason in plan.reasons)])


@with_explain(explain)
def grouped_matmul(
    a: Any,
    b: Any,
    offsets: Any = None,
    out: Any = None,
    *,
    counts: Any = None,
    indices: Any = None,
    scale_a: Any = None,
    scale_b: Any = None,
    out_dtype: str | None = None,
    plan: Any = None,
) -> Any:
    """Multiplies each group of rows of A by its own matrix B, with float32 accumulation, on tensor cores; or, if B has
    two dimensions, multiplies A and B over the rows of each group.

    The sizes of the groups are in the memory of the GPU, and the host does not wait for them. With NumPy arrays,
    `grouped_matmul` runs in the emulator.

        a                       b            sizes of groups    result
        [T, K]                  [G, K, N]    offsets            [T, N]: group g of A's rows times b[g]
        [S, K] with indices     [G, K, N]    offsets            [T, N]: the same for the rows a[indices[t]]
        [G, M, K]               [G, K, N]    counts             [G, M, N]: the first counts[g] rows of a[g] times b[g]
        [M, T], a transpose     [T, N]       offsets            [G, M, N]: the sum over the rows of group g

    With weights w [G, K, N], `grouped_matmul(x, w, offsets)` is the forward pass of linear layers. With the gradient dy
    of its result, the gradient of x is `grouped_matmul(dy, w.transpose(1, 2), offsets)`, and the gradient of w is
    `grouped_matmul(x.T, dy, offsets)`.

    Args:
        a: a NumPy array or a PyTorch tensor of float16, bfloat16, float8_e4m3fn or float8_e5m2 with contiguous rows. In
            the last form, the transpose of such an array of float16 or bfloat16.
        b: of the same dtype, with contiguous rows or, except in the last form, with contiguous columns. float8
            needs contiguous columns.
        offsets: [G] of int32 or int64: for each group the index after its last row, in ascending order. A group begins
            where the previous group ends, the first one at row 0. Groups may be empty. Values outside 0 ... T are
            replaced by the nearest one.
        out: array to write the result to, with contiguous rows; a new array if None. Rows that belong to no group are
            not written, except if K is 0: then all of `out` is 0. In the last form, the result of an empty group is 0.
        counts: [G] of int32 or int64, instead of `offsets`: number of valid rows of each group.
        indices: [T] of int32 or int64: row of `a` for each row of the result, from 0 to S - 1. The kernel gathers the
            rows while it multiplies.
        scale_a, scale_b: factors of float32 for the rows of A, [T] or [G, M], and for the columns of each B, [G, N]; 1
            if None. For float8 in the first and the third form, also scales of blocks with any strides: of 128 elements
            of a row of A, [T, K / 128] or [G, M, K / 128], and of 128 x 128 elements of each B, [G, ceil(N / 128),
            K / 128], as in `matmul_scaled`. Both are then necessary, and K must be a multiple of 128.
        out_dtype: dtype of a new `out`, by NumPy's name. The default is the dtype of `a`, or "float16" for float8.
        plan: a `HopperPlan` of `hocket.kernels.plans` to use instead of the cost model's choice.

    Addresses, and distances between rows and between matrices, must be multiples of 16 bytes. NaN in rows of other
    groups, and in rows of no group, does not change the result of a group.

    Returns: `out`.
    Raises: LaunchError for shapes, dtypes and strides that the kernel does not support, and for targets other than
    sm_90a.

    `grouped_matmul.explain(shape, groups, dtype, target)` explains the choice of the tile.
    """
    arrays = a, b, offsets, counts, out, indices, scale_a, scale_b
    return _launches.find(arrays, (out_dtype, plan))(*arrays)


def _prepare(
    a: Any,
    b: Any,
    offsets: Any,
    counts: Any,
    out: Any,
    indices: Any,
    scale_a: Any,
    scale_b: Any,
    out_dtype: str | None,
    plan: Any,
) -> Callable[..., Any]:
    """Checks the arguments, chooses a plan, and returns a function of all arrays that launches the kernel and returns
    the result."""
    if not all(map(is_hashable, (out_dtype, plan))):
        raise LaunchError(f"grouped_matmul: out_dtype and plan must be hashable, not {out_dtype!r} and {plan!r}")
    facts = [facts_of(array, f"grouped_matmul: {name}") for name, array in (("a", a), ("b", b))]
    arguments = with_scales(arguments_of(*facts, offsets, counts, indices), scale_a, scale_b)
    dtype = name_of_result(arguments, out_dtype)
    new_result = maker_of_empty(a, arguments.result_shape, dtype)
    target = target_of(a)
    check_target("grouped_matmul", target, TARGETS)
    example = new_result(a) if out is None else out
    check_result(facts_of(example, "grouped_matmul: out"), arguments)
    launch = _prepare_launch(arguments, a, b, example, plan, (scale_a, scale_b))

    def run(a: Any, b: Any, offsets: Any, counts: Any, out: Any, *others: Any) -> Any:
        if out is None:
            out = new_result(a)
        launch(a, b, offsets if counts is None else counts, out, *others)
        return out

    return run


_launches = LaunchCache(_prepare)


def _prepare_launch(
    arguments: Arguments, a: Any, b: Any, out: Any, plan: Any, scales: tuple[Any, Any]
) -> Callable[..., None]:
    """Returns a function `(a, b, offsets, out, indices, scale_a, scale_b)` that launches the kernel."""
    if 0 in (arguments.groups, *arguments.result_shape):
        return lambda *arrays: None
    if 0 in (arguments.rows, arguments.k):
        return _fill_with_zeros
    if arguments.is_block_scaled:
        return prepare_block_scaled(arguments, a, b, out, plan, scales)
    prepare = {"gradient": prepare_gradient, "gathered": prepare_gather}.get(arguments.form, prepare_rows)
    return prepare(arguments, a, b, out, plan)


def _fill_with_zeros(a: Any, b: Any, offsets: Any, out: Any, *others: Any) -> None:
    """Writes the result of a GEMM without elements of K, also to rows of no group."""
    out[...] = 0


__all__ = ["TARGETS", "grouped_matmul"]
