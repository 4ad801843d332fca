"""What happens to arrays around timed runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any


class ArrayHooks:
    """Fills arrays with zeros before a run, and puts the contents of others back after it."""

    def __init__(self, to_zero: Sequence[str], to_restore: Sequence[str]):
        self._to_zero = list(to_zero)
        self._to_restore = list(to_restore)
        self._kept: dict[str, Any] = {}

    def before(self, arguments: dict[str, Any], reset_only: bool = False) -> None:
        for name in self._to_zero:
            array = arguments[name]
            if array is not None:
                _fill(array, 0)
        if not reset_only:
            kept = {name: arguments[name] for name in self._to_restore}
            self._kept = {name: _copy(array) for name, array in kept.items() if array is not None}

    def after(self, arguments: dict[str, Any], exception: Exception | None = None) -> None:
        for name, kept in self._kept.items():
            _fill(arguments[name], kept)
        self._kept = {}


def _fill(array: Any, value: Any) -> None:
    if hasattr(array, "copy_"):  # PyTorch, whose leaves may need gradients
        array.data.zero_() if isinstance(value, int) else array.data.copy_(value)
    else:
        array[...] = value


def _copy(array: Any) -> Any:
    return array.detach().clone() if hasattr(array, "clone") else array.copy()


def hooks_of(
    to_zero: Sequence[str], to_restore: Sequence[str], before: Callable | None, after: Callable | None
) -> tuple[Callable[..., object], Callable[..., object]]:
    """What is called before and after a timed run: the user's, else what `reset_to_zero` and `restore_value` say."""
    arrays = ArrayHooks(to_zero, to_restore)
    return before or arrays.before, after or arrays.after
