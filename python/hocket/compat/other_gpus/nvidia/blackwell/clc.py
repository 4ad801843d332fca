"""Gluon's names for Blackwell's launch control of clusters. Kernels that use these names do not compile."""

from __future__ import annotations

from ...foreign_builtin import foreign_builtin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["load_result", "try_cancel"]


@foreign_builtin
def try_cancel(result: Any, barrier: Any, multicast: Any = False) -> None:
    """An operation of Blackwell's launch control of clusters."""


@foreign_builtin
def load_result(src: Any) -> Any:
    """An operation of Blackwell's launch control of clusters."""


def __dir__() -> list[str]:
    return __all__
