"""The gamma function of libdevice and its logarithm for float32, computed in float64 and rounded once.

Stirling's series converges only for large numbers. For 0 < x < 8, the series is evaluated at x + 8, and gamma(x + 8) is
divided by x (x + 1) ... (x + 7). Negative numbers use the reflection formula. Formulas: Abramowitz and Stegun, 6.1.17,
6.1.33 and 6.1.40.
"""

from __future__ import annotations

from .._builtin import written_in_language
from .._control import static_range
from .._dtype import float32
from .._elementwise import where
from .._math import abs, exp, floor, log
from ._angles import _of_half_turns
from ._number_bits import isinf, signbit
from ._wide import polynomial, widened

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .._tensor import tensor

_PI, _EULER = 3.141592653589793, 0.5772156649015329
_HALF_LOG_2_PI = 0.9189385332046728
#: Coefficients of Stirling's series, B(2k) / (2k (2k - 1)) for k = 7 to 1; B(n) are the Bernoulli numbers.
_STIRLING = (1 / 156, -691 / 360360, 1 / 1188, -1 / 1680, 1 / 1260, -1 / 360, 1 / 12)
_ZETA = (1.0173430619844491, 1.0369277551433699, 1.0823232337111382, 1.2020569031595942, 1.6449340668482264)
#: Coefficients of the power series of log(gamma(1 + e)) / e and of log(gamma(2 + e)) / e.
_AT_ONE = (_ZETA[0] / 6, -_ZETA[1] / 5, _ZETA[2] / 4, -_ZETA[3] / 3, _ZETA[4] / 2, -_EULER)
_AT_TWO = (
    (_ZETA[0] - 1) / 6,
    (1 - _ZETA[1]) / 5,
    (_ZETA[2] - 1) / 4,
    (1 - _ZETA[3]) / 3,
    (_ZETA[4] - 1) / 2,
    1 - _EULER,
)


@written_in_language
def _log_gamma(x: tensor) -> tensor:
    """Returns log(gamma(x)) for x > 0 of float64."""
    is_small = x < 8
    low = where(is_small, x, 1.0)
    product = low
    for k in static_range(1, 8):
        product = product * (low + k)
    high = where(is_small, x + 8, x)
    inverse = 1 / high
    series = inverse * polynomial(inverse * inverse, _STIRLING)
    logarithm = (high - 0.5) * log(high) - high + _HALF_LOG_2_PI + series
    logarithm = where(is_small, logarithm - log(product), logarithm)
    one, two = x - 1, x - 2
    logarithm = where(abs(one) < 0.00390625, one * polynomial(one, _AT_ONE), logarithm)
    logarithm = where(abs(two) < 0.00390625, two * polynomial(two, _AT_TWO), logarithm)
    return where(isinf(x), x, logarithm)


@written_in_language
def lgamma(x: tensor) -> tensor:
    """Returns the logarithm of |gamma(x)|; infinity for 0, -1, -2, ... (float32)."""
    wide = widened(x)
    size = abs(wide)
    positive = _log_gamma(where(size == 0, 1.0, size))
    sine = abs(_of_half_turns(where(isinf(wide), 1.0, wide), 0))
    reflected = log(_PI / (size * where(sine == 0, 1.0, sine))) - positive
    value = where(wide > 0, positive, reflected)
    is_pole = (wide <= 0) & ((sine == 0) | (size == 0))
    value = where(is_pole | isinf(wide), float("inf"), value)
    return where(wide != wide, wide, value).to(float32)


@written_in_language
def tgamma(x: tensor) -> tensor:
    """Returns gamma(x), which is (x - 1)! for integers x > 0; NaN for -1, -2, ... (float32)."""
    wide = widened(x)
    size = abs(wide)
    positive = exp(_log_gamma(where(size == 0, 1.0, size)))
    sine = _of_half_turns(where(isinf(wide), 1.0, wide), 0)
    reflected = _PI / (where(size == 0, 1.0, size) * where(sine == 0, 1.0, sine) * positive)
    value = where(wide > 0, positive, reflected)
    value = where((wide < 0) & ((floor(wide) == wide) | isinf(wide)), float("nan"), value)
    value = where(wide == 0, where(signbit(wide) != 0, float("-inf"), float("inf")), value)
    return where(wide != wide, wide, value).to(float32)
