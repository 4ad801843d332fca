"""`libdevice`: the functions of CUDA's and ROCm's libraries by their names, the same on every target.

    from hocket.language.extra import libdevice

    y = libdevice.fast_expf(x) / libdevice.log1p(x)

Names that the language has under another name are those functions. The others are written in the language: elementwise,
on tensors and scalars. `fast_..` are made of the approximations that GPUs have. Functions of float32 that have no such
name are computed in float64 and rounded once, so they are right but for the last bit, and take the time of float64.
"""

from __future__ import annotations

from .._builtin import written_in_language
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
from ._by_float64 import acosh, asinh, atanh, cbrt, cosh, exp10, expm1, log1p, log10, pow, rcbrt, sinh, tan
from ._number_bits import (
    clz,
    copysign,
    double_as_longlong,
    ffs,
    finitef,
    float_as_int,
    float_as_uint,
    int_as_float,
    isfinited,
    isinf,
    isnan,
    longlong_as_double,
    mulhi,
    nearbyint,
    popc,
    rint,
    round,
    signbit,
    trunc,
    uint_as_float,
)

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


if not TYPE_CHECKING:  # or checkers would take any name for known

    def __getattr__(name: str):
        from .._foreign_names import missing_attribute

        raise missing_attribute(__name__, name, __all__)


def __dir__() -> list[str]:
    return __all__
