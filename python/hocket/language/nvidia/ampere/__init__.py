"""Operations of Ampere (sm_80), which later GPUs also have: asynchronous copies, mbarriers, and mma.sync."""

from __future__ import annotations

from ..._builtin import builtin
from . import async_copy, mbarrier, named_barrier

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..._cache_policy import CachePolicy, FractionalEvictionPolicy
    from ..._tensor import tensor

__all__ = ["CachePolicy", "FractionalEvictionPolicy", "async_copy", "mbarrier", "mma_v2", "named_barrier"]


@builtin
def mma_v2(a: tensor, b: tensor, acc: tensor, input_precision: str | None = None) -> tensor:
    """Returns acc + a x b, computed on tensor cores (mma.sync) by each warp from its registers.

    Args:
        a: [..., M, K] of float16, bfloat16, float32, int8, uint8, or on Hopper float8e4nv and float8e5, in
            `DotOperandLayout(0, acc.layout, k_width)`.
        b: [..., K, N] in `DotOperandLayout(1, acc.layout, k_width)`, with the k_width of `a`. k_width elements must
            have at least 4 bytes.
        acc: [..., M, N] of float32, or int32 for integers, in an `NVMMADistributedLayout` of version [2, 0].
        input_precision: None or "tf32": tensor cores use the 10 upper bits of the fraction of float32.

    Returns:
        A tensor of the type of `acc`.

    Example:
        >>> mma: gl.constexpr = gl.NVMMADistributedLayout([2, 0], [1, 1], [16, 8])
        >>> a = gl.full([16, 16], 2, gl.float16, gl.DotOperandLayout(0, mma, 2))
        >>> b = gl.full([16, 8], 3, gl.float16, gl.DotOperandLayout(1, mma, 2))
        >>> gl.max(gl.max(ampere.mma_v2(a, b, gl.zeros([16, 8], gl.float32, mma)), 1), 0)
        96
    """


if not TYPE_CHECKING:  # a visible `__getattr__` would make type checkers accept any attribute of this module

    def __getattr__(name: str):
        if name in ("CachePolicy", "FractionalEvictionPolicy"):
            from ... import _cache_policy  # imported on first use, because the import of dataclasses is slow

            return getattr(_cache_policy, name)
        from ..._foreign_names import missing_attribute

        raise missing_attribute(__name__, name, __all__)


def __dir__() -> list[str]:
    return __all__
