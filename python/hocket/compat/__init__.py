"""Runs files that were written for Triton's Gluon as they are: `triton` and its modules become Hocket.

    python -m hocket.compat FILE [args]
    python -m hocket.compat --emulate gfx950 FILE [args]     # without a GPU
    python -m hocket.compat -m pytest tests
    python -m hocket.compat --report FILE                    # what the file uses, and what of it Hocket has

or, first thing in a program:

    import hocket.compat
    hocket.compat.install()
    import triton

In such a process `import triton` gives Hocket, whether a Triton is installed or not. What Hocket lacks can be imported;
using it is an error that names it.
"""

from .finder import install, is_installed
from .missing import MissingFeature

__all__ = ["MissingFeature", "install", "is_installed"]
