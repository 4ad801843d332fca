"""`hocket profile FILE.py::FUNCTION`: the command line of `hocket.profiler`."""

from __future__ import annotations

import argparse
import contextlib
import json
import pathlib
import sys
from typing import Any

from ..errors import HocketError
from .kernel_files import UsageError, load_function, raised_text
from .kernel_launches import SIGNATURE_HELP, add_kernel_arguments, launch_of

DESCRIPTION = """\
Run kernels that record times of their warps: of stages of warp pipelines, of partitions of warp_specialize, and of
blocks of `with profiler.scope(...)`. Print how long each takes, and write a trace for https://ui.perfetto.dev and a
picture of one block.

FUNCTION is a Python function without arguments that launches kernels, on arrays of a GPU or on NumPy arrays, which run
on the emulator; or a kernel, with its arguments described by --signature, --constexpr, --grid and --num-warps.
"""

EPILOG = f"""\
{SIGNATURE_HELP}
examples, with the file that `hocket examples profiled_gemm` copies
  hocket profile profiled_gemm.py::blocking_loads --explain
  hocket profile profiled_gemm.py::async_copies --units group --out profiles
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("function", metavar="FILE.py::FUNCTION", help="the file, and what to run in it")
    parser.add_argument("--target", help="the emulated GPU that NumPy arrays run on (default: sm_90a)")
    parser.add_argument(
        "--explain", action="store_true", help="name the bottleneck of the last launch, and the time to gain"
    )
    parser.add_argument(
        "--out",
        metavar="FOLDER",
        default=".",
        help="the folder of FUNCTION.json and FUNCTION.svg (default: this folder)",
    )
    parser.add_argument("--block", metavar="N", type=int, default=0, help="the block in the picture (default: 0)")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of tables")
    options = parser.add_argument_group("what is recorded, as for hocket.profiler.session")
    options.add_argument(
        "--buffer",
        choices=["auto", "smem", "device", "static"],
        default="auto",
        help="memory of the records: shared memory, device memory, or a static variable in device memory (default: "
        "shared memory if that does not reduce the number of blocks per SM, else device memory)",
    )
    options.add_argument(
        "--max-blocks", metavar="N", type=int, default=0, help="number of blocks whose records fit into a static buffer"
    )
    options.add_argument(
        "--policy",
        choices=["circular", "keep_first"],
        default="circular",
        help="the records to keep if the buffer is full, the last or the first ones (default: circular, the last ones)",
    )
    options.add_argument(
        "--overflow",
        choices=["drop", "flush"],
        default="drop",
        help="what happens if the buffer is full: drop records, or move them from shared memory to device memory while "
        "the kernel runs (default: drop)",
    )
    options.add_argument(
        "--units",
        choices=["warp", "group", "cta"],
        default="warp",
        help="the warps that record: each warp, the first of each group of four, or of each block (default: warp)",
    )
    options.add_argument("--select", metavar="WARPS", help="numbers of warps, as in 0,4 (default: all)")
    options.add_argument(
        "--clock",
        type=int,
        choices=[32, 44],
        default=32,
        help="bits of a record's clock: 44 if a warp may record nothing for 2^32 cycles (default: 32)",
    )
    options.add_argument(
        "--bytes",
        metavar="N",
        type=int,
        default=0,
        help="bytes for the records of a warp (default: the largest size that does not reduce the blocks per SM)",
    )
    options.add_argument("--no-stages", action="store_true", help="record only the scopes and marks of the kernel")
    options.add_argument(
        "--waits",
        action=argparse.BooleanOptionalAction,
        help="record waits for barriers outside of stages, two records each (default: in kernels without scopes, and "
        "on the emulator, where records take no time)",
    )
    add_kernel_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Profiles the function or kernel, and prints the summary. Returns the exit status."""
    from .. import profiler

    name = arguments.function.rpartition("::")[2]
    module, function = load_function(arguments.function)
    launch = launch_of(function, name, module, arguments)
    folder = pathlib.Path(arguments.out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"--out {arguments.out}: {error.strerror}: {error.filename}") from None
    session = profiler.session(
        name,
        buffer=arguments.buffer,
        policy=arguments.policy,
        overflow=arguments.overflow,
        units=arguments.units,
        select=_numbers(arguments.select),
        stages=None if arguments.no_stages else "auto",
        clock=arguments.clock,
        bytes_per_warp=arguments.bytes,
        max_blocks=arguments.max_blocks,
        waits=_waits_of(arguments),
    )
    with _on_target(arguments.target), session, contextlib.redirect_stdout(sys.stderr):
        _call(launch, name, arguments.function.rpartition("::")[0])
    trace, picture = folder / f"{name}.json", folder / f"{name}.svg"
    session.save(trace, progress=not arguments.json)
    try:
        session.picture(block=arguments.block).save(picture)
    except ValueError as error:
        raise UsageError(f"--block {arguments.block}: {error}") from None
    print(json.dumps(_described(session, arguments.explain), indent=2) if arguments.json else session.summary())
    if not arguments.json:
        if arguments.explain:
            print(session.explain())
        print(f"wrote {trace} (open it with https://ui.perfetto.dev) and {picture}")
    return 0


def _waits_of(arguments: argparse.Namespace) -> bool | None:
    """Returns True for `--waits`, False for `--no-waits`.

    Without these two options, returns True if `--target` is an emulated GPU; else None, for which the session chooses.
    """
    if arguments.waits is None and arguments.target:
        return True
    return arguments.waits


def _on_target(name: str | None) -> contextlib.AbstractContextManager[None]:
    from .. import emulator

    return emulator.target(name) if name else contextlib.nullcontext()


def _call(launch: Any, name: str, file: str) -> None:
    try:
        launch()
    except HocketError:
        raise
    except Exception as error:
        raise UsageError(f"{name}() raised {raised_text(error, file)}") from error


def _numbers(text: str | None) -> list[int] | None:
    if text is None:
        return None
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise UsageError(f"--select {text}: write numbers of warps, as in 0,4") from None


def _described(session: Any, explains: bool) -> dict[str, Any]:
    summary = session.summary()
    described: dict[str, Any] = {"sites": [row._asdict() for row in summary], "notes": summary.notes}
    if explains:
        explanation = session.explain()
        parts = {"work": explanation.work, "waiting": explanation.waiting}
        described["explanation"] = {
            **explanation._asdict(),
            **{name: [part._asdict() for part in found] for name, found in parts.items()},
            "is_reliable": explanation.is_reliable,
        }
    return described
