"""The `hocket` command.

hocket info
hocket compile FILE.py::kernel --target gfx950 --signature '*f32,*f32,*f32,i32' --constexpr BLOCK=1024 --emit amdgcn
hocket export FILE.py::kernel --target sm_90a --signature '*f32,*f32,*f32,i32' --constexpr BLOCK=1024 -o FOLDER
hocket check FILE.py::function --target gfx950 --schedules 200
hocket profile FILE.py::function --explain
hocket examples NAME
hocket cache --clear
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence

from .. import __version__
from ..errors import CompileError, HocketError, OutOfResources
from . import (
    cache_command,
    check_command,
    compile_command,
    examples_command,
    export_command,
    info_command,
    profile_command,
)
from .kernel_files import UsageError


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command line `argv`, by default the arguments of this process, and returns the exit status.

    Exit statuses: 0 for success; 1 if `hocket check` has found an error, or the cache cannot be used; 2 for a mistake
    in the command line or the kernel; 130 for Ctrl-C; 141 if the reader of the output has closed the output early.
    """
    arguments = _parser().parse_args(argv)
    try:
        status = arguments.run(arguments)
        sys.stdout.flush()
        return status
    except (HocketError, UsageError) as error:
        if getattr(arguments, "json", False):
            print(json.dumps({"error": _described(error)}, indent=2))
        else:
            of_kernel = isinstance(error, CompileError) or (isinstance(error, OutOfResources) and error.filename)
            print(error if of_kernel else f"hocket: error: {error}", file=sys.stderr)
        return 2
    except ImportError as error:
        if error.name != "hocket._core":
            raise
        print(f"hocket: error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt as interrupt:
        print(f"hocket: {interrupt or 'interrupted'}", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # When Python exits, it flushes the rest of the output. Because stdout is redirected here, this flush does not
        # fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141


def _described(error: Exception) -> dict[str, object]:
    """Returns the kind and the text of an error, and its location, message and hint if they are known."""
    kind = type(error).__name__
    parts = {"file": "filename", "line": "lineno", "column": "column", "message": "message", "hint": "hint"}
    found = {name: getattr(error, attribute, None) for name, attribute in parts.items()}
    return {"kind": kind, "text": str(error), **{name: value for name, value in found.items() if value}}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="hocket",
        description="The Hocket kernel compiler.",
        epilog="hocket COMMAND --help describes a command, with examples.",
    )
    parser.add_argument("--version", action="version", version=f"hocket {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def add(name: str, help: str, command, **texts: str) -> None:
        subparser = commands.add_parser(name, help=help, formatter_class=argparse.RawDescriptionHelpFormatter, **texts)
        command.add_arguments(subparser)
        subparser.set_defaults(run=command.run)

    add("info", "print versions, targets and devices", info_command)
    add(
        "compile",
        "compile a kernel without running it",
        compile_command,
        description=compile_command.DESCRIPTION,
        epilog=compile_command.EPILOG,
    )
    add(
        "export",
        "write machine code that C programs and hocket.load launch",
        export_command,
        description=export_command.DESCRIPTION,
        epilog=export_command.EPILOG,
    )
    add(
        "check",
        "run a kernel under many schedules and look for races",
        check_command,
        description=check_command.DESCRIPTION,
        epilog=check_command.EPILOG,
    )
    add(
        "profile",
        "run a kernel and record the times of its warps",
        profile_command,
        description=profile_command.DESCRIPTION,
        epilog=profile_command.EPILOG,
    )
    add(
        "examples",
        "list the example programs, or copy some",
        examples_command,
        description=examples_command.DESCRIPTION,
        epilog=examples_command.EPILOG,
    )
    add(
        "cache",
        "show, clear, pack or unpack the cache of compiled kernels",
        cache_command,
        description=cache_command.DESCRIPTION,
        epilog=cache_command.EPILOG,
    )
    return parser
