"""Gluon names that are not implemented yet. They import, so that import lines need no change; using one is an error."""

from __future__ import annotations

from ._builtin import builtin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


@builtin
def expect_zero(value: Any, condition: Any) -> Any:
    """the hint that a value is mostly zero"""


@builtin
def to_linear_layout(layout: Any, shape: Any) -> Any:
    """layouts as linear maps inside kernels"""
