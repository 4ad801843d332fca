"""User-defined functions and inline assembly, applied to each element."""

from __future__ import annotations

from ._builtin import builtin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


@builtin
def map_elementwise(scalar_fn: Callable[..., Any], *args: Any, pack: int = 1) -> Any:
    """Calls a @hocket.jit function of scalars for each element. `if` and `while` in the function may diverge between
    elements.

    Args:
        scalar_fn: a function that takes a scalar for each tensor and returns one or several scalars. The function must
            not access memory.
        args: tensors of one layout, which are broadcast to a common shape, and scalars.
        pack: number of elements of a lane that one call processes, a power of two. The function gets `pack` scalars of
            the first tensor, then `pack` of the second, and so on, and returns `pack` scalars for each result.

    Returns:
        A tensor, or a tuple of tensors if the function has several results. With `pack`, each `pack` results belong to
        one tensor.

    Example:
        >>> @hocket.jit
        ... def collatz(n):
        ...     steps = 0
        ...     while n > 1:
        ...         n = n // 2 if n % 2 == 0 else 3 * n + 1
        ...         steps += 1
        ...     return steps
        >>> gl.map_elementwise(collatz, i + 4)
        [2, 5, 8, 16]
    """


@builtin
def inline_asm_elementwise(asm: str, constraints: str, args: Any, dtype: Any, is_pure: bool, pack: int) -> Any:
    """Runs inline assembly for every `pack` elements of a lane. On the emulator, inline assembly is an error.

    Args:
        asm: PTX or AMD assembly, in which `$0`, `$1`, ... are the outputs and then the inputs.
        constraints: LLVM's constraints: "=r" for each register of the results, "r" for each of `args`, then clobbers.
        args: a list of tensors of one layout, which are broadcast to a common shape, and scalars.
        dtype: the dtype of the result, or a tuple of dtypes for several results.
        is_pure: True if the assembly has no side effects, so that the compiler may remove or move the assembly.
        pack: number of elements of a lane that each execution of the assembly processes, a power of two. Elements of
            less than 32 bits share registers: with pack=4, a register holds four int8 or two float16. If a lane has
            less than `pack` elements, the lane's last element is repeated.

    Returns:
        A tensor in the shape and layout of `args`; a tuple of tensors if `dtype` is a tuple.

    Example:
        >>> y = gl.inline_asm_elementwise("tanh.approx.f32 $0, $1;", "=f,f", [x], gl.float32, is_pure=True, pack=1)
    """
