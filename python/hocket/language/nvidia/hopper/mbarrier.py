"""Barriers in shared memory (mbarriers), which on Hopper also count the bytes that asynchronous copies bring.

    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    mbarrier.expect(bar, tile.nbytes_per_cta)  # the one arrival of the phase, which now waits for these bytes, too
    tma.async_load(..., bar, tile)
    mbarrier.wait(bar, phase=0)                # the tile is there

What phases are and what waiting means is told in `ampere.mbarrier`.
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
    """Arrive once, and let the phase also wait for bytes that asynchronous copies bring to this mbarrier.

    Args:
        mbarrier: shared memory of int64, of shape [1], that `init` has made an mbarrier.
        bytes_per_cta: how many bytes, known at compile time, at most 2**20 - 1: the sum over all copies of the phase.
        pred: a scalar; where it is false nothing happens.
        from_cta: in a cluster, which bits of a block's number are kept to find the block that arrives at its mbarrier:
            with 0, block 0 arrives at the mbarriers of all blocks. Left out, each block arrives at its own.

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
    """Arrive at an mbarrier: all that the block has done so far is visible to whoever waits for the phase.

    The block's warps meet before one of them arrives for all. With `per_warp` they need not: each arrives for itself.

    Args:
        mbarrier: shared memory of int64, of shape [1], that `init` has made an mbarrier.
        count: the arrivals that this one stands for, known at compile time.
        pred: a scalar; where it is false nobody arrives.
        from_cta: in a cluster, which bits of a block's number are kept to find the block that arrives at its mbarrier:
            with 0, block 0 arrives at the mbarriers of all blocks. Left out, each block arrives at its own.
        per_warp: whether each warp arrives, `count` times; then `init` counts the arrivals of all warps,
            in a cluster also of those of other blocks that arrive here.
        relaxed: at mbarriers of other blocks, whether these need not see what this block has written. Enough to say
            that a tile was read, which a multicast may overwrite; it saves a fence for the whole GPU. To the emulator
            such arrivals are ordinary ones.

    Example:
        >>> bar = hopper.mbarrier.allocate_mbarrier()
        >>> hopper.mbarrier.init(bar, count=3)
        >>> hopper.mbarrier.arrive(bar, count=2)
        >>> hopper.mbarrier.arrive(bar)
        >>> hopper.mbarrier.wait(bar, 0)
    """


@builtin
def fence_init_release_cluster() -> None:
    """Make mbarriers that were initialised before visible to the other blocks of a cluster.

    Asynchronous copies of this block need no fence: `init` has it.

    Example:
        >>> bar = hopper.mbarrier.allocate_mbarrier()
        >>> hopper.mbarrier.init(bar, count=1)
        >>> hopper.mbarrier.fence_init_release_cluster()
    """


if not TYPE_CHECKING:  # or checkers would take any name for known

    def __getattr__(name: str):
        if name != "MBarrierLayout":
            from ..._foreign_names import missing_attribute

            raise missing_attribute(__name__, name, __all__)
        from ..._layouts.nvidia import MBarrierLayout  # not before: dataclasses take longer to load than the rest

        return MBarrierLayout


def __dir__() -> list[str]:
    return __all__
