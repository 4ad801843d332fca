"""Assertions and printing."""

from __future__ import annotations

from ._builtin import builtin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._tensor import tensor


@builtin
def static_assert(cond: bool, msg: str = "") -> None:
    """Stops compilation with the message `msg` if `cond` is false. `cond` must be known at compile time.

    Example:
        >>> gl.static_assert(gl.num_warps() <= 32, "at most 32 warps")
    """


@builtin
def static_print(*values: Any, sep: str = " ", end: str = "\n") -> None:
    """Prints at compile time: the values of compile-time constants, and the types of run-time values.

    Example:
        >>> gl.static_print("warps:", gl.num_warps())
    """


@builtin
def device_assert(cond: Any, msg: str = "", mask: Any = None) -> None:
    """Stops the program with `msg` where `cond` is false (and `mask`, if given, is true).

    The assertion is checked on the emulator, and in kernels compiled with `debug=True`. On NVIDIA GPUs, a failure
    destroys the CUDA context. On AMD GPUs, only the failing warp ends. The next launch or synchronization of the device
    raises a LaunchError.

    Example:
        >>> gl.device_assert(i >= 0, "i is negative", mask=i < 2)
    """


@builtin
def expect_zero(value: Any, condition: Any) -> tensor:
    """Returns `value`, which is expected to be zero wherever `condition` holds.

    The expectation is checked like `device_assert`: on the emulator and in kernels compiled with `debug=True`. Other
    kernels contain no code for the check.

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
    """Prints `prefix` and the values of `args`, a line for each element, when the kernel runs. `print` is equivalent.

    A line names block, warp, lane and element. Tensors in one call must have one shape and layout. An element that
    several lanes hold is printed once, by the first of these lanes; scalars are printed once per block. In a function
    passed to `map_elementwise`, a line is printed for each element that reaches the call. In a function passed to
    `reduce` or `associative_scan`, each lane prints a line for each combination, and the combinations depend on the
    layout.

    On the emulator, the lines of a block are printed together after the launch, at most 4096 per launch. On NVIDIA
    GPUs, CUDA's printf prints the lines at the next synchronization. On AMD GPUs, the lines are printed when the kernel
    has ended, block by block, at most 1 MiB of numbers per launch. Lines beyond this limit are only counted.

    Args:
        prefix: the text before the values.
        args: numbers, scalars and tensors of numbers.
        hex: print the bits in hexadecimal.

    Example:
        >>> gl.device_print("i and x:", gl.arange(0, 2, L), gl.full([2], 1.5, gl.float32, L))
        block (0, 0, 0), warp 0, lane 0: [0] i and x: 0 1.5
        block (0, 0, 0), warp 0, lane 1: [1] i and x: 1 1.5
    """
