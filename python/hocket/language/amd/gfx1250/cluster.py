"""Gluon's names for gfx1250's clusters. Errors in kernels."""

from __future__ import annotations

from ..._builtin import builtin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["arrive", "wait"]


@builtin
def arrive() -> Any:
    """clusters"""


@builtin
def wait() -> Any:
    """clusters"""


def __dir__() -> list[str]:
    return __all__
