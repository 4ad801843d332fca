"""Gluon's names for Blackwell. Files that use these names only in kernels for Blackwell need no change.

Hocket does not compile for Blackwell: operations that only Blackwell has are errors in kernels. Operations that Hopper
also has are imported from `hocket.language.nvidia.hopper`.
"""

from __future__ import annotations

from dataclasses import dataclass

from .....language._layouts.base import Layout
from .....language._types import base_value
from .....language.nvidia.ampere import async_copy
from .....language.nvidia.hopper import fence_async_shared, mbarrier
from ...foreign_builtin import foreign_builtin
from . import clc, float2, tma

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = [
    "TensorMemoryLayout",
    "TensorMemoryScalesLayout",
    "allocate_tensor_memory",
    "async_copy",
    "clc",
    "fence_async_shared",
    "float2",
    "get_tmem_reg_layout",
    "mbarrier",
    "tcgen05_commit",
    "tcgen05_copy",
    "tcgen05_mma",
    "tcgen05_mma_barrier_count",
    "tcgen05_mma_scaled",
    "tensor_memory_descriptor",
    "tma",
]


@dataclass(frozen=True, eq=False, repr=False)
class TensorMemoryLayout(Layout):
    """The layout of a tile in Blackwell's tensor memory."""

    block: tuple[int, int]
    col_stride: int = 1
    cga_layout: tuple = ()
    two_ctas: bool = False


@dataclass(frozen=True, eq=False, repr=False)
class TensorMemoryScalesLayout(Layout):
    """The layout of scales in Blackwell's tensor memory."""

    cga_layout: tuple = ()


class tensor_memory_descriptor(base_value):
    """A tile in Blackwell's tensor memory."""


@foreign_builtin
def allocate_tensor_memory(element_ty: Any, shape: Any, layout: Any, value: Any = None) -> tensor_memory_descriptor:
    """An operation on Blackwell's tensor memory."""


@foreign_builtin
def get_tmem_reg_layout(element_ty: Any, shape: Any, layout: Any, num_warps: Any, *options: Any) -> Any:
    """An operation on Blackwell's tensor memory."""


@foreign_builtin
def tcgen05_mma(
    a: Any,
    b: Any,
    acc: Any,
    *,
    use_acc: Any = True,
    pred: Any = True,
    multicast: Any = False,
    mbarriers: Any = None,
    mbarrier_preds: Any = None,
) -> None:
    """An operation of Blackwell's tensor cores."""


@foreign_builtin
def tcgen05_mma_scaled(
    a: Any,
    b: Any,
    acc: Any,
    a_scale: Any,
    b_scale: Any,
    a_type: Any,
    b_type: Any,
    *,
    use_acc: Any = True,
    pred: Any = True,
    multicast: Any = False,
    mbarriers: Any = None,
    mbarrier_preds: Any = None,
) -> None:
    """An operation of Blackwell's tensor cores."""


@foreign_builtin
def tcgen05_mma_barrier_count(smems: Any, multicast: Any, two_ctas: Any = False) -> int:
    """An operation of Blackwell's tensor cores."""


@foreign_builtin
def tcgen05_commit(barrier: Any, pred: Any = True, descs: Any = ()) -> None:
    """An operation of Blackwell's tensor cores."""


@foreign_builtin
def tcgen05_copy(src: Any, dst: Any) -> None:
    """An operation of Blackwell that copies to tensor memory."""


def __dir__() -> list[str]:
    return __all__
