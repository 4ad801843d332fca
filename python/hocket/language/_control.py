"""Compile-time control flow, and hints to the optimizer."""

from __future__ import annotations

from ._builtin import builtin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ._tensor import tensor


@builtin
def static_range(start: int, stop: int | None = None, step: int = 1) -> Iterator[int]:
    """Works like `range`, but unrolled at compile time: the loop variable is a constexpr.

    Example:
        >>> for k in gl.static_range(3):
        ...     i += k
        >>> i
        [3, 4, 5, 6]
    """


@builtin
def range(
    start: int,
    stop: int | None = None,
    step: int = 1,
    *,
    num_stages: int | None = None,
    loop_unroll_factor: int | None = None,
    warp_pipeline: str | None = None,
) -> Iterator[int]:
    """Works like Python's `range`: a loop at run time. The keyword arguments are hints for the compiler.

    Args:
        num_stages: number of stages of a software pipeline. Each copy from global to shared memory starts up to
            `num_stages - 1` iterations before its use. Copies through registers support 2 or 3 stages; a larger number
            has the effect of 3. For asynchronous copies, the buffer gets num_stages stages. A loop can be pipelined if
            each iteration first copies a tile to shared memory, then reads the tile, and does not write global memory.
            The copy is `tile.store(gl.load(...))`, or an asynchronous copy followed by commit_group and wait_group(0).
            A copy in an `if` starts earlier under the same condition, if the condition does not depend on results of
            the loop. Other loops are not pipelined, and a CompileWarning gives the reason. If an outer loop with
            num_stages copies tiles itself, the outer loop starts its own copies earlier, and the inner loop is part of
            the computation of an iteration. If only the inner loop copies, both loops become one loop, so copies for
            the next iteration of the outer loop start in the last iterations of the inner loop. The bounds of the
            inner loop must then be the same in each iteration of the outer loop, and the outer loop may access memory
            only after the inner loop.
        loop_unroll_factor: number of iterations that are combined into one. Remaining iterations run in a second loop.
        warp_pipeline: "auto" lets the compiler form the stages of a warp pipeline (`gl.warp_pipeline_stage`) from the
            loop's body. The loop does not change if the compiler expects no gain, or cannot form stages;
            `kernel.explain_schedule()` gives the reason.

    The hints do not change results.

    Example:
        >>> for k in gl.range(0, 10, 2, loop_unroll_factor=2):
        ...     i += k
        >>> i
        [20, 21, 22, 23]
    """


@builtin
def assume(condition: Any) -> None:
    """Promises that a scalar condition holds. If the condition is false, the behavior is undefined.

    Like `multiple_of`, the conditions `n % 16 == 0` and `n & 15 == 0`, and combinations of such conditions by `and`,
    allow wider accesses. Accesses are wider only if the call is in the basic block that defines `n`, not in a branch.

    Example:
        >>> n = gl.load(p)
        >>> gl.assume(n > 0)
        >>> n // 4
        2
    """


@builtin
def multiple_of(input: Any, values: Any) -> tensor:
    """Promises that the elements of `input` are multiples of `values`, one number per dimension. If `max_contiguous`
    also applies to `input`, only the first element of each aligned group must be a multiple.

    Example:
        >>> gl.multiple_of(gl.load(p + i), 2)
        [10, 20, 30, 40]
    """


@builtin
def max_contiguous(input: tensor, values: Any) -> tensor:
    """Promises that each aligned group of `values` elements (one size per dimension) consists of consecutive numbers.

    Example:
        >>> gl.max_contiguous(i + 4 * gl.program_id(0), 4)
        [0, 1, 2, 3]
    """


@builtin
def max_constancy(input: tensor, values: Any) -> tensor:
    """Promises that the elements of each aligned group of `values` elements (one size per dimension) are equal.

    Example:
        >>> gl.max_constancy(i // 2, 2)
        [0, 0, 1, 1]
    """
