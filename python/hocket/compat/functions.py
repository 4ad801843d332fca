"""`triton.jit` and `gluon.jit`: kernels that also accept the launch options that only Triton has."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from ..runtime.jit import JITFunction
from ..runtime.options import OPTION_LIST, Options

#: Triton's launch options that do not change results: hints for its passes, and additional checks.
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
    """Return `options` without those in HINTS. Each of them that is set gives a warning, once per process."""
    for name in HINTS:
        if options.get(name) and name not in _warned:
            _warned.add(name)
            warnings.warn(f"{kernel.__name__}(): the launch option `{name}` has no effect in Hocket", stacklevel=2)
    return {name: value for name, value in options.items() if name not in HINTS}


class GluonFunction(JITFunction):
    """A kernel of a file that was written for Triton."""

    _option_list = (*OPTION_LIST, *((name, None) for name in HINTS))

    def options_for(self, given: dict[str, Any]) -> Options:
        return Options.given(without_hints(self, {**self.launch_options, **given}), self.debug)


def jit(fn: Callable | None = None, **options: Any) -> Any:
    """`hocket.jit` for a file that was written for Triton."""
    if fn is None:
        return lambda decorated: GluonFunction(decorated, **options)
    return GluonFunction(fn, **options)
