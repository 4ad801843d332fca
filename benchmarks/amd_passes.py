"""Compiles the ready kernels for CDNA without each of Hocket's code generation passes, and compares the machine code.

    python benchmarks/amd_passes.py                            prints the tables
    python benchmarks/amd_passes.py --write                    writes them into docs/lab/isa.md, between its markers
    python benchmarks/amd_passes.py --only batch-compares      a single pass, with a line for each changed kernel

Needs no GPU. The clocks of a kernel are an estimate for its hottest loop, from the schedule model. Compile times are
CPU times.
"""

from __future__ import annotations

import argparse
import datetime
import itertools
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import time
from typing import NamedTuple

import ml_dtypes
import numpy as np
from results import NO_INPUTS, Results, write_section

import hocket
from hocket import language as gl
from hocket.isa.counts import UNITS
from hocket.isa.loops import instructions_of_amd
from hocket.kernels import attention, matmul, matmul_scaled, norms, shuffle_scales
from hocket.kernels._attention import host_cdna as attention_cdna
from hocket.kernels._matmul import host_cdna as matmul_cdna
from hocket.kernels._matmul import host_scaled as matmul_scaled_cdna
from hocket.kernels.norms import launch as norms_launch

PAGE = pathlib.Path(__file__).resolve().parents[1] / "docs" / "lab" / "isa.md"
TARGETS = ("gfx950", "gfx942")
SIZE = 4096
HEAD = ("without", "kernels that change", "loop instructions, mean", "range", "model clocks, mean", "range",
        "most in", "all instructions, mean", "range", "registers, range", "more spills", "compile time")  # fmt: skip


# The kernels ---------------------------------------------------------------------------------------------------------


class Launch(NamedTuple):
    """The arguments and options of a launch of a jit function, which was recorded instead of run."""

    function: object
    arguments: tuple
    options: dict

    def compile(self, target, skip_passes):
        return self.function.warmup(*self.arguments, target=target, skip_passes=skip_passes, **self.options)


class Recorder:
    """Replaces a jit function, and appends the launches of this function to a list."""

    def __init__(self, function, launches):
        self.function, self.launches = function, launches

    def __getitem__(self, grid):
        def record(*arguments, **options):
            options.pop("stream", None)
            self.launches.append(Launch(self.function, arguments, options))

        return record


@hocket.jit
def round_to_integers(x, y):
    """Converts 64 floats per lane to integers; no ready kernel has such conversions."""
    layout: gl.constexpr = gl.BlockedLayout([4], [64], [4], [0])
    i = gl.arange(0, 16384, layout)
    gl.store(y + i, gl.load(x + i).to(gl.int32))


@hocket.jit
def add_masked(x, y, n):
    """Loads and stores 64 masked elements per lane, in runs of one element."""
    layout: gl.constexpr = gl.BlockedLayout([1], [64], [4], [0])
    i = gl.arange(0, 16384, layout)
    gl.store(y + i, gl.load(x + i, mask=i < n, other=0.0) + 1.0, mask=i < n)


def zeros(*shape, dtype="float16"):
    return np.zeros(shape, getattr(ml_dtypes, dtype, None) or dtype)


def attention_forms(target):
    for dtype, size, causal, pipelined in itertools.product(
        ("float16", "bfloat16"), (128, 64), (False, True), (True, False)
    ):
        words = f"attention D {size}{' causal' if causal else ''} {'pipelined' if pipelined else 'plain'}, {dtype}"
        for queries, keys in (SIZE, SIZE), (1000, 1003):
            q, k = zeros(2, 16, queries, size, dtype=dtype), zeros(2, 16, keys, size, dtype=dtype)
            form = words if keys == SIZE else f"{words}, {keys} keys"
            yield form, lambda q=q, k=k, c=causal, p=pipelined: attention(q, k, k, causal=c, pipelined=p)


def matmul_forms(target):
    for dtype, (m, n, k) in itertools.product(matmul_cdna.ELEMENTS[target], [(SIZE,) * 3, (300, 520, 4104)]):
        for a_is_transposed, b_is_transposed in (False, False), (False, True), (True, False):
            a = zeros(k, m, dtype=dtype).T if a_is_transposed else zeros(m, k, dtype=dtype)
            b = zeros(n, k, dtype=dtype).T if b_is_transposed else zeros(k, n, dtype=dtype)
            names = f"{'A^T' if a_is_transposed else 'A'} {'B^T' if b_is_transposed else 'B'}"
            yield f"matmul {names} {m} x {n} x {k}, {dtype}", lambda a=a, b=b: matmul(a, b)


def matmul_scaled_forms(target):
    if target not in matmul_scaled_cdna.TARGETS:
        return
    for dtype, (m, n, k) in itertools.product(("float8_e4m3fn", "uint8"), [(SIZE,) * 3, (300, 520, 2080)]):
        stored = k // matmul_scaled_cdna.FORMATS[dtype].per_byte
        a, b = zeros(m, stored, dtype=dtype), zeros(n, stored, dtype=dtype).T
        scales = [shuffle_scales(np.zeros((rows, k // 32), np.uint8)) for rows in (m, n)]
        name = "MXFP4" if dtype == "uint8" else "MXFP8"
        yield (
            f"matmul_scaled A B^T {m} x {n} x {k}, {name}",
            lambda a=a, b=b, s=scales: matmul_scaled(a, s[0], b, s[1]),
        )


def norm_forms(target):
    for dtype, columns in itertools.product(("bfloat16", "float32"), (1000, 4096, 8192, 32768, 50000)):
        x, weight = zeros(256, columns, dtype=dtype), zeros(columns, dtype=dtype)
        mean = np.zeros(256, np.float32)
        form = f"{columns} columns, {dtype}"
        yield f"rms_norm {form}", lambda x=x, w=weight: norms.rms_norm(x, w)
        yield f"layer_norm {form}", lambda x=x, w=weight: norms.layer_norm(x, w, w)
        yield (
            f"layer_norm_backward {form}",
            lambda x=x, w=weight, mean=mean: norms.layer_norm_backward(x, x, w, mean, mean),
        )


def other_forms(target):
    x, y = zeros(16384, dtype="float32"), zeros(16384, dtype="int32")
    yield "float32 to int32", lambda: ROUND_TO_INTEGERS[(1,)](x, y)
    yield "masked sum, 64 elements per lane", lambda: ADD_MASKED[(1,)](x, x, 16000)


LAUNCHES: list[Launch] = []
ROUND_TO_INTEGERS, ADD_MASKED = Recorder(round_to_integers, LAUNCHES), Recorder(add_masked, LAUNCHES)


def record_launches():
    """Replaces the jit functions of the ready kernels by recorders."""
    tables = attention_cdna.KERNELS, matmul_cdna.KERNELS, matmul_scaled_cdna.KERNELS
    for table in (*tables, norms_launch._FORWARD, norms_launch._BACKWARD):
        table.update({key: Recorder(function, LAUNCHES) for key, function in table.items()})
    matmul_cdna.add_splits = Recorder(matmul_cdna.add_splits, LAUNCHES)


def launches_of(target):
    """Returns the recorded launch of each kernel form by name. For a form that launches several kernels, returns the
    first launch."""
    launches = {}
    with hocket.emulator.target(target):
        for forms in attention_forms, matmul_forms, matmul_scaled_forms, norm_forms, other_forms:
            for name, launch in forms(target):
                LAUNCHES.clear()
                launch()
                launches[name] = LAUNCHES[0]
    return launches


# Figures -------------------------------------------------------------------------------------------------------------


class Figures(NamedTuple):
    """Measurements of a compiled kernel. `loop` and `clocks` are for its hottest loop, and are None for a kernel
    without loops."""

    loop: float | None
    clocks: float | None
    instructions: int
    registers: int
    spills: int
    code: int
    seconds: float


def figures_of(launch, target, skip_passes):
    start = time.process_time()
    kernel = launch.compile(target, skip_passes)
    seconds = time.process_time() - start
    text, report = kernel.asm["amdgcn"], kernel.report()
    lines = instructions_of_amd(text, kernel.name)
    return Figures(
        sum(map(report.loops[0].total, UNITS)) if report.loops else None,
        report.schedule.clocks if report.schedule else None,
        len(lines),
        report.resources["registers"],
        sum(report.resources.get(kind, 0) for kind in ("registers_spilled", "scalar_registers_spilled")),
        hash("\n".join(lines)),
        seconds,
    )


def compile_all(launches, target, skip_passes):
    """Returns the figures of each launch by name; None for a kernel that cannot be compiled."""
    figures = {}
    with tempfile.TemporaryDirectory() as folder:  # an empty disk cache: kernels in a cache would not be compiled
        os.environ["HOCKET_CACHE_DIR"] = folder
        for name, launch in launches.items():
            try:
                figures[name] = figures_of(launch, target, skip_passes)
            except hocket.errors.HocketError as error:
                print(f"\n{target}, without {skip_passes}: {name}: {error}", file=sys.stderr)
                figures[name] = None
    return figures


def without_duplicates(figures):
    """Returns the figures without those of forms whose machine code is equal to that of an earlier form."""
    forms = {}
    for name, each in figures.items():
        forms.setdefault(each.code, name)
    return {name: figures[name] for name in forms.values()}


def mean(ratios):
    """Returns the geometric mean of the values of `ratios`."""
    return math.exp(sum(map(math.log, ratios.values())) / len(ratios))


def mean_and_range(ratios):
    if not ratios:
        return "-", "-"
    return f"{mean(ratios):.3f}", f"{min(ratios.values()):.2f} to {max(ratios.values()):.2f}"


def row_of(skipped, base, without, table):
    """Returns a row of the page's table: the figures of the kernels that change without the pass `skipped`, relative to
    their figures with all passes. Adds the mean ratios to `table`."""
    failed = [name for name in base if without[name] is None]
    changed = [name for name in base if name not in failed and without[name].code != base[name].code]

    def ratios(figure):
        pairs = {name: (getattr(without[name], figure), getattr(base[name], figure)) for name in changed}
        return {name: value / before for name, (value, before) in pairs.items() if value and before}

    loop, clocks, instructions = ratios("loop"), ratios("clocks"), ratios("instructions")
    most = max(clocks or instructions, key=(clocks or instructions).get, default="-")
    registers = [without[name].registers - base[name].registers for name in changed]
    spills = sum(without[name].spills - base[name].spills for name in changed)
    compiled = [name for name in base if name not in failed]
    seconds = sum(without[name].seconds for name in compiled) / sum(base[name].seconds for name in compiled)
    means = {"loop instructions": loop, "model clocks": clocks, "all instructions": instructions}
    values = {name: mean(each) for name, each in means.items() if each}
    table.add(skipped, {**values, "compile time": seconds}, changed=len(changed), failed=len(failed), spills=spills)
    count = f"{len(changed)} of {len(base)}" + (f", {len(failed)} fail" if failed else "")
    return (
        skipped, count, *mean_and_range(loop), *mean_and_range(clocks), most, *mean_and_range(instructions),
        f"{min(registers):+} to {max(registers):+}" if changed else "-", f"{spills:+}", f"{seconds:.2f}",
    )  # fmt: skip


def print_changes(base, without):
    for name, before in base.items():
        if (after := without[name]) and after.code != before.code:
            pairs = [f"{field} {getattr(before, field)} -> {getattr(after, field)}" for field in Figures._fields[:5]]
            print(f"    {name}: {', '.join(pairs)}")


def table_of(target, passes, shows_kernels, table):
    """Returns the lines of the page's table for a target. Shows a progress line on stderr."""
    launches = launches_of(target)
    rows = [HEAD, ["---"] * len(HEAD)]
    compile_all(launches, target, "")  # the first compilation of a kernel also parses its functions
    base = without_duplicates(compile_all(launches, target, ""))
    launches = {name: launches[name] for name in base}
    for i, skipped in enumerate(passes):
        print(f"\r{target}: {i} of {len(passes)} passes, {skipped:<30}", end="", file=sys.stderr, flush=True)
        without = compile_all(launches, target, skipped)
        rows.append(row_of(skipped, base, without, table))
        if shows_kernels:
            print_changes(base, without)
    print(f"\r{target}: {len(passes)} passes, {len(launches)} kernels{'':<30}", file=sys.stderr)
    return [f"**{target}**", "", *("| " + " | ".join(row) + " |" for row in rows)]


def title():
    commit = subprocess.run(
        ("git", "rev-parse", "--short=10", "HEAD"), capture_output=True, text=True, cwd=PAGE.parent, check=False
    ).stdout.strip()
    return f"LLVM {hocket._core.llvm_version}, {datetime.date.today()}, commit {commit}."


def main():
    passes = (*hocket._core.codegen_passes(), "all")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write the tables into docs/lab/isa.md")
    parser.add_argument(
        "--only", choices=passes, action="append", help="only these passes, and the kernels they change"
    )
    parser.add_argument("--target", choices=TARGETS, action="append", help="only these targets")
    results = Results("amd_passes", inputs=NO_INPUTS, method="machine code, the performance model, and CPU time")
    results.add_option(parser)
    options = parser.parse_args()
    record_launches()
    lines = [title()]
    for target in options.target or TARGETS:
        heading = f"machine code of ready kernels on {target} without a pass, relative to all passes"
        ours = ("loop instructions", "model clocks", "all instructions", "compile time")
        table = results.table(target, heading, "ratio", ours=ours)
        lines += ["", *table_of(target, options.only or passes, bool(options.only), table)]
    results.save(options)
    text = "\n".join(lines)
    if not options.write:
        print(text)
        return 0
    write_section(PAGE, "amd_passes.py", text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
