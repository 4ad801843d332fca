"""The `hocket` command.

hocket info
hocket compile FILE.py::kernel --target gfx950 --signature '*f32,*f32,*f32,i32' --constexpr BLOCK=1024 --emit amdgcn
hocket check FILE.py::function --target gfx950 --schedules 200
hocket cache --clear
"""

from __future__ import annotations

import argparse
import os
import pathlib
import platform
import sys
from collections.abc import Sequence
from typing import Any

from . import __version__, cache_command, check_command
from .errors import CompileError, HocketError, LaunchError
from .kernel_files import UsageError, load_kernel, parse_constexpr

SIGNATURE_HELP = """\
the types of the parameters that are not constexprs, in order:
  i1 i8 i16 i32 i64 u8 u16 u32 u64 f8e5 f8e4nv f16 bf16 f32 f64
  *f32     a pointer whose address is a multiple of 16 bytes, as allocators return
  *f32:4   a pointer whose address is only known to be a multiple of this smaller power of two
  i32:16   an integer that is a multiple of 16
  i32=1    an integer that is always 1
  None     a parameter that is None
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command line `argv` (default: the process's) and returns its exit code: 0; 1 for an error, or if
    `hocket check` has found something; 2 for a command line that does not parse; 130 for Ctrl-C; 141 if the reader of
    the output closes it early."""
    arguments = _parser().parse_args(argv)
    try:
        status = arguments.run(arguments) or 0
        sys.stdout.flush()
        return status
    except CompileError as error:
        print(error, file=sys.stderr)
        return 1
    except (HocketError, UsageError) as error:
        print(f"hocket: error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt as interrupt:
        print(f"hocket: {interrupt or 'interrupted'}", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # What is left would be flushed, and fail again, when Python exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="hocket", description="The Hocket kernel compiler.")
    parser.add_argument("--version", action="version", version=f"hocket {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    info = commands.add_parser("info", help="print versions, targets and devices")
    info.set_defaults(run=_info)

    compile_ = commands.add_parser(
        "compile",
        help="compile a kernel without running it",
        description="Compile a kernel and print what it becomes.",
        epilog="SIGNATURE, " + SIGNATURE_HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    compile_.add_argument("kernel", metavar="FILE.py::KERNEL", help="the file and the name of the kernel in it")
    compile_.add_argument("--target", default="sm_90a", help="sm_80, sm_90a, gfx942 or gfx950 (default: sm_90a)")
    compile_.add_argument("--signature", default="", help="types of the run-time parameters, see below")
    compile_.add_argument(
        "--constexpr",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="a compile-time parameter: a Python expression over the names of FILE.py; may be repeated",
    )
    compile_.add_argument("--num-warps", type=int, default=4, help="warps per block (default: 4)")
    compile_.add_argument("--debug", action="store_true", help="check asserts in the kernel")
    compile_.add_argument(
        "--emit",
        metavar="WHAT",
        help="hk, lane, llvm, ptx, cubin, amdgcn or hsaco (default: the target's assembly text)",
    )
    compile_.add_argument("-o", "--output", metavar="FILE", help="write to FILE instead of the standard output")
    compile_.set_defaults(run=_compile)

    check = commands.add_parser(
        "check",
        help="run a kernel under many schedules and look for races",
        description=check_command.DESCRIPTION,
        epilog=check_command.EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    check_command.add_arguments(check)
    check.set_defaults(run=check_command.run)

    cache = commands.add_parser(
        "cache",
        help="show or clear the cache of compiled kernels",
        description=cache_command.DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    cache_command.add_arguments(cache)
    cache.set_defaults(run=cache_command.run)
    return parser


# hocket info ---------------------------------------------------------------------------------------------------------


def _info(arguments: argparse.Namespace) -> None:
    from . import _core
    from .runtime import compiler, environment

    print(f"hocket     {__version__}, build {_core.build_id()[:16]}")
    print(f"LLVM       {_core.llvm_version}")
    print(f"Python     {platform.python_version()} on {platform.platform(terse=True)}")
    compiler.find_assembler()
    print(f"assembler  {_core.cubin_assembler() or 'none for cubins: the driver compiles PTX'}")
    print(f"cache      {environment.cache_directory() or 'off'}")
    print("targets")
    for target in _core.targets():
        facts = f"warps of {target.warp_size}, {target.max_shared_bytes // 1024} KiB shared memory per block"
        print(f"  {target.name:<9}{target.family:<8} {facts}; emits {', '.join(_core.artifacts(target.name))}")
    print("devices")
    lines = [line for platform in (_core.cuda, _core.hip) for line in _device_lines(platform)]
    print(*lines or [f"  none: {_core.why_no_device()}; every target runs on the emulator"], sep="\n")


def _device_lines(platform: Any) -> list[str]:
    """A line for each GPU that the platform's driver sees."""
    lines = []
    for ordinal in range(platform.device_count):
        try:
            device = platform.device_info(ordinal)
            size = f"{device.memory_bytes / 2**30:.0f} GiB"
            facts = f"{device.name}, {device.multiprocessors} multiprocessors, {size}, runs {device.target}"
        except LaunchError as error:
            facts = str(error)
        lines.append(f"  {platform.name}:{ordinal:<4} {facts}")
    return lines


# hocket compile ------------------------------------------------------------------------------------------------------


def _compile(arguments: argparse.Namespace) -> None:
    from . import _core
    from .runtime import places
    from .runtime.compiler import Request
    from .runtime.options import Options

    target = places.check_target(arguments.target)
    known = _core.artifacts(target)
    emit = arguments.emit or next(name for name in known if name in ("ptx", "amdgcn"))
    if emit not in known:
        raise UsageError(f"--emit {emit}: a kernel for {target} becomes {', '.join(known)}")
    module, kernel = load_kernel(arguments.kernel)
    constexprs = dict(parse_constexpr(text, module) for text in arguments.constexpr)
    types, values = _bind_signature(kernel, arguments.signature, constexprs)
    options = Options.given({"num_warps": arguments.num_warps}, arguments.debug or kernel.debug)
    artifact = Request(kernel, types, values, options, places.COMPILE_ONLY + target).make(emit)
    _write(artifact, emit, arguments.output)


def _bind_signature(kernel: Any, signature: str, constexprs: dict[str, Any]) -> tuple[list, list]:
    """Types and values of the kernel's parameters, as the launch path describes them to the compiler."""
    entries = [entry.strip() for entry in signature.split(",")] if signature.strip() else []
    types: list[str | None] = []
    values: list[Any] = []
    unknown = set(constexprs) - set(kernel.arg_names)
    if unknown:
        raise UsageError(f"{kernel.__name__} has no parameter {', '.join(sorted(unknown))}")
    remaining = iter(entries)
    for parameter in kernel.parameters:
        if parameter.name in constexprs or parameter.is_constexpr:
            if parameter.name not in constexprs and not parameter.has_default:
                raise UsageError(
                    f"{kernel.__name__} needs a value for {parameter.name}: --constexpr {parameter.name}=..."
                )
            types.append(None)
            values.append(constexprs.get(parameter.name, parameter.default))
            continue
        entry = next(remaining, None)
        if entry is None:
            names = ", ".join(p.name for p in kernel.parameters if p.name not in constexprs and not p.is_constexpr)
            raise UsageError(f"--signature has {len(entries)} types for the parameters {names}")
        type_, value = _parse_type(entry)
        types.append(type_)
        values.append(value)
    if left := list(remaining):
        raise UsageError(f"--signature has {len(left)} types too many: {', '.join(left)}")
    return types, values


def _parse_type(entry: str) -> tuple[str | None, Any]:
    from . import _core

    if entry == "None":
        return None, None
    if entry.startswith("*") and ":" not in entry:
        entry += ":16"
    try:
        _core.check_signature(entry)
    except ValueError as error:
        raise UsageError(str(error)) from error
    if "=" in entry:
        return None, int(entry.partition("=")[2])
    return entry, None


def _write(artifact: bytes, emit: str, output: str | None) -> None:
    if output is not None:
        pathlib.Path(output).write_bytes(artifact)
    elif emit in ("cubin", "hsaco") and sys.stdout.isatty():
        raise UsageError(f"a {emit} is binary: name a file with -o")
    else:
        sys.stdout.buffer.write(artifact)
        sys.stdout.flush()
