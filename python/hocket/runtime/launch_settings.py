"""Settings that `with` blocks choose for the launches inside, including launches of other threads.

A context variable alone does not reach the threads of a pool: new threads have an empty context before Python 3.14, and
also by default in 3.14. A thread that has not set a value therefore uses the value of the other threads, if these
agree. Tasks of one thread are distinguished by their contexts, as usual.
"""

from __future__ import annotations

import contextvars
import threading
from typing import Any, Generic, TypeVar

T = TypeVar("T")

_NOTHING: Any = object()


class Disagreement(Exception):
    """Raised if other threads have set different values: `values`."""

    def __init__(self, values: list):
        super().__init__(values)
        self.values = values


class LaunchSetting(Generic[T]):
    """One setting; used like a context variable."""

    def __init__(self, name: str, default: T):
        self._default = default
        self._own: contextvars.ContextVar[T] = contextvars.ContextVar(name, default=_NOTHING)
        self._lock = threading.Lock()
        self._by_thread: dict[int, list[_Choice[T]]] = {}

    def set(self, value: T) -> _Choice[T]:
        """Sets `value` until the result is passed to `reset`."""
        choice = _Choice(value, threading.get_ident(), self._own.set(value))
        with self._lock:
            self._by_thread.setdefault(choice.thread, []).append(choice)
        return choice

    def reset(self, choice: _Choice[T]) -> None:
        with self._lock:
            choices = self._by_thread[choice.thread]
            choices.remove(choice)
            if not choices:
                del self._by_thread[choice.thread]
        self._own.reset(choice.token)

    def get(self) -> T:
        """Returns the value that this thread or task has set, otherwise the value of the other threads. Raises
        Disagreement if these differ."""
        if (own := self._own.get()) is not _NOTHING:
            return own
        if not self._by_thread:
            return self._default
        here = threading.get_ident()
        with self._lock:
            others = [choices[-1].value for thread, choices in self._by_thread.items() if thread != here]
        if not others:
            return self._default
        if any(other != others[0] for other in others):
            raise Disagreement(others)
        return others[0]

    def get_if_agreed(self) -> T:
        """Like `get`, but returns the default if other threads disagree."""
        try:
            return self.get()
        except Disagreement:
            return self._default


class _Choice(Generic[T]):
    def __init__(self, value: T, thread: int, token: contextvars.Token):
        self.value, self.thread, self.token = value, thread, token
