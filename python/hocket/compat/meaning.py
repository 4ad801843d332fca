"""Whether a value of the language means anything to the compiler."""

from __future__ import annotations

from typing import Any

from .missing import Missing

#: Modules whose own names import, and are an error in kernels.
_IMPORT_ONLY = ("hocket.language.nvidia.blackwell", "hocket.language.amd.gfx1250")


def is_meant(value: Any) -> bool:
    """False for what can only be imported: `Missing`, and what Blackwell or gfx1250 alone have."""
    if isinstance(value, Missing):
        return False
    module = getattr(value, "__module__", "") or ""
    return not module.startswith(_IMPORT_ONLY)
