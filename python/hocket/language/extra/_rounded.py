"""Functions of libdevice with a rounding mode: to nearest (rn), toward zero (rz), down (rd) and up (ru).

A sum, product, quotient or root of float32 is computed in float64, together with the sign of its rounding error. The
sign of the rounding error determines on which side of the nearest float32 the exact result lies. Rounding to nearest
does not need the sign, because rounding to float64 and then to float32 gives the correctly rounded result. A
multiplication of two float32 is exact in float64, so fusing the multiplication with an addition changes nothing.
"""

from __future__ import annotations

from .._builtin import written_in_language
from .._constexpr import constexpr
from .._dtype import dtype, float32, float64, int32, int64, uint32, uint64
from .._elementwise import where
from .._math import ceil, floor, fma, sqrt
from ._exponents import next_up
from ._number_bits import copysign, rint, signbit, trunc
from ._wide import widened

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .._tensor import tensor

# Arithmetic -----------------------------------------------------------------------------------------------------------


@written_in_language
def _stepped(nearest: tensor, is_above: tensor, is_below: tensor, MODE: constexpr) -> tensor:
    """Returns `nearest`, or the adjacent float in the direction of rounding mode MODE.

    `is_above` and `is_below` are true if `nearest` is above or below the exact result.
    """
    if MODE == "rn":
        return nearest
    up, down = next_up(nearest), -next_up(-nearest)
    if MODE == "rd":
        return where(is_above, down, nearest)
    if MODE == "ru":
        return where(is_below, up, nearest)
    is_negative = signbit(nearest) != 0
    return where(is_above & ~is_negative, down, where(is_below & is_negative, up, nearest))


@written_in_language
def _settled(wide: tensor, missing: tensor, MODE: constexpr) -> tensor:
    """Returns the float64 `wide`, rounded to float32 in rounding mode MODE. `missing` has the sign of the difference
    between the exact result and `wide`."""
    nearest = wide.to(float32)
    rest = wide - nearest.to(float64)
    rest = where(rest == 0, missing, rest)
    return _stepped(nearest, rest < 0, rest > 0, MODE)


@written_in_language
def _sum(x: tensor, y: tensor, MODE: constexpr) -> tensor:
    """Returns the sum of two float64 as float32, rounded by MODE. Knuth's two-sum gives the exact rounding error."""
    total = x + y
    part = total - x
    value = _settled(total, (x - (total - part)) + (y - part), MODE)
    if MODE == "rd":  # in mode "rd", an exact sum of 0 is -0, unless both operands are +0
        is_plus = (signbit(x) == 0) & (signbit(y) == 0)
        value = where((total == 0) & ~is_plus, -0.0, value)
    return value


@written_in_language
def _float32(x: tensor) -> tensor:
    return widened(x).to(float32)  # `x` is float32 already; `widened` rejects other element types


@written_in_language
def _quotient(x: tensor, y: tensor, MODE: constexpr) -> tensor:
    wide = x / y
    rounded = wide.to(float32).to(float64)
    return _settled(wide, (x - rounded * y) * copysign(where(y == y, 1.0, y), y), MODE)


@written_in_language
def _root(x: tensor, MODE: constexpr) -> tensor:
    wide = sqrt(x)
    rounded = wide.to(float32).to(float64)
    return _settled(wide, x - rounded * rounded, MODE)


# add_rn and mul_rn are `gl.fma` with the neutral operand 1 or 0. LLVM simplifies this fma to an addition or a
# multiplication, which LLVM does not fuse with other operations. Therefore add_rn and mul_rn round separately, whereas
# `x * y + z` may round only once.


@written_in_language
def _add(x: tensor, y: tensor, MODE: constexpr) -> tensor:
    if MODE == "rn":
        return fma(_float32(x), 1.0, _float32(y))
    return _sum(widened(x), widened(y), MODE)


@written_in_language
def _sub(x: tensor, y: tensor, MODE: constexpr) -> tensor:
    if MODE == "rn":
        return fma(_float32(y), -1.0, _float32(x))
    return _sum(widened(x), -widened(y), MODE)


@written_in_language
def _mul(x: tensor, y: tensor, MODE: constexpr) -> tensor:
    if MODE == "rn":
        return fma(_float32(x), _float32(y), -0.0)
    return _settled(widened(x) * widened(y), 0.0, MODE)


@written_in_language
def _fma(x: tensor, y: tensor, z: tensor, MODE: constexpr) -> tensor:
    return _sum(widened(x) * widened(y), widened(z), MODE)


@written_in_language
def _div(x: tensor, y: tensor, MODE: constexpr) -> tensor:
    return _quotient(widened(x), widened(y), MODE)


@written_in_language
def _rcp(x: tensor, MODE: constexpr) -> tensor:
    wide = widened(x)
    return _quotient(where(wide == wide, 1.0, wide), wide, MODE)


@written_in_language
def _sqrt(x: tensor, MODE: constexpr) -> tensor:
    return _root(widened(x), MODE)


def _in_mode(function: Any, mode: str) -> Any:
    @written_in_language
    def rounded(*operands):
        return function(*operands, mode)

    return rounded


add_rn = _in_mode(_add, "rn")
add_rz = _in_mode(_add, "rz")
add_rd = _in_mode(_add, "rd")
add_ru = _in_mode(_add, "ru")
sub_rn = _in_mode(_sub, "rn")
sub_rz = _in_mode(_sub, "rz")
sub_rd = _in_mode(_sub, "rd")
sub_ru = _in_mode(_sub, "ru")
mul_rn = _in_mode(_mul, "rn")
mul_rz = _in_mode(_mul, "rz")
mul_rd = _in_mode(_mul, "rd")
mul_ru = _in_mode(_mul, "ru")
# The functions fma, div, rcp and sqrt that round to nearest are in `gl` or in libdevice.py.
fma_rz = _in_mode(_fma, "rz")
fma_rd = _in_mode(_fma, "rd")
fma_ru = _in_mode(_fma, "ru")
div_rz = _in_mode(_div, "rz")
div_rd = _in_mode(_div, "rd")
div_ru = _in_mode(_div, "ru")
rcp_rz = _in_mode(_rcp, "rz")
rcp_rd = _in_mode(_rcp, "rd")
rcp_ru = _in_mode(_rcp, "ru")
sqrt_rz = _in_mode(_sqrt, "rz")
sqrt_rd = _in_mode(_sqrt, "rd")
sqrt_ru = _in_mode(_sqrt, "ru")


@written_in_language
def rsqrt_rn(x: tensor) -> tensor:
    """Returns 1 / sqrt(x); only the last bit may be wrong (float32)."""
    return (1 / sqrt(widened(x))).to(float32)


# From floats to integers ----------------------------------------------------------------------------------------------


def _to_whole(round_by: Any, result: dtype) -> Any:
    @written_in_language
    def converted(x):
        return round_by(x).to(result)

    return converted


float2int_rn = _to_whole(rint, int32)
float2int_rz = _to_whole(trunc, int32)
float2int_rd = _to_whole(floor, int32)
float2int_ru = _to_whole(ceil, int32)
float2uint_rn = _to_whole(rint, uint32)
float2uint_rz = _to_whole(trunc, uint32)
float2uint_rd = _to_whole(floor, uint32)
float2uint_ru = _to_whole(ceil, uint32)
float2ll_rn = _to_whole(rint, int64)
float2ll_rz = _to_whole(trunc, int64)
float2ll_rd = _to_whole(floor, int64)
float2ll_ru = _to_whole(ceil, int64)
float2ull_rn = _to_whole(rint, uint64)
float2ull_rz = _to_whole(trunc, uint64)
float2ull_rd = _to_whole(floor, uint64)
float2ull_ru = _to_whole(ceil, uint64)
double2int_rn = _to_whole(rint, int32)
double2int_rz = _to_whole(trunc, int32)
double2int_rd = _to_whole(floor, int32)
double2int_ru = _to_whole(ceil, int32)
double2uint_rn = _to_whole(rint, uint32)
double2uint_rz = _to_whole(trunc, uint32)
double2uint_rd = _to_whole(floor, uint32)
double2uint_ru = _to_whole(ceil, uint32)
double2ll_rn = _to_whole(rint, int64)
double2ll_rz = _to_whole(trunc, int64)
double2ll_rd = _to_whole(floor, int64)
double2ll_ru = _to_whole(ceil, int64)
double2ull_rn = _to_whole(rint, uint64)
double2ull_rz = _to_whole(trunc, uint64)
double2ull_rd = _to_whole(floor, uint64)
double2ull_ru = _to_whole(ceil, uint64)

# To floats ------------------------------------------------------------------------------------------------------------


@written_in_language
def _to_float(x: tensor, MODE: constexpr) -> tensor:
    """Returns a number that float64 represents exactly as float32, rounded by MODE."""
    return _settled(x.to(float64), 0.0, MODE)


@written_in_language
def _from_wide_integer(x: tensor, RESULT: constexpr, MODE: constexpr) -> tensor:
    """Returns an integer of 64 bits as a float of type RESULT, rounded in rounding mode MODE.

    The nearest float is converted back to an integer and compared with x. The floats 2^63 and 2^64
    exceed the range of the integer type, and are above every x.
    """
    nearest = x.to(RESULT)
    again = nearest.to(x.dtype)
    is_limit = nearest == (9223372036854775808.0 if x.dtype == int64 else 18446744073709551616.0)
    return _stepped(nearest, is_limit | (again > x), ~is_limit & (again < x), MODE)


@written_in_language
def _wide_to_float(x: tensor, MODE: constexpr) -> tensor:
    return _from_wide_integer(x, float32, MODE)


@written_in_language
def _wide_to_double(x: tensor, MODE: constexpr) -> tensor:
    return _from_wide_integer(x, float64, MODE)


@written_in_language
def int2double_rn(x: tensor) -> tensor:
    """Returns an integer of 32 bits as float64, exactly."""
    return x.to(float64)


uint2double_rn = int2double_rn
double2float_rn = _in_mode(_to_float, "rn")
double2float_rz = _in_mode(_to_float, "rz")
double2float_rd = _in_mode(_to_float, "rd")
double2float_ru = _in_mode(_to_float, "ru")
int2float_rn = _in_mode(_to_float, "rn")
int2float_rz = _in_mode(_to_float, "rz")
int2float_rd = _in_mode(_to_float, "rd")
int2float_ru = _in_mode(_to_float, "ru")
uint2float_rn = _in_mode(_to_float, "rn")
uint2float_rz = _in_mode(_to_float, "rz")
uint2float_rd = _in_mode(_to_float, "rd")
uint2float_ru = _in_mode(_to_float, "ru")
ll2float_rn = _in_mode(_wide_to_float, "rn")
ll2float_rz = _in_mode(_wide_to_float, "rz")
ll2float_rd = _in_mode(_wide_to_float, "rd")
ll2float_ru = _in_mode(_wide_to_float, "ru")
ull2float_rn = _in_mode(_wide_to_float, "rn")
ull2float_rz = _in_mode(_wide_to_float, "rz")
ull2float_rd = _in_mode(_wide_to_float, "rd")
ull2float_ru = _in_mode(_wide_to_float, "ru")
ll2double_rn = _in_mode(_wide_to_double, "rn")
ll2double_rz = _in_mode(_wide_to_double, "rz")
ll2double_rd = _in_mode(_wide_to_double, "rd")
ll2double_ru = _in_mode(_wide_to_double, "ru")
ull2double_rn = _in_mode(_wide_to_double, "rn")
ull2double_rz = _in_mode(_wide_to_double, "rz")
ull2double_rd = _in_mode(_wide_to_double, "rd")
ull2double_ru = _in_mode(_wide_to_double, "ru")
