"""Exported kernels: folders with machine code that C programs and Python launch without the compiler.

`hocket export` and `kernel.export(...)` write a folder, which is called a bundle: machine code, a manifest, and a C
header and source that load and launch the kernels with the driver alone. `hocket.load(folder)` launches a bundle from
Python. Loading imports neither the compiler nor NumPy.

    hocket.load("build/add")[(8,)](x, y, out, 1000)
"""

from .loaded import GridOfBundle, LoadedBundle, load

__all__ = ["GridOfBundle", "LoadedBundle", "load"]
