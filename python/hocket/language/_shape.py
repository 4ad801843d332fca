"""Shapes and layouts: views, which move no data, and `convert_layout`, which moves data."""

from __future__ import annotations

from ._builtin import builtin, method_of
from ._tensor import tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._layouts import DistributedLayout


@builtin
def convert_layout(value: tensor, layout: DistributedLayout, assert_trivial: bool = False) -> tensor:
    """Redistributes `value` over registers, lanes and warps according to `layout`.

    With `assert_trivial=True`, a conversion that moves data between lanes or warps is an error. If nothing else
    determines the layout of `value`, `value` is created in `layout`.

    Example:
        >>> two = gl.row_layout(2)
        >>> gl.convert_layout(i, two) + gl.arange(0, 4, two)
        [0, 2, 4, 6]
    """


@builtin
def set_auto_layout(value: tensor, layout: DistributedLayout) -> tensor:
    """Determines the layout of a value whose layout is undecided, and the layouts of all values that depend on this
    layout.

    A value in `AutoLayout` is created in `layout`; a value in `CoalescedLayout` is converted to `layout`. A value with
    a known layout must have the layout `layout`.

    Example:
        >>> gl.set_auto_layout(i, L)
        [0, 1, 2, 3]
    """


@method_of(tensor)
@builtin
def expand_dims(input: tensor, axis: int) -> tensor:
    """Inserts a dimension of size 1 at `axis`; `x[:, None]` is `expand_dims(x, 1)`.

    The layout of `input` must be `SliceLayout(axis, parent)`, or be undetermined. The layout of the result is `parent`.

    Example:
        >>> column = gl.arange(0, 2, gl.SliceLayout(1, T))
        >>> gl.expand_dims(column, 1)
        [[0], [1]]
    """


@builtin
def broadcast(input: Any, other: Any) -> tuple[tensor, tensor]:
    """Broadcasts both operands to their common shape. Dimensions of size 1 and scalars are extended; ranks and layouts
    must be equal.

    Example:
        >>> a, b = gl.broadcast(i, 7)
        >>> b
        [7, 7, 7, 7]
    """


@method_of(tensor)
@builtin
def broadcast_to(input: Any, *shape: Any) -> tensor:
    """Broadcasts `input` to `shape`, a shape of equal rank, by extending dimensions of size 1.

    Example:
        >>> row = gl.arange(0, 4, gl.SliceLayout(0, T))
        >>> row[None, :].broadcast_to(2, 4)
        [[0, 1, 2, 3], [0, 1, 2, 3]]
    """


@method_of(tensor)
@builtin
def reshape(input: tensor, *shape: Any) -> tensor:
    """Returns the same elements, in row-major order, in another shape. The layout is inferred; no data moves.

    Example:
        >>> gl.reshape(t, 4, 2)
        [[0, 1], [2, 3], [4, 5], [6, 7]]
    """


@method_of(tensor)
@builtin
def view(input: tensor, *shape: Any) -> tensor:
    """Returns the result of `reshape`.

    Example:
        >>> t.view(4, 2)
        [[0, 1], [2, 3], [4, 5], [6, 7]]
    """


@method_of(tensor)
@builtin
def ravel(x: tensor) -> tensor:
    """Returns the elements, in row-major order, as one dimension.

    Example:
        >>> t.ravel()
        [0, 1, 2, 3, 4, 5, 6, 7]
    """


@method_of(tensor)
@builtin
def permute(input: tensor, *dims: Any) -> tensor:
    """Permutes dimensions: dimension i of the result is dimension dims[i] of `input`. The layout is inferred; no data
    moves.

    Example:
        >>> t.permute(1, 0)
        [[0, 4], [1, 5], [2, 6], [3, 7]]
    """


@method_of(tensor)
@builtin
def trans(input: tensor, *dims: Any) -> tensor:
    """Works like `permute`; without `dims`, exchanges the last two dimensions.

    Example:
        >>> t.trans()
        [[0, 4], [1, 5], [2, 6], [3, 7]]
    """


@builtin
def join(a: tensor, b: tensor) -> tensor:
    """Returns a tensor with elements [..., 0] from `a` and [..., 1] from `b`, broadcast to a common shape.

    `a` and `b` must have equal dtypes and layouts. Each lane keeps its elements; the two elements of a pair are in
    adjacent registers. The layout is inferred; no data moves.

    Example:
        >>> gl.join(i, i * i)
        [[0, 0], [1, 1], [2, 4], [3, 9]]
    """


@method_of(tensor)
@builtin
def split(a: tensor) -> tuple[tensor, tensor]:
    """Returns the elements [..., 0] and [..., 1] of a tensor whose last dimension has size 2: the inverse of `join`.

    Both elements of a pair must be in one lane; otherwise convert to another layout first. No data moves.

    Example:
        >>> even, odd = gl.split(gl.join(i, i * i))
        >>> odd
        [0, 1, 4, 9]
    """
