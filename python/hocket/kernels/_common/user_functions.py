"""Checks of jit functions that callers pass to ready kernels, and of the arguments of these functions."""

from __future__ import annotations

import inspect
import pathlib
from typing import Any

from ... import JITFunction
from ... import language as gl
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


def constants_among(function: JITFunction, first: int, count: int) -> tuple[int, ...]:
    """Returns the indices of the arguments that are known at compile time, among the `count` arguments of a function
    after its `first` ones: those of parameters annotated `gl.constexpr`."""
    last = min(first + count, function.fn.__code__.co_argcount)
    return tuple(index for index, parameter in enumerate(function.parameters[first:last]) if parameter.is_constexpr)


def with_constants(args: tuple, constants: tuple[int, ...]) -> tuple:
    """Returns `args` with the elements at the indices `constants` as `gl.constexpr`."""
    return tuple(
        [
            gl.constexpr(arg) if index in constants and not isinstance(arg, gl.constexpr) else arg
            for index, arg in enumerate(args)
        ]
    )


def location_of(function: JITFunction) -> str:
    """Returns the file name and the line of a jit function, for messages about results of the function: no call in the
    user's code leads to the check of these results."""
    code = function.fn.__code__
    return f"{pathlib.Path(code.co_filename).name}:{code.co_firstlineno}"


__all__ = ["check_function", "constants_among", "location_of", "with_constants"]
