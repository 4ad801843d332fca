"""`gl.tensor`, for annotations such as `def f(x: gl.tensor)`, and the attributes of tensors.

The attributes of a value are the builtins in the Python class of the value. For a property, the compiler calls the
builtin with the value; all other builtins are methods. Builtins that are also functions of `gl` are added with
`method_of`.
"""

from __future__ import annotations

from ._builtin import builtin
from ._types import base_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    import builtins
    from collections.abc import Callable
    from typing import Any

    from ._dtype import dtype as dtype_t
    from ._layouts import DistributedLayout
    from ._types import distributed_type


class tensor(base_value):
    """A tile in registers (or a scalar, whose shape is empty).

    Operators work elementwise with Gluon's promotion rules. Dimensions of size 1 are broadcast; layouts must be equal.
    Methods are also builtins of `gl`: `x.sum(0)` is `gl.sum(x, 0)`, and `x.to` is `gl.cast`.
    """

    @property
    @builtin
    def shape(self) -> builtins.tuple[int, ...]:
        """The sizes, outermost first; empty for a scalar.

        Example:
            >>> t.shape[1]
            4
        """

    @property
    @builtin
    def dtype(self) -> dtype_t:
        """The type of the elements.

        Example:
            >>> t.dtype == gl.int32
            True
        """

    @property
    @builtin
    def type(self) -> distributed_type:
        """Element type, shape and layout; the dtype for a scalar.

        Example:
            >>> t.type == gl.distributed_type(gl.int32, [2, 4], T)
            True
        """

    @property
    @builtin
    def layout(self) -> DistributedLayout:
        """The layout of the elements over lanes and registers; a scalar has no layout.

        Example:
            >>> t.layout == T
            True
        """

    @property
    @builtin
    def numel(self) -> int:
        """The number of elements.

        Example:
            >>> t.numel
            8
        """

    @property
    @builtin
    def rank(self) -> int:
        """The number of dimensions.

        Example:
            >>> t.rank
            2
        """

    @property
    @builtin
    def T(self) -> tensor:
        """The transposed tensor: its dimensions are in reverse order.

        Example:
            >>> t.T
            [[0, 4], [1, 5], [2, 6], [3, 7]]
        """

    # Declarations for editors and type checkers. At run time, the modules that define the methods add them to the
    # class.
    if TYPE_CHECKING:

        def to(self, dtype: dtype_t, fp_downcast_rounding: str | None = None, bitcast: bool = False) -> tensor: ...
        def cast(self, dtype: dtype_t, fp_downcast_rounding: str | None = None, bitcast: bool = False) -> tensor: ...
        def expand_dims(self, axis: int) -> tensor: ...
        def broadcast_to(self, *shape: int) -> tensor: ...
        def reshape(self, *shape: int) -> tensor: ...
        def view(self, *shape: int) -> tensor: ...
        def ravel(self) -> tensor: ...
        def permute(self, *order: int) -> tensor: ...
        def trans(self, *order: int) -> tensor: ...
        def reduce(self, axis: int | None, combine_fn: Callable[..., Any], keep_dims: bool = False) -> Any: ...
        def sum(self, axis: int | None = None, keep_dims: bool = False, dtype: dtype_t | None = None) -> tensor: ...
        def max(self, axis: int | None = None, keep_dims: bool = False) -> tensor: ...
        def min(self, axis: int | None = None, keep_dims: bool = False) -> tensor: ...
        def __getitem__(self, key: Any) -> tensor: ...
        def __add__(self, other: Any) -> tensor: ...
        def __radd__(self, other: Any) -> tensor: ...
        def __sub__(self, other: Any) -> tensor: ...
        def __rsub__(self, other: Any) -> tensor: ...
        def __mul__(self, other: Any) -> tensor: ...
        def __rmul__(self, other: Any) -> tensor: ...
        def __truediv__(self, other: Any) -> tensor: ...
        def __floordiv__(self, other: Any) -> tensor: ...
        def __mod__(self, other: Any) -> tensor: ...
        def __and__(self, other: Any) -> tensor: ...
        def __or__(self, other: Any) -> tensor: ...
        def __xor__(self, other: Any) -> tensor: ...
        def __lshift__(self, other: Any) -> tensor: ...
        def __rshift__(self, other: Any) -> tensor: ...
        def __lt__(self, other: Any) -> tensor: ...
        def __le__(self, other: Any) -> tensor: ...
        def __gt__(self, other: Any) -> tensor: ...
        def __ge__(self, other: Any) -> tensor: ...
        def __neg__(self) -> tensor: ...
        def __invert__(self) -> tensor: ...
