"""What a kernel says about its own time: `gl.profiler`, which is also `hocket.profiler` in kernels.

    with gl.profiler.scope("load"):
        a = gl.load(x + i)

Each warp writes a record of 8 bytes where a scope begins and ends, and at marks. Only kernels that are compiled for
profiling (`hocket.profiler.session`, or the launch option `profile`) have any of it: in others, no instruction changes.

A name says the same in pictures and traces wherever it stands. Nothing here waits for other warps.
"""

from __future__ import annotations

from ._builtin import builtin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from typing import Any

__all__ = ["begin", "end", "mark", "null_token", "scope"]


@builtin
def scope(name: str, payload: Any = None, *, when: Any = True) -> AbstractContextManager[None]:
    """The time between the beginning and the end of a `with` statement: `with gl.profiler.scope("load"):`.

    Names bound inside keep their values. Scopes may be nested, and may hold loops, branches and warp pipelines; in
    a pipeline they stand inside its stages. `return` cannot leave one.

    Args:
        name: a line of text, known when the kernel is compiled.
        payload: an integer that tells this time from others, such as the iteration: of an int32 the lowest 20 bits are
            kept, 8 with clock=44.
        when: a scalar condition; where it is false nothing is recorded.

    Example:
        >>> with gl.profiler.scope("load"):
        ...     x = gl.load(p + i)
        >>> x
        [10, 20, 30, 40]
    """


@builtin
def mark(name: str, payload: Any = None, *, when: Any = True) -> None:
    """A moment.

    Args:
        name: a line of text, known when the kernel is compiled.
        payload: an integer, as for `scope`.
        when: a scalar condition; where it is false nothing is recorded.

    Example:
        >>> gl.profiler.mark("loaded", 3)
    """


@builtin
def begin(name: str, payload: Any = None, *, when: Any = True) -> Any:
    """The beginning of a time that may end anywhere: in another iteration, another function, another partition.

    What begins and ends at once, such as the copies of a ring's slots, is told apart by its payload.

    Args:
        name: a line of text, known when the kernel is compiled.
        payload: an integer, as for `scope`.
        when: a scalar condition; where it is false nothing is recorded, and the token is a null token.

    Returns:
        A token for `end`, an int32: loops may carry it, and shared memory may take it to other warps.

    Example:
        >>> token = gl.profiler.begin("copy", payload=1)
        >>> x = gl.load(p + i)
        >>> gl.profiler.end(token)
    """


@builtin
def end(token: Any) -> None:
    """The end of what `begin` returned the token of. Records nothing for a null token.

    Args:
        token: an int32 scalar.

    Example:
        >>> gl.profiler.end(gl.profiler.null_token())
    """


@builtin
def null_token() -> Any:
    """A token of nothing: what a loop carries before anything has begun.

    Returns:
        An int32.

    Example:
        >>> token = gl.profiler.null_token()
        >>> for k in range(4):
        ...     gl.profiler.end(token)
        ...     token = gl.profiler.begin("copy", payload=k)
        >>> gl.profiler.end(token)
    """


TYPE_CHECKING = False
if not TYPE_CHECKING:  # or checkers would take any name for known

    def __getattr__(name: str):
        from ._foreign_names import missing_attribute

        raise missing_attribute(__name__, name, __all__)


def __dir__() -> list[str]:
    return __all__
