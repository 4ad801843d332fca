"""Records scopes and marks of a kernel's execution: `gl.profiler`, also available as `hocket.profiler` in kernels.

    with gl.profiler.scope("load"):
        a = gl.load(x + i)

Each warp writes a record of 8 bytes where a scope begins and ends, and at marks. Only kernels that are compiled for
profiling (`hocket.profiler.session`, or the launch option `profile`) contain this code; other kernels do not change.

Scopes with equal names have the same color in pictures and traces. Recording never waits for other warps.
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
    """Records when a `with` statement begins and ends: `with gl.profiler.scope("load"):`.

    Variables assigned in a scope keep their values after the scope. Scopes may be nested, and may contain loops,
    branches and warp pipelines. In a warp pipeline, scopes must be inside the stages. `return` cannot leave a scope.

    Args:
        name: a text on one line, known at compile time.
        payload: an integer that distinguishes executions of the scope, such as the number of an iteration. The lowest
            20 bits of an int32 are kept, or the lowest 8 bits with clock=44.
        when: a scalar condition; nothing is recorded if `when` is false.

    Example:
        >>> with gl.profiler.scope("load"):
        ...     x = gl.load(p + i)
        >>> x
        [10, 20, 30, 40]
    """


@builtin
def mark(name: str, payload: Any = None, *, when: Any = True) -> None:
    """Records a point in time.

    Args:
        name: a text on one line, known at compile time.
        payload: an integer, as for `scope`.
        when: a scalar condition; nothing is recorded if `when` is false.

    Example:
        >>> gl.profiler.mark("loaded", 3)
    """


@builtin
def begin(name: str, payload: Any = None, *, when: Any = True) -> Any:
    """Records the beginning of a time span that may end anywhere: in another iteration, another function, another
    partition.

    Spans that overlap, such as copies into the stages of a ring buffer, are distinguished by their payloads.

    Args:
        name: a text on one line, known at compile time.
        payload: an integer, as for `scope`.
        when: a scalar condition; if `when` is false, nothing is recorded, and the token is a null token.

    Returns:
        A token for `end`, an int32. Loops may carry the token, and shared memory may pass the token to other warps.

    Example:
        >>> token = gl.profiler.begin("copy", payload=1)
        >>> x = gl.load(p + i)
        >>> gl.profiler.end(token)
    """


@builtin
def end(token: Any) -> None:
    """Records the end of the span whose token `begin` returned. Records nothing for a null token.

    Args:
        token: an int32 scalar.

    Example:
        >>> gl.profiler.end(gl.profiler.null_token())
    """


@builtin
def null_token() -> Any:
    """Returns a token without a span: the value that a loop carries before the first span begins.

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
if not TYPE_CHECKING:  # a visible `__getattr__` would make type checkers accept any attribute of this module

    def __getattr__(name: str):
        from ._foreign_names import missing_attribute

        raise missing_attribute(__name__, name, __all__)


def __dir__() -> list[str]:
    return __all__
