"""Asynchronous copies from global into shared memory that bypass registers (cp.async), and waits for them.

    async_copy.async_load(tile, pointers)      # starts a copy
    async_copy.commit_group()                  # makes a group of the copies since the last commit
    async_copy.wait_group(1)                   # waits for all groups except the newest one
    x = tile.load(layout)

Each lane copies 4, 8 or 16 bytes at a time: elements that are contiguous both in global memory and in the tile's
memory.
"""

from __future__ import annotations

from ..._builtin import builtin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..._cache_policy import CachePolicy
    from ..._shared_descriptor import shared_memory_descriptor
    from ..._tensor import tensor

__all__ = ["async_copy_global_to_shared", "async_load", "commit_group", "mbarrier_arrive", "wait_group"]


@builtin
def async_load(
    smem: shared_memory_descriptor,
    pointer: tensor,
    mask: tensor | None = None,
    cache_modifier: str | None = "",
    eviction_policy: str | None = "",
    volatile: bool = False,
    cache_policy: CachePolicy | None = None,
) -> None:
    """Starts copying from global memory into `smem`.

    Args:
        smem: shared memory with the shape of `pointer` and the pointers' element type.
        pointer: a tensor of pointers.
        mask: int1, broadcast to `pointer`; elements whose mask is false become 0.
        cache_modifier: "" or None, ".ca" (all levels) or ".cg" (L2 only, the default for 16 bytes per lane).
        eviction_policy: "" or None, "evict_first" or "evict_last": eviction priority in the L2.
        volatile: accepted; asynchronous copies are never merged or removed.
        cache_policy: an `ampere.CachePolicy` without `l1`, as an alternative to `cache_modifier` and `eviction_policy`.

    Example:
        >>> smem = gl.allocate_shared_memory(gl.int32, [64], S)
        >>> ampere.async_copy.async_load(smem, p + gl.arange(0, 64, L))
        >>> ampere.async_copy.commit_group()
        >>> ampere.async_copy.wait_group(0)
        >>> gl.sum(smem.load(L))
        20800
    """


#: Name of `async_load` in older versions of Gluon.
async_copy_global_to_shared = async_load


@builtin
def commit_group() -> None:
    """Makes a group of all copies that were started since the last commit. A group may be empty.

    Example:
        >>> smem = gl.allocate_shared_memory(gl.int32, [64], S)
        >>> ampere.async_copy.async_load(smem, p + gl.arange(0, 64, L))
        >>> ampere.async_copy.commit_group()
        >>> ampere.async_copy.wait_group(0)
        >>> gl.sum(smem.load(L))
        20800
    """


@builtin
def mbarrier_arrive(mbarrier: shared_memory_descriptor, increment_count: bool = True) -> None:
    """Makes every thread arrive at an mbarrier when all copies that the thread has started are complete.

    Threads that have waited for the mbarrier's phase may read the copied data. The copies need no commit group.

    Args:
        mbarrier: shared memory of int64, of shape [1], initialized by `mbarrier.init`.
        increment_count: if True, the current phase waits for the arrivals of copies in addition to the count of `init`.
            At least one more arrival, such as `mbarrier.arrive`, is necessary. If False, the count of `init` includes
            one arrival for each thread of the block.

    Example:
        >>> smem = gl.allocate_shared_memory(gl.int32, [64], S)
        >>> bar = ampere.mbarrier.allocate_mbarrier()
        >>> ampere.mbarrier.init(bar, count=gl.num_warps() * 32)
        >>> ampere.async_copy.async_load(smem, p + gl.arange(0, 64, L))
        >>> ampere.async_copy.mbarrier_arrive(bar, increment_count=False)
        >>> ampere.mbarrier.wait(bar, 0)
        >>> gl.sum(smem.load(L))
        20800
    """


@builtin
def wait_group(num_outstanding: int = 0) -> None:
    """Waits until at most `num_outstanding` groups (known at compile time) of this warp are pending.

    After the wait, the kernel may also read data that other warps have copied: the compiler inserts the necessary
    barrier.

    Example:
        >>> ring = gl.allocate_shared_memory(gl.int32, [2, 32], S)
        >>> k = gl.arange(0, 32, L)
        >>> ampere.async_copy.async_load(ring.index(0), p + k)
        >>> ampere.async_copy.commit_group()
        >>> ampere.async_copy.async_load(ring.index(1), p + 32 + k)
        >>> ampere.async_copy.commit_group()
        >>> ampere.async_copy.wait_group(1)
        >>> gl.sum(ring.index(0).load(L))
        5280
    """


def __dir__() -> list[str]:
    return __all__
