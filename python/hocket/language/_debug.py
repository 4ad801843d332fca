"""Checks and printing."""

from __future__ import annotations

from ._builtin import builtin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._tensor import tensor


@builtin
def static_assert(cond: bool, msg: str = "") -> None:
    """Stop compiling with `msg` unless `cond`, known at compile time, holds.

    Example:
        >>> gl.static_assert(gl.num_warps() <= 32, "at most 32 warps")
    """


@builtin
def static_print(*values: Any, sep: str = " ", end: str = "\n") -> None:
    """Print while compiling: numbers known then as such, other values as their types.

    Example:
        >>> gl.static_print("warps:", gl.num_warps())
    """


@builtin
def device_assert(cond: Any, msg: str = "", mask: Any = None) -> None:
    """Stop the program with `msg` where `cond` is false (and `mask`, if given, is true).

    Checked on the emulator, and in kernels compiled with `debug=True`. On NVIDIA's GPUs the CUDA context is lost then.
    On AMD's the warp ends, the others go on, and the device's next launch or synchronisation raises a LaunchError.

    Example:
        >>> gl.device_assert(i >= 0, "i is negative", mask=i < 2)
    """


@builtin
def expect_zero(value: Any, condition: Any) -> tensor:
    """`value`, of which the kernel's author expects that it is zero wherever `condition` holds.

    It is checked where `device_assert` is, on the emulator and in kernels compiled with `debug=True`, and costs nothing
    elsewhere.

    Args:
        value: a number, scalar or tensor of numbers.
        condition: int1, of a shape that broadcasts with that of `value`.

    Returns:
        `value`, in its shape and layout.

    Example:
        >>> gl.expect_zero(gl.where(i < 2, 0, i), i < 2)
        [0, 0, 2, 3]
    """


@builtin
def device_print(prefix: str, *args: Any, hex: bool = False) -> None:
    """Print `prefix` and the values of `args`, a line for each element, when the kernel runs. `print` does the same.

    A line names block, warp, lane and element. Tensors in one call must have one shape and layout. An element that
    several lanes hold is printed once, by the first of them; scalars are printed once for the block. In a function
    given to `map_elementwise` a line is printed for each element that gets there, in one given to `reduce` or
    `associative_scan` by each lane for what it combines, which depends on the layout.

    On the emulator the lines of a block come together after the launch, at most 4096 for a launch. On NVIDIA's GPUs
    they come at the next synchronisation, through CUDA's printf. On AMD's GPUs they come when the kernel has ended, the
    lines of a block together, at most 1 MiB of numbers for a launch; lines beyond that are counted.

    Args:
        prefix: the text in front of the values.
        args: numbers, scalars and tensors of numbers.
        hex: show bits, in hexadecimal.

    Example:
        >>> gl.device_print("i and x:", gl.arange(0, 2, L), gl.full([2], 1.5, gl.float32, L))
        block (0, 0, 0), warp 0, lane 0: [0] i and x: 0 1.5
        block (0, 0, 0), warp 0, lane 1: [1] i and x: 1 1.5
    """
