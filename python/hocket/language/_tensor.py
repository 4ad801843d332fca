"""The types of values inside kernels, for annotations: `def f(x: gl.tensor, a: gl.shared_memory_descriptor)`.

Kernels are compiled, not run: nothing here is ever instantiated. The classes hold what such values offer: the compiler
looks an attribute up in the class of the value, where it finds builtins. A property is called with the value, any other
builtin is a method. Builtins that are functions of `gl` too join a class with `method_of`.
"""

from __future__ import annotations

from ._builtin import builtin

TYPE_CHECKING = False
if TYPE_CHECKING:
    import builtins
    from collections.abc import Callable
    from typing import Any

    from ._dtype import dtype as dtype_t
    from ._layouts import DistributedLayout, SharedLayout


class base_type:
    """The type of any value inside a kernel."""


class base_value:
    """Any value inside a kernel."""

    def __init__(self, *args: Any, **kwargs: Any):
        raise TypeError(f"gl.{type(self).__name__} values exist only inside @hocket.jit kernels")


class block_type(base_type):
    """The type of a tensor: element type and shape."""

    element_ty: dtype_t
    shape: list[int]

    def __init__(self, element_ty: dtype_t, shape: list[int]):
        self.element_ty = element_ty
        self.shape = list(shape)

    @property
    def scalar(self) -> dtype_t:
        """The type of the elements."""
        return self.element_ty

    @property
    def numel(self) -> int:
        """The number of elements."""
        product = 1
        for size in self.shape:
            product *= size
        return product

    @property
    def nbytes(self) -> int:
        """The bytes of all elements, in memory."""
        return self.numel * max(self.element_ty.primitive_bitwidth, 8) // 8

    def is_block(self) -> bool:
        """True: it is the type of a tensor."""
        return True

    def _key(self) -> tuple:
        return (self.element_ty, (*self.shape,))

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(repr, (self.element_ty, self.shape)))})"


class distributed_type(block_type):
    """The type of a tensor with its layout: what `x.type` is inside a kernel."""

    layout: DistributedLayout

    def __init__(self, element_ty: dtype_t, shape: list[int], layout: DistributedLayout):
        super().__init__(element_ty, shape)
        self.layout = layout

    def _key(self) -> tuple:
        return (*super()._key(), self.layout)

    def __repr__(self) -> str:
        return f"distributed_type({self.element_ty!r}, {self.shape!r}, {self.layout!r})"


class shared_memory_descriptor_type(base_type):
    """The type of a handle to shared memory."""

    def __init__(
        self, element_ty: dtype_t, shape: list[int], layout: SharedLayout, alloc_shape: list[int] | None = None
    ):
        self.element_ty = element_ty
        self.shape = list(shape)
        self.layout = layout
        self.alloc_shape = list(shape if alloc_shape is None else alloc_shape)

    def _key(self) -> tuple:
        return (self.element_ty, (*self.shape,), self.layout, (*self.alloc_shape,))

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        return f"shared_memory_descriptor_type({self.element_ty!r}, {self.shape!r}, {self.layout!r})"


class tuple_type(base_type):
    """The type of a tuple of values."""


class tensor(base_value):
    """A tile in registers (or a scalar, whose shape is empty).

    Operators work elementwise with Gluon's promotion rules; size-1 dimensions stretch; layouts must agree.
    Every function below is also a builtin of the same name: `x.sum(0)` is `gl.sum(x, 0)`.
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
        """Elements, shape and layout; the dtype for a scalar.

        Example:
            >>> t.type == gl.distributed_type(gl.int32, [2, 4], T)
            True
        """

    @property
    @builtin
    def layout(self) -> DistributedLayout:
        """How the elements are spread over lanes and registers; a scalar has none.

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
        """The same values with dimensions in reverse order.

        Example:
            >>> t.T
            [[0, 4], [1, 5], [2, 6], [3, 7]]
        """

    # For editors and type checkers: these join the class where they are defined.
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


class tuple(base_value):
    """Several values, of possibly different types."""


class shared_memory_descriptor(base_value):
    """A handle to a tile in shared memory. Made by `allocate_shared_memory`; its views are handles too.

    The compiler inserts the barriers that reads after writes (and writes after reads) of other threads need.
    """

    @property
    @builtin
    def dtype(self) -> dtype_t:
        """The type of the elements.

        Example:
            >>> smem = gl.allocate_shared_memory(gl.int32, [4], S, value=i)
            >>> smem.dtype == gl.int32
            True
        """

    @property
    @builtin
    def shape(self) -> builtins.tuple[int, ...]:
        """The sizes, outermost first; for a ring, the number of slots is the first.

        Example:
            >>> smem = gl.allocate_shared_memory(gl.int32, [4], S, value=i)
            >>> smem.shape[0]
            4
        """

    @property
    @builtin
    def rank(self) -> int:
        """The number of dimensions.

        Example:
            >>> smem = gl.allocate_shared_memory(gl.int32, [4], S, value=i)
            >>> smem.rank
            1
        """

    @property
    @builtin
    def numel(self) -> int:
        """The number of elements.

        Example:
            >>> smem = gl.allocate_shared_memory(gl.int32, [4], S, value=i)
            >>> smem.numel
            4
        """

    @property
    @builtin
    def nbytes_per_cta(self) -> int:
        """The bytes that the buffer takes, padding included.

        Example:
            >>> smem = gl.allocate_shared_memory(gl.int32, [4], S, value=i)
            >>> smem.nbytes_per_cta
            16
        """

    @property
    @builtin
    def layout(self) -> SharedLayout:
        """How the elements are placed in memory.

        Example:
            >>> smem = gl.allocate_shared_memory(gl.int32, [4], S, value=i)
            >>> smem.layout == S
            True
        """

    @property
    @builtin
    def type(self) -> shared_memory_descriptor_type:
        """Elements, shape and layout.

        Example:
            >>> smem = gl.allocate_shared_memory(gl.int32, [4], S, value=i)
            >>> smem.type == gl.shared_memory_descriptor_type(gl.int32, [4], S)
            True
        """

    @builtin
    def load(self, layout: DistributedLayout) -> tensor:
        """Read the tile into registers, distributed as `layout` says.

        Example:
            >>> smem = gl.allocate_shared_memory(gl.int32, [4], S, value=i)
            >>> smem.load(L)
            [0, 1, 2, 3]
        """

    @builtin
    def store(self, value: tensor) -> None:
        """Write `value`, of the same shape and element type, into the tile.

        Example:
            >>> smem = gl.allocate_shared_memory(gl.int32, [4], S, value=i)
            >>> smem.store(i * i)
            >>> smem.load(L)
            [0, 1, 4, 9]
        """

    @builtin
    def gather(self, indices: tensor, axis: int) -> tensor:
        """Read the elements that `indices` (int32) select along `axis`: in the shape and layout of `indices`.

        Element (.., i, ..) of the result is element (.., indices[.., i, ..], ..) of the tile. `indices` has the rank of
        the tile, and along other axes at most its sizes. The emulator reports an index out of range, GPUs do not.

        Example:
            >>> smem = gl.allocate_shared_memory(gl.int32, [4], S, value=i * i)
            >>> smem.gather(3 - i, 0)
            [9, 4, 1, 0]
        """

    @builtin
    def scatter(self, values: tensor, indices: tensor, axis: int) -> None:
        """Write `values` to the elements that `indices` (int32), of their shape and layout, select along `axis`.

        As in `gather`, the other way round. Which of several values for one element is left there is not defined; the
        emulator reports those of different warps as a race if they differ.

        Example:
            >>> smem = gl.allocate_shared_memory(gl.int32, [4], S)
            >>> smem.scatter(i, 3 - i, 0)
            >>> smem.load(L)
            [3, 2, 1, 0]
        """

    @builtin
    def atomic_scatter_add(
        self, values: tensor, indices: tensor, axis: int, mask: tensor | bool | None = None
    ) -> tensor:
        """Atomically make each selected element its sum with the value; returns what it was before.

        Elements are selected as in `scatter`, and several values may be for one. Each value counts once, even where
        its layout replicates it. Where `mask` is False nothing happens and the result is undefined. Elements are
        integers of 32 and 64 bits, float16, bfloat16, float32 and float64.

        Example:
            >>> smem = gl.allocate_shared_memory(gl.int32, [4], S, value=i)
            >>> smem.atomic_scatter_add(i, i * 0, 0)
            >>> smem.load(L)
            [6, 1, 2, 3]
        """

    @builtin
    def atomic_scatter_max(
        self, values: tensor, indices: tensor, axis: int, mask: tensor | bool | None = None
    ) -> tensor:
        """Atomically make each selected element the larger of it and the value; returns what it was before.

        Elements are selected as in `scatter`, and several values may be for one. Each value counts once, even where
        its layout replicates it. Where `mask` is False nothing happens and the result is undefined. Elements are
        integers of 32 and 64 bits; of whole buffers also float32 and float64.

        Example:
            >>> smem = gl.allocate_shared_memory(gl.int32, [4], S, value=i)
            >>> smem.atomic_scatter_max(3 - i, i, 0)
            >>> smem.load(L)
            [3, 2, 2, 3]
        """

    @builtin
    def atomic_scatter_min(
        self, values: tensor, indices: tensor, axis: int, mask: tensor | bool | None = None
    ) -> tensor:
        """Atomically make each selected element the smaller of it and the value; returns what it was before.

        Elements are selected as in `scatter`, and several values may be for one. Each value counts once, even where
        its layout replicates it. Where `mask` is False nothing happens and the result is undefined. Elements are
        integers of 32 and 64 bits; of whole buffers also float32 and float64.

        Example:
            >>> smem = gl.allocate_shared_memory(gl.int32, [4], S, value=i)
            >>> smem.atomic_scatter_min(3 - i, i, 0)
            >>> smem.load(L)
            [0, 1, 1, 0]
        """

    @builtin
    def atomic_scatter_and(
        self, values: tensor, indices: tensor, axis: int, mask: tensor | bool | None = None
    ) -> tensor:
        """Atomically make each selected element its bitwise and with the value; returns what it was before.

        Elements are selected as in `scatter`, and several values may be for one. Each value counts once, even where
        its layout replicates it. Where `mask` is False nothing happens and the result is undefined. Elements are
        integers of 32 and 64 bits.

        Example:
            >>> smem = gl.allocate_shared_memory(gl.int32, [4], S, value=i)
            >>> smem.atomic_scatter_and(3 - i, i, 0)
            >>> smem.load(L)
            [0, 0, 0, 0]
        """

    @builtin
    def atomic_scatter_or(
        self, values: tensor, indices: tensor, axis: int, mask: tensor | bool | None = None
    ) -> tensor:
        """Atomically make each selected element its bitwise or with the value; returns what it was before.

        Elements are selected as in `scatter`, and several values may be for one. Each value counts once, even where
        its layout replicates it. Where `mask` is False nothing happens and the result is undefined. Elements are
        integers of 32 and 64 bits.

        Example:
            >>> smem = gl.allocate_shared_memory(gl.int32, [4], S, value=i)
            >>> smem.atomic_scatter_or(3 - i, i, 0)
            >>> smem.load(L)
            [3, 3, 3, 3]
        """

    @builtin
    def atomic_scatter_xor(
        self, values: tensor, indices: tensor, axis: int, mask: tensor | bool | None = None
    ) -> tensor:
        """Atomically make each selected element its bitwise exclusive or with the value; returns what it was before.

        Elements are selected as in `scatter`, and several values may be for one. Each value counts once, even where
        its layout replicates it. Where `mask` is False nothing happens and the result is undefined. Elements are
        integers of 32 and 64 bits.

        Example:
            >>> smem = gl.allocate_shared_memory(gl.int32, [4], S, value=i)
            >>> smem.atomic_scatter_xor(i, i, 0)
            >>> smem.load(L)
            [0, 0, 0, 0]
        """

    @builtin
    def atomic_scatter_xchg(
        self, values: tensor, indices: tensor, axis: int, mask: tensor | bool | None = None
    ) -> tensor:
        """Atomically make each selected element the value; returns what it was before.

        Elements are selected as in `scatter`, and several values may be for one. Each value counts once, even where
        its layout replicates it. Where `mask` is False nothing happens and the result is undefined. Elements are
        numbers of 32 and 64 bits.

        Example:
            >>> smem = gl.allocate_shared_memory(gl.int32, [4], S, value=i)
            >>> smem.atomic_scatter_xchg(3 - i, i, 0)
            >>> smem.load(L)
            [3, 2, 1, 0]
        """

    @builtin
    def index(self, index: int | tensor) -> shared_memory_descriptor:
        """Slot `index` along dimension 0, which is dropped. The emulator reports an index out of range, GPUs do not.

        `%` of a negative number is negative, as in C: for k = 0, `(k + 2) % 3` is a slot, `(k - 1) % 3` is not.

        Example:
            >>> ring = gl.allocate_shared_memory(gl.int32, [2, 4], S)
            >>> ring.index(1).store(i)
            >>> ring.index(1).load(L)
            [0, 1, 2, 3]
        """

    @builtin
    def slice(self, start: int, length: int, dim: int = 0) -> shared_memory_descriptor:
        """`length` entries from `start` along `dim`; all known at compile time.

        Example:
            >>> smem = gl.allocate_shared_memory(gl.int32, [4], S, value=i)
            >>> smem.slice(2, 2).load(L)
            [2, 3]
        """

    @builtin
    def permute(self, order: list[int]) -> shared_memory_descriptor:
        """The same memory with its dimensions in another order.

        Example:
            >>> tile = gl.allocate_shared_memory(gl.int32, [2, 4], gl.SwizzledSharedLayout(1, 1, 1, [1, 0]), value=t)
            >>> tile.permute([1, 0]).load(T)
            [[0, 4], [1, 5], [2, 6], [3, 7]]
        """

    @builtin
    def reshape(self, shape: list[int]) -> shared_memory_descriptor:
        """The same memory, in row-major order, in another shape.

        Example:
            >>> smem = gl.allocate_shared_memory(gl.int32, [4], S, value=i)
            >>> smem.reshape([2, 2]).load(T)
            [[0, 1], [2, 3]]
        """

    @builtin
    def reinterpret(
        self, dtype: dtype_t | None = None, shape: list[int] | None = None, layout: SharedLayout | None = None
    ) -> shared_memory_descriptor:
        """The same bytes as another type, shape or layout; what is None stays as it is.

        Example:
            >>> smem = gl.allocate_shared_memory(gl.int32, [4], S, value=i)
            >>> smem.reinterpret(gl.int16, [8]).load(L)
            [0, 0, 1, 0, 2, 0, 3, 0]
        """

    @builtin
    def _reinterpret(self, dtype: dtype_t, shape: list[int], layout: SharedLayout) -> shared_memory_descriptor:
        """The same bytes as another type, shape and layout.

        Example:
            >>> smem = gl.allocate_shared_memory(gl.int32, [4], S, value=i)
            >>> smem._reinterpret(gl.int16, [8], S).load(L)
            [0, 0, 1, 0, 2, 0, 3, 0]
        """

    @builtin
    def _keep_alive(self) -> None:
        """Extend the buffer's lifetime to this point.

        Example:
            >>> smem = gl.allocate_shared_memory(gl.int32, [4], S, value=i)
            >>> smem._keep_alive()
        """
