"""Shapes and layouts: views that move no data, and `convert_layout`, which does."""

from __future__ import annotations

from ._builtin import builtin, method_of
from ._tensor import tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._layouts import DistributedLayout


@builtin
def convert_layout(value: tensor, layout: DistributedLayout, assert_trivial: bool = False) -> tensor:
    """`value` redistributed over registers, lanes and warps as `layout` says.

    With `assert_trivial=True` a conversion that has to move data is an error. A value whose layout nothing else decides
    has `layout` from the start.

    Example:
        >>> two = gl.BlockedLayout([2], [gl.num_lanes()], [gl.num_warps()], [0])
        >>> gl.convert_layout(i, two) + gl.arange(0, 4, two)
        [0, 2, 4, 6]
    """


@builtin
def set_auto_layout(value: tensor, layout: DistributedLayout) -> tensor:
    """Decide the layout of a value that has none yet, and of all that depends on it.

    A value in `AutoLayout` has `layout` from where it was made on; one in `CoalescedLayout` is converted to it. A value
    whose layout is decided must have this one.

    Example:
        >>> gl.set_auto_layout(i, L)
        [0, 1, 2, 3]
    """


@method_of(tensor)
@builtin
def expand_dims(input: tensor, axis: int) -> tensor:
    """Insert a dimension of size 1 at `axis`; `x[:, None]` is `expand_dims(x, 1)`.

    The layout of `input` must be `SliceLayout(axis, parent)`, and that of the result is `parent`; or it is not decided.

    Example:
        >>> column = gl.arange(0, 2, gl.SliceLayout(1, T))
        >>> gl.expand_dims(column, 1)
        [[0], [1]]
    """


@builtin
def broadcast(input: Any, other: Any) -> tuple[tensor, tensor]:
    """Both operands stretched to their common shape: ranks and layouts agree, size-1 dimensions and scalars stretch.

    Example:
        >>> a, b = gl.broadcast(i, 7)
        >>> b
        [7, 7, 7, 7]
    """


@method_of(tensor)
@builtin
def broadcast_to(input: Any, *shape: Any) -> tensor:
    """`input` with its size-1 dimensions stretched to `shape`, of the same rank.

    Example:
        >>> row = gl.arange(0, 4, gl.SliceLayout(0, T))
        >>> row[None, :].broadcast_to(2, 4)
        [[0, 1, 2, 3], [0, 1, 2, 3]]
    """


@method_of(tensor)
@builtin
def reshape(input: tensor, *shape: Any) -> tensor:
    """The same elements, in row-major order, in another shape; a layout for it is inferred, no data moves.

    Example:
        >>> gl.reshape(t, 4, 2)
        [[0, 1], [2, 3], [4, 5], [6, 7]]
    """


@method_of(tensor)
@builtin
def view(input: tensor, *shape: Any) -> tensor:
    """The same as `reshape`.

    Example:
        >>> t.view(4, 2)
        [[0, 1], [2, 3], [4, 5], [6, 7]]
    """


@method_of(tensor)
@builtin
def ravel(x: tensor) -> tensor:
    """The elements, in row-major order, as one dimension.

    Example:
        >>> t.ravel()
        [0, 1, 2, 3, 4, 5, 6, 7]
    """


@method_of(tensor)
@builtin
def permute(input: tensor, *dims: Any) -> tensor:
    """Dimension i of the result is dimension dims[i] of `input`; a layout is inferred, no data moves.

    Example:
        >>> t.permute(1, 0)
        [[0, 4], [1, 5], [2, 6], [3, 7]]
    """


@method_of(tensor)
@builtin
def trans(input: tensor, *dims: Any) -> tensor:
    """As `permute`; without `dims`, exchange the last two dimensions.

    Example:
        >>> t.trans()
        [[0, 4], [1, 5], [2, 6], [3, 7]]
    """


@builtin
def join(a: tensor, b: tensor) -> tensor:
    """The tensor whose elements [.., 0] are those of `a` and [.., 1] those of `b`, stretched to a common shape.

    Both are of one dtype and layout. Each lane keeps what it has, the two elements of a pair side by side: a layout
    for that is inferred, no data moves.

    Example:
        >>> gl.join(i, i * i)
        [[0, 0], [1, 1], [2, 4], [3, 9]]
    """


@method_of(tensor)
@builtin
def split(a: tensor) -> tuple[tensor, tensor]:
    """The elements [.., 0] and the elements [.., 1] of a tensor whose last dimension has size 2: the inverse of `join`.

    Both elements of a pair must be in one lane: convert to another layout where they are not. No data moves.

    Example:
        >>> even, odd = gl.split(gl.join(i, i * i))
        >>> odd
        [0, 1, 4, 9]
    """
