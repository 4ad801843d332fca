"""Kernels that explain their choices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


def explained_by(explain: Callable[..., str]) -> Callable[[F], F]:
    """Gives a function the attribute `explain`."""

    def attach(function: F) -> F:
        function.explain = explain
        return function

    return attach
