"""Barriers in shared memory (mbarriers), which on Hopper also count the bytes of asynchronous copies.

    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    mbarrier.expect(bar, tile.nbytes_per_cta)  # the single arrival of the phase, which also waits for these bytes
    tma.async_load(..., bar, tile)
    mbarrier.wait(bar, phase=0)                # waits for the tile

`ampere.mbarrier` explains phases and waits.
"""

from __future__ import annotations

from ..._builtin import builtin
from ..ampere.mbarrier import allocate_mbarrier, init, invalidate, wait

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..._layouts.nvidia import MBarrierLayout
    from ..._shared_descriptor import shared_memory_descriptor
    from ..._tensor import tensor

__all__ = [
    "MBarrierLayout",
    "allocate_mbarrier",
    "arrive",
    "expect",
    "fence_init_release_cluster",
    "init",
    "invalidate",
    "wait",
]


@builtin
def expect(
    mbarrier: shared_memory_descriptor,
    bytes_per_cta: int | None = None,
    pred: bool | tensor = True,
    *,
    from_cta: int | None = None,
) -> None:
    """Arrives once, and makes the phase also wait for bytes of asynchronous copies to this mbarrier.

    Args:
        mbarrier: shared memory of int64, of shape [1], initialized by `init`.
        bytes_per_cta: number of bytes, known at compile time, at most 2**20 - 1: the sum over all copies of the phase.
        pred: a scalar; if `pred` is false, nothing happens.
        from_cta: in a cluster, a mask for a block's rank: the block with rank `rank & from_cta` arrives at the mbarrier
            of block `rank`. With `from_cta=0`, block 0 arrives at the mbarriers of all blocks. By default, each
            block arrives at its own mbarrier.

    Example:
        >>> bar = hopper.mbarrier.allocate_mbarrier()
        >>> hopper.mbarrier.init(bar, count=1)
        >>> hopper.mbarrier.expect(bar, 0)
        >>> hopper.mbarrier.wait(bar, 0)
    """


@builtin
def arrive(
    mbarrier: shared_memory_descriptor,
    *,
    count: int = 1,
    pred: bool | tensor = True,
    from_cta: int | None = None,
    per_warp: bool = False,
    relaxed: bool = False,
) -> None:
    """Arrives at an mbarrier: earlier memory accesses of the block are visible to threads that wait for the phase.

    The block's warps synchronize, then one warp arrives for the block. With `per_warp`, each warp arrives separately.

    Args:
        mbarrier: shared memory of int64, of shape [1], initialized by `init`.
        count: number of arrivals of this call, known at compile time.
        pred: a scalar; if `pred` is false, nothing arrives.
        from_cta: in a cluster, a mask for a block's rank: the block with rank `rank & from_cta` arrives at the mbarrier
            of block `rank`. With `from_cta=0`, block 0 arrives at the mbarriers of all blocks. By default, each
            block arrives at its own mbarrier.
        per_warp: True if each warp arrives, `count` times; the count of `init` then includes the arrivals of all warps,
            in a cluster also the arrivals of other blocks' warps.
        relaxed: for mbarriers of other blocks: True if the writes of this block need not become visible to the other
            blocks. A relaxed arrival suffices to signal that a tile was read, and that a multicast may overwrite the
            tile. A relaxed arrival saves a GPU-wide fence. The emulator treats a relaxed arrival like an ordinary
            arrival.

    Example:
        >>> bar = hopper.mbarrier.allocate_mbarrier()
        >>> hopper.mbarrier.init(bar, count=3)
        >>> hopper.mbarrier.arrive(bar, count=2)
        >>> hopper.mbarrier.arrive(bar)
        >>> hopper.mbarrier.wait(bar, 0)
    """


@builtin
def fence_init_release_cluster() -> None:
    """Makes initialized mbarriers visible to the other blocks of a cluster.

    Asynchronous copies of this block need no fence: `init` includes one.

    Example:
        >>> bar = hopper.mbarrier.allocate_mbarrier()
        >>> hopper.mbarrier.init(bar, count=1)
        >>> hopper.mbarrier.fence_init_release_cluster()
    """


if not TYPE_CHECKING:  # a visible `__getattr__` would make type checkers accept any attribute of this module

    def __getattr__(name: str):
        if name != "MBarrierLayout":
            from ..._foreign_names import missing_attribute

            raise missing_attribute(__name__, name, __all__)
        # imported on first use, because the import of dataclasses is slow
        from ..._layouts.nvidia import MBarrierLayout

        return MBarrierLayout


def __dir__() -> list[str]:
    return __all__
