"""Hooks of launches as Triton calls them: `triton.knobs.runtime.launch_enter_hook` and `launch_exit_hook`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ... import hooks

__all__ = ["LaunchHooks", "LaunchMetadata"]


class LaunchMetadata:
    """The argument that Triton passes to launch hooks.

    `get()` returns a dict with the name of the kernel, its function and stream, and the items of `launch_metadata`.
    """

    def __init__(self, event: hooks.LaunchEvent):
        self._event = event

    def get(self) -> dict[str, Any]:
        event = self._event
        facts = {"name": event.kernel.name, "function": event.function, "stream": event.stream}
        return {**facts, **event.metadata}


class LaunchHooks:
    """A chain of Hocket's hooks with the interface of Triton: each function gets a `LaunchMetadata`. `is_reversed`:
    True if the function that was added last is called first."""

    def __init__(self, chain: hooks.HookChain[hooks.LaunchEvent], is_reversed: bool = False):
        self._chain = chain
        self._is_reversed = is_reversed
        self._functions: list[Callable[[LaunchMetadata], object]] = []

    def add(self, function: Callable[[LaunchMetadata], object]) -> None:
        """Adds a function, unless the chain contains it."""
        if function not in self._functions:
            self.set([*self._functions, function])

    def remove(self, function: Callable[[LaunchMetadata], object]) -> None:
        """Removes a function, if the chain contains it."""
        self.set([known for known in self._functions if known != function])

    def set(self, functions: list[Callable[[LaunchMetadata], object]]) -> None:
        """Replaces all functions."""
        if self._functions:
            self._chain.remove(self)
        self._functions = list(functions)
        if self._functions:
            self._chain.add(self)

    def assign(self, function: Any) -> None:
        """Replaces all functions by `function`. None removes all functions."""
        if function is not self:
            self.set([] if function is None else [function])

    def functions(self) -> list[Callable[[LaunchMetadata], object]]:
        return list(self._functions)

    def __call__(self, event: hooks.LaunchEvent) -> None:
        metadata = LaunchMetadata(event)
        for function in reversed(self._functions) if self._is_reversed else self._functions:
            function(metadata)
