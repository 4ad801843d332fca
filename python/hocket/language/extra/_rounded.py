"""Functions of libdevice that round in a direction: to nearest (rn), towards zero (rz), down (rd) and up (ru).

A sum, product, quotient or root of float32 is computed in float64, and what is missing there exactly, so that it is
known on which side of the nearest float32 the true result lies. For the nearest, two roundings are as good as one. The
products of two float32 are exact in float64, so that nothing changes where they are fused with a sum.
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
    """`nearest`, float32 that is above or below the true result, or its neighbour on the side that MODE wants."""
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
    """The float32 for float64 `wide` and what has the sign of what is missing in it."""
    nearest = wide.to(float32)
    rest = wide - nearest.to(float64)
    rest = where(rest == 0, missing, rest)
    return _stepped(nearest, rest < 0, rest > 0, MODE)


@written_in_language
def _sum(x: tensor, y: tensor, MODE: constexpr) -> tensor:
    """Of float64. What rounding takes from a sum is a sum of differences that are exact (Knuth)."""
    total = x + y
    part = total - x
    value = _settled(total, (x - (total - part)) + (y - part), MODE)
    if MODE == "rd":  # a sum of nothing is -0 then, unless all was +0
        is_plus = (signbit(x) == 0) & (signbit(y) == 0)
        value = where((total == 0) & ~is_plus, -0.0, value)
    return value


@written_in_language
def _float32(x: tensor) -> tensor:
    return widened(x).to(float32)  # of nothing else


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


# The nearest sum and product are `gl.fma` with an operand that changes nothing. LLVM makes one operation of it, which
# it fuses with no other: mul_rn and add_rn round where `x * y + z` may round once.


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
# The language has the nearest of what follows.
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
    """1 / sqrt(x), right but for the last bit (float32)."""
    return (1 / sqrt(widened(x))).to(float32)


# From floats to whole numbers -----------------------------------------------------------------------------------------


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
    """Of what float64 holds exactly."""
    return _settled(x.to(float64), 0.0, MODE)


@written_in_language
def _from_wide_integer(x: tensor, RESULT: constexpr, MODE: constexpr) -> tensor:
    """Of 64 bits. The nearest float, as an integer again, is x, above or below it; 2^63 or 2^64 is above all."""
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
    """An integer of 32 bits as float64, exactly."""
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
