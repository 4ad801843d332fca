"""Gluon's namespace for Rubin. It imports; hocket does not compile for Rubin and knows no names of it."""

from __future__ import annotations

__all__ = []


def __dir__() -> list[str]:
    return __all__
