"""Shared memory (LDS on AMD). See `shared_memory_descriptor` for what the handles offer."""

from __future__ import annotations

from ._builtin import builtin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ._dtype import dtype
    from ._layouts import SharedLayout
    from ._shared_descriptor import shared_memory_descriptor
    from ._tensor import tensor


@builtin
def allocate_shared_memory(
    element_ty: dtype, shape: Sequence[int], layout: SharedLayout, value: tensor | None = None
) -> shared_memory_descriptor:
    """Allocate a tile of shared memory, with `value` as its initial contents if given.

    Args:
        shape: known at compile time. With one more dimension than `layout`, it is a ring of slots: see `.index`.
        layout: a shared layout.

    The memory is reused after the last use of the handle and its views.

    Example:
        >>> smem = gl.allocate_shared_memory(gl.int32, [4], S, value=i)
        >>> smem.load(L)
        [0, 1, 2, 3]
    """


@builtin
def sched_barrier(computed: Sequence[Any] = ()) -> None:
    """Keep the compiler's last step, which orders instructions, from moving them over this line. Takes no time.

    It orders nothing between warps. On AMD GPUs no instruction crosses, but arithmetic whose results are needed only
    below may be put there in the first place: name what is to be computed above. NVIDIA's assembler knows no such
    order: there, waits, barriers and memory accesses below stay below the computation of `computed`, and all else may
    cross.

    Args:
        computed: tensors and scalars that must be known before what comes after. On NVIDIA GPUs a warp spends an
            instruction on each of their registers, so name a sum rather than its terms; on AMD GPUs none.

    Example: the softmax of one block of keys runs while the product with the last block's values does.
        >>> x = gl.arange(0, 4, L)
        >>> gl.sched_barrier(computed=[x])
        >>> y = gl.sum(x)
        >>> gl.sched_barrier()
        >>> y
        6
    """


@builtin
def barrier(*, cluster: bool = False) -> None:
    """Wait until all threads of the block arrive; accesses of global memory before it happen before those after it.

    Shared memory does not need it: the compiler inserts its barriers. Those order no global memory (on AMD GPUs).

    Args:
        cluster: of all blocks of the cluster (`nvidia.hopper.cluster.barrier`).

    Example:
        >>> gl.store(p + i, 3 - i)
        >>> gl.barrier()
        >>> gl.load(p + 3 - i)
        [0, 1, 2, 3]
    """
