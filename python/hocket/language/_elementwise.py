"""Elementwise functions: selection, extrema, arithmetic by name, conversions.

Operands broadcast: scalars and dimensions of size 1 are extended. All tensor operands must have equal layouts.
"""

from __future__ import annotations

from enum import Enum

from ._builtin import builtin, method_of
from ._tensor import tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._dtype import dtype as dtype_t


@builtin
def where(condition: Any, x: Any, y: Any) -> tensor:
    """Returns `x` where `condition` (int1) holds, otherwise `y`, in the common type of `x` and `y`.

    Example:
        >>> gl.where(i < 2, i, -i)
        [0, 1, -2, -3]
    """


@builtin
def maximum(x: Any, y: Any, propagate_nan: Any = None) -> tensor:
    """Returns the larger of x and y. If one operand is NaN, the result is the other operand, or NaN with
    `PropagateNan.ALL`.

    Example:
        >>> gl.maximum(i, 2)
        [2, 2, 2, 3]
    """


@builtin
def minimum(x: Any, y: Any, propagate_nan: Any = None) -> tensor:
    """Returns the smaller of x and y. If one operand is NaN, the result is the other operand, or NaN with
    `PropagateNan.ALL`.

    Example:
        >>> gl.minimum(i, 2)
        [0, 1, 2, 2]
    """


@builtin
def clamp(x: Any, min: Any, max: Any, propagate_nan: Any = None) -> tensor:
    """Returns x limited to [min, max]; the result is undefined if min > max. If x is NaN, the result is min, or NaN
    with `PropagateNan.ALL`.

    Example:
        >>> gl.clamp(x, 1.0, 2.0)
        [1, 1, 2, 2]
    """


@builtin
def add(x: Any, y: Any, sanitize_overflow: bool = True) -> tensor:
    """Returns x + y. One operand may be a pointer if the other operand is an integer. `sanitize_overflow=False` exempts
    the addition from the checks of the launch option `sanitize_overflow`.

    Example:
        >>> gl.add(i, 1)
        [1, 2, 3, 4]
    """


@builtin
def sub(x: Any, y: Any, sanitize_overflow: bool = True) -> tensor:
    """Returns x - y. `sanitize_overflow=False` exempts the subtraction from the checks of the launch option
    `sanitize_overflow`.

    Example:
        >>> gl.sub(i, 1)
        [-1, 0, 1, 2]
    """


@builtin
def mul(x: Any, y: Any, sanitize_overflow: bool = True) -> tensor:
    """Returns x * y. `sanitize_overflow=False` exempts the multiplication from the checks of the launch option
    `sanitize_overflow`.

    Example:
        >>> gl.mul(i, i)
        [0, 1, 4, 9]
    """


@method_of(tensor)
@builtin
def logical_and(x: Any, y: Any) -> tensor:
    """Returns True where both operands are nonzero; the result is int1.

    Example:
        >>> gl.logical_and(i, i < 3)
        [0, 1, 1, 0]
    """


@method_of(tensor)
@builtin
def logical_or(x: Any, y: Any) -> tensor:
    """Returns True where at least one operand is nonzero; the result is int1.

    Example:
        >>> gl.logical_or(i == 0, i == 3)
        [1, 0, 0, 1]
    """


@method_of(tensor, "cast", "to")
@builtin
def cast(input: Any, dtype: dtype_t, fp_downcast_rounding: str | None = None, bitcast: bool = False) -> tensor:
    """Converts `input` to `dtype`.

    Floats round to nearest, ties to even ("rtne", the only `fp_downcast_rounding`). Float to integer truncates.
    Conversion to int1 gives `input != 0`. With `bitcast=True`, the bits do not change; both types must have the same
    width.

    Conversions to 8-bit floats saturate on every target, as with NVIDIA's cvt.rn.satfinite. Infinities, and numbers
    beyond the largest finite value, become the largest finite value: 57344 for float8e5 and float8e5b16, 448 for
    float8e4nv, 240 for float8e4b8. NaN becomes the code 0x7f. For the FNUZ types (float8e5b16, float8e4b8), NaN becomes
    the only code for NaN, 0x80. float64 and integers are rounded to float32 first.

    Example:
        >>> gl.cast(x + 0.75, gl.int32)
        [0, 1, 2, 3]
        >>> x.to(gl.int32, bitcast=True)
        [0, 1065353216, 1073741824, 1077936128]
    """


@method_of(tensor)
@builtin
def cdiv(x: Any, div: Any) -> Any:
    """Returns x / div rounded up, for non-negative integers: numbers known at compile time, scalars or tensors.

    Example:
        >>> gl.cdiv(i, 2)
        [0, 1, 1, 2]
        >>> gl.cdiv(1000, 256)
        4
    """


class PropagateNan(Enum):
    """Result of `maximum`, `minimum` and `clamp` if one operand is NaN."""

    NONE = 0
    ALL = 0xFFFF


@builtin
def fp4_to_fp(src: tensor, elem_type: dtype_t, axis: int) -> tensor:
    """Unpacks 4-bit floats (e2m1), two per byte: dimension `axis` becomes twice as long.

    Args:
        src: uint8 or int8; the low half of a byte holds the first element of a pair.
        elem_type: float16, bfloat16 or float32, which represent every e2m1 value exactly.
        axis: the dimension along which values are packed.

    Both elements of a pair stay in the lane that held the byte: DotOperandLayout(i, L, k) becomes DotOperandLayout(i,
    L, 2 * k), along K.

    Example:
        >>> pairs = gl.full([4], 0x21, gl.uint8, L)
        >>> gl.fp4_to_fp(pairs, gl.float32, 0)
        [0.5, 1, 0.5, 1, 0.5, 1, 0.5, 1]
    """
