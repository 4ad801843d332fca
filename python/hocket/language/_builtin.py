"""Decorators for builtins of the kernel language."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    F = TypeVar("F", bound=Callable[..., Any])


def builtin(stub: F) -> F:
    """Marks `stub` as a builtin. The compiler implements the builtin, and the signature of `stub` binds the arguments.

    The C++ front end finds the builtin by `__hocket_builtin__`, its dotted name below `hocket.language`.
    """

    def only_in_kernels(*args: Any, **kwargs: Any) -> Any:
        raise RuntimeError(f"gl.{only_in_kernels.__hocket_builtin__} can only be used inside a @hocket.jit kernel")

    only_in_kernels.__name__ = stub.__name__
    only_in_kernels.__qualname__ = stub.__qualname__
    only_in_kernels.__doc__ = stub.__doc__
    only_in_kernels.__module__ = stub.__module__
    only_in_kernels.__wrapped__ = stub
    only_in_kernels.__hocket_builtin__ = _kernel_name(stub)
    return only_in_kernels


def method_of(owner: type, *names: str) -> Callable[[F], F]:
    """Makes a builtin a method of values whose class in the language is `owner`, under its own name or under
    `names`."""

    def declare(stub: F) -> F:
        for name in names or (stub.__name__,):
            setattr(owner, name, stub)
        return stub

    return declare


class KernelFunction:
    """A function of `hocket.language` that is written in the kernel language. Kernels call such a function like a jit
    function."""

    def __init__(self, fn: Callable[..., Any]):
        self.fn = fn
        self.__name__ = fn.__name__
        self.__qualname__ = fn.__qualname__
        self.__doc__ = fn.__doc__
        self.__module__ = fn.__module__
        self.__wrapped__ = fn

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError(f"{self.__name__} can only be used inside a @hocket.jit kernel")

    def __repr__(self) -> str:
        return f"{self.__module__}.{self.__name__}"


def written_in_language(fn: Callable[..., Any]) -> KernelFunction:
    """Returns a KernelFunction that calls `fn` in kernels; used as a decorator."""
    return KernelFunction(fn)


def _kernel_name(stub: Any) -> str:
    """Returns the name of a builtin in `gl`, such as "load", "shared_memory_descriptor.load" or
    "nvidia.hopper.fence_async_shared"."""
    parts = stub.__module__.split(".")[2:]
    vendor = parts if parts[0] in ("nvidia", "amd", "extra", "profiler") else []
    return ".".join([*vendor, stub.__qualname__])
