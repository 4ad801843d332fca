"""Gluon's names for gfx1250's asynchronous copies. Kernels that use these names do not compile."""

from __future__ import annotations

from ...foreign_builtin import foreign_builtin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["commit_group", "global_to_shared", "mbarrier_arrive", "shared_to_global", "wait_group"]


@foreign_builtin
def commit_group() -> Any:
    """An operation of gfx1250's asynchronous copies."""


@foreign_builtin
def global_to_shared(smem: Any, pointer: Any, *options: Any) -> Any:
    """An operation of gfx1250's asynchronous copies."""


@foreign_builtin
def mbarrier_arrive(mbarrier: Any) -> Any:
    """An operation of gfx1250's asynchronous copies."""


@foreign_builtin
def shared_to_global(pointer: Any, smem: Any, *options: Any) -> Any:
    """An operation of gfx1250's asynchronous copies."""


@foreign_builtin
def wait_group(num_outstanding: Any = 0) -> Any:
    """An operation of gfx1250's asynchronous copies."""


def __dir__() -> list[str]:
    return __all__
