"""Hopper's TMA operations, and Gluon's names for Blackwell's additional TMA operations, which are errors in kernels."""

from __future__ import annotations

from .....language.nvidia.hopper import tma as _hopper
from .....language.nvidia.hopper.tma import *  # noqa: F403
from ...foreign_builtin import foreign_builtin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = [*_hopper.__all__, "async_gather", "async_scatter"]


@foreign_builtin
def async_gather(
    tensor_desc: Any, x_offsets: Any, y_offset: Any, barrier: Any, result: Any, pred: Any = True, multicast: Any = False
) -> None:
    """An operation of Blackwell's TMA that loads rows by their numbers."""


@foreign_builtin
def async_scatter(tensor_desc: Any, x_offsets: Any, y_offset: Any, src: Any) -> None:
    """An operation of Blackwell's TMA that stores rows by their numbers."""


def __dir__() -> list[str]:
    return __all__
