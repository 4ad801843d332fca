"""Functions of libdevice for the bits of numbers, for rounding to integers and for integer arithmetic."""

from __future__ import annotations

from .._builtin import written_in_language
from .._constexpr import constexpr
from .._control import static_range
from .._creation import to_tensor
from .._debug import static_assert
from .._dtype import float32, float64, int32, int64, uint32, uint64
from .._elementwise import where
from .._math import abs, ceil, floor, umulhi

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .._tensor import tensor

# Bits of floats -------------------------------------------------------------------------------------------------------


@written_in_language
def float_as_int(x: tensor) -> tensor:
    """Returns the bits of a float32 as int32."""
    return x.to(int32, bitcast=True)


@written_in_language
def float_as_uint(x: tensor) -> tensor:
    """Returns the bits of a float32 as uint32."""
    return x.to(uint32, bitcast=True)


@written_in_language
def int_as_float(x: tensor) -> tensor:
    """Returns the float32 with the bits of an int32."""
    return x.to(float32, bitcast=True)


uint_as_float = int_as_float


@written_in_language
def double_as_longlong(x: tensor) -> tensor:
    """Returns the bits of a float64 as int64."""
    return x.to(int64, bitcast=True)


@written_in_language
def longlong_as_double(x: tensor) -> tensor:
    """Returns the float64 with the bits of an int64."""
    return x.to(float64, bitcast=True)


@written_in_language
def isnan(x: tensor) -> tensor:
    """Returns true (int1) where x is NaN."""
    return x != x


@written_in_language
def isinf(x: tensor) -> tensor:
    """Returns true (int1) where x is infinite."""
    return abs(x) == float("inf")


@written_in_language
def finitef(x: tensor) -> tensor:
    """Returns true (int1) where x is neither infinite nor NaN."""
    return abs(x) < float("inf")


isfinited = finitef


@written_in_language
def signbit(x: tensor) -> tensor:
    """Returns 1 where the sign bit of a float32 or float64 is set, also for -0.0 and NaN, else 0 (int32)."""
    if x.dtype == float64:
        return (x.to(int64, bitcast=True) < 0).to(int32)
    return (x.to(int32, bitcast=True) < 0).to(int32)


@written_in_language
def copysign(x: tensor, y: tensor) -> tensor:
    """Returns x with the sign of y, both float32 or both float64."""
    x, y = to_tensor(x), to_tensor(y)
    if x.dtype == float64:
        magnitude = x.to(uint64, bitcast=True) & 0x7FFFFFFFFFFFFFFF
        return (magnitude | (y.to(uint64, bitcast=True) & 0x8000000000000000)).to(float64, bitcast=True)
    magnitude = x.to(uint32, bitcast=True) & 0x7FFFFFFF
    return (magnitude | (y.to(uint32, bitcast=True) & 0x80000000)).to(float32, bitcast=True)


# Integers -------------------------------------------------------------------------------------------------------------


@written_in_language
def trunc(x: tensor) -> tensor:
    """Returns x rounded to an integer toward zero."""
    return where(x < 0, ceil(x), floor(x))


@written_in_language
def rint(x: tensor) -> tensor:
    """Returns the integer nearest to x; ties go to the even integer."""
    below = floor(x)
    fraction = x - below
    is_odd = below != 2 * floor(below / 2)
    up = (fraction > 0.5) | ((fraction == 0.5) & is_odd)
    return copysign(where(up, below + 1, below), x)


nearbyint = rint


@written_in_language
def round(x: tensor) -> tensor:
    """Returns the integer nearest to x; ties go away from zero."""
    whole = trunc(x)
    return where(abs(x - whole) >= 0.5, where(x < 0, whole - 1, whole + 1), whole)


@written_in_language
def _count_bits(x: tensor) -> tensor:
    """Returns the number of set bits of a uint32.

    The function counts the bits of each pair, then of each group of four and of each byte. A multiplication then adds
    up all bytes in the top byte.
    """
    x = x - ((x >> 1) & 0x55555555)
    x = (x & 0x33333333) + ((x >> 2) & 0x33333333)
    x = (x + (x >> 4)) & 0x0F0F0F0F
    return ((x * 0x01010101) >> 24).to(int32)


@written_in_language
def popc(x: tensor) -> tensor:
    """Returns the number of set bits of an integer of 32 or 64 bits (int32)."""
    static_assert(x.dtype.is_int() and x.dtype.primitive_bitwidth >= 32, "popc takes integers of 32 or 64 bits")
    if x.dtype.primitive_bitwidth == 64:
        x = x.to(uint64, bitcast=True)
        return _count_bits((x & 0xFFFFFFFF).to(uint32)) + _count_bits((x >> 32).to(uint32))
    return _count_bits(x.to(uint32, bitcast=True))


@written_in_language
def clz(x: tensor) -> tensor:
    """Returns the number of leading zero bits of an integer of 32 bits, 32 for 0 (int32)."""
    static_assert(x.dtype.is_int() and x.dtype.primitive_bitwidth == 32, "clz takes integers of 32 bits")
    x = x.to(uint32, bitcast=True)
    for shift in static_range(5):
        x = x | (x >> (1 << shift))  # sets all bits below the highest set bit
    return popc(~x)


@written_in_language
def ffs(x: tensor) -> tensor:
    """Returns the position of the lowest set bit of an integer of 32 bits, counted from 1; 0 for 0 (int32)."""
    static_assert(x.dtype.is_int() and x.dtype.primitive_bitwidth == 32, "ffs takes integers of 32 bits")
    x = x.to(uint32, bitcast=True)
    return where(x == 0, 0, popc(x ^ (x - 1)))


@written_in_language
def mulhi(x: tensor, y: tensor) -> tensor:
    """Returns the upper half of the bits of x * y, for two int32 or two unsigned integers."""
    if x.dtype == int32:
        return ((x.to(int64) * y.to(int64)) >> 32).to(int32)
    return umulhi(x, y)


@written_in_language
def brev(x: tensor) -> tensor:
    """Returns the bits of an integer of 32 or 64 bits in reverse order."""
    static_assert(x.dtype.is_int() and x.dtype.primitive_bitwidth >= 32, "brev takes integers of 32 or 64 bits")
    width: constexpr = x.dtype.primitive_bitwidth
    bits = x.to(uint64 if width == 64 else uint32, bitcast=True)
    for step in static_range(6 if width == 64 else 5):
        half: constexpr = width >> (step + 1)
        low: constexpr = ((1 << width) - 1) // ((1 << half) + 1)  # mask of the lower half of each group of bits
        bits = ((bits >> half) & low) | ((bits & low) << half)
    return bits.to(x.dtype, bitcast=True)


@written_in_language
def byte_perm(x: tensor, y: tensor, s: Any) -> tensor:
    """Returns four bytes chosen from x (bytes 0 to 3) and y (bytes 4 to 7), as int32.

    Bits 4 i to 4 i + 2 of s choose byte i of the result.
    """
    x, y, s = to_tensor(x), to_tensor(y), to_tensor(s)
    both = (y.to(uint32, bitcast=True).to(uint64) << 32) | x.to(uint32, bitcast=True).to(uint64)
    result = both & 0
    for byte in static_range(4):
        place = ((s >> (4 * byte)) & 7) * 8
        result = result | (((both >> place.to(uint64)) & 255) << (8 * byte))
    return result.to(uint32).to(int32, bitcast=True)


@written_in_language
def mul24(x: tensor, y: tensor) -> tensor:
    """Multiplies the low 24 bits of x and y, which are signed for int32, and returns the low 32 bits of the result."""
    return ((x << 8) >> 8) * ((y << 8) >> 8)


@written_in_language
def sad(x: tensor, y: tensor, z: tensor) -> tensor:
    """Returns |x - y| + z of integers of 32 bits, in the unsigned type of z."""
    return where(x < y, y - x, x - y).to(uint32) + z.to(uint32)


@written_in_language
def hadd(x: tensor, y: tensor) -> tensor:
    """Returns (x + y) / 2, rounded down, without overflow."""
    return (x & y) + ((x ^ y) >> 1)


@written_in_language
def rhadd(x: tensor, y: tensor) -> tensor:
    """Returns (x + y + 1) / 2, rounded down, without overflow."""
    return (x | y) - ((x ^ y) >> 1)


# Halves of float64 ----------------------------------------------------------------------------------------------------


@written_in_language
def double2hiint(x: tensor) -> tensor:
    """Returns the upper half of the bits of a float64 as int32."""
    return (x.to(int64, bitcast=True) >> 32).to(int32)


@written_in_language
def double2loint(x: tensor) -> tensor:
    """Returns the lower half of the bits of a float64 as int32."""
    return (x.to(uint64, bitcast=True) & 0xFFFFFFFF).to(uint32).to(int32, bitcast=True)


@written_in_language
def hiloint2double(x: tensor, y: tensor) -> tensor:
    """Returns the float64 whose upper 32 bits are x and whose lower 32 bits are y."""
    low = y.to(uint32, bitcast=True).to(int64)
    return ((x.to(int64) << 32) | low).to(float64, bitcast=True)


@written_in_language
def rcp64h(x: tensor) -> tensor:
    """Returns 1 / x of float64 with the lower 32 bits of the result set to 0."""
    return ((1 / x).to(int64, bitcast=True) & -4294967296).to(float64, bitcast=True)
