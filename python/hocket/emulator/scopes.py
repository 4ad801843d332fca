"""Context managers of the emulator, such as `with hocket.emulator.target(...)`."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable

from ..runtime import places


class Scope(contextlib.ContextDecorator):
    """A context manager that must be entered. If a Scope is dropped without having been entered, the next launch raises
    an error."""

    def __init__(self, call: str, enter: Callable[[], contextlib.AbstractContextManager[None]], depth: int = 2):
        self._used = False
        self._call, self._enter = call, enter
        self._entered: list[contextlib.AbstractContextManager[None]] = []
        caller = sys._getframe(depth)
        self._place = (caller.f_code.co_filename, caller.f_lineno)

    def _recreate_cm(self) -> Scope:  # contextlib calls this method for each call of a decorated function
        self._used = True
        return Scope(self._call, self._enter)

    def __enter__(self) -> None:
        self._used = True
        scope = self._enter()
        scope.__enter__()
        self._entered.append(scope)

    def __exit__(self, *exception) -> bool | None:
        return self._entered.pop().__exit__(*exception)

    def __del__(self):
        if not getattr(self, "_used", True):
            places.unused_scopes.append((self._call, self._place))


__all__ = ["Scope"]
