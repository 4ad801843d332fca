"""Gluon's names for gfx1250, also called CDNA5. Files that use these names only in kernels for gfx1250 need no change.

Hocket does not compile for gfx1250: operations of gfx1250 are errors in kernels. `PartitionedSharedLayout` is also a
layout on CDNA.
"""

from __future__ import annotations

from dataclasses import dataclass

from .....language._constexpr import unwrap
from .....language._layouts.base import DistributedLayout
from .....language._layouts.partitioned import PartitionedSharedLayout
from ...foreign_builtin import foreign_builtin
from . import async_copy, cluster, mbarrier, tdm

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = [
    "AMDWMMALayout",
    "PartitionedSharedLayout",
    "async_copy",
    "cluster",
    "get_wmma_scale_layout",
    "make_partitioned_dot_layouts",
    "mbarrier",
    "scaled_upcast",
    "tdm",
    "wmma",
    "wmma_scaled",
]


@dataclass(frozen=True, eq=False, repr=False)
class AMDWMMALayout(DistributedLayout):
    """The layout of WMMA accumulators, which kernels cannot use."""

    version: int
    transposed: bool
    warp_bases: list
    reg_bases: list | None = None
    instr_shape: list | None = None
    cga_layout: list | None = None
    rank: int = 0  # type: ignore[assignment]  # a property in other layouts; 0 means the rank of the bases

    def __post_init__(self):
        bases = unwrap(self.warp_bases) or unwrap(self.reg_bases)
        self._normalize("rank", unwrap(self.rank) or (len(unwrap(bases[0])) if bases else 2))

    def _check_operand(self, k_width: int) -> None:
        """Accepts any operand, because kernels reject operands with this parent layout."""


@foreign_builtin
def get_wmma_scale_layout(dot_operand_layout: Any, shape: Any, *options: Any) -> Any:
    """A function of gfx1250 for layouts of scales."""


@foreign_builtin
def make_partitioned_dot_layouts(*parameters: Any) -> Any:
    """A function of gfx1250 for layouts of partitioned shared memory."""


@foreign_builtin
def scaled_upcast(src: Any, scale: Any, *options: Any) -> Any:
    """An operation of gfx1250 on formats with scales."""


@foreign_builtin
def wmma(a: Any, b: Any, acc: Any) -> Any:
    """An operation of gfx1250's matrix cores."""


@foreign_builtin
def wmma_scaled(a: Any, a_scale: Any, a_format: Any, b: Any, b_scale: Any, b_format: Any, acc: Any) -> Any:
    """An operation of gfx1250's matrix cores."""


def __dir__() -> list[str]:
    return __all__
