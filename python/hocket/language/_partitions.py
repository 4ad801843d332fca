"""Partitions of warps: different functions at the same time."""

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
    """Run several functions at the same time, each on warps of its own.

    The first function is the default partition. It runs on the launch's own `num_warps` warps, takes any arguments and
    may return values, which the call returns. The others are workers: each runs on extra warps, which wait wherever the
    kernel has nothing for them to do. All warps wait for each other before the first function begins and after the last
    has ended, and see what was written before.

    Inside a partition `gl.num_warps()` is the number of its own warps, layouts are for these, and `gl.barrier()`, like
    the barriers that the compiler inserts, waits for these alone. Nothing keeps partitions in step: what one writes and
    another reads must be put in order by the kernel, by mbarriers, named barriers or atomics.

    Args:
        functions_and_args: pairs of a `@hocket.jit` function and a tuple of its arguments. Workers take scalars,
            pointers, handles to shared memory, constants (named barriers, too), and tuples of these; no tensors, which
            are in the registers of the launch's warps, and return nothing.
        worker_num_warps: warps of each worker: 1, 2, 4 or 8. A block has at most 14 workers, and as many warps in all
            as the GPU allows.
        worker_num_regs: registers per lane of each worker, multiples of 8 from 24 to 256. Workers that share a
            warpgroup (4 warps) get the largest of theirs, and the default partition what is left of the block's; the
            launch's `num_warps` must then be a multiple of 4. It has no effect on GPUs whose warps cannot pass
            registers on to each other (before Hopper).

    May be called several times in a kernel, in loops and branches too, but not inside a partition. NVIDIA GPUs only.
    Following Gluon's `warp_specialize`.

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
