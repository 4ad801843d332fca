"""The command line `python -m hocket.compat`; see the docstring of hocket.compat."""

from __future__ import annotations

import argparse
import importlib.util
import pathlib
import runpy
import sys
from collections.abc import Sequence

from ..errors import LaunchError
from ..runtime.places import check_target
from .finder import install

_DESCRIPTION = """\
Run a file that was written for Triton's Gluon: `triton` and its modules are Hocket in this process.
"""

_EPILOG = """\
Exit status: that of the file; 2 for a mistake in the command line. With --report: 0 if Hocket has all that the files
use, else 1.

examples
  python -m hocket.compat attention.py --heads 8
  python -m hocket.compat --emulate gfx950 attention.py
  python -m hocket.compat --emulate sm_90a -m pytest test_kernels.py -k copy
  python -m hocket.compat --report attention.py
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command `argv`, by default the command line of the process. Returns the exit status, unless the executed
    file exits the process."""
    parser = argparse.ArgumentParser(
        prog="python -m hocket.compat",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        usage="python -m hocket.compat [--emulate TARGET] (FILE | -m MODULE) [args] | --report FILE ...",
    )
    parser.add_argument("--emulate", metavar="TARGET", help="an emulated GPU: sm_80, sm_90a, gfx942 or gfx950")
    parser.add_argument(
        "--report", action="store_true", help="list the names of Triton that files use, without running them"
    )
    parser.add_argument("-m", dest="module", metavar="MODULE", nargs=argparse.REMAINDER, help="run a module")
    parser.add_argument("rest", nargs=argparse.REMAINDER, metavar="FILE [args]", help="the file, and its arguments")
    arguments = parser.parse_args(argv)
    if arguments.report:
        if not arguments.rest:
            parser.error("--report needs files")
        from .report import print_reports

        return print_reports([pathlib.Path(path) for path in arguments.rest])
    command = arguments.module or arguments.rest
    if not command:
        parser.error("name a file, or a module with -m")
    try:
        if arguments.emulate is not None:
            check_target(arguments.emulate)
        if arguments.module and command[0] == "pytest":
            return _run_pytest(command, arguments.emulate)
        install(arguments.emulate)
    except LaunchError as error:
        parser.error(str(error))
    try:
        _run(command, bool(arguments.module))
    except _CannotRun as error:
        parser.error(str(error))
    return 0


class _CannotRun(Exception):
    """Raised if the file or module cannot be run as a program."""


def _run(command: list[str], is_module: bool) -> None:
    sys.argv = command
    if is_module:
        sys.path[0] = ""
        try:
            is_known = importlib.util.find_spec(command[0]) is not None
        # `find_spec` fails if the package that contains the module is missing
        except (ModuleNotFoundError, ValueError):
            is_known = False
        if not is_known:
            raise _CannotRun(f"no module named {command[0]}")
        runpy.run_module(command[0], run_name="__main__", alter_sys=True)
        return
    path = pathlib.Path(command[0])
    if not path.exists():
        raise _CannotRun(f"no such file: {path}")
    if path.is_dir():
        raise _CannotRun(f"{path} is a folder: name a file, or a module with -m")
    try:
        compile(path.read_bytes(), str(path), "exec")
    except (SyntaxError, ValueError, UnicodeDecodeError) as error:
        raise _CannotRun(f"{path} cannot be read as Python: {error}") from None
    sys.path[0] = str(path.resolve().parent)
    runpy.run_path(str(path), run_name="__main__")


def _run_pytest(command: list[str], target: str | None) -> int:
    """Runs pytest with Hocket's plugin, which the worker processes of pytest-xdist load too."""
    emulate = [f"--hocket-emulate={target}"] if target else []
    sys.argv = [command[0], "-p", "hocket.compat.pytest_plugin", *emulate, *command[1:]]
    sys.path[0] = ""
    runpy.run_module("pytest", run_name="__main__", alter_sys=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
