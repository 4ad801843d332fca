"""Functions that programs register to observe launches and compilations, for example to trace or count them.

    def show(launch):
        print(launch.kernel.name, launch.grid, launch.metadata.get("flops"))

    hocket.hooks.launch_enter.add(show)      # before each launch
    hocket.hooks.launch_exit.add(show)       # after each launch: queued on a GPU, completed on the emulator
    hocket.hooks.compilation_enter.add(print)  # before each compilation or read from the disk cache
    hocket.hooks.compilation.add(print)        # after each compilation, and each kernel read from the disk cache
    hocket.hooks.launch_enter.remove(show)

    with hocket.hooks.launch_enter.added(show):
        kernel[grid](x)

Hooks are called in the thread that launches or compiles, for the launches of all threads. An exception in a hook
propagates to the caller of the launch. If no hooks are registered, launches have no overhead.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar

__all__ = [
    "CompilationEvent",
    "CompilationStart",
    "HookChain",
    "LaunchEvent",
    "compilation",
    "compilation_enter",
    "launch_enter",
    "launch_exit",
]

E = TypeVar("E")


class HookChain(Generic[E]):
    """Functions that are called one after another, in the order in which they were added."""

    def __init__(self, changed: Callable[[], None] = lambda: None):
        self._functions: tuple[Callable[[E], object], ...] = ()
        self._changed = changed

    def add(self, function: Callable[[E], object]) -> None:
        """Adds a function, which is called with one argument, the event. A function that is added twice is called
        twice."""
        if not callable(function):
            raise TypeError(f"a hook is a function of one event, not {function!r}")
        with _lock:
            self._functions = (*self._functions, function)
            self._changed()

    def remove(self, function: Callable[[E], object]) -> None:
        """Removes a function. Raises ValueError if the function was not added."""
        with _lock:
            functions = list(self._functions)
            functions.remove(function)
            self._functions = tuple(functions)
            self._changed()

    @contextlib.contextmanager
    def added(self, function: Callable[[E], object]) -> Iterator[None]:
        """Returns a context manager that adds a function for a `with` block."""
        self.add(function)
        try:
            yield
        finally:
            self.remove(function)

    def __len__(self) -> int:
        return len(self._functions)

    def __call__(self, event: E) -> None:
        for function in self._functions:
            function(event)


class LaunchEvent:
    """Description of a launch, the argument of launch hooks.

    Attributes:
        function: the function decorated with `@hocket.jit`.
        kernel: the CompiledKernel.
        grid: number of programs in each of three dimensions.
        place: the ordinal of a GPU, or the target of an emulated GPU.
        stream: the driver's stream; 0 for the default stream and on the emulator.
        arguments: values of all parameters and launch options by name.
    """

    def __init__(
        self,
        function: Any,
        kernel: Any,
        grid: tuple[int, int, int],
        place: int | str,
        stream: int,
        arguments: dict[str, Any],
    ):
        self.function, self.kernel, self.grid = function, kernel, grid
        self.place, self.stream, self.arguments = place, stream, arguments
        self._metadata: dict[str, Any] | None = None

    @property
    def metadata(self) -> dict[str, Any]:
        """The dict that `launch_metadata` of `@hocket.jit` returns for this launch; empty without `launch_metadata`.
        The function is called on first use, with the grid, `kernel.metadata` and `arguments`."""
        if self._metadata is None:
            function = self.function.launch_metadata
            self._metadata = dict(function(self.grid, self.kernel.metadata, self.arguments)) if function else {}
        return self._metadata

    def __repr__(self) -> str:
        return f"<launch of {self.kernel.name} on {self.place}, grid {self.grid}>"


class CompilationStart:
    """Description of a compilation that begins, the argument of `compilation_enter` hooks.

    Attributes:
        function: the function decorated with `@hocket.jit`.
        specialization: the types and constants that the kernel is compiled for: `signature` and `constants`, dicts by
            parameter.
        options: the launch options that the kernel is compiled for.
        place: the ordinal of a GPU, or the target of an emulated GPU; "compile:" and a target for `warmup` with a
            target.
    """

    def __init__(self, function: Any, specialization: Any, options: Any, place: int | str):
        self.function, self.specialization = function, specialization
        self.options, self.place = options, place

    def __repr__(self) -> str:
        return f"<compilation of {self.function.__name__} for {self.place}>"


class CompilationEvent:
    """Description of a compilation that has ended, the argument of `compilation` hooks.

    Attributes:
        start: the CompilationStart of this compilation.
        kernel: the CompiledKernel.
        seconds: duration.
        steps: name and duration in seconds of each step of the compiler, in order: the front end, each pass, and each
            step after the passes. Empty for a kernel from the disk cache, or for an emulated GPU.
        is_cached: True if the machine code was read from the disk cache.
        function, options, specialization: the attributes of `start` with these names.
    """

    def __init__(
        self, start: CompilationStart, kernel: Any, seconds: float, steps: list[tuple[str, float]], is_cached: bool
    ):
        self.start, self.kernel, self.seconds = start, kernel, seconds
        self.steps, self.is_cached = steps, is_cached

    @property
    def function(self) -> Any:
        """The function decorated with `@hocket.jit`."""
        return self.start.function

    @property
    def options(self) -> Any:
        """The launch options that the kernel was compiled for."""
        return self.start.options

    @property
    def specialization(self) -> Any:
        """The types and constants that the kernel was compiled for."""
        return self.start.specialization

    def __repr__(self) -> str:
        how = "read from the cache" if self.is_cached else "compiled"
        return f"<{self.kernel.name} for {self.kernel.target} {how} in {self.seconds:.3f} s>"


def _count() -> None:
    """Reports the number of launch hooks to the launch path, which calls `_enter` and `_exit` only if there are any."""
    from . import _core

    _core.set_launch_hooks(len(launch_enter) + len(launch_exit))


_lock = threading.RLock()
launch_enter: HookChain[LaunchEvent] = HookChain(_count)
launch_exit: HookChain[LaunchEvent] = HookChain(_count)
compilation_enter: HookChain[CompilationStart] = HookChain()
compilation: HookChain[CompilationEvent] = HookChain()


# Called by the launch path (bindings/dispatch/Hooks.cpp) ---------------------------------------------------------


def _enter(*facts: Any) -> LaunchEvent:
    event = LaunchEvent(*facts)
    launch_enter(event)
    return event


def _exit(event: LaunchEvent) -> None:
    launch_exit(event)
