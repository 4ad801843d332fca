"""A decorator for kernels that explain their choices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


def with_explain(explain: Callable[..., str]) -> Callable[[F], F]:
    """This decorator sets the attribute `explain` of a function."""

    def attach(function: F) -> F:
        function.explain = explain
        return function

    return attach
