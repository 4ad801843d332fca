"""The Bessel functions of libdevice for float32, computed in float64 and rounded once.

For x up to 8, the functions are computed by polynomials; Y also has a logarithmic term and a pole. For x above 8, the
functions are computed by Hankel's expansion, whose factors are polynomials of 8 / x. Formulas: Abramowitz and Stegun,
9.1.10, 9.1.11, 9.2.5, 9.2.6 and 9.7.1.
"""

from __future__ import annotations

from .._builtin import written_in_language
from .._constexpr import constexpr
from .._control import static_range
from .._debug import static_assert
from .._dtype import float32
from .._elementwise import maximum, minimum, where
from .._math import abs, cos, exp, log, rsqrt, sin
from ._fits import (
    FAR_COSINE_0,
    FAR_COSINE_1,
    FAR_I0,
    FAR_I1,
    FAR_SINE_0,
    FAR_SINE_1,
    I0,
    I1,
    J0,
    J1,
    Y0,
    Y1,
)
from ._number_bits import isinf
from ._wide import fitted, widened

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .._tensor import tensor

_2_OVER_PI, _QUARTER_PI = 0.6366197723675814, 0.7853981633974483


@written_in_language
def _far(x: tensor, ORDER: constexpr) -> tensor:
    """Returns J and Y of order ORDER for float64 x >= 8."""
    square = 64 / (x * x)
    cosine = fitted(square, FAR_COSINE_0 if ORDER == 0 else FAR_COSINE_1, 0.0, 1.0)
    sine = fitted(square, FAR_SINE_0 if ORDER == 0 else FAR_SINE_1, 0.0, 1.0) / x
    phase = x - (2 * ORDER + 1) * _QUARTER_PI
    c, s = cos(phase), sin(phase)
    modulus = rsqrt(x * (_QUARTER_PI * 2))
    return modulus * (cosine * c - sine * s), modulus * (cosine * s + sine * c)


@written_in_language
def _near_j(x: tensor, ORDER: constexpr) -> tensor:
    square = x * x
    return fitted(square, J0, 0.0, 64.0) if ORDER == 0 else x * fitted(square, J1, 0.0, 64.0)


@written_in_language
def _j(x: tensor, ORDER: constexpr) -> tensor:
    size = abs(x)
    far, _ = _far(where(isinf(size), 8.0, maximum(size, 8.0)), ORDER)
    value = where(size < 8, _near_j(minimum(size, 8.0), ORDER), where(isinf(size), 0.0, far))
    return where(x != x, x, value)


@written_in_language
def _y(x: tensor, ORDER: constexpr) -> tensor:
    _, far = _far(where(isinf(x), 8.0, maximum(x, 8.0)), ORDER)
    low = minimum(where(x > 0, x, 1.0), 8.0)
    regular = fitted(low * low, Y0, 0.0, 64.0) if ORDER == 0 else low * fitted(low * low, Y1, 0.0, 64.0)
    pole = 0.0 if ORDER == 0 else 1 / low
    near = regular + (log(low) * _near_j(low, ORDER) - pole) * _2_OVER_PI
    value = where(x < 8, near, where(isinf(x), 0.0, far))
    value = where(x == 0, float("-inf"), value)
    return where((x < 0) | (x != x), float("nan"), value)


@written_in_language
def _i(x: tensor, ORDER: constexpr) -> tensor:
    size = abs(x)
    low, high = minimum(size, 8.0), maximum(size, 8.0)
    near = fitted(low * low, I0, 0.0, 64.0) if ORDER == 0 else low * fitted(low * low, I1, 0.0, 64.0)
    far = exp(high) * rsqrt(high) * fitted(8 / high, FAR_I0 if ORDER == 0 else FAR_I1, 0.0, 1.0)
    value = where(size < 8, near, where(size > 700, float("inf"), far))
    return where(x != x, x, value)


@written_in_language
def j0(x: tensor) -> tensor:
    """Returns the Bessel function of the first kind of order 0 (float32)."""
    return _j(widened(x), 0).to(float32)


@written_in_language
def j1(x: tensor) -> tensor:
    """Returns the Bessel function of the first kind of order 1 (float32)."""
    value = _j(widened(x), 1).to(float32)
    return where(x < 0, -value, value)


@written_in_language
def y0(x: tensor) -> tensor:
    """Returns the Bessel function of the second kind of order 0; NaN for x < 0 (float32)."""
    return _y(widened(x), 0).to(float32)


@written_in_language
def y1(x: tensor) -> tensor:
    """Returns the Bessel function of the second kind of order 1; NaN for x < 0 (float32)."""
    return _y(widened(x), 1).to(float32)


@written_in_language
def cyl_bessel_i0(x: tensor) -> tensor:
    """Returns the modified Bessel function of the first kind of order 0 (float32)."""
    return _i(widened(x), 0).to(float32)


@written_in_language
def cyl_bessel_i1(x: tensor) -> tensor:
    """Returns the modified Bessel function of the first kind of order 1 (float32)."""
    value = _i(widened(x), 1).to(float32)
    return where(x < 0, -value, value)


# Any order ------------------------------------------------------------------------------------------------------------


@written_in_language
def _upward(before: tensor, current: tensor, x: tensor, ORDER: constexpr) -> tensor:
    """Returns the Bessel function of order ORDER, by upward recurrence from orders 0 and 1 (formula 9.1.27)."""
    for k in static_range(1, ORDER):
        before, current = current, current * (2 * k) / x - before
    return current


@written_in_language
def _downward(x: tensor, ORDER: constexpr) -> tensor:
    """Returns J of order ORDER for x in [0.01, ORDER], computed by downward recurrence (Miller's algorithm).

    The recurrence starts at such a high order that the start values do not affect the result. The sum of the values of
    even order gives the scale factor.
    """
    START: constexpr = ORDER // 2 * 2 + 36
    above, current, value = x * 0, x * 0 + 1e-280, x * 0
    total = current * 2
    for k in static_range(START):
        above, current = current, current * (2 * (START - k)) / x - above
        if START - k - 1 == ORDER:
            value = current
        if (START - k - 1) % 2 == 0:
            total = total + (current if START - k == 1 else current * 2)
    return value / total


@written_in_language
def _first_terms(x: tensor, ORDER: constexpr) -> tensor:
    """Returns J for x near 0, from the first terms of its series (formula 9.1.10)."""
    half = x * 0.5
    value = 1 - half * half / (ORDER + 1)
    for k in static_range(1, ORDER + 1):
        value = value * half / k
    return value


@written_in_language
def jn(n: constexpr, x: tensor) -> tensor:
    """Returns the Bessel function of the first kind of order n, a constant from 0 to 32 (float32)."""
    static_assert(0 <= n and n <= 32, "jn supports orders 0 to 32")
    if n == 0:
        return j0(x)
    elif n == 1:
        return j1(x)
    else:
        wide = widened(x)
        size = abs(wide)
        high = where(isinf(size), n + 1.0, maximum(size, n * 1.0))
        above = _upward(_j(high, 0), _j(high, 1), high, n)
        below = _downward(minimum(maximum(size, 0.01), n * 1.0), n)
        value = where(size > n, above, where(size < 0.01, _first_terms(minimum(size, 0.01), n), below))
        value = where(isinf(size), 0.0, value)
        if n % 2 == 1:
            value = where(wide < 0, -value, value)
        return where(wide != wide, wide, value).to(float32)


@written_in_language
def yn(n: constexpr, x: tensor) -> tensor:
    """Returns the Bessel function of the second kind of order n, a constant from 0 to 32; NaN for x < 0 (float32)."""
    static_assert(0 <= n and n <= 32, "yn supports orders 0 to 32")
    if n == 0:
        return y0(x)
    elif n == 1:
        return y1(x)
    else:
        wide = widened(x)
        inside = where((wide > 0) & ~isinf(wide), wide, 1.0)
        value = _upward(_y(inside, 0), _y(inside, 1), inside, n)
        value = where(value != value, float("-inf"), value)  # near x = 0, the recurrence computes infinity - infinity
        value = where(isinf(wide), 0.0, where(wide == 0, float("-inf"), value))
        return where((wide < 0) | (wide != wide), float("nan"), value).to(float32)
