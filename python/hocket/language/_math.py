"""Mathematical functions, elementwise on floats unless stated otherwise. Numbers known at compile time become
float32 scalars."""

from __future__ import annotations

from ._builtin import builtin, method_of
from ._tensor import tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


@method_of(tensor)
@builtin
def exp(x: Any) -> tensor:
    """Returns e to the power x (float32, float64).

    Example:
        >>> gl.exp(x)
        [1, 2.71828, 7.38906, 20.0855]
    """


@method_of(tensor)
@builtin
def exp2(x: Any, *, flush_denormals: bool = False) -> tensor:
    """Returns 2 to the power x (float32, float64).

    Args:
        flush_denormals: for float32, results below the smallest normal number (x < -126) become 0. With the flag, GPUs
            need one instruction instead of about four. The flag suits the probabilities of a softmax.

    Example:
        >>> gl.exp2(x)
        [1, 2, 4, 8]
    """


@method_of(tensor)
@builtin
def log(x: Any) -> tensor:
    """Returns the natural logarithm (float32, float64).

    Example:
        >>> gl.log(x + 1)
        [0, 0.693147, 1.09861, 1.38629]
    """


@method_of(tensor)
@builtin
def log2(x: Any) -> tensor:
    """Returns the logarithm to base 2 (float32, float64).

    Example:
        >>> gl.log2(x + 1)
        [0, 1, 1.58496, 2]
    """


@method_of(tensor)
@builtin
def sin(x: Any) -> tensor:
    """Returns the sine of x in radians (float32, float64). The result is NaN for |x| >= 2^50.

    Example:
        >>> gl.sin(x)
        [0, 0.841471, 0.909297, 0.14112]
    """


@method_of(tensor)
@builtin
def cos(x: Any) -> tensor:
    """Returns the cosine of x in radians (float32, float64). The result is NaN for |x| >= 2^50.

    Example:
        >>> gl.cos(x)
        [1, 0.540302, -0.416147, -0.989992]
    """


@method_of(tensor)
@builtin
def tanh(x: Any) -> tensor:
    """Returns the hyperbolic tangent (float32, float64).

    Example:
        >>> gl.tanh(x)
        [0, 0.761594, 0.964028, 0.995055]
    """


@method_of(tensor)
@builtin
def sqrt(x: Any) -> tensor:
    """Returns the square root; an approximation on targets with a fast approximate instruction (float32, float64).

    Example:
        >>> gl.sqrt(x)
        [0, 1, 1.41421, 1.73205]
    """


@method_of(tensor)
@builtin
def sqrt_rn(x: Any) -> tensor:
    """Returns the square root rounded to nearest (float32).

    Example:
        >>> gl.sqrt_rn(x)
        [0, 1, 1.41421, 1.73205]
    """


@method_of(tensor)
@builtin
def rsqrt(x: Any) -> tensor:
    """Returns 1 / sqrt(x) (float32, float64).

    Example:
        >>> gl.rsqrt(x + 1)
        [1, 0.707107, 0.57735, 0.5]
    """


@method_of(tensor)
@builtin
def abs(x: Any) -> tensor:
    """Returns the absolute value of floats and integers; unsigned integers are returned unchanged.

    Example:
        >>> gl.abs(x - 2)
        [2, 1, 0, 1]
    """


@method_of(tensor)
@builtin
def erf(x: Any) -> tensor:
    """Returns the error function (float32, float64).

    Example:
        >>> gl.erf(x)
        [0, 0.842701, 0.995322, 0.999978]
    """


@method_of(tensor)
@builtin
def floor(x: Any) -> tensor:
    """Returns the largest integer not above x, as a float (float32, float64).

    Example:
        >>> gl.floor(x / 2)
        [0, 0, 1, 1]
    """


@method_of(tensor)
@builtin
def ceil(x: Any) -> tensor:
    """Returns the smallest integer not below x, as a float (float32, float64).

    Example:
        >>> gl.ceil(x / 2)
        [0, 1, 1, 2]
    """


@builtin
def fma(x: Any, y: Any, z: Any) -> tensor:
    """Returns x * y + z, rounded once.

    Example:
        >>> gl.fma(x, x, 1.0)
        [1, 2, 5, 10]
    """


@builtin
def fdiv(x: Any, y: Any, ieee_rounding: bool = False) -> tensor:
    """Returns x / y for floats; an approximation on targets with a fast approximate instruction, unless
    `ieee_rounding`.

    Example:
        >>> gl.fdiv(x, 2.0)
        [0, 0.5, 1, 1.5]
    """


@builtin
def div_rn(x: Any, y: Any) -> tensor:
    """Returns x / y rounded to nearest (float32).

    Example:
        >>> gl.div_rn(x, 2.0)
        [0, 0.5, 1, 1.5]
    """


@builtin
def umulhi(x: Any, y: Any) -> tensor:
    """Returns the upper half of the unsigned product of two 32- or 64-bit integers.

    Example:
        >>> gl.umulhi(i.to(gl.uint32), gl.full([4], 1 << 31, gl.uint32, L))
        [0, 0, 1, 1]
    """
