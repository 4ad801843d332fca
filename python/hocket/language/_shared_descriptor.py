"""`gl.shared_memory_descriptor`, a handle to shared memory: views, accesses, indexed atomics."""

from __future__ import annotations

from ._builtin import builtin
from ._types import base_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    import builtins

    from ._dtype import dtype as dtype_t
    from ._layouts import DistributedLayout, SharedLayout
    from ._tensor import tensor
    from ._types import shared_memory_descriptor_type


class shared_memory_descriptor(base_value):
    """A handle to a tile in shared memory. `allocate_shared_memory` returns a handle; views of a handle are handles,
    too.

    The compiler inserts barriers between writes and reads (and between reads and writes) of different threads.
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
        """The size of each dimension, outermost first. In a ring buffer, the first size is the number of buffers.

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
        """Number of bytes that the buffer takes, including padding.

        Example:
            >>> smem = gl.allocate_shared_memory(gl.int32, [4], S, value=i)
            >>> smem.nbytes_per_cta
            16
        """

    @property
    @builtin
    def layout(self) -> SharedLayout:
        """The layout of the elements in memory.

        Example:
            >>> smem = gl.allocate_shared_memory(gl.int32, [4], S, value=i)
            >>> smem.layout == S
            True
        """

    @property
    @builtin
    def type(self) -> shared_memory_descriptor_type:
        """Element type, shape and layout.

        Example:
            >>> smem = gl.allocate_shared_memory(gl.int32, [4], S, value=i)
            >>> smem.type == gl.shared_memory_descriptor_type(gl.int32, [4], S)
            True
        """

    @builtin
    def load(self, layout: DistributedLayout) -> tensor:
        """Reads the tile into registers, distributed according to `layout`.

        Example:
            >>> smem = gl.allocate_shared_memory(gl.int32, [4], S, value=i)
            >>> smem.load(L)
            [0, 1, 2, 3]
        """

    @builtin
    def store(self, value: tensor) -> None:
        """Writes `value`, which has the shape and element type of the tile, into the tile.

        Example:
            >>> smem = gl.allocate_shared_memory(gl.int32, [4], S, value=i)
            >>> smem.store(i * i)
            >>> smem.load(L)
            [0, 1, 4, 9]
        """

    @builtin
    def gather(self, indices: tensor, axis: int) -> tensor:
        """Reads the elements that `indices` (int32) select along `axis`, in the shape and layout of `indices`.

        Element (..., i, ...) of the result is element (..., indices[..., i, ...], ...) of the tile. `indices` has the
        rank of the tile; along the other axes, its sizes are at most those of the tile. The emulator reports an index
        out of range, GPUs do not.

        Example:
            >>> smem = gl.allocate_shared_memory(gl.int32, [4], S, value=i * i)
            >>> smem.gather(3 - i, 0)
            [9, 4, 1, 0]
        """

    @builtin
    def scatter(self, values: tensor, indices: tensor, axis: int) -> None:
        """Writes `values` to the elements that `indices` (int32), of the same layout, select along `axis`.

        Dimensions of size 1 are broadcast: values of one column and indices of one row make a whole tile. Elements are
        selected as in `gather`. If several values are written to one element, any of the values may remain. The
        emulator reports a race if the values of different warps differ.

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
        """Atomically adds each value to its selected element; returns the old elements.

        Elements are selected as in `scatter`. Several values may select the same element. Each value is applied once,
        even if the layout of `values` replicates the value. A value whose mask is False is not applied, and its result
        is undefined. Elements are integers of 32 and 64 bits, float16, bfloat16, float32 and float64.

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
        """Atomically replaces each selected element by the larger of element and value; returns the old elements.

        Elements are selected as in `scatter`. Several values may select the same element. Each value is applied once,
        even if the layout of `values` replicates the value. A value whose mask is False is not applied, and its result
        is undefined. Elements are integers of 32 and 64 bits, or, if the handle is a whole buffer, float32 and float64.

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
        """Atomically replaces each selected element by the smaller of element and value; returns the old elements.

        Elements are selected as in `scatter`. Several values may select the same element. Each value is applied once,
        even if the layout of `values` replicates the value. A value whose mask is False is not applied, and its result
        is undefined. Elements are integers of 32 and 64 bits, or, if the handle is a whole buffer, float32 and float64.

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
        """Atomically replaces each selected element by `element & value`; returns the old elements.

        Elements are selected as in `scatter`. Several values may select the same element. Each value is applied once,
        even if the layout of `values` replicates the value. A value whose mask is False is not applied, and its result
        is undefined. Elements are integers of 32 and 64 bits.

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
        """Atomically replaces each selected element by `element | value`; returns the old elements.

        Elements are selected as in `scatter`. Several values may select the same element. Each value is applied once,
        even if the layout of `values` replicates the value. A value whose mask is False is not applied, and its result
        is undefined. Elements are integers of 32 and 64 bits.

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
        """Atomically replaces each selected element by `element ^ value`; returns the old elements.

        Elements are selected as in `scatter`. Several values may select the same element. Each value is applied once,
        even if the layout of `values` replicates the value. A value whose mask is False is not applied, and its result
        is undefined. Elements are integers of 32 and 64 bits.

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
        """Atomically replaces each selected element by the value; returns the old elements.

        Elements are selected as in `scatter`. Several values may select the same element. Each value is applied once,
        even if the layout of `values` replicates the value. A value whose mask is False is not applied, and its result
        is undefined. Elements are numbers of 32 and 64 bits.

        Example:
            >>> smem = gl.allocate_shared_memory(gl.int32, [4], S, value=i)
            >>> smem.atomic_scatter_xchg(3 - i, i, 0)
            >>> smem.load(L)
            [3, 2, 1, 0]
        """

    @builtin
    def index(self, index: int | tensor) -> shared_memory_descriptor:
        """Returns the sub-buffer at `index` along dimension 0. The emulator reports an index out of range, GPUs do not.

        The remainder `%` of a negative number is negative, as in C: for k = 0, `(k + 2) % 3` is a valid index, `(k - 1)
        % 3` is not.

        Example:
            >>> ring = gl.allocate_shared_memory(gl.int32, [2, 4], S)
            >>> ring.index(1).store(i)
            >>> ring.index(1).load(L)
            [0, 1, 2, 3]
        """

    @builtin
    def slice(self, start: int, length: int, dim: int = 0) -> shared_memory_descriptor:
        """Returns a view of `length` entries from `start` along `dim`; `start`, `length` and `dim` are known at compile
        time.

        Example:
            >>> smem = gl.allocate_shared_memory(gl.int32, [4], S, value=i)
            >>> smem.slice(2, 2).load(L)
            [2, 3]
        """

    @builtin
    def permute(self, order: list[int]) -> shared_memory_descriptor:
        """Returns a view of the same memory with its dimensions in another order.

        Example:
            >>> tile = gl.allocate_shared_memory(gl.int32, [2, 4], gl.SwizzledSharedLayout(1, 1, 1, [1, 0]), value=t)
            >>> tile.permute([1, 0]).load(T)
            [[0, 4], [1, 5], [2, 6], [3, 7]]
        """

    @builtin
    def reshape(self, shape: list[int]) -> shared_memory_descriptor:
        """Returns a view of the same memory, in row-major order, in another shape.

        Example:
            >>> smem = gl.allocate_shared_memory(gl.int32, [4], S, value=i)
            >>> smem.reshape([2, 2]).load(T)
            [[0, 1], [2, 3]]
        """

    @builtin
    def reinterpret(
        self, dtype: dtype_t | None = None, shape: list[int] | None = None, layout: SharedLayout | None = None
    ) -> shared_memory_descriptor:
        """Returns a view of the same bytes with another type, shape or layout. An argument of None keeps the present
        type, shape or layout.

        Example:
            >>> smem = gl.allocate_shared_memory(gl.int32, [4], S, value=i)
            >>> smem.reinterpret(gl.int16, [8]).load(L)
            [0, 0, 1, 0, 2, 0, 3, 0]
        """

    @builtin
    def _reinterpret(
        self, dtype: dtype_t | None = None, shape: list[int] | None = None, layout: SharedLayout | None = None
    ) -> shared_memory_descriptor:
        """Returns a view of the same bytes with another type, shape and layout. In Gluon, `reinterpret` has this name.

        Example:
            >>> smem = gl.allocate_shared_memory(gl.int32, [4], S, value=i)
            >>> smem._reinterpret(gl.int16, [8], S).load(L)
            [0, 0, 1, 0, 2, 0, 3, 0]
        """

    @builtin
    def _keep_alive(self) -> None:
        """Extends the buffer's lifetime to this program point.

        Example:
            >>> smem = gl.allocate_shared_memory(gl.int32, [4], S, value=i)
            >>> smem._keep_alive()
        """
