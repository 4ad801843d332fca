"""Gluon's names for gfx1250's clusters. Kernels that use these names do not compile."""

from __future__ import annotations

from ...foreign_builtin import foreign_builtin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["arrive", "wait"]


@foreign_builtin
def arrive() -> Any:
    """An operation of gfx1250's clusters."""


@foreign_builtin
def wait() -> Any:
    """An operation of gfx1250's clusters."""


def __dir__() -> list[str]:
    return __all__
