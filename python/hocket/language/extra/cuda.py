"""Launches that overlap with others of their stream (CUDA's programmatic dependent launches, since Hopper).

    produce[grid](x)
    consume[grid](x, out, launch_pdl=True)     # may begin before `produce` has ended

    @hocket.jit
    def consume(x, out):
        ...                                    # what needs nothing of `produce`: addresses, mbarriers, constants
        gl.extra.cuda.gdc_wait()               # from here on, all that `produce` wrote is there
        ...

A launch with `launch_pdl=True` begins when each block of the kernel ahead of it has ended or has called
`gdc_launch_dependents`. It then runs beside what is left of that kernel, so it must wait before it reads what that
kernel writes, and before it writes what that kernel reads or writes. On other GPUs, and without `launch_pdl`, launches
follow each other, and both calls do nothing.
"""

from __future__ import annotations

from .._builtin import builtin

__all__ = ["gdc_launch_dependents", "gdc_wait"]


@builtin
def gdc_launch_dependents() -> None:
    """Let the next launch of the stream begin, if it has `launch_pdl=True`, once every block has called this or ended.

    What this kernel writes, before or after the call, is there for who calls `gdc_wait` in the next one. Best called
    when the multiprocessors will soon have room for its blocks.

    Example:
        >>> gl.extra.cuda.gdc_launch_dependents()
        >>> gl.sum(gl.load(p + i))
        100
    """


@builtin
def gdc_wait() -> None:
    """Wait until the launches that this one may overlap with have ended, and all that they wrote is there.

    Example:
        >>> gl.extra.cuda.gdc_wait()
        >>> gl.sum(gl.load(p + i))
        100
    """


TYPE_CHECKING = False
if not TYPE_CHECKING:  # or checkers would take any name for known

    def __getattr__(name: str):
        from .._foreign_names import missing_attribute

        raise missing_attribute(__name__, name, __all__)


def __dir__() -> list[str]:
    return __all__
