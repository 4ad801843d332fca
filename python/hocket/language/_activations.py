"""Activation functions of neural networks: sigmoid, softmax."""

from __future__ import annotations

from ._along import checked_axis, is_axis
from ._builtin import written_in_language
from ._constexpr import constexpr, constexpr_function
from ._debug import static_assert
from ._dtype import float32
from ._math import div_rn, exp
from ._reduction import max, sum

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._tensor import tensor

__all__ = ["sigmoid", "softmax"]


@constexpr_function
def _computed_in(dtype):
    """Returns the dtype of intermediate values: float32 for floats below 32 bits, otherwise `dtype`."""
    return float32 if dtype.is_floating() and dtype.primitive_bitwidth < 32 else dtype


@written_in_language
def sigmoid(x: tensor) -> tensor:
    """Returns 1 / (1 + exp(-x)), elementwise, with the dtype of `x`. float16 and bfloat16 are computed in float32.

    Example:
        >>> gl.sigmoid(x - x)
        [0.5, 0.5, 0.5, 0.5]
    """
    static_assert(x.dtype.is_floating(), "gl.sigmoid needs floats: convert with .to(gl.float32)")
    wide = x.to(_computed_in(x.dtype))
    return (1 / (1 + exp(-wide))).to(x.dtype)


@written_in_language
def softmax(x: tensor, dim: constexpr = None, keep_dims: constexpr = True, ieee_rounding: constexpr = False) -> tensor:
    """Returns exp(x - m) / sum(exp(x - m)) along dimension `dim`, where m is the maximum along `dim`.

    The result has the shape and dtype of `x`. float16 and bfloat16 are computed in float32. If all elements of a row
    are -inf, all results of the row are NaN.

    Args:
        dim: the dimension; optional for a tensor of one dimension.
        keep_dims: must be True; the result always has the shape of `x`.
        ieee_rounding: whether the division rounds correctly.

    Example:
        >>> gl.softmax(x - x)
        [0.25, 0.25, 0.25, 0.25]
        >>> gl.softmax((t // 4).to(gl.float32), dim=1)
        [[0.25, 0.25, 0.25, 0.25], [0.25, 0.25, 0.25, 0.25]]
    """
    static_assert(x.dtype.is_floating(), "gl.softmax needs floats: convert with .to(gl.float32)")
    static_assert(keep_dims, "gl.softmax keeps the shape of x: leave out keep_dims")
    axis: constexpr = checked_axis("gl.softmax", dim, len(x.shape))
    static_assert(is_axis(axis), axis)
    wide = x.to(_computed_in(x.dtype))
    weights = exp(wide - max(wide, axis, keep_dims=True))
    total = sum(weights, axis, keep_dims=True)
    if ieee_rounding and wide.dtype == float32:
        return div_rn(weights, total).to(x.dtype)
    return (weights / total).to(x.dtype)
