"""Explicit hints for the instruction scheduler of AMD's back end. Hints do not change results."""

from __future__ import annotations

from .._builtin import written_in_language
from .._debug import static_assert
from .._scheduling import sched_barrier as barrier_of_the_language

__all__ = ["sched_barrier"]


@written_in_language
def sched_barrier(allow: None = None) -> None:
    """Prevents instructions from being scheduled across this point: Gluon's name for `gl.sched_barrier()`.

    Args:
        allow: must be None, as in Gluon: no instruction crosses this point.
    """
    static_assert(allow is None, "amd.hint.sched_barrier lets no instruction pass: leave out `allow`")
    barrier_of_the_language()


def __dir__() -> list[str]:
    return __all__
