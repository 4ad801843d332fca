"""Barriers of a block at which partitions of warps meet, or take turns (`gl.warp_specialize`).

    turn = named_barrier.allocate(num_warps=8)   # before the partitions begin
    ...
    named_barrier.arrive(turn)                   # one partition of 4 warps: I have come this far, and go on
    ...
    named_barrier.arrive_and_wait(turn)          # another of 4: I go on when 8 warps have arrived

A named barrier counts warps, wherever in the program they are. When as many have arrived as `allocate` said, those who
wait go on, and it counts from 0 again. What warps did to memory before they arrived is visible to those who have
waited.

It costs less than an mbarrier and takes no memory: no phase, no polling, and no thread that arrives for others. In
return its count is fixed, asynchronous copies cannot arrive at it, and a block has 16 barriers in all, of which the
partitions use one each. The names are those of CUTLASS's `NamedBarrier`, but which number each one has is up to the
compiler.
"""

from __future__ import annotations

from ..._builtin import builtin

TYPE_CHECKING = False

__all__ = ["NamedBarrier", "allocate", "arrive", "arrive_and_wait"]


class NamedBarrier:
    """The handle of a named barrier: a constant of the kernel in which `allocate` made it."""

    __slots__ = ("_index", "num_warps")
    #: In the order of their allocation, from 0.
    _index: int
    #: How many warps arrive before those who wait go on.
    num_warps: int

    def __init__(self) -> None:
        raise TypeError("named barriers are allocated in kernels: named_barrier.allocate(num_warps=8)")

    @classmethod
    def _of(cls, index: int, num_warps: int) -> NamedBarrier:
        handle = cls.__new__(cls)
        handle._index = index
        handle.num_warps = num_warps
        return handle

    def __repr__(self) -> str:
        return f"named barrier {self._index} ({self.num_warps} warps)"


@builtin
def allocate(num_warps: int) -> NamedBarrier:
    """Allocate a named barrier.

    Before `gl.warp_specialize`, whose partitions take it as an argument, in tuples, too; not in a loop that runs at run
    time. In a kernel with a worker, up to 13; each further worker and each warp pipeline takes one or two of these.

    Args:
        num_warps: how many warps arrive before those who wait go on, known at compile time: the sum over the partitions
            that arrive at it in one round, those that wait among them.

    Example:
        >>> @hocket.jit
        ... def total(q, full):
        ...     ampere.named_barrier.arrive_and_wait(full)
        ...     return gl.load(q) + gl.load(q + 1)
        >>> @hocket.jit
        ... def fill(q, full):
        ...     gl.store(q, 20)
        ...     gl.store(q + 1, 3)
        ...     ampere.named_barrier.arrive(full)
        >>> full = ampere.named_barrier.allocate(num_warps=gl.num_warps() + 1)
        >>> gl.warp_specialize([(total, (p, full)), (fill, (p, full))], [1])
        23
    """


@builtin
def arrive(barrier: NamedBarrier) -> None:
    """Arrive at a named barrier, without waiting: what the partition's warps have done is visible to those who wait.

    All warps of the partition arrive, each for itself: they do not meet. Products of warpgroups and copies that they
    have started go on.

    Args:
        barrier: from `allocate`; it counts more warps than the partition has.

    Example:
        >>> @hocket.jit
        ... def second(q, turn):
        ...     ampere.named_barrier.arrive_and_wait(turn)
        ...     gl.store(q, 2 * gl.load(q))
        >>> @hocket.jit
        ... def first(q, turn):
        ...     gl.store(q, 21)
        ...     ampere.named_barrier.arrive(turn)
        >>> turn = ampere.named_barrier.allocate(num_warps=gl.num_warps() + 2)
        >>> gl.warp_specialize([(second, (p, turn)), (first, (p, turn))], [2])
        >>> gl.load(p)
        42
    """


@builtin
def arrive_and_wait(barrier: NamedBarrier) -> None:
    """Arrive at a named barrier, and wait until as many warps have as it counts.

    What these did before is visible afterwards. Products of warpgroups and copies that the partition has started stay
    in flight.

    Args:
        barrier: from `allocate`; it counts at least the partition's warps.

    Example:
        >>> @hocket.jit
        ... def swap(q, other, met):
        ...     gl.store(q, gl.num_warps())
        ...     ampere.named_barrier.arrive_and_wait(met)
        ...     return gl.load(other)
        >>> @hocket.jit
        ... def swap_in_worker(q, other, met):
        ...     gl.store(q + 2, swap(q, other, met))
        >>> met = ampere.named_barrier.allocate(num_warps=gl.num_warps() + 2)
        >>> gl.warp_specialize([(swap, (p, p + 1, met)), (swap_in_worker, (p + 1, p, met))], [2])
        2
    """


if not TYPE_CHECKING:  # or checkers would take any name for known

    def __getattr__(name: str):
        from ..._foreign_names import missing_attribute

        raise missing_attribute(__name__, name, __all__)


def __dir__() -> list[str]:
    return __all__
