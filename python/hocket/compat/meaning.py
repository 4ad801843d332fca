"""Whether a value of the language means anything to the compiler."""

from __future__ import annotations

from typing import Any

from .missing import Missing


def is_meant(value: Any) -> bool:
    """False for what can only be imported: `Missing`, and Blackwell's builtins."""
    if isinstance(value, Missing):
        return False
    module = getattr(value, "__module__", "") or ""
    # Blackwell's own names import, and are an error in kernels.
    return not (module.startswith("hocket.language.nvidia.blackwell") and hasattr(value, "__hocket_builtin__"))
