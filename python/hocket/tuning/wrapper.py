"""Base class of objects that wrap a kernel, and that users launch instead of the kernel."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from types import TracebackType
from typing import Any, TypeVar

from ..errors import InternalError
from ..runtime.jit import JITFunction

F = TypeVar("F", bound=Callable[..., Any])


def without_our_frames(method: F) -> F:
    """Decorator for methods that launch. It removes hocket's own frames from tracebacks, so that the traceback of a
    user's mistake ends with a line of the user, as for launches without a wrapper."""

    @functools.wraps(method)
    def launch(*args: Any, **kwargs: Any) -> Any:
        try:
            return method(*args, **kwargs)
        except InternalError:
            raise
        except Exception as error:
            raise error.with_traceback(_of_users(error.__traceback__)) from error.__cause__

    return launch  # type: ignore[return-value]


def _of_users(trace: TracebackType | None) -> TracebackType | None:
    """Returns `trace` without the frames of hocket's own functions."""
    if trace is None or os.environ.get("HOCKET_FULL_TRACEBACK", "0") not in ("", "0"):
        return trace
    rest = _of_users(trace.tb_next)
    if trace.tb_frame.f_code.co_filename.startswith(_PACKAGE):
        return rest
    return TracebackType(rest, trace.tb_frame, trace.tb_lasti, trace.tb_lineno)


_PACKAGE = os.path.join(os.path.dirname(os.path.dirname(__file__)), "")


class KernelWrapper:
    """Base class of the results of `autotune` and `heuristics`. `fn` is the kernel, or another wrapper around it."""

    __name__: str
    #: Name of the decorator, in the form that users write above kernels.
    decorator = ""

    def __init__(self, fn: Any):
        if not isinstance(fn, JITFunction | KernelWrapper):
            raise TypeError(
                f"{self.decorator} takes a kernel, not {fn!r}\n"
                "  hint: write @hocket.jit directly above `def`, below this decorator"
            )
        self.fn: Any = fn
        self.arg_names: list[str] = fn.arg_names
        functools.update_wrapper(self, kernel_of(fn).fn)

    def __getitem__(self, grid: Any) -> Callable[..., Any]:
        return functools.partial(self.run, grid=grid, warmup=False)

    def run(self, *args: Any, grid: Any, warmup: bool = False, **kwargs: Any) -> Any:
        raise NotImplementedError

    def warmup(self, *args: Any, grid: Any = None, **kwargs: Any) -> Any:
        """Compiles the kernel without launching it."""
        return self.run(*args, grid=grid, warmup=True, **kwargs)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return kernel_of(self)(*args, **kwargs)  # raises an error with the correct syntax of a launch

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.fn!r})"


def kernel_of(fn: Any) -> JITFunction:
    """Returns the kernel inside all wrappers."""
    while isinstance(fn, KernelWrapper):
        fn = fn.fn
    return fn
