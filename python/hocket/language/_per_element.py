"""Functions and assembly of your own, applied to each element."""

from __future__ import annotations

from ._builtin import builtin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


@builtin
def map_elementwise(scalar_fn: Callable[..., Any], *args: Any, pack: int = 1) -> Any:
    """Call a @hocket.jit function of scalars for each element; its `if` and `while` are taken element by element.

    Args:
        scalar_fn: takes a scalar for each tensor and returns one or several. It must not access memory.
        args: tensors of one layout, which are stretched to a common shape; scalars stretch, too.
        pack: how many elements of a lane, a power of two, one call takes. The function is given that many scalars of
            the first tensor, then of the second, and so on; of each result it returns as many.

    Returns:
        A tensor for each value that the function returns (for each `pack` of them); several as a tuple.

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
    """Run assembly of the GPU for every `pack` elements of a lane. The emulator cannot, and says so.

    Args:
        asm: PTX or AMD's assembly, in which `$0`, `$1`, .. are the outputs and then the inputs.
        constraints: those of LLVM: "=r" for each register of the results, "r" for each of `args`, then clobbers.
        args: a list of tensors of one layout, which are stretched to a common shape; scalars stretch, too.
        dtype: the dtype of the result, or a tuple of those of several results.
        is_pure: nothing but the results matters, so that it may be left out or moved.
        pack: a power of two. Elements of less than 32 bits share registers: with pack=4 a register holds four int8 or
            two float16. Where a lane has less than `pack` elements the last one is repeated.

    Returns:
        A tensor in the shape and layout of `args`; a tuple of them where `dtype` is one.

    Example:
        >>> y = gl.inline_asm_elementwise("tanh.approx.f32 $0, $1;", "=f,f", [x], gl.float32, is_pure=True, pack=1)
    """
