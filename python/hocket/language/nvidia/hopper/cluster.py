"""Synchronization of the blocks of a cluster. The launch option `num_ctas` is the number of blocks.

hopper.cluster.arrive()                  # memory accesses of this thread up to here ...
...                                      # (independent work)
hopper.cluster.wait()                    # ... are visible to all threads of the cluster from here on
"""

from __future__ import annotations

from ..._builtin import builtin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..._tensor import tensor

__all__ = ["arrive", "barrier", "cta_rank", "wait"]


@builtin
def arrive(relaxed: bool = False) -> None:
    """Arrives at the cluster barrier without waiting. A `wait` must follow.

    Args:
        relaxed: True if memory accesses need not be ordered.

    Example:
        >>> hopper.cluster.arrive()
        >>> hopper.cluster.wait()
    """


@builtin
def wait() -> None:
    """Waits until all threads of all blocks of the cluster have arrived. Each thread must have called `arrive` before.
    Accesses of shared and global memory by threads of the cluster before their arrival are visible after the wait,
    unless the arrival was relaxed.

    Example:
        >>> hopper.cluster.arrive()
        >>> hopper.cluster.wait()
    """


@builtin
def barrier(relaxed: bool = False) -> None:
    """Synchronizes all threads of the cluster: `arrive`, then `wait`. The cluster barrier is also a barrier of each
    block.

    Args:
        relaxed: True if memory accesses need not be ordered.

    Example:
        >>> hopper.cluster.barrier()
    """


@builtin
def cta_rank() -> tensor:
    """Returns the rank of this block in its cluster: an int32 from 0 to `gl.num_ctas()` - 1.

    Example:
        >>> hopper.cluster.cta_rank()
        0
    """


if not TYPE_CHECKING:  # a visible `__getattr__` would make type checkers accept any attribute of this module

    def __getattr__(name: str):
        from ..._foreign_names import missing_attribute

        raise missing_attribute(__name__, name, __all__)
