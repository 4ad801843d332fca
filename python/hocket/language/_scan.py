"""Scans, which combine each element with all earlier elements along an axis.

The result has the shape and layout of the operand. If lanes are not ordered along the axis, as in swizzled linear
layouts, the operand is converted to another layout before the scan, and the result is converted back.
"""

from __future__ import annotations

from ._builtin import builtin, method_of
from ._tensor import tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ._dtype import dtype as dtype_t


@method_of(tensor)
@builtin
def associative_scan(input: Any, axis: int, combine_fn: Callable[..., Any], reverse: bool = False) -> Any:
    """This inclusive scan combines each element with all earlier elements along `axis` by a @hocket.jit function of two
    values.

    Args:
        input: a tensor, or a tuple of n tensors of one shape and layout, whose dtypes may differ.
        axis: negative axes count from the end.
        combine_fn: associative; takes the n scalars of the earlier element, then the n scalars of the later element,
            and returns n scalars.
        reverse: scan from the last element to the first.

    Returns:
        A tensor, or a tuple of n tensors, of the types of `input`.

    Example:
        >>> @hocket.jit
        ... def larger(a, b):
        ...     return gl.maximum(a, b)
        >>> gl.associative_scan((i - 1) * (i - 1), 0, larger)
        [1, 1, 1, 4]
        >>> gl.associative_scan(i, 0, larger, reverse=True)
        [3, 3, 3, 3]
    """


@method_of(tensor)
@builtin
def cumsum(input: tensor, axis: int = 0, reverse: bool = False, dtype: dtype_t | None = None) -> tensor:
    """Returns the sum of each element and all earlier elements along `axis`; with `reverse`, of each element and all
    later elements.

    The default of `dtype` is int32 or uint32 for integers below 32 bits, otherwise the dtype of `input`.

    Example:
        >>> gl.cumsum(t, axis=1)
        [[0, 1, 3, 6], [4, 9, 15, 22]]
        >>> t.cumsum(0, reverse=True)
        [[4, 6, 8, 10], [4, 5, 6, 7]]
    """


@method_of(tensor)
@builtin
def cumprod(input: tensor, axis: int = 0, reverse: bool = False, dtype: dtype_t | None = None) -> tensor:
    """Returns each element multiplied by all earlier elements along `axis`; with `reverse`, of each element and
    all later elements.

    The default of `dtype` is int32 or uint32 for integers below 32 bits, otherwise the dtype of `input`.

    Example:
        >>> gl.cumprod(i + 1)
        [1, 2, 6, 24]
    """
