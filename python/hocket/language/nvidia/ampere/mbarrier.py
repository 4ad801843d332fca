"""Barriers in shared memory (mbarriers), at which some wait while others arrive, and asynchronous copies arrive too.

    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)                # one arrival ends a phase
    ...
    mbarrier.arrive(bar)                       # this block has come so far
    mbarrier.wait(bar, phase=0)                # until phase 0 is complete
    mbarrier.invalidate(bar)

An mbarrier goes through phases, 0, 1, 2, ..: a phase ends when as many arrivals have come as `init` said, and the next
one begins at once. Who waits names the phase; only its parity counts. Waiting for the phase before the current one
returns at once, so `wait(bar, 1)` on a new mbarrier does.

What a block did before it arrived is visible to whoever has waited for the phase. The compiler inserts the barriers of
the block that this takes: one thread arrives for all of them.
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
    """Allocate an mbarrier, or a ring of `batch` mbarriers: `.index(i)` picks one.

    Args:
        batch: how many, known at compile time.
        two_ctas: False; pairs of blocks share no mbarriers on Hopper.

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
    """Make a word of shared memory an mbarrier, in its phase 0.

    Args:
        mbarrier: shared memory of int64, of shape [1].
        count: the arrivals that end a phase, 1 to 2**20 - 1, known at compile time. `arrive` and `expect` count once
            for the whole block.

    Example:
        >>> bar = ampere.mbarrier.allocate_mbarrier()
        >>> ampere.mbarrier.init(bar, count=2)
        >>> ampere.mbarrier.arrive(bar)
        >>> ampere.mbarrier.arrive(bar)
        >>> ampere.mbarrier.wait(bar, 0)
    """


@builtin
def invalidate(mbarrier: shared_memory_descriptor) -> None:
    """Make an mbarrier plain memory again, before its memory is used otherwise, or initialised again.

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
    """Wait until a phase of the mbarrier is complete.

    Args:
        mbarrier: shared memory of int64, of shape [1], that `init` has made an mbarrier.
        phase: the number of the phase, an integer scalar of which only the parity counts: the current phase, or the one
            before, for which nobody waits.
        pred: a scalar; where it is false there is no wait.
        deps: shared memory that is in use until then, such as the destinations of copies.

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
    """Arrive at an mbarrier: all that the block has done so far is visible to whoever waits for the phase.

    The block's warps meet before one of them arrives for all. With `per_warp` they need not: each arrives for itself.

    Args:
        mbarrier: shared memory of int64, of shape [1], that `init` has made an mbarrier.
        pred: a scalar; where it is false nobody arrives.
        from_cta: in a cluster, which bits of a block's number are kept to find the block that arrives at its mbarrier:
            with 0, block 0 arrives at the mbarriers of all blocks. Left out, each block arrives at its own.
        per_warp: whether each warp arrives; then `init` counts the arrivals of all warps.

    Example:
        >>> bar = ampere.mbarrier.allocate_mbarrier()
        >>> ampere.mbarrier.init(bar, count=1)
        >>> ampere.mbarrier.arrive(bar)
        >>> ampere.mbarrier.wait(bar, 0)
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
