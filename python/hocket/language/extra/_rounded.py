"""Functions of libdevice that round in a direction: to nearest (rn), towards zero (rz), down (rd) and up (ru).

A sum, product, quotient or root of float32 is computed in float64, and what is missing there exactly, so that it is
known on which side of the nearest float32 the true result lies. For the nearest, two roundings are as good as one.
"""

from __future__ import annotations

from .._builtin import written_in_language
from .._constexpr import constexpr
from .._dtype import dtype, float32, float64, int32, int64, uint32, uint64
from .._elementwise import where
from .._math import ceil, floor, sqrt
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
def _quotient(x: tensor, y: tensor, MODE: constexpr) -> tensor:
    wide = x / y
    rounded = wide.to(float32).to(float64)
    return _settled(wide, (x - rounded * y) * copysign(where(y == y, 1.0, y), y), MODE)


@written_in_language
def _root(x: tensor, MODE: constexpr) -> tensor:
    wide = sqrt(x)
    rounded = wide.to(float32).to(float64)
    return _settled(wide, x - rounded * rounded, MODE)


@written_in_language
def _add(x: tensor, y: tensor, MODE: constexpr) -> tensor:
    return _sum(widened(x), widened(y), MODE)


@written_in_language
def _sub(x: tensor, y: tensor, MODE: constexpr) -> tensor:
    return _sum(widened(x), -widened(y), MODE)


@written_in_language
def _mul(x: tensor, y: tensor, MODE: constexpr) -> tensor:
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


def _in_all_modes(function: Any) -> list[Any]:
    return [_in_mode(function, mode) for mode in ("rn", "rz", "rd", "ru")]


add_rn, add_rz, add_rd, add_ru = _in_all_modes(_add)
sub_rn, sub_rz, sub_rd, sub_ru = _in_all_modes(_sub)
mul_rn, mul_rz, mul_rd, mul_ru = _in_all_modes(_mul)
_, fma_rz, fma_rd, fma_ru = _in_all_modes(_fma)  # the language has the nearest of these
_, div_rz, div_rd, div_ru = _in_all_modes(_div)
_, rcp_rz, rcp_rd, rcp_ru = _in_all_modes(_rcp)
_, sqrt_rz, sqrt_rd, sqrt_ru = _in_all_modes(_sqrt)


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


def _to_whole_in_all_modes(result: dtype) -> list[Any]:
    return [_to_whole(round_by, result) for round_by in (rint, trunc, floor, ceil)]


float2int_rn, float2int_rz, float2int_rd, float2int_ru = _to_whole_in_all_modes(int32)
float2uint_rn, float2uint_rz, float2uint_rd, float2uint_ru = _to_whole_in_all_modes(uint32)
float2ll_rn, float2ll_rz, float2ll_rd, float2ll_ru = _to_whole_in_all_modes(int64)
float2ull_rn, float2ull_rz, float2ull_rd, float2ull_ru = _to_whole_in_all_modes(uint64)
double2int_rn, double2int_rz, double2int_rd, double2int_ru = _to_whole_in_all_modes(int32)
double2uint_rn, double2uint_rz, double2uint_rd, double2uint_ru = _to_whole_in_all_modes(uint32)
double2ll_rn, double2ll_rz, double2ll_rd, double2ll_ru = _to_whole_in_all_modes(int64)
double2ull_rn, double2ull_rz, double2ull_rd, double2ull_ru = _to_whole_in_all_modes(uint64)

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
double2float_rn, double2float_rz, double2float_rd, double2float_ru = _in_all_modes(_to_float)
int2float_rn, int2float_rz, int2float_rd, int2float_ru = _in_all_modes(_to_float)
uint2float_rn, uint2float_rz, uint2float_rd, uint2float_ru = _in_all_modes(_to_float)
ll2float_rn, ll2float_rz, ll2float_rd, ll2float_ru = _in_all_modes(_wide_to_float)
ull2float_rn, ull2float_rz, ull2float_rd, ull2float_ru = _in_all_modes(_wide_to_float)
ll2double_rn, ll2double_rz, ll2double_rd, ll2double_ru = _in_all_modes(_wide_to_double)
ull2double_rn, ull2double_rz, ull2double_rd, ull2double_ru = _in_all_modes(_wide_to_double)
