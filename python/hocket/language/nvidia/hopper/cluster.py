"""Blocks of a cluster that wait for each other. `num_ctas` says how many there are.

hopper.cluster.arrive()                  # what this thread did until here ..
...                                      # (work that concerns nobody else)
hopper.cluster.wait()                    # .. is visible to all threads of the cluster from here on
"""

from __future__ import annotations

from ..._builtin import builtin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..._tensor import tensor

__all__ = ["arrive", "barrier", "cta_rank", "wait"]


@builtin
def arrive(relaxed: bool = False) -> None:
    """Tell the cluster's barrier that this thread has come so far, and go on. `wait` follows.

    Args:
        relaxed: only count; order no accesses of memory.

    Example:
        >>> hopper.cluster.arrive()
        >>> hopper.cluster.wait()
    """


@builtin
def wait() -> None:
    """Wait until all threads of all blocks of the cluster have arrived. Each has called `arrive` before.

    What they did to shared and global memory before that is visible afterwards, unless their arrival was relaxed.

    Example:
        >>> hopper.cluster.arrive()
        >>> hopper.cluster.wait()
    """


@builtin
def barrier(relaxed: bool = False) -> None:
    """`arrive` and `wait`: a barrier of all threads of the cluster, and so of each block, too.

    Args:
        relaxed: only wait for each other; order no accesses of memory.

    Example:
        >>> hopper.cluster.barrier()
    """


@builtin
def cta_rank() -> tensor:
    """The number of this block in its cluster: an int32 from 0 to `gl.num_ctas()` - 1.

    Example:
        >>> hopper.cluster.cta_rank()
        0
    """


if not TYPE_CHECKING:  # or checkers would take any name for known

    def __getattr__(name: str):
        from ..._foreign_names import missing_attribute

        raise missing_attribute(__name__, name, __all__)
