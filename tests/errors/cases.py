"""Declarations of mistakes, for the files of this folder.

    @mistake("*f32, i32", BLOCK=1024)
    def misspelt_builtin(x, n, BLOCK: gl.constexpr):
        ...

The name says what is wrong. The expected text is in the .txt file of the same stem, below `== misspelt_builtin`; its
line `+2` is the second one after `def`.
"""

from typing import Any, NamedTuple


class jit:
    """A function that kernels call; enough for the front end, which asks for `.fn`, and for the name in messages."""

    def __init__(self, fn):
        self.fn = fn
        self.__name__ = fn.__name__


class Mistake(NamedTuple):
    signature: list[str]
    constexprs: dict[str, Any]
    target: str
    num_warps: int
    lowered: bool
    num_ctas: int


def mistake(signature="", *, target="sm_90a", num_warps=4, lowered=False, num_ctas=1, **constexprs):
    """`lowered`: a pass finds the mistake, not the front end. Mistakes of kernels with clusters count as lowered."""
    entries = [entry.strip() for entry in signature.split(",") if entry.strip()]

    def declare(fn):
        fn.mistake = Mistake(entries, constexprs, target, num_warps, lowered or num_ctas > 1, num_ctas)
        return fn

    return declare
