"""`triton.knobs`: Triton's settings. All can be read and set. `autotuning.print`, `runtime.launch_enter_hook` and
`runtime.launch_exit_hook` have an effect in Hocket."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from ... import hooks
from ...tuning.autotuner import Autotuner

__all__ = ["amd", "autotuning", "build", "cache", "compilation", "language", "nvidia", "proton", "redis", "runtime"]


class Knobs:
    """A group of settings. A setting that was never set is None."""

    def __init__(self, **values: Any):
        self.__dict__.update(values)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return None

    @contextlib.contextmanager
    def scope(self) -> Iterator[None]:
        """Context manager that restores the settings when it ends."""
        before = dict(self.__dict__)
        try:
            yield
        finally:
            self.__dict__.clear()
            self.__dict__.update(before)


class AutotuningKnobs(Knobs):
    @property
    def print(self) -> bool:
        """True if each choice of an autotuned kernel is printed."""
        return Autotuner.prints

    @print.setter
    def print(self, value: Any) -> None:
        Autotuner.prints = bool(value)


class LaunchMetadata:
    """The argument of launch hooks, as Triton passes it.

    `get()` returns a dict with the name of the kernel, its function and stream, and the items of `launch_metadata`.
    """

    def __init__(self, event: hooks.LaunchEvent):
        self._event = event

    def get(self) -> dict[str, Any]:
        event = self._event
        facts = {"name": event.kernel.name, "function": event.function, "stream": event.stream}
        return {**facts, **event.metadata}


class LaunchHooks:
    """Triton's view of a chain of hooks: its functions get a `LaunchMetadata`."""

    def __init__(self, chain: hooks.HookChain[hooks.LaunchEvent]):
        self._chain = chain
        self._functions: list[Callable[[LaunchMetadata], object]] = []

    def add(self, function: Callable[[LaunchMetadata], object]) -> None:
        """Add a function, unless it is there."""
        if function not in self._functions:
            self.set([*self._functions, function])

    def remove(self, function: Callable[[LaunchMetadata], object]) -> None:
        """Remove a function, if it is there."""
        self.set([known for known in self._functions if known != function])

    def set(self, functions: list[Callable[[LaunchMetadata], object]]) -> None:
        """Replace all functions."""
        if self._functions:
            self._chain.remove(self)
        self._functions = list(functions)
        if self._functions:
            self._chain.add(self)

    def functions(self) -> list[Callable[[LaunchMetadata], object]]:
        return list(self._functions)

    def __call__(self, event: hooks.LaunchEvent) -> None:
        metadata = LaunchMetadata(event)
        for function in self._functions:
            function(metadata)


class RuntimeKnobs(Knobs):
    """Settings of launches. A hook is added with `add`, or set by assignment, which replaces all others."""

    def __init__(self, **values: Any):
        super().__init__(**values)
        self.__dict__["_hooks"] = LaunchHooks(hooks.launch_enter), LaunchHooks(hooks.launch_exit)

    @property
    def launch_enter_hook(self) -> Any:
        return self._hooks[0]

    @launch_enter_hook.setter
    def launch_enter_hook(self, function: Any) -> None:
        self._assign(0, function)

    @property
    def launch_exit_hook(self) -> Any:
        return self._hooks[1]

    @launch_exit_hook.setter
    def launch_exit_hook(self, function: Any) -> None:
        self._assign(1, function)

    def _assign(self, index: int, function: Any) -> None:
        if function is not self._hooks[index]:
            self._hooks[index].set([] if function is None else [function])

    @contextlib.contextmanager
    def scope(self) -> Iterator[None]:
        """Context manager that restores the settings and the hooks when it ends."""
        before = [chain.functions() for chain in self._hooks]
        try:
            with super().scope():
                yield
        finally:
            for chain, functions in zip(self._hooks, before, strict=True):
                chain.set(functions)


amd, build, cache, language, nvidia, proton, redis = (Knobs() for _ in range(7))
autotuning = AutotuningKnobs()
compilation = Knobs(always_compile=False, override=False, dump_ir=False, store_binary_only=False)
runtime = RuntimeKnobs(debug=False, interpret=False)
