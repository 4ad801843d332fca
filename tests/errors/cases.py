"""How the files of this folder declare their mistakes.

    @mistake("*f32, i32", BLOCK=1024)
    def misspelt_builtin(x, n, BLOCK: gl.constexpr):
        ...

The name says what is wrong. The expected text stands in the .txt file of the same stem, below `== misspelt_builtin`.
"""


class jit:
    """A function that kernels call; enough for the front end, which asks for `.fn` only."""

    def __init__(self, fn):
        self.fn = fn


def mistake(signature="", **constexprs):
    entries = [entry.strip() for entry in signature.split(",") if entry.strip()]

    def declare(fn):
        fn.mistake = (entries, constexprs)
        return fn

    return declare
