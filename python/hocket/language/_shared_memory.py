"""Shared memory (LDS on AMD). `shared_memory_descriptor` documents the operations on handles."""

from __future__ import annotations

from ._builtin import builtin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ._dtype import dtype
    from ._layouts import SharedLayout
    from ._shared_descriptor import shared_memory_descriptor
    from ._tensor import tensor


@builtin
def allocate_shared_memory(
    element_ty: dtype, shape: Sequence[int], layout: SharedLayout, value: tensor | None = None
) -> shared_memory_descriptor:
    """Allocates a tile of shared memory. If `value` is given, the tile is initialized with `value`.

    Args:
        shape: known at compile time. If `shape` has one more dimension than `layout`, the result is a ring of buffers
            (see `.index`).
        layout: a shared layout.

    The memory is reused after the last use of the handle and its views.

    Example:
        >>> smem = gl.allocate_shared_memory(gl.int32, [4], S, value=i)
        >>> smem.load(L)
        [0, 1, 2, 3]
    """


@builtin
def barrier(*, cluster: bool = False) -> None:
    """Synchronizes all threads of the block, and orders their accesses of global memory before the barrier and after
    the barrier.

    Accesses of shared memory do not need `gl.barrier`, because the compiler inserts the necessary barriers. On AMD
    GPUs, barriers that the compiler inserts do not order accesses of global memory.

    Args:
        cluster: wait for all blocks of the cluster (`nvidia.hopper.cluster.barrier`).

    Example:
        >>> gl.store(p + i, 3 - i)
        >>> gl.barrier()
        >>> gl.load(p + 3 - i)
        [0, 1, 2, 3]
    """
