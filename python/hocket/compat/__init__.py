"""Runs unchanged files that were written for Triton's Gluon: `import triton` imports Hocket instead.

    python -m hocket.compat FILE [args]
    python -m hocket.compat --emulate gfx950 FILE [args]     # without a GPU
    python -m hocket.compat -m pytest tests
    python -m hocket.compat --report FILE                    # the names the file uses, and which of them Hocket has

or at the start of a program:

    import hocket.compat
    hocket.compat.install()
    import triton

In such a process, `import triton` imports Hocket even if Triton is installed. Names that Hocket lacks can be imported.
Using a name that Hocket lacks raises an error that contains the name.
"""

from .finder import install, is_installed
from .missing import MissingFeature

__all__ = ["MissingFeature", "install", "is_installed"]
