"""`hocket export`: writes machine code that C programs and `hocket.load` launch without the compiler."""

from __future__ import annotations

import argparse
import importlib
import pathlib
import re
from types import ModuleType
from typing import Any

from .kernel_files import UsageError, kernel_in, load_function, parse_constexpr
from .signatures import SIGNATURE_HELP, bind_signature, divided

DESCRIPTION = """\
Compile a kernel, or the kernels that a function launches, and write a bundle: a folder with the machine code, a
manifest, and a C header and source that load and launch the bundle with the CUDA driver or the HIP runtime alone.
`hocket.load(FOLDER)` launches a bundle from Python. No GPU is needed for the export.
"""

EPILOG = f"""\
{SIGNATURE_HELP}
GRID, the numbers of programs along each axis: integers, names of integer parameters and constexprs, + - * // %,
cdiv(a, b), min(a, b) and max(a, b), such as 'cdiv(n, BLOCK)'. Without --grid, the caller passes the grid.

SHAPES, the arrays of a function: bf16[512x256] or a=bf16[512x256], separated by commas. bf16[512x256]:1,512 has
strides, in elements. The shapes are constants of the bundle.

Exit status: 0, or 2 for a kernel or a command line with a mistake.

examples, with the file that `hocket examples vector_add` copies
  hocket export vector_add.py::add --signature '*f32,*f32,*f32,i32' --constexpr BLOCK=1024 \\
      --grid 'cdiv(n, BLOCK)' -o build/add
  hocket export hocket.kernels.matmul --shapes 'bf16[4096x4096],bf16[4096x4096]' -o build/matmul
  hocket export hocket.kernels.norms.rms_norm --shapes 'bf16[2048x4096],bf16[4096]' --argument eps=1e-6 -o build/norm
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "what",
        metavar="FILE.py::NAME",
        help="the file and the name of a kernel or function, or the name of a function in a module, such as "
        "hocket.kernels.matmul",
    )
    parser.add_argument("-o", "--output", metavar="FOLDER", required=True, help="the folder of the bundle")
    parser.add_argument("--target", default="sm_90a", help="sm_80, sm_90a, gfx942 or gfx950 (default: sm_90a)")
    parser.add_argument("--name", help="prefix of the names in C (default: the name of the kernel or function)")
    parser.add_argument(
        "--emulator",
        action="store_true",
        help="add code for the emulator, with which hocket.load runs the bundle on NumPy arrays",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object: the manifest, or an error")
    kernels = parser.add_argument_group("for kernels")
    kernels.add_argument("--signature", metavar="SIGNATURE", help="types of the run-time parameters, see below")
    kernels.add_argument(
        "--constexpr",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="a compile-time parameter: a Python expression over the names of FILE.py; may be repeated",
    )
    kernels.add_argument("--grid", metavar="GRID", help="numbers of programs, see below")
    kernels.add_argument("--num-warps", metavar="N", type=int, help="warps per block")
    kernels.add_argument("--num-ctas", metavar="N", type=int, help="blocks per cluster")
    kernels.add_argument("--num-stages", metavar="N", type=int, help="number of iterations in flight, in loops")
    kernels.add_argument("--maxnreg", metavar="N", type=int, help="largest number of registers per thread (NVIDIA)")
    functions = parser.add_argument_group("for functions that launch kernels")
    functions.add_argument("--shapes", metavar="SHAPES", help="dtypes and shapes of the arrays, see below")
    functions.add_argument(
        "--argument",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="another argument of the function: a Python expression; may be repeated",
    )


def run(arguments: argparse.Namespace) -> int:
    from ..runtime import places

    places.check_target(arguments.target)
    module, function = _load(arguments.what)
    kernel = kernel_in(function)
    manifest = _export_kernel(arguments, module, kernel) if kernel else _export_function(arguments, module, function)
    if arguments.json:
        print(manifest.to_json(), end="")
        return 0
    names = [*manifest.files, "manifest.json"]
    print(f"{pathlib.Path(arguments.output)}: {manifest.name} for {manifest.target}, {', '.join(names)}")
    for kernel_code in manifest.kernels:
        if not kernel_code.code:
            print(f"{kernel_code.symbol}: no machine code, because no assembler was found: the driver compiles the PTX")
    return 0


def _load(what: str) -> tuple[ModuleType, Any]:
    """Returns the module and the kernel or function that the command line names."""
    if "::" in what:
        return load_function(what)
    parts = what.split(".") if not what.endswith(".py") else []
    for i in range(len(parts) - 1, 0, -1):
        name = ".".join(parts[:i])
        try:
            module = importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name and (name == error.name or name.startswith(f"{error.name}.")):
                continue
            raise UsageError(f"{what}: {error}") from None
        value: Any = module
        for part in parts[i:]:
            value = getattr(value, part, None)
        if callable(value):
            return module, value
        raise UsageError(f"{what}: the module {name} has no function {'.'.join(parts[i:])}")
    raise UsageError(f"{what}: write FILE.py::NAME, or a function of a module, such as hocket.kernels.matmul")


def _refuse(arguments: argparse.Namespace, names: tuple[str, ...], what: str) -> None:
    for name in names:
        if getattr(arguments, name) not in (None, []):
            raise UsageError(f"--{name.replace('_', '-')} is for {what}, and {arguments.what} is none")


def _export_kernel(arguments: argparse.Namespace, module: ModuleType, kernel: Any) -> Any:
    from ..runtime import compiler, places
    from ..runtime.export import export_kernel

    _refuse(arguments, ("shapes", "argument"), "functions that launch kernels")
    constexprs = dict(parse_constexpr(text, module) for text in arguments.constexpr)
    types, values, descriptors = bind_signature(kernel, arguments.signature or "", constexprs)
    given = {name: getattr(arguments, name) for name in ("num_warps", "num_ctas", "num_stages", "maxnreg")}
    options = kernel.options_for({name: value for name, value in given.items() if value is not None})
    place = places.COMPILE_ONLY + arguments.target
    compiled = compiler.compile_specialization(kernel, types, values, options, place)
    settings = {"grid": arguments.grid, "name": arguments.name, "emulator": arguments.emulator}
    return export_kernel(compiled, arguments.output, given=descriptors, **settings)


def _export_function(arguments: argparse.Namespace, module: ModuleType, function: Any) -> Any:
    from ..runtime.traced_calls import export_function

    kernel_options = ("signature", "constexpr", "grid", "num_warps", "num_ctas", "num_stages", "maxnreg")
    _refuse(arguments, kernel_options, "kernels")
    if arguments.shapes is None:
        raise UsageError(
            f"{arguments.what} is a function: name the dtypes and shapes of its arrays\n"
            "  hint: for example --shapes 'bf16[512x256],bf16[256x1024]'"
        )
    positional: list[Any] = []
    named: dict[str, Any] = {}
    for entry in divided_shapes(arguments.shapes):
        name, _, text = entry.rpartition("=")
        array = _array(text.strip())
        if name.strip():
            named[name.strip()] = array
        elif named:
            raise UsageError(f"--shapes: {entry} follows an array with a name, so it needs a name, too")
        else:
            positional.append(array)
    for text in arguments.argument:
        name, value = parse_constexpr(text, module)
        named[name] = value
    return export_function(
        function,
        arguments.output,
        *positional,
        target=arguments.target,
        name=arguments.name,
        emulator=arguments.emulator,
        **named,
    )


_ARRAY = re.compile(r"(?P<type>\w+)\[(?P<shape>\d+(x\d+)*)\](:(?P<strides>\d+(,\d+)*))?")


def divided_shapes(text: str) -> list[str]:
    """Divides the entries of --shapes. Numbers after a comma belong to the strides of the entry before."""
    entries: list[str] = []
    for part in divided(text):
        if entries and part.isdigit() and ":" in entries[-1]:
            entries[-1] += f",{part}"
        else:
            entries.append(part)
    return entries


def _array(text: str) -> Any:
    """Returns an array without contents."""
    import numpy as np

    from .kernel_arguments import dtype_of

    found = _ARRAY.fullmatch(text)
    if found is None:
        raise UsageError(f"--shapes: {text}: write an array as bf16[512x256], or with strides as bf16[512x256]:1,512")
    shape = tuple(map(int, found["shape"].split("x")))
    kind = dtype_of(found["type"], text)
    if not found["strides"]:
        return np.empty(shape, kind)
    strides = tuple(map(int, found["strides"].split(",")))
    if len(strides) != len(shape):
        raise UsageError(f"--shapes: {text} has {len(shape)} dimensions and {len(strides)} strides")
    last = sum((size - 1) * stride for size, stride in zip(shape, strides, strict=True))
    flat = np.empty(last + 1, kind)
    return np.lib.stride_tricks.as_strided(flat, shape, [stride * kind.itemsize for stride in strides])


__all__ = ["DESCRIPTION", "EPILOG", "add_arguments", "run"]
