"""The error function of libdevice, its complement and their inverses, for float32: polynomials evaluated in float64."""

from __future__ import annotations

from .._builtin import written_in_language
from .._dtype import float32
from .._elementwise import maximum, minimum, where
from .._math import abs, erf, exp, log, sqrt
from ._fits import ERFCINV, ERFCX, ERFINV
from ._number_bits import copysign
from ._wide import fitted, widened

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .._tensor import tensor

_SQRT_2 = 1.4142135623730951


@written_in_language
def _scaled(x: tensor) -> tensor:
    """Returns erfc(x) exp(x^2) for x >= 0 of float64."""
    t = 3 / (x + 3)
    return t * fitted(t, ERFCX, 0.0, 1.0)


@written_in_language
def _erfc(x: tensor) -> tensor:
    size = minimum(abs(x), 30.0)
    tail = exp(-size * size) * _scaled(size)
    return where(x != x, x, where(abs(x) < 0.5, 1 - erf(x), where(x < 0, 2 - tail, tail)))


@written_in_language
def erfc(x: tensor) -> tensor:
    """Returns 1 - erf(x), accurate for small results too (float32)."""
    return _erfc(widened(x)).to(float32)


@written_in_language
def erfcx(x: tensor) -> tensor:
    """Returns erfc(x) exp(x^2) (float32)."""
    wide = widened(x)
    tail = _scaled(abs(wide))
    return where(wide < 0, 2 * exp(wide * wide) - tail, tail).to(float32)


@written_in_language
def _inverse(signed: tensor, product: tensor) -> tensor:
    """Returns erfinv(signed), computed in float64. `product` is 1 - signed^2."""
    w = -log(where(product > 0, product, 1.0))
    near = signed * fitted(minimum(w, 6.25), ERFINV, 0.0, 6.25)
    far = fitted(sqrt(maximum(w, 6.25)), ERFCINV, 2.5, 10.3)
    value = where(w < 6.25, near, copysign(far, signed))
    value = where(product == 0, copysign(signed * 0 + float("inf"), signed), value)
    return where(product >= 0, value, float("nan"))


@written_in_language
def erfinv(x: tensor) -> tensor:
    """Returns the number whose error function is x; NaN outside [-1, 1] (float32)."""
    wide = widened(x)
    return _inverse(wide, (1 - wide) * (1 + wide)).to(float32)


@written_in_language
def _erfcinv(y: tensor) -> tensor:
    return _inverse(1 - y, y * (2 - y))


@written_in_language
def erfcinv(x: tensor) -> tensor:
    """Returns the number whose erfc is x; NaN outside [0, 2] (float32)."""
    return _erfcinv(widened(x)).to(float32)


@written_in_language
def normcdf(x: tensor) -> tensor:
    """Returns the probability that a standard normal variable is at most x (float32)."""
    return (_erfc(widened(x) / -_SQRT_2) / 2).to(float32)


@written_in_language
def normcdfinv(x: tensor) -> tensor:
    """Returns the quantile of the standard normal distribution for the probability x (float32)."""
    return (_erfcinv(2 * widened(x)) * -_SQRT_2).to(float32)
