"""Helpers of the libdevice functions that compute in float64 and round once."""

from __future__ import annotations

from .._builtin import written_in_language
from .._constexpr import constexpr
from .._control import static_range
from .._creation import to_tensor
from .._debug import static_assert
from .._dtype import float32, float64
from .._math import fma

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .._tensor import tensor


@written_in_language
def widened(x: tensor) -> tensor:
    """Converts float32 x to float64. Other types are a compile error."""
    x = to_tensor(x)
    static_assert(x.dtype == float32, "this function of libdevice takes float32: write x.to(gl.float32)")
    return x.to(float64)


@written_in_language
def widened_of_either(x: tensor) -> tensor:
    """Converts float32 or float64 x to float64. Other types are a compile error."""
    x = to_tensor(x)
    static_assert(x.dtype == float32 or x.dtype == float64, "this function of libdevice takes floats of 32 or 64 bits")
    return x.to(float64)


@written_in_language
def polynomial(s: tensor, COEFFICIENTS: constexpr) -> tensor:
    """Returns the value at s of the polynomial with COEFFICIENTS, the highest power first (Horner's method)."""
    value = s * 0 + COEFFICIENTS[0]
    for k in static_range(1, len(COEFFICIENTS)):
        value = fma(value, s, COEFFICIENTS[k])
    return value


@written_in_language
def fitted(x: tensor, COEFFICIENTS: constexpr, LOW: constexpr, HIGH: constexpr) -> tensor:
    """Returns the value at x in [LOW, HIGH] of a polynomial of _fits.py."""
    return polynomial(x * (2 / (HIGH - LOW)) - (HIGH + LOW) / (HIGH - LOW), COEFFICIENTS)
