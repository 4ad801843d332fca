"""`triton.knobs`: Triton's settings. All settings can be read and set. Hocket warns once for each changed setting that
has no effect.

The following settings have an effect: `autotuning.print`, `compilation.listener`, `runtime.launch_enter_hook`,
`runtime.launch_exit_hook`, `runtime.jit_cache_hook` and `runtime.jit_post_compile_hook`.
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

from ... import hooks
from ...tuning.autotuner import Autotuner
from .compile_hooks import CompileTimes, Listener, SpecializationHook
from .launch_hooks import LaunchHooks

__all__ = [
    "CompileTimes",
    "amd",
    "autotuning",
    "build",
    "cache",
    "compilation",
    "language",
    "nvidia",
    "proton",
    "redis",
    "runtime",
]

_warned: set[str] = set()


class Knobs:
    """A group of settings. The initial value of a setting is its value in `defaults`, or None."""

    def __init__(self, group: str, **defaults: Any):
        self.__dict__.update(_group=group, **defaults)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return None

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(getattr(type(self), name, None), property):
            object.__setattr__(self, name, value)
            return
        setting = f"triton.knobs.{self._group}.{name}"
        if value != getattr(self, name) and setting not in _warned:
            _warned.add(setting)
            warnings.warn(f"{setting} has no effect in Hocket", stacklevel=2)
        self.__dict__[name] = value

    @contextlib.contextmanager
    def scope(self) -> Iterator[None]:
        """Returns a context manager that restores the settings when the context ends."""
        before = dict(self.__dict__)
        try:
            yield
        finally:
            self.__dict__.clear()
            self.__dict__.update(before)


class AutotuningKnobs(Knobs):
    @property
    def print(self) -> bool:
        """True if the autotuner prints each configuration that it chooses."""
        return Autotuner.prints

    @print.setter
    def print(self, value: Any) -> None:
        Autotuner.prints = bool(value)


class _KnobsWithHooks(Knobs):
    """A group of settings. Some settings hold a function, which is added to one of Hocket's chains of hooks."""

    #: Maps each setting that holds a function to a chain of hooks, and to the class that wraps the function as a hook.
    _chains: ClassVar[dict[str, tuple[hooks.HookChain, Callable[[Any], Callable[[Any], None]]]]]

    def __init__(self, group: str, **defaults: Any):
        super().__init__(group, **defaults)
        self.__dict__["_installed"] = {}

    def _function(self, name: str) -> Any:
        installed = self._installed.get(name)
        return installed.function if installed else None

    def _set_function(self, name: str, function: Any) -> None:
        chain, hook_of = self._chains[name]
        if name in self._installed:
            chain.remove(self._installed.pop(name))
        if function is not None:
            self._installed[name] = hook_of(function)
            chain.add(self._installed[name])

    @contextlib.contextmanager
    def scope(self) -> Iterator[None]:
        """Returns a context manager that restores the settings and the hooks when the context ends."""
        before = {name: self._function(name) for name in self._chains}
        try:
            with super().scope():
                yield
        finally:
            for name, function in before.items():
                self._set_function(name, function)


class CompilationKnobs(_KnobsWithHooks):
    _chains: ClassVar = {"listener": (hooks.compilation, Listener)}

    @property
    def listener(self) -> Any:
        """A function that is called after each compilation, with keyword arguments: see `Listener`."""
        return self._function("listener")

    @listener.setter
    def listener(self, function: Any) -> None:
        self._set_function("listener", function)


class RuntimeKnobs(_KnobsWithHooks):
    """Settings of launches. `add` adds a launch hook, and an assignment replaces all launch hooks."""

    _chains: ClassVar = {
        "jit_cache_hook": (hooks.compilation_enter, SpecializationHook),
        "jit_post_compile_hook": (hooks.compilation, SpecializationHook),
    }

    def __init__(self, group: str, **defaults: Any):
        super().__init__(group, **defaults)
        enter, leave = LaunchHooks(hooks.launch_enter), LaunchHooks(hooks.launch_exit, is_reversed=True)
        self.__dict__["_launch_hooks"] = enter, leave

    @property
    def launch_enter_hook(self) -> Any:
        return self._launch_hooks[0]

    @launch_enter_hook.setter
    def launch_enter_hook(self, function: Any) -> None:
        self._launch_hooks[0].assign(function)

    @property
    def launch_exit_hook(self) -> Any:
        return self._launch_hooks[1]

    @launch_exit_hook.setter
    def launch_exit_hook(self, function: Any) -> None:
        self._launch_hooks[1].assign(function)

    @property
    def jit_cache_hook(self) -> Any:
        """A function that is called before each compilation, with keyword arguments: see `SpecializationHook`."""
        return self._function("jit_cache_hook")

    @jit_cache_hook.setter
    def jit_cache_hook(self, function: Any) -> None:
        self._set_function("jit_cache_hook", function)

    @property
    def jit_post_compile_hook(self) -> Any:
        """A function that is called after each compilation, with keyword arguments: see `SpecializationHook`."""
        return self._function("jit_post_compile_hook")

    @jit_post_compile_hook.setter
    def jit_post_compile_hook(self, function: Any) -> None:
        self._set_function("jit_post_compile_hook", function)

    @contextlib.contextmanager
    def scope(self) -> Iterator[None]:
        before = [chain.functions() for chain in self._launch_hooks]
        try:
            with super().scope():
                yield
        finally:
            for chain, functions in zip(self._launch_hooks, before, strict=True):
                chain.set(functions)


amd, build, cache, language, nvidia, proton, redis = map(
    Knobs, ("amd", "build", "cache", "language", "nvidia", "proton", "redis")
)
autotuning = AutotuningKnobs("autotuning")
compilation = CompilationKnobs(
    "compilation", always_compile=False, override=False, dump_ir=False, store_binary_only=False
)
runtime = RuntimeKnobs("runtime", debug=False, interpret=False)
