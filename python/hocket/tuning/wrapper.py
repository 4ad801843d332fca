"""What stands around a kernel and is launched in its place."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ..runtime.jit import JITFunction


class KernelWrapper:
    """Base of what `autotune` and `heuristics` make. `fn` is the kernel, or another wrapper around it."""

    __name__: str
    #: As it is written above kernels.
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
        """Compile without launching."""
        return self.run(*args, grid=grid, warmup=True, **kwargs)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return kernel_of(self)(*args, **kwargs)  # refuses, and says how kernels are launched

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.fn!r})"


def kernel_of(fn: Any) -> JITFunction:
    """The kernel inside wrappers."""
    while isinstance(fn, KernelWrapper):
        fn = fn.fn
    return fn
