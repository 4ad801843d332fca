"""Warp specialization: partitions of warps that run different functions concurrently."""

from __future__ import annotations

from ._builtin import builtin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any


@builtin
def warp_specialize(
    functions_and_args: Sequence[tuple[Callable[..., Any], tuple[Any, ...]]],
    worker_num_warps: Sequence[int],
    worker_num_regs: Sequence[int] | None = None,
) -> Any:
    """Runs several functions concurrently, each on separate warps.

    The first function is the default partition, which runs on the `num_warps` warps of the launch. The default
    partition takes any arguments, and `warp_specialize` returns the results of the default partition. All further
    functions are workers. Each worker runs on additional warps, which are idle outside of `warp_specialize`. All warps
    synchronize before the functions begin and after the last function has ended. Each of these two synchronizations
    makes earlier writes visible to all warps.

    Inside a partition, `gl.num_warps()` is the number of warps of the partition, and layouts distribute tensors over
    these warps. `gl.barrier()`, and barriers that the compiler inserts, synchronize only the warps of their partition.
    Partitions are not synchronized with each other: the kernel must order writes of one partition and reads of another
    by mbarriers, named barriers or atomics.

    Args:
        functions_and_args: pairs of a `@hocket.jit` function and a tuple of its arguments. Workers take scalars,
            pointers, handles to shared memory, constants (including named barriers), and tuples of these. Workers
            return nothing, and do not take tensors, because tensors are in registers of the launch's warps.
        worker_num_warps: number of warps of each worker: 1, 2, 4 or 8. A block has at most 14 workers, and at most the
            number of warps that the GPU allows.
        worker_num_regs: registers per lane of each worker, multiples of 8 from 24 to 256. Workers that share a
            warpgroup (4 warps) get the largest number of registers among these workers. The default partition gets the
            remaining registers of the block; with `worker_num_regs`, the launch's `num_warps` must be a multiple of 4.
            The argument has no effect on GPUs whose warps cannot reallocate registers (before Hopper).

    `warp_specialize` may be called several times in a kernel, also in loops and branches, but not inside a partition.
    Only NVIDIA GPUs support `warp_specialize`. Arguments follow Gluon's `warp_specialize`.

    Example:
        >>> @hocket.jit
        ... def last_plus(p, n):
        ...     return gl.load(p + 63) + n
        >>> @hocket.jit
        ... def set_first(p, n):
        ...     gl.store(p, n * gl.num_warps())
        >>> gl.warp_specialize([(last_plus, (p, 1)), (set_first, (p, 5))], [2])
        641
        >>> gl.load(p)
        10
    """
