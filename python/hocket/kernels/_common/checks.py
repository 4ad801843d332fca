"""Checks of arguments other than arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...errors import LaunchError


def checked_shape(kernel: str, shape: Any, names: str) -> tuple[int, ...]:
    """Returns the `shape` argument of an `explain` function as a tuple."""
    sizes = tuple(shape) if isinstance(shape, Sequence) and not isinstance(shape, str) else ()
    if len(sizes) != names.count(",") + 1 or not all(hasattr(size, "__index__") and size > 0 for size in sizes):
        raise LaunchError(f"{kernel}.explain: shape must be {names}, all positive, not {shape!r}")
    return sizes


def as_number(value: Any) -> float | None:
    """Returns `value` as a float, or None if `value` is not a number, e.g. a string, a boolean, or an array of several
    elements."""
    if isinstance(value, str | bool):
        return None
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


def checked_scale(kernel: str, scale: Any, head_size: int) -> float:
    """Returns the factor of attention's scores; 1 / sqrt(head_size) by default."""
    number = given_scale(kernel, scale)
    return head_size**-0.5 if number is None else number


def given_scale(kernel: str, scale: Any) -> float | None:
    """Returns the argument `scale` of attention as a float. The result is None for None, the default."""
    if scale is None or type(scale) is float:
        return scale
    number = as_number(scale)
    if number is None:
        raise LaunchError(f"{kernel}: scale must be a number or None, not {scale!r}")
    return number


def is_hashable(value: Any) -> bool:
    """Returns True if `value` has a hash, as settings of a LaunchCache must have."""
    try:
        hash(value)
    except TypeError:
        return False
    return True


def check_flags(kernel: str, **flags: Any) -> None:
    """Raises a LaunchError for flags that are neither bools nor None. Without this check, a string would count as
    True."""
    for name, flag in flags.items():
        if not (flag is None or isinstance(flag, int) or type(flag).__name__ in ("bool_", "bool")):
            raise LaunchError(f"{kernel}: {name} must be True or False, not {flag!r}")


def check_plan(kernel: str, plan: Any, *kinds: type) -> None:
    """Raises a LaunchError unless `plan` is None or an instance of one of the classes `kinds` (of `kernels.plans`)."""
    if plan is not None and not isinstance(plan, kinds):
        names = " or ".join(f"a hocket.kernels.plans.{kind.__name__}" for kind in kinds)
        raise LaunchError(f"{kernel}: plan must be {names} on this target, not {plan!r}")


#: Maps the names of dtypes in other libraries to NumPy's names.
_DTYPES = {
    **dict.fromkeys(("fp16", "f16", "half"), "float16"),
    **dict.fromkeys(("bf16",), "bfloat16"),
    **dict.fromkeys(("fp32", "f32", "float", "tf32"), "float32"),
    **dict.fromkeys(("fp8", "e4m3", "float8e4nv", "float8_e4m3", "fp8_e4m3"), "float8_e4m3fn"),
    **dict.fromkeys(("e5m2", "float8e5", "fp8_e5m2"), "float8_e5m2"),
    **dict.fromkeys(("fp4", "e2m1", "float4"), "uint8"),
}


def hint_for_dtype(dtype: Any) -> str:
    """Returns a hint for the error message about an unsupported `dtype`: the supported dtype that has this name in
    another library. Returns an empty string if no dtype has this name."""
    meant = _DTYPES.get(dtype.lower()) if isinstance(dtype, str) else None
    return f'\n  hint: write "{meant}"' if meant else ""
