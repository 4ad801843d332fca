"""Asynchronous copies into shared memory: not supported yet."""

from __future__ import annotations

from ..._builtin import builtin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["async_copy_global_to_shared", "commit_group", "wait_group"]


@builtin
def async_copy_global_to_shared(
    smem: Any,
    pointer: Any,
    mask: Any = None,
    cache_modifier: str = "",
    eviction_policy: str = "",
    volatile: bool = False,
) -> None:
    """asynchronous copies"""


@builtin
def commit_group() -> None:
    """groups of asynchronous copies"""


@builtin
def wait_group(num_outstanding: int = 0) -> None:
    """waiting for groups of asynchronous copies"""


def __dir__() -> list[str]:
    return __all__
