"""Decorator for operations of GPUs that Hocket does not compile for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from ...language._builtin import builtin

F = TypeVar("F", bound=Callable[..., Any])


def foreign_builtin(stub: F) -> F:
    """Marks `stub` as an operation of another GPU, such as "nvidia.blackwell.tcgen05_mma".

    The front end rejects calls of the operation by name (csrc/frontend/semantics/OtherGpus.cpp).
    """
    marked: Any = builtin(stub)
    folder = stub.__module__.partition("other_gpus.")[2]
    marked.__hocket_builtin__ = f"{folder}.{stub.__qualname__}"
    return marked
