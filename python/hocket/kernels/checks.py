"""Checks of arguments that are no arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..errors import LaunchError


def checked_shape(kernel: str, shape: Any, names: str) -> tuple[int, ...]:
    """What `explain` is given."""
    sizes = tuple(shape) if isinstance(shape, Sequence) and not isinstance(shape, str) else ()
    if len(sizes) != names.count(",") + 1 or not all(hasattr(size, "__index__") and size > 0 for size in sizes):
        raise LaunchError(f"{kernel}.explain: shape must be {names}, all positive, not {shape!r}")
    return sizes


def as_number(value: Any) -> float | None:
    """A number as a float; None for what is none: texts, truth values, arrays of several."""
    if isinstance(value, str | bool):
        return None
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


def checked_scale(kernel: str, scale: Any, head_size: int) -> float:
    """The factor of attention's scores."""
    number = head_size**-0.5 if scale is None else as_number(scale)
    if number is None:
        raise LaunchError(f"{kernel}: scale must be a number or None, not {scale!r}")
    return number


def check_flags(kernel: str, **flags: Any) -> None:
    """Raises a LaunchError for texts, which are true whatever they say."""
    for name, flag in flags.items():
        if isinstance(flag, str):
            raise LaunchError(f"{kernel}: {name} must be True or False, not {flag!r}")


def check_plan(kernel: str, plan: Any, *kinds: type) -> None:
    """Raises a LaunchError unless `plan` is None or of one of the `kinds`."""
    if plan is not None and not isinstance(plan, kinds):
        names = " or ".join(f"a {kind.__module__}.{kind.__name__}" for kind in kinds)
        raise LaunchError(f"{kernel}: plan must be {names} on this target, not {plan!r}")
