"""`hocket compile FILE.py::KERNEL`: compiles a kernel and writes its IR or machine code, without running it."""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import stat
import sys
import time
from typing import TYPE_CHECKING

from .kernel_files import UsageError, load_kernel, parse_constexpr
from .signatures import SIGNATURE_HELP, bind_signature

if TYPE_CHECKING:
    from .. import _core
    from ..reports.code import CodeReport

DESCRIPTION = """\
Compile a kernel and print its code. Its use of registers and shared memory is printed to the standard error.
"""

EPILOG = f"""\
{SIGNATURE_HELP}
Exit status: 0, or 2 for a kernel or a command line with a mistake.

examples, with the file that `hocket examples vector_add` copies
  hocket compile vector_add.py::add --target gfx950 --signature '*f32,*f32,*f32,i32' --constexpr BLOCK=1024
  hocket compile vector_add.py::add --signature '*f32,*f32,*f32,i32' --constexpr BLOCK=1024 --emit all -o add
  hocket compile vector_add.py::add --signature '*f32,*f32,*f32,i32' --constexpr BLOCK=1024 --report
"""

_TEXTS = ("ptx", "amdgcn")
_BINARIES = ("cubin", "hsaco")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("kernel", metavar="FILE.py::KERNEL", help="the file and the name of the kernel in it")
    parser.add_argument("--target", default="sm_90a", help="sm_80, sm_90a, gfx942 or gfx950 (default: sm_90a)")
    parser.add_argument("--signature", default="", help="types of the run-time parameters, see below")
    parser.add_argument(
        "--constexpr",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="a compile-time parameter: a Python expression over the names of FILE.py; may be repeated",
    )
    parser.add_argument(
        "--num-warps", metavar="N", type=int, help="warps per block (default: those of @hocket.jit, or 4)"
    )
    parser.add_argument(
        "--num-ctas", metavar="N", type=int, help="blocks per cluster (default: those of @hocket.jit, or 1)"
    )
    parser.add_argument(
        "--num-stages", metavar="N", type=int, help="number of iterations in flight, in loops that copy tiles"
    )
    parser.add_argument("--maxnreg", metavar="N", type=int, help="largest number of registers per thread (NVIDIA)")
    parser.add_argument("--debug", action="store_true", help="check asserts in the kernel")
    parser.add_argument(
        "--emit",
        metavar="WHAT",
        help="hk, lane, llvm, ptx, cubin, amdgcn or hsaco (default: the target's assembly text); "
        "all: each of them as a file in the folder that -o names",
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="write to FILE instead of the standard output")
    parser.add_argument(
        "--print-ir-after",
        metavar="PASS",
        help="print the module after this pass to the standard error, named as in hocket-opt; all: after each",
    )
    parser.add_argument("--timing", action="store_true", help="print how long each pass took to the standard error")
    parser.add_argument(
        "--report",
        action="store_true",
        help="instead of the assembly text, print the instructions of its hottest loops, per stage; with --emit, to "
        "the standard error",
    )
    parser.add_argument(
        "--json", action="store_true", help="print one JSON object: resources, texts, times, or an error"
    )


def run(arguments: argparse.Namespace) -> int:
    from .. import _core
    from ..runtime import compiler, places
    from ..runtime.stage_times import print_stages

    target = places.check_target(arguments.target)
    wanted = _wanted(arguments, _core.artifacts(target))
    output = _checked_output(arguments.output, len(wanted) > 1)
    binary = next((name for name in wanted if name in _BINARIES), None)
    if arguments.report and arguments.output and not arguments.emit:
        raise UsageError("--report prints to standard output: select the output that -o writes with --emit")
    if output is None and binary and (arguments.json or sys.stdout.isatty()):
        raise UsageError(f"a {binary} is binary: name a file with -o")
    module, kernel = load_kernel(arguments.kernel)
    constexprs = dict(parse_constexpr(text, module) for text in arguments.constexpr)
    types, values, _ = bind_signature(kernel, arguments.signature, constexprs)
    given = {name: getattr(arguments, name) for name in ("num_warps", "num_ctas", "num_stages", "maxnreg")}
    options = kernel.options_for(
        {name: value for name, value in given.items() if value is not None}
        | ({"debug": True} if arguments.debug else {})
    )
    if "cubin" in wanted or "ptx" in wanted:
        compiler.find_assembler()
    if arguments.emit == "all" and "cubin" in wanted and not _core.cubin_assembler():
        wanted.remove("cubin")
        print("hocket: no cubin: neither nvJitLink nor ptxas was found", file=sys.stderr)

    trace = _core.CompileTrace(arguments.print_ir_after or "")
    begin = time.perf_counter()
    try:
        facts, artifacts = compiler.Request(kernel, types, values, options, places.COMPILE_ONLY + target).run(
            [*wanted, *(name for name in _needed_for_report(target) if arguments.report and name not in wanted)], trace
        )
    finally:
        if trace.printed:
            print(trace.printed, end="", file=sys.stderr)
    seconds = time.perf_counter() - begin
    _check_pass(arguments.print_ir_after, trace)
    resources = _resources(facts, artifacts)
    report = _report(facts, artifacts, resources) if arguments.report else None
    shown = {name: artifacts[name] for name in wanted} if arguments.emit or not report else {}
    files = _write(facts.name, shown, output, arguments.json) if shown else {}
    if arguments.json:
        _print_json(facts, resources, shown, files, trace, seconds, report)
        return 0
    if report:
        print(report, file=sys.stderr if arguments.emit else sys.stdout)
    print(f"hocket: {_resource_line(facts, resources)}", file=sys.stderr)
    if arguments.timing:
        print_stages(trace, seconds)
    return 0


def _wanted(arguments: argparse.Namespace, known: list[str]) -> list[str]:
    """Returns the names of the artifacts that --emit selects."""
    if arguments.emit == "all":
        if arguments.output is None:
            raise UsageError("--emit all writes files: name a folder for them with -o")
        return list(known)
    emit = arguments.emit or next(name for name in known if name in _TEXTS)
    if emit not in known:
        raise UsageError(f"--emit {emit}: the outputs for {arguments.target} are {', '.join(known)}, or all")
    return [emit]


# The output ----------------------------------------------------------------------------------------------------------


def _checked_output(output: str | None, is_folder: bool) -> pathlib.Path | None:
    """Checks the path given by `-o`, before the kernel is compiled."""
    if output is None or (output == "-" and not is_folder):
        return None
    path = pathlib.Path(output)
    folder = path if is_folder else path.parent
    try:
        if is_folder:
            path.mkdir(exist_ok=True)
        elif path.is_dir():
            raise UsageError(f"-o {output}: this is a folder; name a file in it")
        os.stat(folder)
    except FileExistsError:
        raise UsageError(f"-o {output}: --emit all writes several files, so this must be a folder") from None
    except OSError as error:
        raise UsageError(f"-o {output}: {error.strerror}: {folder}") from None
    return path


def _write(kernel: str, artifacts: dict[str, bytes], output: pathlib.Path | None, is_json: bool) -> dict[str, str]:
    """Writes the artifacts. Returns the path of each written artifact by name."""
    if output is None:
        if not is_json:
            sys.stdout.buffer.write(*artifacts.values())
            sys.stdout.flush()
        return {}
    files = {name: output / f"{kernel}.{name}" if output.is_dir() else output for name in artifacts}
    for name, path in files.items():
        try:
            _replace(path, artifacts[name])
        except OSError as error:
            raise UsageError(f"-o {path}: {error.strerror}") from None
    return {name: str(path) for name, path in files.items()}


def _replace(path: pathlib.Path, contents: bytes) -> None:
    """Writes `contents` to a file. If writing fails, the file remains unchanged.

    A regular file is replaced by a temporary file with the new contents. Device files (such as /dev/null) and pipes
    cannot be replaced, so the contents are written to them without a temporary file.
    """
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            path.write_bytes(contents)
            return
        path = path.resolve()  # if `path` is a symbolic link, the destination of the link is replaced
    except FileNotFoundError:
        pass
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        temporary.write_bytes(contents)
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


# Resources and report ------------------------------------------------------------------------------------------


def _resources(facts: _core.KernelFacts, artifacts: dict[str, bytes]) -> dict[str, int]:
    """Returns the numbers of registers and spills. They are known only if the compilation has made assembly text."""
    from .. import _core
    from ..runtime.resources import resources_of_cubin, resources_of_isa

    if "amdgcn" in artifacts:
        return resources_of_isa(artifacts["amdgcn"].decode())
    if "cubin" not in artifacts and "ptx" in artifacts and _core.cubin_assembler(artifacts["ptx"]):
        artifacts["cubin"] = _core.ptx_to_cubin(artifacts["ptx"], facts)
    return resources_of_cubin(artifacts["cubin"]) if "cubin" in artifacts else {}


def _needed_for_report(target: str) -> list[str]:
    from .. import _core

    return ["hk", *(name for name in _core.artifacts(target) if name in _TEXTS)]


def _report(facts: _core.KernelFacts, artifacts: dict[str, bytes], resources: dict[str, int]) -> CodeReport:
    from ..reports.code import report_of
    from ..runtime.disassembly import text_of_nvidia

    if "amdgcn" in artifacts:
        language, text = "amd", artifacts["amdgcn"].decode()
    else:
        language, text = text_of_nvidia(lambda: artifacts["ptx"].decode(), lambda: artifacts.get("cubin", b""))
    return report_of(facts, language, text, artifacts["hk"].decode(), resources)


def _resource_line(facts: _core.KernelFacts, resources: dict[str, int]) -> str:
    warps = "1 warp" if facts.num_warps == 1 else f"{facts.num_warps} warps"
    if facts.worker_warps:
        warps += f" and {facts.worker_warps} of workers"
    line = f"{facts.name} for {facts.target}: {warps}, {facts.shared} bytes of shared memory"
    return line + "".join(f", {count} {name.replace('_', ' ')}" for name, count in resources.items())


def _check_pass(name: str | None, trace: _core.CompileTrace) -> None:
    if name and not trace.printed:
        passes = dict.fromkeys(step for step, _ in trace.seconds if " " not in step)
        raise UsageError(f"--print-ir-after {name}: no such pass was run; the passes are {', '.join(passes)}")


def _print_json(
    facts: _core.KernelFacts,
    resources: dict[str, int],
    artifacts: dict[str, bytes],
    files: dict[str, str],
    trace: _core.CompileTrace,
    seconds: float,
    report: CodeReport | None,
) -> None:
    outcome = {
        "kernel": facts.name,
        "target": facts.target,
        "num_warps": facts.num_warps,
        "worker_warps": facts.worker_warps,
        "shared_bytes": facts.shared,
        **resources,
        "seconds": {"total": seconds, "steps": [{"step": step, "seconds": taken} for step, taken in trace.seconds]},
    }
    if report:
        outcome["report"] = report.as_dict()
    if files:
        outcome["files"] = files
    elif artifacts:
        outcome["artifacts"] = {name: contents.decode() for name, contents in artifacts.items()}
    print(json.dumps(outcome, indent=2))
