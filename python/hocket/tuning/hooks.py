"""Resets arrays before timed runs, and restores them afterwards."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..errors import LaunchError
from .checks import check_function


class ArrayHooks:
    """Fills some arrays with zeros before a run, and restores the contents of other arrays after it. Parameters without
    an argument, or with the argument None, are skipped."""

    def __init__(self, kernel: str, to_zero: Sequence[str], to_restore: Sequence[str]):
        self._kernel = kernel
        self._to_zero = list(to_zero)
        self._to_restore = list(to_restore)
        self._kept: dict[str, Any] = {}

    def before(self, arguments: dict[str, Any], reset_only: bool = False) -> None:
        for array in self._arrays("reset_to_zero", self._to_zero, arguments).values():
            fill(array, 0)
        if not reset_only:
            kept = self._arrays("restore_value", self._to_restore, arguments)
            self._kept = {name: copy_of(array) for name, array in kept.items()}

    def after(self, arguments: dict[str, Any], exception: Exception | None = None) -> None:
        for name, kept in self._kept.items():
            fill(arguments[name], kept)
        self._kept = {}

    def _arrays(self, what: str, names: list[str], arguments: dict[str, Any]) -> dict[str, Any]:
        arrays = {name: arguments[name] for name in names if arguments.get(name) is not None}
        for name, array in arrays.items():
            if not hasattr(array, "__setitem__"):
                raise LaunchError(
                    f"{self._kernel}(): {what} names `{name}`, which is {array!r}: it needs names of arrays"
                )
        return arrays


def fill(array: Any, value: Any) -> None:
    """Sets all elements of `array` to a value, or to the elements of another array."""
    if hasattr(array, "copy_"):  # a PyTorch tensor; `.data` avoids an error for leaves that require gradients
        array.data.zero_() if isinstance(value, int) else array.data.copy_(value)
    else:
        array[...] = value


def copy_of(array: Any) -> Any:
    """Returns a copy of an array, on the same device."""
    return array.detach().clone() if hasattr(array, "clone") else array.copy()


def hooks_of(
    arrays: ArrayHooks, before: Callable | None, after: Callable | None
) -> tuple[Callable[..., object], Callable[..., object]]:
    """Returns the functions to call before and after a timed run: the user's functions, or those for `reset_to_zero`
    and `restore_value`."""
    check_function("pre_hook", before, "pre_hook(named_args, reset_only=False)", {}, reset_only=False)
    check_function("post_hook", after, "post_hook(named_args, exception=None)", {}, exception=None)
    return before or arrays.before, after or arrays.after
