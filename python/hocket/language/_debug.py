"""Checks and printing."""

from __future__ import annotations

from ._builtin import builtin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


@builtin
def static_assert(cond: bool, msg: str = "") -> None:
    """Stop compiling with `msg` unless `cond`, known at compile time, holds."""


@builtin
def static_print(*values: Any, sep: str = " ", end: str = "\n") -> None:
    """Print while compiling: numbers known then as such, other values as their types."""


@builtin
def device_assert(cond: Any, msg: str = "", mask: Any = None) -> None:
    """With `debug=True`, stop the program with `msg` where `cond` is false (and `mask`, if given, is true)."""
