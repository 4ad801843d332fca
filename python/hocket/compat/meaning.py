"""Tests whether kernels can use a value of the language, or whether the value can only be imported."""

from __future__ import annotations

from typing import Any

from .missing import Missing

#: Files can import the names that these modules define, but a kernel that uses such a name does not compile.
_IMPORT_ONLY = ("hocket.compat.other_gpus",)


def is_meant(value: Any) -> bool:
    """Returns False for a value that kernels cannot use: a `Missing`, or an operation that only Blackwell or gfx1250
    has."""
    if isinstance(value, Missing):
        return False
    module = getattr(value, "__module__", "") or ""
    return not module.startswith(_IMPORT_ONLY)
