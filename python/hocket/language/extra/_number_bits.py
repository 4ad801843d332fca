"""Functions of libdevice about the bits of numbers, and about whole numbers."""

from __future__ import annotations

from .._builtin import written_in_language
from .._control import static_range
from .._debug import static_assert
from .._dtype import float32, float64, int32, int64, uint32, uint64
from .._elementwise import where
from .._math import abs, ceil, floor, umulhi

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .._tensor import tensor

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
