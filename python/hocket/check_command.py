"""`hocket check FILE.py::FUNCTION`: the command line of `hocket.check`."""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
import traceback
from collections.abc import Callable
from typing import Any

from .errors import HocketError
from .kernel_files import UsageError, example_signature, load_function, parse_constexpr

DESCRIPTION = """\
Run kernels on the emulator under many schedules of blocks and warps, and report races, reads of copies in flight,
deadlocks, NaN in results, and results that depend on the schedule. Exit status: 0 if nothing was
found, 1 if something was, 2 for a mistake in the kernel or on the command line.

FUNCTION is a Python function without arguments that launches kernels on NumPy arrays and returns the arrays they write,
or a kernel, with its arguments described by --signature, --constexpr, --grid and --num-warps.
"""

EPILOG = """\
SIGNATURE, for a kernel: the parameters that are not constexprs, in order
  *f16[64x320]   an array of that shape: normally distributed numbers, integers from 0 to 9
  i32=64         a number
  None           a parameter that is None

examples
  hocket check examples/ring_check.py::right_ring --target gfx950 --schedules 200
  hocket check examples/vector_add.py::add --signature '*f32[999],*f32[999],*f32[999],i32=999' \\
      --constexpr BLOCK=256 --grid 4
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("function", metavar="FILE.py::FUNCTION", help="the file, and what to run in it")
    parser.add_argument("--target", default="sm_90a", help="sm_80, sm_90a, gfx942 or gfx950 (default: sm_90a)")
    parser.add_argument("--schedules", metavar="N", type=int, default=200, help="how many to run (default: 200)")
    parser.add_argument("--seed", metavar="N", type=int, default=0, help="first seed (default: 0, the natural order)")
    parser.add_argument(
        "--completion",
        choices=["late", "random", "now"],
        action="append",
        help="when asynchronous copies arrive; may be repeated (default: all three in turn)",
    )
    parser.add_argument(
        "--tolerance",
        metavar="X",
        type=float,
        default=0.0,
        help="how far floats may differ between schedules, relative to an array's largest value (default: not a bit)",
    )
    parser.add_argument("--allow-nan", action="store_true", help="NaN in a result is allowed")
    parser.add_argument("--fail-fast", action="store_true", help="stop after the first schedule that fails")
    parser.add_argument(
        "--json", action="store_true", help="print one JSON object: what was found and explored, or an error"
    )
    parser.add_argument("--threads", metavar="N", type=int, default=1, help="host threads that run blocks (default: 1)")
    kernel = parser.add_argument_group("for a kernel")
    kernel.add_argument("--signature", help="its arguments, see below")
    kernel.add_argument("--constexpr", metavar="NAME=VALUE", action="append", default=[], help="as for hocket compile")
    kernel.add_argument("--grid", help="blocks, as in 4 or 4,2 (default: 1)")
    kernel.add_argument("--num-warps", type=int, help="warps per block (default: 4)")


def run(arguments: argparse.Namespace) -> int:
    """Prints the report; returns the exit status."""
    from .checking import check
    from .checking.report import shown_path
    from .runtime import places
    from .runtime.jit import JITFunction

    target = places.check_target(arguments.target)
    module, function = load_function(arguments.function)
    name = arguments.function.rpartition("::")[2]
    if isinstance(function, JITFunction):
        launch = _launch_of(function, module, arguments)
    else:
        launch = function
        for option in ("signature", "constexpr", "grid", "num_warps"):
            if getattr(arguments, option):
                raise UsageError(f"--{option.replace('_', '-')} is for a kernel; {name} is a Python function")
    try:
        with contextlib.redirect_stdout(sys.stderr):  # what the function prints is not the report
            report = check(
                launch,
                target=target,
                schedules=arguments.schedules,
                completions=arguments.completion or ("late", "random", "now"),
                first_seed=arguments.seed,
                tolerance=arguments.tolerance,
                allow_nan=arguments.allow_nan,
                fail_fast=arguments.fail_fast,
                threads=arguments.threads,
                progress=not arguments.json,
                name=name,
            )
    except HocketError:
        raise
    except Exception as error:
        frame = traceback.extract_tb(error.__traceback__)[-1]
        raise UsageError(
            f"{name}() raised {type(error).__name__}: {error} ({shown_path(frame.filename)}:{frame.lineno})"
        ) from error
    print(json.dumps(report.as_dict(), indent=2) if arguments.json else report)
    return 0 if report.ok else 1


def _launch_of(kernel: Any, module: Any, arguments: argparse.Namespace) -> Callable[[], dict[str, Any]]:
    """A function that launches the kernel on arrays of numbers, and returns them."""
    from .checking.arguments import arguments_of, grid_of

    constexprs = dict(parse_constexpr(text, module) for text in arguments.constexpr)
    if unknown := set(constexprs) - set(kernel.arg_names):
        raise UsageError(f"{kernel.__name__} has no parameter {', '.join(sorted(unknown))}")
    for parameter in kernel.parameters:
        if parameter.is_constexpr and not parameter.has_default and parameter.name not in constexprs:
            raise UsageError(f"{kernel.__name__} needs a value for {parameter.name}: --constexpr {parameter.name}=...")
    names = [p.name for p in kernel.parameters if not p.is_constexpr and p.name not in constexprs]
    example = example_signature(kernel, names, "*f32[1024]", "i32=1024")
    make = arguments_of(names, arguments.signature or "", example)
    grid = grid_of(arguments.grid or "1")
    num_warps = 4 if arguments.num_warps is None else arguments.num_warps

    def launch() -> dict[str, Any]:
        values = make()
        kernel[grid](**values, **constexprs, num_warps=num_warps)
        return {name: value for name, value in values.items() if hasattr(value, "shape")}

    return launch
