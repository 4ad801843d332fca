"""Hocket: a GPU kernel language and compiler. Kernels are Python functions over tiles with explicit layouts.

    import hocket
    from hocket import language as gl

    @hocket.jit
    def copy(x, out, n, BLOCK: gl.constexpr):
        layout: gl.constexpr = gl.row_layout(4)
        i = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=layout)
        gl.store(out + i, gl.load(x + i, mask=i < n), mask=i < n)

    copy[(hocket.cdiv(n, 1024),)](x, out, n, BLOCK=1024)

A kernel on NumPy arrays runs on the emulator. A kernel on PyTorch, CuPy or other DLPack arrays runs on the GPU that
holds the arrays.
"""

from .errors import (
    CompileError,
    CompileWarning,
    EmulatorError,
    HocketError,
    InternalError,
    LaunchError,
    OutOfResources,
)

__version__ = "0.1.0"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from . import checking, deploy, devices, emulator, hooks, kernels, language, nvidia, pictures, profiler, testing
    from . import torch as torch
    from .checking import check
    from .deploy import load
    from .language import constexpr
    from .language._aggregate import aggregate, aggregate_replace, must_use_result
    from .language._constexpr import constexpr_function
    from .runtime.compiled import CompiledKernel
    from .runtime.exporter import export
    from .runtime.jit import JITFunction, jit
    from .tuning import Config, autotune, heuristics

__all__ = [
    "CompileError",
    "CompileWarning",
    "CompiledKernel",
    "Config",
    "EmulatorError",
    "HocketError",
    "InternalError",
    "JITFunction",
    "LaunchError",
    "OutOfResources",
    "aggregate",
    "aggregate_replace",
    "autotune",
    "cdiv",
    "check",
    "checking",
    "constexpr",
    "constexpr_function",
    "deploy",
    "devices",
    "emulator",
    "errors",
    "export",
    "heuristics",
    "hooks",
    "jit",
    "kernels",
    "language",
    "load",
    "must_use_result",
    "next_power_of_2",
    "nvidia",
    "pictures",
    "profiler",
    "testing",
]

# Names that are imported on first use, so that `import hocket` is fast.
_MODULES = frozenset(
    {
        "checking",
        "deploy",
        "devices",
        "emulator",
        "errors",
        "hooks",
        "kernels",
        "language",
        "nvidia",
        "pictures",
        "profiler",
        "testing",
        "torch",  # hocket.torch is not in `__all__`, because `from hocket import *` must not require PyTorch
    }
)
_HOMES = {
    "CompiledKernel": "runtime.compiled",
    "Config": "tuning",
    "JITFunction": "runtime.jit",
    "aggregate": "language._aggregate",
    "aggregate_replace": "language._aggregate",
    "autotune": "tuning",
    "heuristics": "tuning",
    "check": "checking",
    "export": "runtime.exporter",
    "load": "deploy",
    "jit": "runtime.jit",
    "constexpr": "language._constexpr",
    "constexpr_function": "language._constexpr",
    "must_use_result": "language._aggregate",
}


if not TYPE_CHECKING:  # with a `__getattr__`, type checkers would accept any name of the module

    def __getattr__(name: str):
        from importlib import import_module

        if name in _MODULES:
            value = import_module(f"{__name__}.{name}")
        elif name in _HOMES:
            value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
        elif name == "_core":
            try:
                value = import_module(f"{__name__}._core")
            except ModuleNotFoundError as error:
                raise (_not_built() if error.name == f"{__name__}._core" else error) from None
        else:
            if name.startswith("__"):
                raise AttributeError(f"module 'hocket' has no attribute {name!r}")
            from .language._foreign_names import missing_attribute

            raise missing_attribute(__name__, name, __all__)
        globals()[name] = value
        return value


def _load_formatters() -> None:
    """Imports hocket.pictures.formatters, which registers functions with `_display`. Only this module may import all
    other modules."""
    from .pictures import formatters  # noqa: F401


def _not_built() -> ImportError:
    import sys

    python = ".".join(map(str, sys.version_info[:2]))
    message = f"hocket is not compiled for Python {python}: `make build` in its repository does that, a wheel brings it"
    return ImportError(message, name=f"{__name__}._core")


def __dir__() -> list[str]:
    return sorted({*__all__, *_MODULES, "__version__"})


def cdiv(a: int, b: int) -> int:
    """Returns a / b, rounded up: the number of blocks of `b` elements that cover `a` elements. `cdiv(1000, 256) ==
    4`."""
    return -(-a // b)


def next_power_of_2(n: int) -> int:
    """Returns the smallest power of two that is at least `n`; 1 for n <= 1. `next_power_of_2(781) == 1024`."""
    return 1 << max(n - 1, 0).bit_length()


# Kernels may call `cdiv` and `next_power_of_2` at compile time (language/_constexpr.py).
cdiv.__hocket_constexpr_function__ = True  # type: ignore[attr-defined]
next_power_of_2.__hocket_constexpr_function__ = True  # type: ignore[attr-defined]
