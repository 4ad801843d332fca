"""Operations of CDNA4 (gfx950): those of CDNA3, asynchronous copies into LDS, and MFMA for microscaled formats."""

from __future__ import annotations

from ..._builtin import builtin
from ..._constexpr import constexpr_function
from .._padding import compute_efficient_padded_shared_layout
from ..cdna3 import (
    buffer_atomic_add,
    buffer_atomic_and,
    buffer_atomic_max,
    buffer_atomic_min,
    buffer_atomic_or,
    buffer_atomic_xchg,
    buffer_atomic_xor,
    buffer_load,
    buffer_store,
    mfma,
    scaled_upcast,
    sched_barrier,
    sched_group_barrier,
    set_prio,
)
from . import async_copy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..._layouts import DistributedLinearLayout, DotOperandLayout
    from ..._tensor import tensor

__all__ = [
    "async_copy",
    "buffer_atomic_add",
    "buffer_atomic_and",
    "buffer_atomic_max",
    "buffer_atomic_min",
    "buffer_atomic_or",
    "buffer_atomic_xchg",
    "buffer_atomic_xor",
    "buffer_load",
    "buffer_store",
    "compute_efficient_padded_shared_layout",
    "get_mfma_scale_layout",
    "mfma",
    "mfma_scaled",
    "scaled_upcast",
    "sched_barrier",
    "sched_group_barrier",
    "set_prio",
]


@builtin
def mfma_scaled(
    a: tensor,
    a_scale: tensor | int | None,
    a_format: str,
    b: tensor,
    b_scale: tensor | int | None,
    b_format: str,
    acc: tensor,
) -> tensor:
    """Returns acc + (a x a_scale) (b x b_scale), computed by MFMA for microscaled formats.

    Every 32 consecutive elements along K share one scale.

    Args:
        a: [M, K] in DotOperandLayout(0, L, 16), of float8e4nv ("e4m3") or float8e5 ("e5m2"); for "e2m1" [M, K / 2] of
            uint8, each of which holds two elements, the first in the low half.
        a_scale: [M, K / 32] uint8 exponents s, for 2 ** (s - 127), in `get_mfma_scale_layout`; a number for all
            elements; or None for 1.
        a_format: "e4m3", "e5m2" or "e2m1".
        b: [K, N] in DotOperandLayout(1, L, 16), or [K / 2, N] for "e2m1".
        b_scale: [N, K / 32], like `a_scale`.
        b_format: like `a_format`.
        acc: [M, N] float32 in L, an AMDMFMALayout of version 4 with instr_shape [16, 16, 128] or [32, 32, 64].

    Example:
        >>> M: gl.constexpr = amd.AMDMFMALayout(4, [16, 16, 128], True, [gl.num_warps(), 1])
        >>> A: gl.constexpr = gl.DotOperandLayout(0, M, 16)
        >>> a = gl.full([16, 128], 1, gl.float8e4nv, A)
        >>> b = gl.full([128, 16], 2, gl.float8e4nv, gl.DotOperandLayout(1, M, 16))
        >>> doubled = gl.full([16, 4], 128, gl.uint8, amd.cdna4.get_mfma_scale_layout(A, [16, 4]))
        >>> acc = gl.zeros([16, 16], gl.float32, M)
        >>> gl.max(amd.cdna4.mfma_scaled(a, doubled, "e4m3", b, None, "e4m3", acc))
        512
    """


@constexpr_function
def get_mfma_scale_layout(dot_operand_layout: DotOperandLayout, shape: Sequence[int]) -> DistributedLinearLayout:
    """Returns the layout that `mfma_scaled` requires for the scales of an operand.

    Args:
        dot_operand_layout: the operand's layout.
        shape: shape of the scales: [M, K / 32] for operand 0, [N, K / 32] for operand 1.

    Example:
        >>> M: gl.constexpr = amd.AMDMFMALayout(4, [16, 16, 128], True, [gl.num_warps(), 1])
        >>> scales = amd.cdna4.get_mfma_scale_layout(gl.DotOperandLayout(0, M, 16), [16, 4])
        >>> gl.sum(gl.full([16, 4], 127, gl.uint8, scales))
        8128
    """
    from .... import _core
    from ..._layouts.checks import tensor_shape

    return _core.scale_layout(dot_operand_layout, tensor_shape("get_mfma_scale_layout", shape))


if not TYPE_CHECKING:  # a visible `__getattr__` would make type checkers accept any attribute of this module

    def __getattr__(name: str):
        from ..._foreign_names import missing_attribute

        raise missing_attribute(__name__, name, __all__)


def __dir__() -> list[str]:
    return __all__
