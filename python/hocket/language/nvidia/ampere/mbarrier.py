"""Barriers in shared memory (mbarriers), with separate arrival and wait; asynchronous copies can arrive too.

    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)                # one arrival completes a phase
    ...
    mbarrier.arrive(bar)                       # this block arrives
    mbarrier.wait(bar, phase=0)                # waits until phase 0 is complete
    mbarrier.invalidate(bar)

An mbarrier goes through phases, 0, 1, 2, ...: a phase completes after the number of arrivals that was passed to `init`,
and the next phase begins immediately. A wait identifies a phase by its parity. A wait for the previous phase returns
immediately: for example, `wait(bar, 1)` on a new mbarrier.

Memory accesses of a block before its arrival are visible to threads that have waited for the phase. One thread arrives
for the whole block, so the compiler inserts the necessary barriers of the block.
"""

from __future__ import annotations

from ..._builtin import builtin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..._layouts.nvidia import MBarrierLayout
    from ..._shared_descriptor import shared_memory_descriptor
    from ..._tensor import tensor

__all__ = ["MBarrierLayout", "allocate_mbarrier", "arrive", "init", "invalidate", "wait"]


@builtin
def allocate_mbarrier(batch: int | None = None, two_ctas: bool = False) -> shared_memory_descriptor:
    """Allocates an mbarrier, or a ring of `batch` mbarriers; `.index(i)` is mbarrier i of the ring.

    Args:
        batch: number of mbarriers, known at compile time.
        two_ctas: must be False; pairs of blocks cannot share mbarriers on Hopper.

    Example:
        >>> bars = ampere.mbarrier.allocate_mbarrier(batch=2)
        >>> ampere.mbarrier.init(bars.index(0), count=1)
        >>> ampere.mbarrier.arrive(bars.index(0))
        >>> ampere.mbarrier.wait(bars.index(0), 0)
        >>> bars.shape[0]
        2
    """


@builtin
def init(mbarrier: shared_memory_descriptor, count: int) -> None:
    """Initializes a word of shared memory as an mbarrier, in phase 0.

    Args:
        mbarrier: shared memory of int64, of shape [1].
        count: number of arrivals that complete a phase, 1 to 2**20 - 1, known at compile time. `arrive` and `expect`
            arrive once for the whole block.

    Example:
        >>> bar = ampere.mbarrier.allocate_mbarrier()
        >>> ampere.mbarrier.init(bar, count=2)
        >>> ampere.mbarrier.arrive(bar)
        >>> ampere.mbarrier.arrive(bar)
        >>> ampere.mbarrier.wait(bar, 0)
    """


@builtin
def invalidate(mbarrier: shared_memory_descriptor) -> None:
    """Invalidates an mbarrier, so that its memory can be used otherwise or initialized again.

    Example:
        >>> bar = ampere.mbarrier.allocate_mbarrier()
        >>> ampere.mbarrier.init(bar, count=1)
        >>> ampere.mbarrier.invalidate(bar)
        >>> ampere.mbarrier.init(bar, count=2)
    """


@builtin
def wait(
    mbarrier: shared_memory_descriptor,
    phase: int | tensor,
    pred: bool | tensor = True,
    deps: Sequence[shared_memory_descriptor] = (),
) -> None:
    """Waits until a phase of the mbarrier is complete.

    Args:
        mbarrier: shared memory of int64, of shape [1], initialized by `init`.
        phase: number of the current or the previous phase, an integer scalar of which only the parity matters. A wait
            for the previous phase returns immediately.
        pred: a scalar; if `pred` is false, the call does not wait.
        deps: shared memory that is in use until the wait has ended, such as the destinations of copies.

    Example:
        >>> smem = gl.allocate_shared_memory(gl.int32, [64], S)
        >>> bar = ampere.mbarrier.allocate_mbarrier()
        >>> ampere.mbarrier.init(bar, count=1)
        >>> ampere.async_copy.async_load(smem, p + gl.arange(0, 64, L))
        >>> ampere.async_copy.mbarrier_arrive(bar)
        >>> ampere.mbarrier.arrive(bar)
        >>> ampere.mbarrier.wait(bar, 0, deps=[smem])
        >>> gl.sum(smem.load(L))
        20800
    """


@builtin
def arrive(
    mbarrier: shared_memory_descriptor,
    *,
    pred: bool | tensor = True,
    from_cta: int | None = None,
    per_warp: bool = False,
) -> None:
    """Arrives at an mbarrier: earlier memory accesses of the block are visible to threads that wait for the phase.

    The block's warps synchronize, then one warp arrives for the block. With `per_warp`, each warp arrives separately.

    Args:
        mbarrier: shared memory of int64, of shape [1], initialized by `init`.
        pred: a scalar; if `pred` is false, nothing arrives.
        from_cta: in a cluster, a mask for a block's rank: the block with rank `rank & from_cta` arrives at the mbarrier
            of block `rank`. With `from_cta=0`, block 0 arrives at the mbarriers of all blocks. By default, each block
            arrives at its own mbarrier.
        per_warp: True if each warp arrives; the count of `init` then includes the arrivals of all warps.

    Example:
        >>> bar = ampere.mbarrier.allocate_mbarrier()
        >>> ampere.mbarrier.init(bar, count=1)
        >>> ampere.mbarrier.arrive(bar)
        >>> ampere.mbarrier.wait(bar, 0)
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
