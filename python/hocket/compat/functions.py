"""`triton.jit` and `gluon.jit`: kernels that also accept the launch options that only Triton has."""

from __future__ import annotations

import contextvars
import warnings
from collections.abc import Callable
from types import FunctionType
from typing import Any

from .. import hooks
from ..runtime.compiled import CompiledKernel
from ..runtime.jit import JITFunction
from ..runtime.options import OPTION_LIST, Options

#: Triton's launch options that do not change results: hints for Triton's passes, and additional checks.
HINTS = (
    "kpack",
    "llvm_fn_attrs",
    "matrix_instr_nonkdim",
    "ptx_options",
    "schedule_hint",
    "instrumentation_mode",
)
_warned: set[str] = set()


def without_hints(kernel: Any, options: dict[str, Any]) -> dict[str, Any]:
    """Returns `options` without the options in HINTS. The first use of a hint in a process issues a warning."""
    for name in HINTS:
        if options.get(name) and name not in _warned:
            _warned.add(name)
            warnings.warn(f"{kernel.__name__}(): the launch option `{name}` has no effect in Hocket", stacklevel=2)
    return {name: value for name, value in options.items() if name not in HINTS}


_is_warming_up: contextvars.ContextVar[bool] = contextvars.ContextVar("hocket_is_warming_up", default=False)


def is_warming_up() -> bool:
    """Returns True if this thread is compiling a kernel for a call of `warmup`."""
    return _is_warming_up.get()


class GluonFunction(JITFunction):
    """A kernel of a file that was written for Triton."""

    _option_list = (*OPTION_LIST, *((name, None) for name in HINTS))

    def __init__(self, fn: FunctionType, **options: Any):
        super().__init__(fn, **options)
        self.pre_run_hooks: list[Callable[..., object]] = []

    def add_pre_run_hook(self, hook: Callable[..., object]) -> None:
        """Adds a function that is called before each launch of this kernel. The function gets the kernel's arguments as
        positional arguments, and the launch options as keyword arguments."""
        if not self.pre_run_hooks:
            hooks.launch_enter.add(self._call_pre_run_hooks)
        self.pre_run_hooks.append(hook)

    def _call_pre_run_hooks(self, event: hooks.LaunchEvent) -> None:
        if event.function is not self:
            return
        options = dict(event.arguments)
        values = [options.pop(name) for name in self.arg_names]
        for hook in self.pre_run_hooks:
            hook(*values, **options)

    def _warmup(self, *args: Any, **kwargs: Any) -> CompiledKernel:
        token = _is_warming_up.set(True)
        try:
            return super()._warmup(*args, **kwargs)
        finally:
            _is_warming_up.reset(token)

    def options_for(self, given: dict[str, Any]) -> Options:
        return Options.given(without_hints(self, {**self.launch_options, **given}), self.debug)


def jit(fn: Callable | None = None, **options: Any) -> Any:
    """Works like `hocket.jit`, for a file that was written for Triton."""
    if fn is None:
        return lambda decorated: GluonFunction(decorated, **options)
    return GluonFunction(fn, **options)
