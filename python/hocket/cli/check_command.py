"""`hocket check FILE.py::FUNCTION`: the command line of `hocket.check`."""

from __future__ import annotations

import argparse
import contextlib
import json
import sys

from ..errors import HocketError
from .kernel_files import UsageError, load_function, raised_text
from .kernel_launches import SIGNATURE_HELP, add_kernel_arguments, launch_of

DESCRIPTION = """\
Run kernels on the emulator under many schedules of blocks and warps, and report races, reads of copies in flight,
deadlocks, NaN in results, and results that depend on the schedule. Exit status: 0 if nothing was found, 1 if something
was, 2 for a mistake in the kernel or on the command line.

FUNCTION is a Python function without arguments that launches kernels on NumPy arrays and returns the arrays they write,
or a kernel, with its arguments described by --signature, --constexpr, --grid and --num-warps.
"""

EPILOG = f"""\
{SIGNATURE_HELP}
examples, with the files that `hocket examples ring_check vector_add` copies
  hocket check ring_check.py::right_ring --target gfx950 --schedules 200
  hocket check vector_add.py::add --signature '*f32[999],*f32[999],*f32[999],i32=999' \\
      --constexpr BLOCK=256 --grid 4
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("function", metavar="FILE.py::FUNCTION", help="the file, and what to run in it")
    parser.add_argument("--target", default="sm_90a", help="sm_80, sm_90a, gfx942 or gfx950 (default: sm_90a)")
    parser.add_argument(
        "--schedules", metavar="N", type=int, default=200, help="number of schedules to run (default: 200)"
    )
    parser.add_argument("--seed", metavar="N", type=int, default=0, help="first seed (default: 0, the natural order)")
    parser.add_argument(
        "--completion",
        choices=["late", "random", "now"],
        action="append",
        help="when asynchronous copies arrive; may be repeated (default: all three, in different schedules)",
    )
    parser.add_argument(
        "--tolerance",
        metavar="X",
        type=float,
        default=0.0,
        help="how far floats may differ between schedules, relative to an array's largest value (default: 0)",
    )
    parser.add_argument("--allow-nan", action="store_true", help="allow NaN in results")
    parser.add_argument("--fail-fast", action="store_true", help="stop after the first schedule that fails")
    parser.add_argument(
        "--json", action="store_true", help="print one JSON object: what was found and explored, or an error"
    )
    parser.add_argument("--threads", metavar="N", type=int, default=1, help="host threads that run blocks (default: 1)")
    add_kernel_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Checks the function or kernel, and prints the report. Returns the exit status."""
    from ..checking import check
    from ..runtime import places

    target = places.check_target(arguments.target)
    module, function = load_function(arguments.function)
    name = arguments.function.rpartition("::")[2]
    launch = launch_of(function, name, module, arguments)
    try:
        with contextlib.redirect_stdout(sys.stderr):  # stdout is reserved for the report
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
        raise UsageError(f"{name}() raised {raised_text(error, arguments.function.rpartition('::')[0])}") from error
    print(json.dumps(report.as_dict(), indent=2) if arguments.json else report)
    return 0 if report.ok else 1
