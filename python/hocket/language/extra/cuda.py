"""Launches that overlap with earlier launches of their stream: CUDA's programmatic dependent launch, from Hopper on.

    produce[grid](x)
    consume[grid](x, out, launch_pdl=True)     # may start before `produce` has ended

    @hocket.jit
    def consume(x, out):
        ...                                    # independent of `produce`: addresses, mbarriers, constants
        gl.extra.cuda.gdc_wait()               # all writes of `produce` are visible from here on
        ...

A launch with `launch_pdl=True` starts when each block of the previous kernel in the stream has ended or has called
`gdc_launch_dependents`. The later kernel runs concurrently with the rest of the previous kernel. The later kernel must
call `gdc_wait` before it reads memory that the previous kernel writes, and before it writes memory that the previous
kernel reads or writes. On other GPUs, and without `launch_pdl`, launches run one after another, and both calls do
nothing.
"""

from __future__ import annotations

from .._builtin import builtin

__all__ = ["gdc_launch_dependents", "gdc_wait"]


@builtin
def gdc_launch_dependents() -> None:
    """Lets the next launch of the stream start when every block has called this function or has ended. The next launch
    must have `launch_pdl=True`.

    All writes of this kernel, before and after the call, are visible in the next kernel after its `gdc_wait`. The best
    moment for the call is shortly before the SMs have free resources for blocks of the next kernel.

    Example:
        >>> gl.extra.cuda.gdc_launch_dependents()
        >>> gl.sum(gl.load(p + i))
        100
    """


@builtin
def gdc_wait() -> None:
    """Waits until all launches that overlap with this launch have ended and all their writes are visible.

    Example:
        >>> gl.extra.cuda.gdc_wait()
        >>> gl.sum(gl.load(p + i))
        100
    """


TYPE_CHECKING = False
if not TYPE_CHECKING:  # a visible `__getattr__` would make type checkers accept any attribute of this module

    def __getattr__(name: str):
        from .._foreign_names import missing_attribute

        raise missing_attribute(__name__, name, __all__)


def __dir__() -> list[str]:
    return __all__
