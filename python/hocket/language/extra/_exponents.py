"""Functions of libdevice for exponents, remainders, vector lengths and adjacent floats, as exact as C's functions."""

from __future__ import annotations

from .._builtin import written_in_language
from .._control import static_range
from .._creation import to_tensor
from .._debug import static_assert
from .._dtype import float32, float64, int32, int64
from .._elementwise import maximum, minimum, where
from .._math import abs, floor, sqrt
from ._number_bits import copysign, isinf, rint, signbit
from ._number_bits import round as _round
from ._wide import widened

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .._tensor import tensor

# Exponents ------------------------------------------------------------------------------------------------------------


@written_in_language
def _power_of_two(n: tensor) -> tensor:
    """Returns 2^n in float64 for int32 n in [-1022, 1023]."""
    return ((n.to(int64) + 1023) << 52).to(float64, bitcast=True)


@written_in_language
def ldexp(x: tensor, n: Any) -> tensor:
    """Returns x * 2^n for int32 n, rounded once (float32)."""
    n = to_tensor(n)
    static_assert(n.dtype == int32, "libdevice adds an int32 to the exponent: write n.to(gl.int32)")
    return (widened(x) * _power_of_two(minimum(maximum(n, -400), 400))).to(float32)


scalbn = ldexp


@written_in_language
def _exponent(x: tensor) -> tensor:
    """Returns the exponent, int32, of a float32 that is not zero, infinite or NaN."""
    return ((widened(x).to(int64, bitcast=True) >> 52) & 0x7FF).to(int32) - 1023


@written_in_language
def logb(x: tensor) -> tensor:
    """Returns the exponent of x as a float, also for subnormal numbers; -infinity for 0 (float32)."""
    value = where(x == 0, float("-inf"), _exponent(x).to(float32))
    return where(isinf(x) | (x != x), abs(x), value)


@written_in_language
def ilogb(x: tensor) -> tensor:
    """Returns the exponent of x as int32; -2^31 for 0 and NaN, 2^31 - 1 for infinities (float32)."""
    value = where((x == 0) | (x != x), -2147483648, _exponent(x))
    return where(isinf(x), 2147483647, value)


# Remainders -----------------------------------------------------------------------------------------------------------


@written_in_language
def _remainder(x: tensor, y: tensor) -> tensor:
    """Returns the remainder of x / y, and the last 28 bits of the quotient. x and y are float64 made from float32 >= 0.

    Each step of the long division computes 28 bits of the quotient, so that the multiplication and the subtraction are
    exact.
    """
    last = y * 0
    for step in static_range(10):
        scaled = y * 2.0 ** (28 * (9 - step))
        last = floor(x / scaled)
        x = x - last * scaled
    return x, last


@written_in_language
def _is_undefined(x: tensor, y: tensor) -> tensor:
    return (x != x) | (y != y) | isinf(x) | (y == 0)


@written_in_language
def fmod(x: tensor, y: tensor) -> tensor:
    """Returns the exact remainder of x / y, with the sign of x (float32)."""
    is_undefined = _is_undefined(x, y)
    size, divisor = abs(widened(x)), abs(widened(y))
    rest, _ = _remainder(where(is_undefined, 0.0, size), where(is_undefined | isinf(divisor), 1.0, divisor))
    rest = where(isinf(divisor), size, rest)
    return where(is_undefined, float("nan"), copysign(rest.to(float32), x))


@written_in_language
def remainder(x: tensor, y: tensor) -> tensor:
    """Returns x - n y exactly. n is the integer nearest to x / y, and ties go to the even integer (float32)."""
    is_undefined = _is_undefined(x, y)
    size, divisor = abs(widened(x)), where(is_undefined, 1.0, abs(widened(y)))
    rest, quotient = _remainder(where(is_undefined, 0.0, size), where(isinf(divisor), 1.0, divisor))
    is_odd = quotient != 2 * floor(quotient / 2)
    rest = where((2 * rest > divisor) | ((2 * rest == divisor) & is_odd), rest - divisor, rest)
    rest = where(isinf(divisor), size, rest)
    rest = where(signbit(x) != 0, -rest, rest).to(float32)
    return where(is_undefined, float("nan"), where(rest == 0, copysign(rest, x), rest))


# Lengths of vectors ---------------------------------------------------------------------------------------------------


@written_in_language
def _length(x: tensor, y: tensor, z: tensor, w: tensor) -> tensor:
    """Returns the length of (x, y, z, w) in float64. The length is infinite if one component is infinite, even if
    another component is NaN."""
    length = sqrt(x * x + y * y + z * z + w * w)
    return where(isinf(x) | isinf(y) | isinf(z) | isinf(w), float("inf"), length)


@written_in_language
def hypot(x: tensor, y: tensor) -> tensor:
    """Returns the length of the vector (x, y) (float32)."""
    return _length(widened(x), widened(y), 0.0 * widened(x), 0.0 * widened(x)).to(float32)


@written_in_language
def rhypot(x: tensor, y: tensor) -> tensor:
    """Returns 1 / hypot(x, y) (float32)."""
    return (1 / _length(widened(x), widened(y), 0.0 * widened(x), 0.0 * widened(x))).to(float32)


@written_in_language
def norm3d(x: tensor, y: tensor, z: tensor) -> tensor:
    """Returns the length of the vector (x, y, z) (float32)."""
    return _length(widened(x), widened(y), widened(z), 0.0 * widened(x)).to(float32)


@written_in_language
def rnorm3d(x: tensor, y: tensor, z: tensor) -> tensor:
    """Returns 1 / norm3d(x, y, z) (float32)."""
    return (1 / _length(widened(x), widened(y), widened(z), 0.0 * widened(x))).to(float32)


@written_in_language
def norm4d(x: tensor, y: tensor, z: tensor, t: tensor) -> tensor:
    """Returns the length of the vector (x, y, z, t) (float32)."""
    return _length(widened(x), widened(y), widened(z), widened(t)).to(float32)


@written_in_language
def rnorm4d(x: tensor, y: tensor, z: tensor, t: tensor) -> tensor:
    """Returns 1 / norm4d(x, y, z, t) (float32)."""
    return (1 / _length(widened(x), widened(y), widened(z), widened(t))).to(float32)


# Adjacent floats and integers -----------------------------------------------------------------------------------------


@written_in_language
def next_up(x: tensor) -> tensor:
    """Returns the smallest float32 or float64 greater than x."""
    bits = x.to(int64 if x.dtype == float64 else int32, bitcast=True)
    above = where(x == 0, 1, where(bits < 0, bits - 1, bits + 1)).to(x.dtype, bitcast=True)
    return where((x != x) | (x == float("inf")), x, above)


@written_in_language
def nextafter(x: tensor, y: tensor) -> tensor:
    """Returns the float adjacent to x in the direction of y (float32, float64)."""
    moved = where(y > x, next_up(x), -next_up(-x))
    return where((x != x) | (y != y), float("nan"), where(x == y, y, moved))


@written_in_language
def llrint(x: tensor) -> tensor:
    """Returns the integer nearest to x as int64; ties go to the even integer."""
    return rint(x).to(int64)


@written_in_language
def llround(x: tensor) -> tensor:
    """Returns the integer nearest to x as int64; ties go away from zero."""
    return _round(x).to(int64)
