"""Checks of jit functions that callers pass to ready kernels, and of the arguments of these functions."""

from __future__ import annotations

import inspect
import pathlib
from typing import Any

from ... import JITFunction
from ...errors import LaunchError


def check_function(
    kernel: str, name: str, function: Any, arguments: str, args: Any, args_name: str = "mod_args"
) -> None:
    """Raises a LaunchError unless `function` is a jit function that can be called with `arguments`, a list of names,
    and `args`, the further arguments. `name` and `args_name`: parameters of `kernel`."""
    if not isinstance(args, tuple | list):
        raise LaunchError(
            f"{kernel}: {args_name} must be a tuple of arrays and numbers, not {type(args).__name__}"
            f"\n  hint: write {args_name}=(array,)"
        )
    if not isinstance(function, JITFunction):
        hint = "\n  hint: write @hocket.jit above its def" if inspect.isfunction(function) else ""
        raise LaunchError(f"{kernel}: {name} must be a @hocket.jit function, not {type(function).__name__}{hint}")
    signature = inspect.signature(function.fn)
    try:
        signature.bind(*arguments.split(", "), *args)
    except TypeError:
        given = f"({arguments}, *{args_name}), with {len(args)} {args_name}," if args else f"({arguments}),"
        raise LaunchError(
            f"{kernel}: {name} is called with {given} but its parameters are {function.fn.__name__}{signature}"
        ) from None


def location_of(function: JITFunction) -> str:
    """Returns the file name and the line of a jit function, for messages about results of the function: no call in the
    user's code leads to the check of these results."""
    code = function.fn.__code__
    return f"{pathlib.Path(code.co_filename).name}:{code.co_firstlineno}"


__all__ = ["check_function", "location_of"]
