"""Named barriers, which synchronize partitions of warps (`gl.warp_specialize`), or let them alternate (ping-pong).

    turn = named_barrier.allocate(num_warps=8)   # before the partitions begin
    ...
    named_barrier.arrive(turn)                   # a partition of 4 warps arrives without waiting
    ...
    named_barrier.arrive_and_wait(turn)          # another partition of 4 warps continues when 8 warps have arrived

A named barrier counts the warps that arrive at any point of the program. When the number of warps passed to `allocate`
have arrived, waiting warps continue, and the count restarts at 0. Memory accesses of warps before their arrival are
visible to the warps that waited.

A named barrier costs less than an mbarrier and takes no memory: it has no phase, no polling, and no thread that arrives
for other threads. However, the count of a named barrier is fixed, asynchronous copies cannot arrive at a named barrier,
and a block has only 16 named barriers. Each partition uses one named barrier. The names of the functions are those of
CUTLASS's `NamedBarrier`, but the compiler assigns the numbers of the barriers.
"""

from __future__ import annotations

from ..._builtin import builtin

TYPE_CHECKING = False

__all__ = ["NamedBarrier", "allocate", "arrive", "arrive_and_wait"]


class NamedBarrier:
    """The handle of a named barrier. The handle is a constant of the kernel that has called `allocate`."""

    __slots__ = ("_index", "num_warps")
    #: Index in the order of allocation, from 0.
    _index: int
    #: Number of warps that arrive before waiting warps continue.
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
    """Allocates a named barrier.

    Allocate named barriers before `gl.warp_specialize`, not in a run-time loop. Partitions take named barriers as
    arguments, also in tuples. A kernel with one worker can have up to 13 named barriers. Each further worker takes one
    named barrier, and each warp pipeline takes one or two.

    Args:
        num_warps: number of warps that arrive before waiting warps continue, known at compile time. The number is the
            sum of the warps of all partitions that arrive in one phase, including partitions that wait.

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
    """Arrives at a named barrier without waiting; earlier memory accesses of the partition are visible to warps that
    wait.

    Each warp of the partition arrives separately, and the warps do not synchronize. Pending wgmmas and copies continue.

    Args:
        barrier: the result of `allocate`. The barrier counts more warps than the partition has.

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
    """Arrives at a named barrier, and waits until the number of warps passed to `allocate` have arrived.

    Memory accesses of the arrived warps before their arrival are visible after the wait. Pending wgmmas and copies of
    the partition stay in flight.

    Args:
        barrier: the result of `allocate`. The barrier counts at least the partition's warps.

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


if not TYPE_CHECKING:  # a visible `__getattr__` would make type checkers accept any attribute of this module

    def __getattr__(name: str):
        from ..._foreign_names import missing_attribute

        raise missing_attribute(__name__, name, __all__)


def __dir__() -> list[str]:
    return __all__
