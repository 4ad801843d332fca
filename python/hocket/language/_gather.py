"""Indexed access to elements, and histograms."""

from __future__ import annotations

from ._builtin import builtin, method_of
from ._tensor import tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._layouts import DistributedLayout


@method_of(tensor)
@builtin
def gather(src: tensor, index: tensor, axis: int) -> tensor:
    """Returns the elements of `src` that `index` selects along `axis`: result[i, j] = src[index[i, j], j] for axis 0.

    Args:
        index: integers. `index` has the rank of `src`, and the sizes of `src` in all dimensions except `axis`. Indices
            outside 0 ... n - 1, for n elements along the axis, are taken modulo n; the emulator reports such indices.

    Returns:
        A tensor in the shape and layout of `index`, with the dtype of `src`.

    Example:
        >>> gl.gather(x * 10, 3 - i, 0)
        [30, 20, 10, 0]
    """


@method_of(tensor)
@builtin
def histogram(
    input: tensor, num_bins: int, mask: tensor | None = None, layout: DistributedLayout | None = None
) -> tensor:
    """Counts the elements of `input` that are equal to 0, 1, ... `num_bins` - 1.

    Args:
        input: a one-dimensional tensor of integers. Elements outside the range are not counted.
        num_bins: a power of two.
        mask: int1; elements whose mask is false are not counted.
        layout: layout of the result.

    Returns:
        An int32 tensor of `num_bins` elements.

    Example:
        >>> gl.histogram(i // 2, 4, layout=L)
        [2, 2, 0, 0]
        >>> gl.histogram(i // 2, 4, mask=i > 0, layout=L)
        [1, 2, 0, 0]
    """
