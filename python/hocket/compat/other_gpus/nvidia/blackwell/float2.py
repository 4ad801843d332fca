"""Gluon's names for Blackwell's arithmetic on pairs of float32. Kernels that use these names do not compile."""

from __future__ import annotations

from .....language._types import base_value
from ...foreign_builtin import foreign_builtin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["Float2Tensor", "fma", "full_like", "pack", "pack2", "unpack", "unpack2"]


class Float2Tensor(base_value):
    """Pairs of float32."""


@foreign_builtin
def pack(x: Any, axis: Any) -> Float2Tensor:
    """An operation of Blackwell on pairs of float32."""


@foreign_builtin
def pack2(x0: Any, x1: Any) -> Float2Tensor:
    """An operation of Blackwell on pairs of float32."""


@foreign_builtin
def unpack(x: Any, axis: Any) -> Any:
    """An operation of Blackwell on pairs of float32."""


@foreign_builtin
def unpack2(x: Any) -> Any:
    """An operation of Blackwell on pairs of float32."""


@foreign_builtin
def full_like(x: Any, fill_value: Any) -> Float2Tensor:
    """An operation of Blackwell on pairs of float32."""


@foreign_builtin
def fma(a: Any, b: Any, c: Any) -> Float2Tensor:
    """An operation of Blackwell on pairs of float32."""


def __dir__() -> list[str]:
    return __all__
