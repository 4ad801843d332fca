"""`libdevice`: the functions of CUDA's and ROCm's libraries by their names, the same on every target.

    from hocket.language.extra import libdevice

    y = libdevice.fast_expf(x) / libdevice.log1p(x)

Names that the language has under another name are those functions. The others are written in the language: elementwise,
on tensors and scalars. `fast_..` are made of the approximations that GPUs have. Functions of float32 that have no such
name are computed in float64 and rounded once, so they are right but for the last bit, and take the time of float64.
"""

from __future__ import annotations

from .._builtin import written_in_language
from .._control import static_range
from .._debug import static_assert
from .._dtype import float32, float64, int32, int64, uint32, uint64
from .._elementwise import maximum, minimum, where
from .._elementwise import maximum as fmax
from .._elementwise import maximum as max
from .._elementwise import minimum as fmin
from .._elementwise import minimum as min
from .._math import (
    abs,
    ceil,
    cos,
    div_rn,
    erf,
    exp,
    exp2,
    floor,
    fma,
    log,
    log2,
    rsqrt,
    sin,
    sqrt,
    sqrt_rn,
    tanh,
    umulhi,
)
from .._math import abs as fabs
from .._math import cos as fast_cosf
from .._math import exp as fast_expf
from .._math import fma as fma_rn
from .._math import log as fast_logf
from .._math import log2 as fast_log2f
from .._math import sin as fast_sinf
from .._math import tanh as fast_tanhf

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .._tensor import tensor

__all__ = [
    "abs",
    "acosh",
    "asinh",
    "atanh",
    "cbrt",
    "ceil",
    "clz",
    "copysign",
    "cos",
    "cosh",
    "div_rn",
    "double_as_longlong",
    "erf",
    "exp",
    "exp2",
    "exp10",
    "expm1",
    "fabs",
    "fast_cosf",
    "fast_dividef",
    "fast_exp10f",
    "fast_expf",
    "fast_fdividef",
    "fast_log2f",
    "fast_log10f",
    "fast_logf",
    "fast_powf",
    "fast_sinf",
    "fast_tanf",
    "fast_tanhf",
    "fdim",
    "ffs",
    "finitef",
    "float_as_int",
    "float_as_uint",
    "floor",
    "fma",
    "fma_rn",
    "fmax",
    "fmin",
    "int_as_float",
    "isfinited",
    "isinf",
    "isnan",
    "log",
    "log1p",
    "log2",
    "log10",
    "longlong_as_double",
    "max",
    "min",
    "mulhi",
    "nearbyint",
    "popc",
    "pow",
    "rcbrt",
    "rcp_rn",
    "rint",
    "round",
    "rsqrt",
    "saturatef",
    "signbit",
    "sin",
    "sinh",
    "sqrt",
    "sqrt_rn",
    "tan",
    "tanh",
    "trunc",
    "uint_as_float",
    "umulhi",
]

# Approximations ------------------------------------------------------------------------------------------------------


@written_in_language
def fast_dividef(x: Any, y: Any) -> tensor:
    """x / y."""
    return x / y


fast_fdividef = fast_dividef


@written_in_language
def fast_tanf(x: tensor) -> tensor:
    """Tangent of x in radians: sin(x) / cos(x)."""
    return sin(x) / cos(x)


@written_in_language
def fast_exp10f(x: tensor) -> tensor:
    """10 to the power x: 2 to the power x * log2(10)."""
    return exp2(x * 3.321928094887362)


@written_in_language
def fast_log10f(x: tensor) -> tensor:
    """Logarithm to base 10: log2(x) * log10(2)."""
    return log2(x) * 0.30102999566398120


@written_in_language
def fast_powf(x: tensor, y: Any) -> tensor:
    """x to the power y: 2 to the power y * log2(x); NaN for negative x."""
    return exp2(y * log2(x))


@written_in_language
def rcp_rn(x: tensor) -> tensor:
    """1 / x rounded to nearest (float32)."""
    return div_rn(1.0, x)


@written_in_language
def saturatef(x: tensor) -> tensor:
    """x limited to [0, 1]; 0 for NaN."""
    return minimum(maximum(x, 0.0), 1.0)


@written_in_language
def fdim(x: tensor, y: Any) -> tensor:
    """x - y where that is positive, else 0; NaN if one of them is."""
    return where(x <= y, 0.0, x - y)


# Bits of floats -------------------------------------------------------------------------------------------------------


@written_in_language
def float_as_int(x: tensor) -> tensor:
    """The bits of a float32 as int32."""
    return x.to(int32, bitcast=True)


@written_in_language
def float_as_uint(x: tensor) -> tensor:
    """The bits of a float32 as uint32."""
    return x.to(uint32, bitcast=True)


@written_in_language
def int_as_float(x: tensor) -> tensor:
    """The float32 with the bits of an int32."""
    return x.to(float32, bitcast=True)


uint_as_float = int_as_float


@written_in_language
def double_as_longlong(x: tensor) -> tensor:
    """The bits of a float64 as int64."""
    return x.to(int64, bitcast=True)


@written_in_language
def longlong_as_double(x: tensor) -> tensor:
    """The float64 with the bits of an int64."""
    return x.to(float64, bitcast=True)


@written_in_language
def isnan(x: tensor) -> tensor:
    """Whether x is not a number; int1."""
    return x != x


@written_in_language
def isinf(x: tensor) -> tensor:
    """Whether x is infinite; int1."""
    return abs(x) == float("inf")


@written_in_language
def finitef(x: tensor) -> tensor:
    """Whether x is neither infinite nor NaN; int1."""
    return abs(x) < float("inf")


isfinited = finitef


@written_in_language
def signbit(x: tensor) -> tensor:
    """1 where the sign of a float32 or float64 is set, -0.0 and NaN included, else 0; int32."""
    if x.dtype == float64:
        return (x.to(int64, bitcast=True) < 0).to(int32)
    return (x.to(int32, bitcast=True) < 0).to(int32)


@written_in_language
def copysign(x: tensor, y: tensor) -> tensor:
    """x with the sign of y, both float32 or both float64."""
    if x.dtype == float64:
        magnitude = x.to(uint64, bitcast=True) & 0x7FFFFFFFFFFFFFFF
        return (magnitude | (y.to(uint64, bitcast=True) & 0x8000000000000000)).to(float64, bitcast=True)
    magnitude = x.to(uint32, bitcast=True) & 0x7FFFFFFF
    return (magnitude | (y.to(uint32, bitcast=True) & 0x80000000)).to(float32, bitcast=True)


# Whole numbers --------------------------------------------------------------------------------------------------------


@written_in_language
def trunc(x: tensor) -> tensor:
    """x without its fraction."""
    return where(x < 0, ceil(x), floor(x))


@written_in_language
def rint(x: tensor) -> tensor:
    """The whole number next to x; halves go to the even one."""
    below = floor(x)
    fraction = x - below
    isOdd = below != 2 * floor(below / 2)
    up = (fraction > 0.5) | ((fraction == 0.5) & isOdd)
    return copysign(where(up, below + 1, below), x)


nearbyint = rint


@written_in_language
def round(x: tensor) -> tensor:
    """The whole number next to x; halves go away from zero."""
    whole = trunc(x)
    return where(abs(x - whole) >= 0.5, where(x < 0, whole - 1, whole + 1), whole)


@written_in_language
def _count_bits(x: tensor) -> tensor:
    """Of uint32: counts of pairs of bits, then of four, of eight, and their sum in the top byte."""
    x = x - ((x >> 1) & 0x55555555)
    x = (x & 0x33333333) + ((x >> 2) & 0x33333333)
    x = (x + (x >> 4)) & 0x0F0F0F0F
    return ((x * 0x01010101) >> 24).to(int32)


@written_in_language
def popc(x: tensor) -> tensor:
    """How many bits of an integer of 32 or 64 bits are set; int32."""
    if x.dtype.primitive_bitwidth == 64:
        x = x.to(uint64, bitcast=True)
        return _count_bits((x & 0xFFFFFFFF).to(uint32)) + _count_bits((x >> 32).to(uint32))
    return _count_bits(x.to(uint32, bitcast=True))


@written_in_language
def clz(x: tensor) -> tensor:
    """How many zeros stand in front of the highest bit of an integer of 32 bits that is set, 32 for 0; int32."""
    static_assert(x.dtype.primitive_bitwidth == 32, "clz takes integers of 32 bits")
    x = x.to(uint32, bitcast=True)
    for shift in static_range(5):
        x = x | (x >> (1 << shift))  # every bit below the highest
    return popc(~x)


@written_in_language
def ffs(x: tensor) -> tensor:
    """The number of the lowest bit of an integer of 32 bits that is set, counted from 1; 0 for 0; int32."""
    static_assert(x.dtype.primitive_bitwidth == 32, "ffs takes integers of 32 bits")
    x = x.to(uint32, bitcast=True)
    return where(x == 0, 0, popc(x ^ (x - 1)))


@written_in_language
def mulhi(x: tensor, y: tensor) -> tensor:
    """The upper half of the product of two int32, or of two unsigned integers."""
    if x.dtype == int32:
        return ((x.to(int64) * y.to(int64)) >> 32).to(int32)
    return umulhi(x, y)


# By way of float64 ----------------------------------------------------------------------------------------------------


@written_in_language
def _widened(x: tensor) -> tensor:
    static_assert(x.dtype == float32, "this function of libdevice is there for float32")
    return x.to(float64)


@written_in_language
def _near_zero(x: tensor, few_terms: tensor, otherwise: tensor) -> tensor:
    """float32: the first terms of a series where the formula would cancel, |x| < 1/256, and keep no digits."""
    return where(abs(x) < 0.00390625, few_terms, otherwise).to(float32)


@written_in_language
def tan(x: tensor) -> tensor:
    """Tangent of x in radians (float32)."""
    wide = _widened(x)
    return (sin(wide) / cos(wide)).to(float32)


@written_in_language
def exp10(x: tensor) -> tensor:
    """10 to the power x (float32)."""
    return exp(_widened(x) * 2.302585092994045684).to(float32)


@written_in_language
def log10(x: tensor) -> tensor:
    """Logarithm to base 10 (float32)."""
    return (log(_widened(x)) * 0.434294481903251828).to(float32)


@written_in_language
def log1p(x: tensor) -> tensor:
    """log(1 + x), also where x is small (float32)."""
    wide = _widened(x)
    return _near_zero(x, wide * (1 - wide * (0.5 - wide * (1 / 3 - wide * 0.25))), log(1 + wide))


@written_in_language
def expm1(x: tensor) -> tensor:
    """exp(x) - 1, also where x is small (float32)."""
    wide = _widened(x)
    return _near_zero(x, wide * (1 + wide * (0.5 + wide * (1 / 6 + wide * (1 / 24)))), exp(wide) - 1)


@written_in_language
def sinh(x: tensor) -> tensor:
    """Hyperbolic sine (float32)."""
    wide = _widened(x)
    square = wide * wide
    return _near_zero(x, wide * (1 + square * (1 / 6 + square * (1 / 120))), (exp(wide) - exp(-wide)) / 2)


@written_in_language
def cosh(x: tensor) -> tensor:
    """Hyperbolic cosine (float32)."""
    wide = _widened(x)
    return ((exp(wide) + exp(-wide)) / 2).to(float32)


@written_in_language
def asinh(x: tensor) -> tensor:
    """The number whose hyperbolic sine is x (float32)."""
    wide = abs(_widened(x))
    square = wide * wide
    few_terms = wide * (1 - square * (1 / 6 - square * (3 / 40)))
    return copysign(_near_zero(x, few_terms, log(wide + sqrt(square + 1))), x)


@written_in_language
def acosh(x: tensor) -> tensor:
    """The number, not negative, whose hyperbolic cosine is x; NaN for x < 1 (float32)."""
    wide = _widened(x)
    return log(wide + sqrt(wide * wide - 1)).to(float32)


@written_in_language
def atanh(x: tensor) -> tensor:
    """The number whose hyperbolic tangent is x; NaN outside of [-1, 1] (float32)."""
    wide = _widened(x)
    square = wide * wide
    return _near_zero(x, wide * (1 + square * (1 / 3 + square * (1 / 5))), log((1 + wide) / (1 - wide)) / 2)


@written_in_language
def cbrt(x: tensor) -> tensor:
    """Cube root, of negative numbers too (float32)."""
    wide = abs(_widened(x))
    root = exp(log(where(wide == 0, 1.0, wide)) / 3)
    return copysign(where(wide == 0, wide, root).to(float32), x)


@written_in_language
def rcbrt(x: tensor) -> tensor:
    """1 / cbrt(x) (float32)."""
    wide = abs(_widened(x))
    return copysign(exp(log(wide) / -3).to(float32), x)


@written_in_language
def pow(x: tensor, y: tensor) -> tensor:
    """x to the power y, with C's answers for zeros, infinities and negative x (float32)."""
    base, power = _widened(x), _widened(y)
    size = exp(power * log(abs(base)))
    # 0 * infinity in between, where the answer is known.
    size = where((power == 0) | (base == 1) | ((base == -1) & isinf(power)), 1.0, size)
    isWhole = floor(power) == power
    isOdd = isWhole & (power != 2 * floor(power / 2)) & (abs(power) < 9007199254740992.0)
    signed = where(isOdd & (signbit(base) != 0), -size, size)
    isUndefined = (base < 0) & finitef(base) & ~isWhole
    return where(isUndefined, float("nan"), signed).to(float32)


if not TYPE_CHECKING:  # or checkers would take any name for known

    def __getattr__(name: str):
        from .._foreign_names import missing_attribute

        raise missing_attribute(__name__, name, __all__)


def __dir__() -> list[str]:
    return __all__
