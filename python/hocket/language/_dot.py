"""Matrix multiplication for every target."""

from __future__ import annotations

from ._builtin import builtin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._tensor import tensor


@builtin
def dot_fma(a: tensor, b: tensor, acc: tensor) -> tensor:
    """Returns acc + a x b, computed by fused multiply-adds, without matrix cores.

    Args:
        a: [M, K] in DotOperandLayout(0, L); b: [K, N] in DotOperandLayout(1, L), of the dtype of `a`.
        acc: [M, N] in L, a BlockedLayout; of the dtype of `a` and `b`, or a wider float. A leading batch dimension is
            allowed.

    Example:
        >>> acc = gl.zeros([2, 4], gl.float32, T)
        >>> a = gl.full([2, 8], 1, gl.float32, gl.DotOperandLayout(0, T))
        >>> b = gl.full([8, 4], 2, gl.float32, gl.DotOperandLayout(1, T))
        >>> gl.dot_fma(a, b, acc)
        [[16, 16, 16, 16], [16, 16, 16, 16]]
    """
