"""Launches kernels with the arguments, constants and grid that the command line describes."""

from __future__ import annotations

import argparse
import inspect
from collections.abc import Callable
from types import ModuleType
from typing import Any

from .kernel_files import UsageError, example_signature, parse_constexpr

SIGNATURE_HELP = """\
SIGNATURE, for a kernel: the parameters that are not constexprs, in order
  *f16[64x320]   an array of that shape: normally distributed numbers, integers from 0 to 9
  i32=64         a number
  None           a parameter that is None
"""


def add_kernel_arguments(parser: argparse.ArgumentParser) -> None:
    kernel = parser.add_argument_group("for a kernel")
    kernel.add_argument("--signature", help="its arguments, see below")
    kernel.add_argument("--constexpr", metavar="NAME=VALUE", action="append", default=[], help="as for hocket compile")
    kernel.add_argument("--grid", help="blocks, as in 4 or 4,2 (default: 1)")
    kernel.add_argument("--num-warps", type=int, help="warps per block (default: those of @hocket.jit, or 4)")


def launch_of(function: Any, name: str, module: ModuleType, arguments: argparse.Namespace) -> Callable[[], Any]:
    """Returns `function` itself, or for a kernel a function that launches it on new arrays and returns them."""
    from ..runtime.jit import JITFunction

    if isinstance(function, JITFunction):
        return _launch_of_kernel(function, module, arguments)
    for option in ("signature", "constexpr", "grid", "num_warps"):
        if getattr(arguments, option):
            raise UsageError(f"--{option.replace('_', '-')} is for a kernel; {name} is a Python function")
    if needed := _needed_arguments(function):
        raise UsageError(f"{name}() is called without arguments, but needs {', '.join(needed)}")
    return function


def _needed_arguments(function: Any) -> list[str]:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    kinds = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [p.name for p in parameters if p.default is inspect.Parameter.empty and p.kind not in kinds]


def _launch_of_kernel(kernel: Any, module: Any, arguments: argparse.Namespace) -> Callable[[], dict[str, Any]]:
    """Returns a function that launches the kernel on new arrays and returns them."""
    from .kernel_arguments import arguments_of, grid_of

    constexprs = dict(parse_constexpr(text, module) for text in arguments.constexpr)
    if unknown := set(constexprs) - set(kernel.arg_names):
        raise UsageError(f"{kernel.__name__} has no parameter {', '.join(sorted(unknown))}")
    for parameter in kernel.parameters:
        if parameter.is_constexpr and not parameter.has_default and parameter.name not in constexprs:
            raise UsageError(f"{kernel.__name__} needs a value for {parameter.name}: --constexpr {parameter.name}=...")
    names = [p.name for p in kernel.parameters if not p.is_constexpr and p.name not in constexprs]
    example = example_signature(kernel, names, "*f32[1024]", "i32=1024")
    make = arguments_of(names, arguments.signature or "", example)
    grid = grid_of(arguments.grid or "1")
    options = {} if arguments.num_warps is None else {"num_warps": arguments.num_warps}

    def launch() -> dict[str, Any]:
        values = make()
        kernel[grid](**values, **constexprs, **options)
        return {name: value for name, value in values.items() if hasattr(value, "shape")}

    return launch
