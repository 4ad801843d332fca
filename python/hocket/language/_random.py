"""Random numbers as a function of a seed and an offset: Philox 4x32-10, with the bits of Triton and Random123.

Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3 (SC 2011). The counter is (offset, 0, 0, 0), and
the key consists of the lower and the upper half of the seed.
"""

from __future__ import annotations

from ._builtin import written_in_language
from ._constexpr import constexpr
from ._control import static_range
from ._creation import to_tensor
from ._debug import static_assert
from ._dtype import float32, int32, uint32, uint64
from ._elementwise import maximum, where
from ._math import cos, log, sin, sqrt, umulhi

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._tensor import tensor

__all__ = ["rand", "rand4x", "randint", "randint4x", "randn", "randn4x"]

_ROUNDS = 10
_KEY_A = 0x9E3779B9
_KEY_B = 0xBB67AE85
_ROUND_A = 0xD2511F53
_ROUND_B = 0xCD9E8D57
# The largest float32 below 2 ** -31 for which (2 ** 31 - 1) * _SCALE rounds to a number below 1.
_SCALE = 4.6566127342e-10
_SMALLEST_UNIFORM = 1.0e-7
_TWO_PI = 6.283185307179586


@written_in_language
def philox(seed, c0, c1, c2, c3, n_rounds: constexpr = _ROUNDS):
    """Returns the four uint32 tensors that Philox computes from the uint32 counter (c0, c1, c2, c3) and the 64-bit key
    `seed`."""
    key = to_tensor(seed).to(uint64)
    k0 = key.to(uint32)
    k1 = (key >> 32).to(uint32)
    round_a = to_tensor(_ROUND_A).to(uint32)
    round_b = to_tensor(_ROUND_B).to(uint32)
    for _ in static_range(n_rounds):
        high_a = umulhi(c0, round_a)
        high_b = umulhi(c2, round_b)
        low_a = c0 * round_a
        low_b = c2 * round_b
        c0 = high_b ^ c1 ^ k0
        c2 = high_a ^ c3 ^ k1
        c1 = low_b
        c3 = low_a
        k0 = k0 + to_tensor(_KEY_A).to(uint32)
        k1 = k1 + to_tensor(_KEY_B).to(uint32)
    return c0, c1, c2, c3


@written_in_language
def _uniform(bits):
    """Maps uint32 bits to float32 in [0, 1)."""
    signed = bits.to(int32, bitcast=True)
    return where(signed < 0, -signed - 1, signed).to(float32) * _SCALE


@written_in_language
def _normal_pair(u, v):
    """Returns two independent normal numbers from two uniform numbers, by the Box-Muller transform."""
    radius = sqrt(-2.0 * log(maximum(u, _SMALLEST_UNIFORM)))
    angle = _TWO_PI * v
    return radius * cos(angle), radius * sin(angle)


@written_in_language
def randint4x(seed: Any, offset: tensor, n_rounds: constexpr = _ROUNDS) -> tuple[tensor, tensor, tensor, tensor]:
    """Returns four tensors of random uint32: the whole output of one Philox evaluation.

    Args:
        seed: an integer of up to 64 bits.
        offset: a tensor or a scalar of 32-bit integers. Equal seeds and offsets give equal numbers.
        n_rounds: the number of Philox rounds.

    Example:
        >>> a, b, c, d = gl.randint4x(42, i)
        >>> a
        [2632642643, 4242219303, 3547071013, 3133604981]
    """
    counter = to_tensor(offset)
    static_assert(
        counter.dtype.is_int() and counter.dtype.primitive_bitwidth == 32, "the offset must be a 32-bit integer"
    )
    counter = counter.to(uint32, bitcast=True)
    zero = counter * 0
    return philox(seed, counter, zero, zero, zero, n_rounds)


@written_in_language
def randint(seed: Any, offset: tensor, n_rounds: constexpr = _ROUNDS) -> tensor:
    """Returns a tensor of random uint32, one for each offset.

    Args:
        seed: an integer of up to 64 bits.
        offset: a tensor or a scalar of 32-bit integers. Equal seeds and offsets give equal numbers.
        n_rounds: the number of Philox rounds.

    Example:
        >>> gl.randint(42, i)
        [2632642643, 4242219303, 3547071013, 3133604981]
    """
    bits, _, _, _ = randint4x(seed, offset, n_rounds)
    return bits


@written_in_language
def rand4x(seed: Any, offset: tensor, n_rounds: constexpr = _ROUNDS) -> tuple[tensor, tensor, tensor, tensor]:
    """Returns four tensors of random float32, uniform in [0, 1).

    Args:
        seed: an integer of up to 64 bits.
        offset: a tensor or a scalar of 32-bit integers. Equal seeds and offsets give equal numbers.
        n_rounds: the number of Philox rounds.

    Example:
        >>> a, b, c, d = gl.rand4x(42, i)
        >>> (b >= 0).to(gl.int32)
        [1, 1, 1, 1]
    """
    a, b, c, d = randint4x(seed, offset, n_rounds)
    return _uniform(a), _uniform(b), _uniform(c), _uniform(d)


@written_in_language
def rand(seed: Any, offset: tensor, n_rounds: constexpr = _ROUNDS) -> tensor:
    """Returns a tensor of random float32, uniform in [0, 1).

    Args:
        seed: an integer of up to 64 bits.
        offset: a tensor or a scalar of 32-bit integers. Equal seeds and offsets give equal numbers.
        n_rounds: the number of Philox rounds.

    Example:
        >>> kept = gl.where(gl.rand(42, i) < 0.5, x * 2, 0.0)  # dropout
        >>> (gl.rand(42, i) < 1).to(gl.int32)
        [1, 1, 1, 1]
    """
    return _uniform(randint(seed, offset, n_rounds))


@written_in_language
def randn4x(seed: Any, offset: tensor, n_rounds: constexpr = _ROUNDS) -> tuple[tensor, tensor, tensor, tensor]:
    """Returns four tensors of random float32, normally distributed with mean 0 and variance 1.

    Args:
        seed: an integer of up to 64 bits.
        offset: a tensor or a scalar of 32-bit integers. Equal seeds and offsets give equal numbers.
        n_rounds: the number of Philox rounds.

    Example:
        >>> a, b, c, d = gl.randn4x(42, i)
        >>> (gl.abs(d) < 6).to(gl.int32)
        [1, 1, 1, 1]
    """
    a, b, c, d = rand4x(seed, offset, n_rounds)
    first, second = _normal_pair(a, b)
    third, fourth = _normal_pair(c, d)
    return first, second, third, fourth


@written_in_language
def randn(seed: Any, offset: tensor, n_rounds: constexpr = _ROUNDS) -> tensor:
    """Returns a tensor of random float32, normally distributed with mean 0 and variance 1.

    Args:
        seed: an integer of up to 64 bits.
        offset: a tensor or a scalar of 32-bit integers. Equal seeds and offsets give equal numbers.
        n_rounds: the number of Philox rounds.

    Example:
        >>> (gl.abs(gl.randn(42, i)) < 6).to(gl.int32)
        [1, 1, 1, 1]
    """
    a, b, _, _ = randint4x(seed, offset, n_rounds)
    number, _ = _normal_pair(_uniform(a), _uniform(b))
    return number
