"""Shared memory (LDS on AMD). `shared_memory_descriptor` documents the operations on handles."""

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
    """Allocates a tile of shared memory, initialized with `value` if it is given.

    Args:
        shape: known at compile time. With one more dimension than `layout`, it is a ring of buffers: see `.index`.
        layout: a shared layout.

    The memory is reused after the last use of the handle and its views.

    Example:
        >>> smem = gl.allocate_shared_memory(gl.int32, [4], S, value=i)
        >>> smem.load(L)
        [0, 1, 2, 3]
    """


@builtin
def sched_barrier(computed: Sequence[Any] = ()) -> None:
    """Prevents the instruction scheduler from moving instructions across this line. Costs no instruction.

    It does not order anything between warps. On AMD GPUs, no instruction crosses it, but the compiler may already have
    placed arithmetic below if its results are only needed there: name values to compute above. NVIDIA's assembler has
    no such barrier: there, waits, barriers and memory accesses below stay below the computation of `computed`, and
    other instructions may cross.

    Args:
        computed: tensors and scalars that must be computed before later code. On NVIDIA GPUs, each of their registers
            costs an instruction, so name a sum rather than its terms; on AMD GPUs, they cost none.

    Example: the softmax of a block of keys overlaps with P V of the previous block.
        >>> x = gl.arange(0, 4, L)
        >>> gl.sched_barrier(computed=[x])
        >>> y = gl.sum(x)
        >>> gl.sched_barrier()
        >>> y
        6
    """


@builtin
def barrier(*, cluster: bool = False) -> None:
    """Waits for all threads of the block, and orders accesses of global memory before it and after it.

    Shared memory does not need it: the compiler inserts its own barriers, which do not order global memory (on AMD
        GPUs).

    Args:
        cluster: wait for all blocks of the cluster (`nvidia.hopper.cluster.barrier`).

    Example:
        >>> gl.store(p + i, 3 - i)
        >>> gl.barrier()
        >>> gl.load(p + 3 - i)
        [0, 1, 2, 3]
    """
