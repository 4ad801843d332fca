"""Gluon's namespace of its sanitizer for floats. It imports; hocket has no such sanitizer and knows no names of it."""

from __future__ import annotations

__all__ = []


def __dir__() -> list[str]:
    return __all__
