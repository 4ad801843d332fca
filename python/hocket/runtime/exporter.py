"""`hocket.export`: exports a kernel, or a function that launches kernels."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from ..errors import LaunchError
from .export import export_call
from .jit import JITFunction


def export(
    function: Callable[..., Any],
    folder: str | os.PathLike,
    *args: Any,
    target: str,
    grid: Any = None,
    name: str | None = None,
    emulator: bool = False,
    **kwargs: Any,
) -> None:
    """Writes a bundle: a folder with machine code that C programs and `hocket.load` launch without the compiler.

    The folder contains the machine code, manifest.json, and NAME.h and NAME.c, which load and launch the bundle with
    the CUDA driver or the HIP runtime alone. No GPU is needed for the export. The folder is written as a whole: if the
    export fails, an earlier bundle in the folder remains.

    A kernel is compiled for its arguments as by `kernel.warmup`: an array can be given as its element type. A Python
    function that launches kernels, such as `hocket.kernels.matmul`, is called once with arrays without contents, and
    the bundle has the launches of this call. The shapes of its arrays, and its numbers, are constants of the bundle.
    The ready kernels choose plans for the SMs of an H200 (sm_90a), an A100 (sm_80), an MI300X (gfx942) or an MI355X
    (gfx950).

    Args:
        function: a function decorated with `@hocket.jit`, or a Python function that launches kernels.
        folder: the folder to write. It may be a bundle, an empty folder, or not exist.
        args, kwargs: arguments of the kernel or function, and for kernels also launch options such as `num_warps`. For
            a Python function, arrays are NumPy arrays, of which only dtype, shape and strides are used.
        target: the target, such as "sm_90a".
        grid: for kernels, one to three numbers or rules over integer parameters, such as ("cdiv(n, 1024)",). Without a
            grid, the caller passes one at each launch.
        name: prefix of the names in C; by default, the name of the function.
        emulator: whether the bundle also has code for the emulator, with which `hocket.load` runs it on NumPy arrays.

    Raises: LaunchError if the function cannot be exported or the folder cannot be written; CompileError for a mistake
    in a kernel.

    Example:
        >>> a, b = np.empty((512, 256), np.float16), np.empty((256, 1024), np.float16)
        >>> hocket.export(hocket.kernels.matmul, "build/matmul", a, b, target="sm_90a")  # doctest: +SKIP
    """
    settings = {"name": name, "emulator": emulator}
    if isinstance(function, JITFunction):
        export_call(function, folder, args, target, {"grid": grid, **settings}, kwargs)
        return
    if grid is not None:
        raise LaunchError("only kernels take `grid`: a Python function chooses the grids of its launches")
    from .traced_calls import export_function

    export_function(function, folder, *args, target=target, name=name, emulator=emulator, **kwargs)
