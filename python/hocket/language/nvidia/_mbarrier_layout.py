"""The layout of mbarriers."""

from __future__ import annotations

from .._constexpr import constexpr_function
from .._shared_layouts import SwizzledSharedLayout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["MBarrierLayout"]


class MBarrierLayout(SwizzledSharedLayout):
    """The layout of an mbarrier in shared memory: `gl.allocate_shared_memory(gl.int64, [1], MBarrierLayout())`.

    A ring of n mbarriers has the shape [n, 1]. In a cluster every block has its own; with rows of zeros in
    `cga_layout`, blocks whose numbers differ in those bits share the mbarrier of the first of them: all arrive there,
    and it waits.
    """

    def __init__(self, cga_layout: Sequence[Sequence[int]] | None = None):
        super().__init__(1, 1, 1, [0], list(cga_layout or []))

    def __repr__(self) -> str:
        return f"MBarrierLayout({self.cga_layout or ''})"

    @staticmethod
    @constexpr_function
    def multicta(num_ctas: int, two_cta: bool = False) -> MBarrierLayout:
        """The layout of [num_ctas] mbarriers, one in each block of a cluster.

        Args:
            num_ctas: blocks of the cluster, a power of two.
            two_cta: False; pairs of blocks that share an mbarrier came after Hopper.
        """
        if two_cta:
            raise NotImplementedError("MBarrierLayout.multicta: two_cta=True is not supported yet")
        return MBarrierLayout([[1 << bit] for bit in range(num_ctas.bit_length() - 1)])
