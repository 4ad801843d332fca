"""Gluon's names for Blackwell's arithmetic on pairs of float32. Errors in kernels."""

from __future__ import annotations

from ..._builtin import builtin
from ..._types import base_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["Float2Tensor", "fma", "full_like", "pack", "pack2", "unpack", "unpack2"]


class Float2Tensor(base_value):
    """Pairs of float32."""


@builtin
def pack(x: Any, axis: Any) -> Float2Tensor:
    """pairs of float32"""


@builtin
def pack2(x0: Any, x1: Any) -> Float2Tensor:
    """pairs of float32"""


@builtin
def unpack(x: Any, axis: Any) -> Any:
    """pairs of float32"""


@builtin
def unpack2(x: Any) -> Any:
    """pairs of float32"""


@builtin
def full_like(x: Any, fill_value: Any) -> Float2Tensor:
    """pairs of float32"""


@builtin
def fma(a: Any, b: Any, c: Any) -> Float2Tensor:
    """pairs of float32"""


def __dir__() -> list[str]:
    return __all__
