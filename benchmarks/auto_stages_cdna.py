"""Clocks and compile time of plain loops for CDNA whose stages the compiler forms (examples/plain_*_cdna.py). Needs no
GPU.

    python benchmarks/auto_stages_cdna.py                   prints the table
    python benchmarks/auto_stages_cdna.py --write           writes it into docs/lab/isa.md, between its markers
    python benchmarks/auto_stages_cdna.py --only attention  loops whose names contain "attention"

The columns "plain", "estimate", "auto" and "written" are clocks of an iteration by the schedule model of the machine
code: without stages, with the stages of the best estimate, with the stages that the ranking by machine code chooses,
and with the stages of a kernel that writes them. The other columns are the parts of each MMA, and the CPU seconds of a
compilation without stages, with the best estimate, and with the ranking.
"""

from __future__ import annotations

import argparse
import dataclasses
import functools
import pathlib
import sys
import time
from collections.abc import Callable
from typing import Any

import isa
from results import CPU_TIME, NO_INPUTS, Results, write_section
from sched_barrier import markdown

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "examples"))

import plain_attention_cdna
import plain_gemm_cdna
import plain_quadrants_cdna
import plain_registers_cdna
import plain_scaled_gemm_cdna

#: A function that compiles a loop: for None, "auto" or "written" as its schedule, and with launch options.
Compile = Callable[..., Any]

#: Value of the launch option `stage_choice` that selects the best estimate.
BEST_ESTIMATE = 2
#: Rings of `plain_gemm_cdna`: tile of C, k-tile, number of buffers; True if an iteration refills buffers that it reads.
RINGS = (
    (256, 32, 3, False), (256, 32, 4, False), (128, 64, 4, False), (128, 32, 4, False),
    (256, 64, 2, True), (256, 32, 2, True), (256, 32, 3, True), (256, 32, 4, True), (256, 16, 4, True),
    (128, 64, 2, True), (128, 64, 3, True), (128, 32, 4, True),
)  # fmt: skip
#: Configurations of `plain_gemm_cdna.largest_parts`: tile, k-tile, number of buffers, axis of the maximum.
EXCHANGES = ((128, 128, 2, 0), (128, 128, 2, 1), (128, 64, 4, 1), (64, 128, 3, 1))
#: The choice counts as changed by the ranking if the clocks differ by more than this part.
CHANGED = 0.001


def gemm(cfg: Any, how: str | None, **options: Any) -> Any:
    return plain_gemm_cdna.compiled(dataclasses.replace(cfg, schedule=how), **options)


def parts(cfg: Any, axis: int, how: str | None, **options: Any) -> Any:
    return plain_gemm_cdna.compiled_parts(cfg, axis, how, **options)


def loops() -> dict[str, tuple[Compile, bool]]:
    """Returns for each loop a function that compiles it, and whether a kernel with written stages exists."""
    found: dict[str, tuple[Compile, bool]] = {}
    for block, block_k, slots, refills in RINGS:
        cfg = plain_gemm_cdna.Config(block, block_k, slots, refills=refills)
        name = f"GEMM {block} x {block} x {block_k}, {slots} buffers{', refilled' if refills else ''}"
        found[f"{name}, gfx950"] = functools.partial(gemm, cfg), not refills
    for block, block_k, slots, axis in EXCHANGES:
        cfg = plain_gemm_cdna.Config(block, block_k, slots)
        compiled = functools.partial(parts, cfg, axis)
        found[f"maxima of parts {block} x {block} x {block_k} along axis {axis}, gfx950"] = compiled, False
    for name, order in plain_quadrants_cdna.ORDERS.items():
        found[f"quadrants {name}, gfx950"] = functools.partial(plain_quadrants_cdna.compiled, order=order), True
    for name, dtype in (("MXFP8", "float8_e4m3fn"), ("MXFP4", "uint8")):
        found[f"quadrants {name}, gfx950"] = functools.partial(plain_scaled_gemm_cdna.compiled, dtype=dtype), True
    for size in plain_attention_cdna.HEAD_SIZES:
        compiled = functools.partial(plain_attention_cdna.compiled, head_size=size)
        found[f"attention, head size {size}, gfx950"] = compiled, True
    for name, order in plain_registers_cdna.ORDERS.items():
        compiled = functools.partial(plain_registers_cdna.compiled_gemm, order=order)
        found[f"quadrants {name}, through registers, gfx942"] = compiled, True
    for size in plain_registers_cdna.HEAD_SIZES:
        compiled = functools.partial(plain_registers_cdna.compiled_attention, head_size=size)
        found[f"attention, head size {size}, through registers, gfx942"] = compiled, True
    return found


def measured(compiled: Compile, how: str | None, **options: Any) -> tuple[float, float, Any]:
    """Returns the clocks of an iteration, the CPU seconds of the compilation, and the compiled kernel."""
    begin = time.process_time()
    kernel = compiled(how, **options)
    seconds = time.process_time() - begin
    return kernel.report().schedule.clocks, seconds, kernel


def parts_of(kernel: Any) -> str:
    """Returns the parts into which the compiler has divided each MMA."""
    loop = kernel.explain_schedule()[0]
    if not loop.formed:
        return "no stages"
    return ", ".join(f"{count} along {name}" for count, name in zip(loop.mma_parts, "MNK", strict=True) if count > 1)


HEAD = ["", "plain", "estimate", "auto", "written", "auto / written", "parts", "CPU s: plain", "estimate", "ranking"]


def row_of(name: str, compiled: Compile, has_written: bool, clocks_table: Any, seconds_table: Any) -> list[str]:
    plain, plain_seconds, _ = measured(compiled, None)
    estimate, estimate_seconds, _ = measured(compiled, "auto", stage_choice=BEST_ESTIMATE)
    auto, auto_seconds, kernel = measured(compiled, "auto")
    clocks = {"plain": plain, "estimate": estimate, "auto": auto}
    if has_written:
        clocks["written"] = measured(compiled, "written")[0]
    clocks_table.add(name, clocks)
    seconds = {"plain": plain_seconds, "estimate": estimate_seconds, "ranking": auto_seconds}
    seconds_table.add(name, seconds)
    written = [f"{clocks['written']:.0f}", f"{auto / clocks['written']:.3f}"] if has_written else ["", ""]
    cells = [*(f"{clocks[each]:.0f}" for each in ("plain", "estimate", "auto")), *written, parts_of(kernel)]
    return [name, *cells, *(f"{value:.2f}" for value in seconds.values())]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write the table into docs/lab/isa.md")
    parser.add_argument("--only", default="", help="part of the names of the loops")
    results = Results("auto_stages_cdna", inputs=NO_INPUTS, method="the schedule model of the machine code")
    results.add_option(parser)
    options = parser.parse_args()
    ours = ("plain", "estimate", "auto", "written")
    clocks = results.table("clocks", "plain loops for CDNA", "clocks of an iteration", better="lower", ours=ours)
    seconds = results.table(
        "compilation", "compilation", "CPU s", better="lower", ours=("plain", "estimate", "ranking"), method=CPU_TIME
    )
    rows = []
    for name, (compiled, has_written) in loops().items():
        if options.only in name:
            rows.append(row_of(name, compiled, has_written, clocks, seconds))
            print(" | ".join(rows[-1]), file=sys.stderr, flush=True)
    values = [row["values"] for row in clocks.rows]
    ranked = [row for row in values if row["auto"] < row["estimate"] * (1 - CHANGED)]
    worse = [row for row in values if row["estimate"] > row["plain"] * (1 + CHANGED)]
    summary = f"The ranking changes the choice of {len(ranked)} of {len(values)} loops"
    if ranked:
        gains = [1 - row["auto"] / row["estimate"] for row in ranked]
        summary += f", by {min(gains):.1%} to {max(gains):.1%}"
    summary += f"; the best estimate is slower than the plain loop for {len(worse)} of them."
    text = markdown(HEAD, rows) + "\n\n" + summary
    results.save(options)
    if options.write:
        write_section(isa.PAGE, "auto_stages_cdna.py", text)
    else:
        print(text)


if __name__ == "__main__":
    main()
