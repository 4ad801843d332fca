"""`libdevice`: the functions of CUDA's and ROCm's math libraries, under the names of these libraries, on every target.

    from hocket.language.extra import libdevice

    y = libdevice.fast_expf(x) / libdevice.log1p(x)

If the language has a function under another name, the name in `libdevice` is an alias. All other functions are written
in the language and work elementwise, on tensors and scalars.

The `fast_...` functions use the approximate instructions of GPUs. The other functions of float32 compute in float64 and
round once: only the last bit of a result may be wrong, and the speed is that of float64. The docstring of a function
states whether the function also takes float64.
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
from ._angles import acos, asin, atan, atan2, cospi, sinpi
from ._bessel import cyl_bessel_i0, cyl_bessel_i1, j0, j1, jn, y0, y1, yn
from ._by_float64 import acosh, asinh, atanh, cbrt, cosh, exp10, expm1, log1p, log10, pow, rcbrt, sinh, tan
from ._error_functions import erfc, erfcinv, erfcx, erfinv, normcdf, normcdfinv
from ._exponents import (
    fmod,
    hypot,
    ilogb,
    ldexp,
    llrint,
    llround,
    logb,
    nextafter,
    norm3d,
    norm4d,
    remainder,
    rhypot,
    rnorm3d,
    rnorm4d,
    scalbn,
)
from ._gamma import lgamma, tgamma
from ._number_bits import (
    brev,
    byte_perm,
    clz,
    copysign,
    double2hiint,
    double2loint,
    double_as_longlong,
    ffs,
    finitef,
    float_as_int,
    float_as_uint,
    hadd,
    hiloint2double,
    int_as_float,
    isfinited,
    isinf,
    isnan,
    longlong_as_double,
    mul24,
    mulhi,
    nearbyint,
    popc,
    rcp64h,
    rhadd,
    rint,
    round,
    sad,
    signbit,
    trunc,
    uint_as_float,
)
from ._rounded import (
    add_rd,
    add_rn,
    add_ru,
    add_rz,
    div_rd,
    div_ru,
    div_rz,
    double2float_rd,
    double2float_rn,
    double2float_ru,
    double2float_rz,
    double2int_rd,
    double2int_rn,
    double2int_ru,
    double2int_rz,
    double2ll_rd,
    double2ll_rn,
    double2ll_ru,
    double2ll_rz,
    double2uint_rd,
    double2uint_rn,
    double2uint_ru,
    double2uint_rz,
    double2ull_rd,
    double2ull_rn,
    double2ull_ru,
    double2ull_rz,
    float2int_rd,
    float2int_rn,
    float2int_ru,
    float2int_rz,
    float2ll_rd,
    float2ll_rn,
    float2ll_ru,
    float2ll_rz,
    float2uint_rd,
    float2uint_rn,
    float2uint_ru,
    float2uint_rz,
    float2ull_rd,
    float2ull_rn,
    float2ull_ru,
    float2ull_rz,
    fma_rd,
    fma_ru,
    fma_rz,
    int2double_rn,
    int2float_rd,
    int2float_rn,
    int2float_ru,
    int2float_rz,
    ll2double_rd,
    ll2double_rn,
    ll2double_ru,
    ll2double_rz,
    ll2float_rd,
    ll2float_rn,
    ll2float_ru,
    ll2float_rz,
    mul_rd,
    mul_rn,
    mul_ru,
    mul_rz,
    rcp_rd,
    rcp_ru,
    rcp_rz,
    rsqrt_rn,
    sqrt_rd,
    sqrt_ru,
    sqrt_rz,
    sub_rd,
    sub_rn,
    sub_ru,
    sub_rz,
    uint2double_rn,
    uint2float_rd,
    uint2float_rn,
    uint2float_ru,
    uint2float_rz,
    ull2double_rd,
    ull2double_rn,
    ull2double_ru,
    ull2double_rz,
    ull2float_rd,
    ull2float_rn,
    ull2float_ru,
    ull2float_rz,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .._tensor import tensor

__all__ = [
    "abs",
    "acos",
    "acosh",
    "add_rd",
    "add_rn",
    "add_ru",
    "add_rz",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "brev",
    "byte_perm",
    "cbrt",
    "ceil",
    "clz",
    "copysign",
    "cos",
    "cosh",
    "cospi",
    "cyl_bessel_i0",
    "cyl_bessel_i1",
    "div_rd",
    "div_rn",
    "div_ru",
    "div_rz",
    "double2float_rd",
    "double2float_rn",
    "double2float_ru",
    "double2float_rz",
    "double2hiint",
    "double2int_rd",
    "double2int_rn",
    "double2int_ru",
    "double2int_rz",
    "double2ll_rd",
    "double2ll_rn",
    "double2ll_ru",
    "double2ll_rz",
    "double2loint",
    "double2uint_rd",
    "double2uint_rn",
    "double2uint_ru",
    "double2uint_rz",
    "double2ull_rd",
    "double2ull_rn",
    "double2ull_ru",
    "double2ull_rz",
    "double_as_longlong",
    "erf",
    "erfc",
    "erfcinv",
    "erfcx",
    "erfinv",
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
    "float2int_rd",
    "float2int_rn",
    "float2int_ru",
    "float2int_rz",
    "float2ll_rd",
    "float2ll_rn",
    "float2ll_ru",
    "float2ll_rz",
    "float2uint_rd",
    "float2uint_rn",
    "float2uint_ru",
    "float2uint_rz",
    "float2ull_rd",
    "float2ull_rn",
    "float2ull_ru",
    "float2ull_rz",
    "float_as_int",
    "float_as_uint",
    "floor",
    "fma",
    "fma_rd",
    "fma_rn",
    "fma_ru",
    "fma_rz",
    "fmax",
    "fmin",
    "fmod",
    "hadd",
    "hiloint2double",
    "hypot",
    "ilogb",
    "int2double_rn",
    "int2float_rd",
    "int2float_rn",
    "int2float_ru",
    "int2float_rz",
    "int_as_float",
    "isfinited",
    "isinf",
    "isnan",
    "j0",
    "j1",
    "jn",
    "ldexp",
    "lgamma",
    "ll2double_rd",
    "ll2double_rn",
    "ll2double_ru",
    "ll2double_rz",
    "ll2float_rd",
    "ll2float_rn",
    "ll2float_ru",
    "ll2float_rz",
    "llrint",
    "llround",
    "log",
    "log1p",
    "log2",
    "log10",
    "logb",
    "longlong_as_double",
    "max",
    "min",
    "mul24",
    "mul_rd",
    "mul_rn",
    "mul_ru",
    "mul_rz",
    "mulhi",
    "nearbyint",
    "nextafter",
    "norm3d",
    "norm4d",
    "normcdf",
    "normcdfinv",
    "popc",
    "pow",
    "rcbrt",
    "rcp64h",
    "rcp_rd",
    "rcp_rn",
    "rcp_ru",
    "rcp_rz",
    "remainder",
    "rhadd",
    "rhypot",
    "rint",
    "rnorm3d",
    "rnorm4d",
    "round",
    "rsqrt",
    "rsqrt_rn",
    "sad",
    "saturatef",
    "scalbn",
    "signbit",
    "sin",
    "sinh",
    "sinpi",
    "sqrt",
    "sqrt_rd",
    "sqrt_rn",
    "sqrt_ru",
    "sqrt_rz",
    "sub_rd",
    "sub_rn",
    "sub_ru",
    "sub_rz",
    "tan",
    "tanh",
    "tgamma",
    "trunc",
    "uint2double_rn",
    "uint2float_rd",
    "uint2float_rn",
    "uint2float_ru",
    "uint2float_rz",
    "uint_as_float",
    "ull2double_rd",
    "ull2double_rn",
    "ull2double_ru",
    "ull2double_rz",
    "ull2float_rd",
    "ull2float_rn",
    "ull2float_ru",
    "ull2float_rz",
    "umulhi",
    "y0",
    "y1",
    "yn",
]

# Approximations ------------------------------------------------------------------------------------------------------


@written_in_language
def fast_dividef(x: Any, y: Any) -> tensor:
    """Returns x / y."""
    return x / y


fast_fdividef = fast_dividef


@written_in_language
def fast_tanf(x: tensor) -> tensor:
    """Returns the tangent of x in radians, as sin(x) / cos(x)."""
    return sin(x) / cos(x)


@written_in_language
def fast_exp10f(x: tensor) -> tensor:
    """Returns 10 to the power x, as 2 to the power x * log2(10)."""
    return exp2(x * 3.321928094887362)


@written_in_language
def fast_log10f(x: tensor) -> tensor:
    """Returns the logarithm of x to base 10, as log2(x) * log10(2)."""
    return log2(x) * 0.30102999566398120


@written_in_language
def fast_powf(x: tensor, y: Any) -> tensor:
    """Returns x to the power y, as 2 to the power y * log2(x); NaN for negative x."""
    return exp2(y * log2(x))


@written_in_language
def rcp_rn(x: tensor) -> tensor:
    """Returns 1 / x rounded to nearest (float32)."""
    return div_rn(1.0, x)


@written_in_language
def saturatef(x: tensor) -> tensor:
    """Returns x clamped to [0, 1]; 0 for NaN."""
    return minimum(maximum(x, 0.0), 1.0)


@written_in_language
def fdim(x: tensor, y: Any) -> tensor:
    """Returns x - y where x > y, else 0; NaN if x or y is NaN."""
    return where(x <= y, 0.0, x - y)


if not TYPE_CHECKING:  # a visible `__getattr__` would make type checkers accept any attribute of this module

    def __getattr__(name: str):
        from .._foreign_names import missing_attribute

        raise missing_attribute(__name__, name, __all__)


def __dir__() -> list[str]:
    return __all__
