"""Hints for the scheduler of AMD's back end, placed by hand. They change no result."""

from __future__ import annotations

from .._builtin import written_in_language
from .._debug import static_assert
from .._shared_memory import sched_barrier as barrier_of_the_language

__all__ = ["sched_barrier"]


@written_in_language
def sched_barrier(allow: None = None) -> None:
    """Let no instruction be scheduled over this point: `gl.sched_barrier()` by Gluon's name.

    Args:
        allow: None, the only value that Gluon has a meaning for: nothing crosses.
    """
    static_assert(allow is None, "amd.hint.sched_barrier lets nothing pass: leave out `allow`")
    barrier_of_the_language()


def __dir__() -> list[str]:
    return __all__
