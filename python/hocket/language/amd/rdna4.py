"""Gluon's names for RDNA4. They can be imported, but are errors in kernels: hocket does not compile for RDNA4."""

from __future__ import annotations

from .._builtin import builtin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["wmma"]


@builtin
def wmma(a: Any, b: Any, acc: Any) -> Any:
    """products of matrix cores"""


def __dir__() -> list[str]:
    return __all__
