"""Reductions along an axis, or of the whole tensor with axis=None.

Reducing axis a of a tensor in layout L gives a result in SliceLayout(a, L); reducing the only axis gives a scalar.
"""

from __future__ import annotations

from ._builtin import builtin, method_of, written_in_language
from ._debug import static_assert
from ._dtype import int64
from ._shape import ravel
from ._tensor import tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ._dtype import dtype as dtype_t


@method_of(tensor)
@builtin
def reduce(input: Any, axis: int | None, combine_fn: Callable[..., Any], keep_dims: bool = False) -> Any:
    """Combines the elements along `axis` with a @hocket.jit function of two values.

    Args:
        input: a tensor, or a tuple of n tensors of one shape and layout.
        combine_fn: associative and commutative; takes the n scalars of the left element, then the n scalars of the
            right element, and returns n scalars.
        keep_dims: whether the result keeps the axis, with size 1.

    Example:
        >>> @hocket.jit
        ... def larger_magnitude(a, b):
        ...     return gl.where(gl.abs(a) > gl.abs(b), a, b)
        >>> gl.reduce(1 - i, 0, larger_magnitude)
        -2
    """


@builtin
def any_in_warp(condition: tensor) -> Any:
    """Returns, in each warp, True if any element that this warp holds is true. `any_in_warp` serves to skip work that
    only few warps need.

    The result may only be the condition of an `if`. The branches of this `if` may contain operations that a warp
    executes alone: no access to memory except loads of shared memory, and no reduction or conversion between warps.
    Variables assigned in a branch must not be replicated across warps.

    Args:
        condition: a tensor of bools.

    Example:
        >>> y = gl.arange(0, 1024, L)
        >>> if gl.any_in_warp(y > 1000):
        ...     y = gl.minimum(y, 1000)
        >>> gl.max(y, axis=0)
        1000
    """


@method_of(tensor)
@builtin
def sum(input: tensor, axis: int | None = None, keep_dims: bool = False, dtype: dtype_t | None = None) -> tensor:
    """Returns the sum of the elements. The default of `dtype` is int32 or uint32 for integers below 32 bits, otherwise
    the dtype of `input`.

    Example:
        >>> gl.sum(t, axis=1)
        [6, 22]
        >>> gl.sum(t)
        28
    """


@method_of(tensor)
@builtin
def max(input: tensor, axis: int | None = None, keep_dims: bool = False) -> tensor:
    """Returns the largest element. The result is int32 for integers below 32 bits, and float32 for float16 and
    bfloat16. NaNs are ignored.

    Example:
        >>> gl.max(t, axis=0)
        [4, 5, 6, 7]
    """


@method_of(tensor)
@builtin
def min(input: tensor, axis: int | None = None, keep_dims: bool = False) -> tensor:
    """Returns the smallest element. The result is int32 for integers below 32 bits, and float32 for float16 and
    bfloat16. NaNs are ignored.

    Example:
        >>> t.min(axis=1, keep_dims=True)
        [[0], [4]]
    """


@method_of(tensor)
@builtin
def xor_sum(input: tensor, axis: int | None = None, keep_dims: bool = False) -> tensor:
    """Returns the bitwise XOR of all elements, which must be integers.

    Example:
        >>> gl.xor_sum(i)
        0
    """


@method_of(tensor)
@builtin
def reduce_or(input: tensor, axis: int | None = None, keep_dims: bool = False) -> tensor:
    """Returns the bitwise OR of all elements, which must be integers.

    Example:
        >>> gl.reduce_or(i)
        3
    """


@written_in_language
def _first(left: Any, right: Any) -> Any:
    return left


@method_of(tensor)
@written_in_language
def item(input: tensor) -> Any:
    """Returns the only element of a tensor, as a scalar. Kernels can only call `item` as a method: `x.item()`.

    Example:
        >>> gl.full([1], 7, gl.int32, L).item()
        7
    """
    static_assert(
        input.numel == 1, "item needs a tensor of one element; gl.sum(x) and gl.max(x) make a scalar of a tile"
    )
    only = ravel(input)
    if only.dtype.is_ptr():
        return reduce(only.to(int64), 0, _first).to(only.dtype)
    return reduce(only, 0, _first)
