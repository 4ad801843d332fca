"""Functions of libdevice for float32, computed in float64 and rounded once. Only the last bit may be wrong."""

from __future__ import annotations

from .._builtin import written_in_language
from .._dtype import float32
from .._elementwise import where
from .._math import abs, cos, exp, floor, log, sin, sqrt
from ._number_bits import copysign, finitef, isinf, signbit
from ._wide import widened

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .._tensor import tensor


@written_in_language
def _near_zero(x: tensor, few_terms: tensor, otherwise: tensor) -> tensor:
    """Returns `few_terms` where |x| < 1/256, else `otherwise`; the result is float32.

    `few_terms` is the sum of the first terms of a power series. The formula for `otherwise` would lose all digits by
    cancellation near zero.
    """
    return where(abs(x) < 0.00390625, few_terms, otherwise).to(float32)


@written_in_language
def tan(x: tensor) -> tensor:
    """Returns the tangent of x in radians (float32)."""
    wide = widened(x)
    return (sin(wide) / cos(wide)).to(float32)


@written_in_language
def exp10(x: tensor) -> tensor:
    """Returns 10 to the power x (float32)."""
    return exp(widened(x) * 2.302585092994045684).to(float32)


@written_in_language
def log10(x: tensor) -> tensor:
    """Returns the logarithm of x to base 10 (float32)."""
    return (log(widened(x)) * 0.434294481903251828).to(float32)


@written_in_language
def log1p(x: tensor) -> tensor:
    """Returns log(1 + x), accurate for small x too (float32)."""
    wide = widened(x)
    return _near_zero(x, wide * (1 - wide * (0.5 - wide * (1 / 3 - wide * 0.25))), log(1 + wide))


@written_in_language
def expm1(x: tensor) -> tensor:
    """Returns exp(x) - 1, accurate for small x too (float32)."""
    wide = widened(x)
    return _near_zero(x, wide * (1 + wide * (0.5 + wide * (1 / 6 + wide * (1 / 24)))), exp(wide) - 1)


@written_in_language
def sinh(x: tensor) -> tensor:
    """Returns the hyperbolic sine of x (float32)."""
    wide = widened(x)
    square = wide * wide
    return _near_zero(x, wide * (1 + square * (1 / 6 + square * (1 / 120))), (exp(wide) - exp(-wide)) / 2)


@written_in_language
def cosh(x: tensor) -> tensor:
    """Returns the hyperbolic cosine of x (float32)."""
    wide = widened(x)
    return ((exp(wide) + exp(-wide)) / 2).to(float32)


@written_in_language
def asinh(x: tensor) -> tensor:
    """Returns the number whose hyperbolic sine is x (float32)."""
    wide = abs(widened(x))
    square = wide * wide
    few_terms = wide * (1 - square * (1 / 6 - square * (3 / 40)))
    return copysign(_near_zero(x, few_terms, log(wide + sqrt(square + 1))), x)


@written_in_language
def acosh(x: tensor) -> tensor:
    """Returns the number >= 0 whose hyperbolic cosine is x; NaN for x < 1 (float32)."""
    wide = widened(x)
    return log(wide + sqrt(wide * wide - 1)).to(float32)


@written_in_language
def atanh(x: tensor) -> tensor:
    """Returns the number whose hyperbolic tangent is x; NaN outside [-1, 1] (float32)."""
    wide = widened(x)
    square = wide * wide
    return _near_zero(x, wide * (1 + square * (1 / 3 + square * (1 / 5))), log((1 + wide) / (1 - wide)) / 2)


@written_in_language
def cbrt(x: tensor) -> tensor:
    """Returns the cube root of x, which may be negative (float32)."""
    wide = abs(widened(x))
    root = exp(log(where(wide == 0, 1.0, wide)) / 3)
    return copysign(where(wide == 0, wide, root).to(float32), x)


@written_in_language
def rcbrt(x: tensor) -> tensor:
    """Returns 1 / cbrt(x) (float32)."""
    wide = abs(widened(x))
    return copysign(exp(log(wide) / -3).to(float32), x)


@written_in_language
def pow(x: tensor, y: tensor) -> tensor:
    """Returns x to the power y; zeros, infinities and negative x follow C's pow (float32)."""
    base, power = widened(x), widened(y)
    size = exp(power * log(abs(base)))
    # If y is 0, if x is 1, or if x is -1 and y infinite, the formula computes 0 * infinity, but C's pow returns 1.
    size = where((power == 0) | (base == 1) | ((base == -1) & isinf(power)), 1.0, size)
    is_whole = floor(power) == power
    is_odd = is_whole & (power != 2 * floor(power / 2)) & (abs(power) < 9007199254740992.0)
    signed = where(is_odd & (signbit(base) != 0), -size, size)
    is_undefined = (base < 0) & finitef(base) & ~is_whole
    return where(is_undefined, float("nan"), signed).to(float32)
