"""Gluon's names for gfx1250's barriers in shared memory. Kernels that use these names do not compile."""

from __future__ import annotations

from ...foreign_builtin import foreign_builtin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["arrive", "init", "wait"]


@foreign_builtin
def arrive(mbarrier: Any, *options: Any) -> Any:
    """An operation of gfx1250's barriers in shared memory."""


@foreign_builtin
def init(mbarrier: Any, count: Any) -> Any:
    """An operation of gfx1250's barriers in shared memory."""


@foreign_builtin
def wait(mbarrier: Any, phase: Any) -> Any:
    """An operation of gfx1250's barriers in shared memory."""


def __dir__() -> list[str]:
    return __all__
