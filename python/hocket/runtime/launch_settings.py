"""Settings that `with` blocks choose for the launches inside, including launches of other threads.

`LaunchSetting` is used like a context variable. A thread that has not set a value uses the value that other threads
have set, if all of them have set the same value: csrc/bindings/dispatch/Setting.h.
"""

from __future__ import annotations

from .._core import LaunchSetting

__all__ = ["Disagreement", "LaunchSetting"]


class Disagreement(Exception):
    """Other threads have chosen different values: `values`."""

    def __init__(self, values: list):
        super().__init__(values)
        self.values = values
