"""Checks the arguments of `autotune` and `heuristics`. Errors are raised when the decorator is applied, or when a
function of the user returns a wrong value."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ..runtime.options import OPTION_LIST
from .config import Config

_EXAMPLE = '[hocket.Config({"BLOCK": 512}), hocket.Config({"BLOCK": 1024}, num_warps=8)]'


def checked_configs(configs: Any) -> list[Config]:
    """Returns the configurations as a list; if `configs` is empty, the list contains one empty configuration."""
    if isinstance(configs, Config) or not isinstance(configs, Iterable):
        raise TypeError(f"autotune takes a list of hocket.Config, not {configs!r}\n  hint: write {_EXAMPLE}")
    found = list(configs)
    for config in found:
        if not isinstance(config, Config):
            raise TypeError(f"autotune takes a list of hocket.Config, which holds {config!r}\n  hint: write {_EXAMPLE}")
    return found or [Config({})]


def checked_names(what: str, names: Any, kernel: str, known: Sequence[str]) -> list[str]:
    """Returns the names of parameters as a list; an empty list for None."""
    if names is None:
        return []
    if isinstance(names, str) or not isinstance(names, Iterable):
        hint = f"\n  hint: write [{names!r}]" if isinstance(names, str) else ""
        raise TypeError(f"{what} takes a list of names, not {names!r}{hint}")
    names = list(names)
    for name in names:
        if not isinstance(name, str) or name not in known:
            raise ValueError(f"{what}: {kernel} has no parameter `{name}`; it has {', '.join(known)}")
    return names


def check_function(what: str, function: Any, call: str, *args: Any, **kwargs: Any) -> None:
    """Raises an error unless `function` can be called with these arguments. The error message contains `call`, the text
    of the call."""
    if function is None:
        return
    if not callable(function):
        raise TypeError(f"{what} must be a function, not {function!r}")
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # functions that are not written in Python may have no signature
        return
    try:
        signature.bind(*args, **kwargs)
    except TypeError as error:
        name = getattr(function, "__name__", repr(function))
        raise TypeError(f"{what} is called as {call}, which {name}{signature} does not take: {error}") from None


def check_milliseconds(what: str, value: Any) -> None:
    if value is not None and (isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e9):
        raise ValueError(f"{what} must be a number of milliseconds, not {value!r}")


def checked_times(measured: Any) -> list[float]:
    """Returns the result of `do_bench` as a list: one time, or several quantiles of the time."""
    times = measured if isinstance(measured, Iterable) and not isinstance(measured, str) else [measured]
    try:
        found = [math.nan if isinstance(time, str) else float(time) for time in times]
    except (TypeError, ValueError):
        found = []
    if not found or any(math.isnan(time) for time in found):
        raise ValueError(f"do_bench must return milliseconds, one number or one for each quantile, not {measured!r}")
    return found


def check_is_dict(values: Any) -> None:
    """Checks the argument of `heuristics`. If `heuristics` was written without parentheses, its argument is the
    kernel."""
    if not isinstance(values, dict):
        raise TypeError(
            f"heuristics takes a dict, not {values!r}\n"
            '  hint: write @hocket.heuristics({"BLOCK": lambda args: hocket.next_power_of_2(args["n"])})'
        )


def checked_values(values: Any, kernel: str, known: Sequence[str]) -> dict[str, Callable[[dict[str, Any]], Any]]:
    """Checks that the values of `heuristics` are functions, and returns them."""
    options = [name for name, _ in OPTION_LIST]
    for name, function in values.items():
        if not callable(function):
            raise TypeError(f"heuristics: `{name}` needs a function of the arguments, not {function!r}")
        check_function(f"heuristics: `{name}`", function, "a function of one dict", {})
        if name not in known and name not in options:
            raise ValueError(
                f"heuristics: {kernel} has no parameter or launch option `{name}`\n"
                f"  parameters: {', '.join(known)}\n  options: {', '.join(options)}"
            )
    return dict(values)
