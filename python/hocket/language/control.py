"""Compile-time control and facts for the optimiser."""

from __future__ import annotations

from .builtin import builtin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from .tensor import tensor


@builtin
def static_range(start: int, stop: int | None = None, step: int = 1) -> Iterator[int]:
    """Like `range`, unrolled while compiling: the loop variable is a constexpr."""


@builtin
def range(
    start: int,
    stop: int | None = None,
    step: int = 1,
    *,
    num_stages: int | None = None,
    loop_unroll_factor: int | None = None,
) -> Iterator[int]:
    """Like Python's `range`, a loop at run time, with wishes about how it is compiled.

    Args:
        num_stages: copies from global to shared memory are started up to this many iterations, less one, before they
            are used. Through registers 2 or 3 (more are taken as 3); for asynchronous copies the buffer gets as many
            slots. A loop for which this cannot be done is left as it is, and a CompileWarning says why. It can be done
            where each iteration first copies, `tile.store(gl.load(..))` or a copy, commit_group and wait_group(0), then
            reads the tile, and writes no global memory.
        loop_unroll_factor: so many iterations become one; those that are left over run in a second loop.

    Results are the same with any wishes.
    """


@builtin
def assume(condition: Any) -> None:
    """Promise that a scalar condition holds. If it does not, the behaviour is undefined."""


@builtin
def multiple_of(input: Any, values: Any) -> tensor:
    """Promise that the elements, or the first of each aligned group, are multiples of `values` (one per dimension)."""


@builtin
def max_contiguous(input: tensor, values: Any) -> tensor:
    """Promise that aligned groups of `values` elements (one size per dimension) are consecutive numbers."""


@builtin
def max_constancy(input: tensor, values: Any) -> tensor:
    """Promise that aligned groups of `values` elements (one size per dimension) are equal."""
