"""Mathematical functions, elementwise on floats unless stated. Numbers known at compile time become float32 scalars."""

from __future__ import annotations

from ._builtin import builtin, method_of
from ._tensor import tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


@method_of(tensor)
@builtin
def exp(x: Any) -> tensor:
    """e to the power x (float32, float64)."""


@method_of(tensor)
@builtin
def exp2(x: Any) -> tensor:
    """2 to the power x (float32, float64)."""


@method_of(tensor)
@builtin
def log(x: Any) -> tensor:
    """Natural logarithm (float32, float64)."""


@method_of(tensor)
@builtin
def log2(x: Any) -> tensor:
    """Logarithm to base 2 (float32, float64)."""


@method_of(tensor)
@builtin
def sin(x: Any) -> tensor:
    """Sine of x in radians (float32, float64). NaN for |x| >= 2^50."""


@method_of(tensor)
@builtin
def cos(x: Any) -> tensor:
    """Cosine of x in radians (float32, float64). NaN for |x| >= 2^50."""


@method_of(tensor)
@builtin
def tanh(x: Any) -> tensor:
    """Hyperbolic tangent (float32, float64)."""


@method_of(tensor)
@builtin
def sqrt(x: Any) -> tensor:
    """Square root, fast where the target has an approximation (float32, float64)."""


@method_of(tensor)
@builtin
def sqrt_rn(x: Any) -> tensor:
    """Square root rounded to nearest (float32)."""


@method_of(tensor)
@builtin
def rsqrt(x: Any) -> tensor:
    """1 / sqrt(x) (float32, float64)."""


@method_of(tensor)
@builtin
def abs(x: Any) -> tensor:
    """Absolute value; floats, integers (unsigned ones are returned as they are)."""


@method_of(tensor)
@builtin
def erf(x: Any) -> tensor:
    """Error function (float32, float64)."""


@method_of(tensor)
@builtin
def floor(x: Any) -> tensor:
    """Largest whole number not above x (float32, float64)."""


@method_of(tensor)
@builtin
def ceil(x: Any) -> tensor:
    """Smallest whole number not below x (float32, float64)."""


@builtin
def fma(x: Any, y: Any, z: Any) -> tensor:
    """x * y + z with one rounding."""


@builtin
def fdiv(x: Any, y: Any, ieee_rounding: bool = False) -> tensor:
    """x / y, of floats; fast where the target has an approximation unless `ieee_rounding`."""


@builtin
def div_rn(x: Any, y: Any) -> tensor:
    """x / y rounded to nearest (float32)."""


@builtin
def umulhi(x: Any, y: Any) -> tensor:
    """The upper half of the unsigned product of two 32- or 64-bit integers."""
