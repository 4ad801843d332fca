"""Functions of libdevice that take or return angles. Functions of float32 compute in float64 and round once."""

from __future__ import annotations

from .._builtin import written_in_language
from .._creation import to_tensor
from .._elementwise import maximum, minimum, where
from .._math import abs, cos, floor, sin, sqrt
from ._fits import ATAN
from ._number_bits import copysign, isinf, signbit
from ._wide import fitted, widened_of_either

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .._tensor import tensor

_PI = 3.141592653589793
_EIGHTH_TURN = 0.17157287525380990  # square of tan(pi / 8)


@written_in_language
def _atan_up_to_one(x: tensor) -> tensor:
    """Returns the arctangent of a float64 x in [0, 1].

    Above tan(pi / 8), the result is pi / 4 plus the arctangent of (x - 1) / (x + 1).
    """
    is_large = x > 0.41421356237309503
    t = where(is_large, (x - 1) / (x + 1), x)
    angle = t * fitted(t * t, ATAN, 0.0, _EIGHTH_TURN)
    return where(is_large, angle + _PI / 4, angle)


@written_in_language
def _atan2(y: tensor, x: tensor) -> tensor:
    """Returns the angle of the point (x, y), computed in float64. Zeros and infinities follow C's atan2."""
    high, low = maximum(abs(x), abs(y)), minimum(abs(x), abs(y))
    ratio = where(isinf(low), 1.0, low / where(high == 0, 1.0, high))
    angle = _atan_up_to_one(ratio)
    angle = where(abs(y) > abs(x), _PI / 2 - angle, angle)
    angle = copysign(where(signbit(x) != 0, _PI - angle, angle), y)
    return where((x != x) | (y != y), float("nan"), angle)


@written_in_language
def atan(x: tensor) -> tensor:
    """Returns the angle in [-pi / 2, pi / 2] whose tangent is x (float32, float64)."""
    x = to_tensor(x)
    wide = widened_of_either(x)
    return _atan2(wide, where(wide == wide, 1.0, wide)).to(x.dtype)


@written_in_language
def atan2(y: tensor, x: tensor) -> tensor:
    """Returns the angle in [-pi, pi] of the point (x, y); zeros and infinities follow C's atan2 (float32, float64)."""
    y, x = to_tensor(y), to_tensor(x)
    return _atan2(widened_of_either(y), widened_of_either(x)).to(x.dtype)


@written_in_language
def asin(x: tensor) -> tensor:
    """Returns the angle in [-pi / 2, pi / 2] whose sine is x; NaN outside [-1, 1] (float32, float64)."""
    x = to_tensor(x)
    wide = widened_of_either(x)
    return _atan2(wide, sqrt((1 - wide) * (1 + wide))).to(x.dtype)


@written_in_language
def acos(x: tensor) -> tensor:
    """Returns the angle in [0, pi] whose cosine is x; NaN outside [-1, 1] (float32, float64)."""
    x = to_tensor(x)
    wide = widened_of_either(x)
    return (2 * _atan2(sqrt(1 - wide), sqrt(1 + wide))).to(x.dtype)


@written_in_language
def _of_half_turns(x: tensor, START: int) -> tensor:
    """Returns sin(pi (x + START / 2)) for x of float64.

    First, the nearest multiple of 1/2 is subtracted from x. This subtraction is exact.
    """
    quarters = floor(2 * x + 0.5)
    angle = (x - 0.5 * quarters) * _PI
    turn = quarters + START
    turn = turn - 4 * floor(turn / 4)
    value = where((turn == 0) | (turn == 2), sin(angle), cos(angle))
    value = where(turn >= 2, -value, value)
    return where(isinf(x), float("nan"), value)


@written_in_language
def sinpi(x: tensor) -> tensor:
    """Returns sin(pi x), exactly 0 for integers x (float32, float64)."""
    x = to_tensor(x)
    value = _of_half_turns(widened_of_either(x), 0)
    return where(value == 0, copysign(value, x.to(value.dtype)), value).to(x.dtype)


@written_in_language
def cospi(x: tensor) -> tensor:
    """Returns cos(pi x), exactly 0 halfway between integers (float32, float64)."""
    x = to_tensor(x)
    value = _of_half_turns(widened_of_either(x), 1)
    return where(value == 0, 0.0, value).to(x.dtype)
