"""Creation of tensors."""

from __future__ import annotations

from ._builtin import builtin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ._dtype import dtype as dtype_t
    from ._layouts import DistributedLayout
    from ._tensor import tensor


@builtin
def arange(start: int, end: int, layout: DistributedLayout | None = None) -> tensor:
    """Returns the int32 tensor start, start + 1, ..., end - 1, of shape [end - start].

    Args:
        start, end: known at compile time; end - start is a power of two.
        layout: a distributed layout of rank 1; None means `AutoLayout`, which the compiler infers.

    Example:
        >>> gl.arange(2, 6, L)
        [2, 3, 4, 5]
    """


@builtin
def full(shape: Sequence[int], value: Any, dtype: dtype_t, layout: DistributedLayout | None = None) -> tensor:
    """Returns a tensor of `shape` whose elements are all `value`, a number or a scalar, converted to `dtype`.

    Every size in `shape` is a power of two known at compile time. `layout` is a distributed layout with the rank of
    `shape`; None means `AutoLayout`, which the compiler infers. An empty shape makes a scalar.

    Example:
        >>> gl.full([2, 4], 7, gl.int32, T)
        [[7, 7, 7, 7], [7, 7, 7, 7]]
        >>> gl.full([], 7, gl.int32)
        7
    """


@builtin
def zeros(shape: Sequence[int], dtype: dtype_t, layout: DistributedLayout | None = None) -> tensor:
    """Returns a tensor of zeros: `full(shape, 0, dtype, layout)`.

    Example:
        >>> gl.zeros([4], gl.float32, L)
        [0, 0, 0, 0]
    """


@builtin
def full_like(
    input: tensor,
    value: Any,
    shape: Sequence[int] | None = None,
    dtype: dtype_t | None = None,
    layout: DistributedLayout | None = None,
) -> tensor:
    """Returns a tensor filled with `value`. Shape, dtype and layout are those of `input` by default.

    Example:
        >>> gl.full_like(i, 7)
        [7, 7, 7, 7]
    """


@builtin
def zeros_like(
    input: tensor,
    shape: Sequence[int] | None = None,
    dtype: dtype_t | None = None,
    layout: DistributedLayout | None = None,
) -> tensor:
    """Returns a tensor of zeros. Shape, dtype and layout are those of `input` by default.

    Example:
        >>> gl.zeros_like(t)
        [[0, 0, 0, 0], [0, 0, 0, 0]]
    """


@builtin
def to_tensor(x: Any) -> tensor:
    """Converts a number known at compile time to a run-time scalar. An integer becomes int32, uint32, int64 or uint64,
    depending on its range; a float becomes float32, and a bool becomes int1.

    Example:
        >>> gl.to_tensor(3) / 2
        1.5
    """
