"""Position of a program in the grid, and size of a program."""

from __future__ import annotations

from ._builtin import builtin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._tensor import tensor


@builtin
def program_id(axis: int) -> tensor:
    """Returns the index of this program along grid axis 0, 1 or 2, as an int32 scalar. `axis` is known at compile time.

    Example:
        >>> gl.program_id(0)
        0
    """


@builtin
def num_programs(axis: int) -> tensor:
    """Returns the number of programs along grid axis 0, 1 or 2, as an int32 scalar. `axis` is known at compile time.

    Example:
        >>> gl.num_programs(0)
        1
    """


@builtin
def num_warps() -> int:
    """Returns the number of warps of the program: the launch option `num_warps`. The number is known at compile time.

    Inside a worker of `gl.warp_specialize`, the result is the number of warps of the worker.

    Example:
        >>> gl.num_warps()
        1
    """


@builtin
def num_lanes() -> int:
    """Returns the number of lanes of a warp on the target: 32 on NVIDIA GPUs, 64 on AMD CDNA. The number is known at
    compile time.

    Example:
        >>> gl.num_lanes()
        32
    """


@builtin
def num_ctas() -> int:
    """Returns the number of blocks of the cluster that runs one program: the launch option `num_ctas`. The number is
    known at compile time.

    Example:
        >>> gl.num_ctas()
        1
    """
