"""Measures the CPU time to compile long code: loops unrolled by gl.static_range, and masked accesses of many elements
per lane.

python benchmarks/long_code.py [TARGET ...] [--json FILE]
"""

import argparse
import re
import time

from results import CPU_TIME, NO_INPUTS, Results

import hocket
from hocket import language as gl


@hocket.jit
def copies(x, out, n, TRIPS: gl.constexpr):
    layout: gl.constexpr = gl.row_layout()
    i = gl.arange(0, gl.num_lanes() * gl.num_warps(), layout=layout)
    for trip in gl.static_range(TRIPS):
        gl.store(out + trip * n + i, gl.load(x + trip * n + i))


@hocket.jit
def masked_copies(x, out, n, TRIPS: gl.constexpr):
    layout: gl.constexpr = gl.row_layout()
    i = gl.arange(0, 256, layout=layout)
    for trip in gl.static_range(TRIPS):
        gl.store(out + trip * n + i, gl.load(x + trip * n + i, mask=i + trip < n), mask=i + trip < n)


@hocket.jit
def masked(x, out, n, ELEMENTS: gl.constexpr):
    layout: gl.constexpr = gl.row_layout()
    i = gl.arange(0, ELEMENTS * gl.num_lanes() * gl.num_warps(), layout=layout)
    gl.store(out + i, gl.load(x + i, mask=i < n, other=0.0) + 1.0, mask=i < n)


@hocket.jit
def masked_tile(x, out, n, ROWS: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1, 1], [1, gl.num_lanes()], [gl.num_warps(), 1], [1, 0])
    rows = gl.arange(0, ROWS * gl.num_warps(), layout=gl.SliceLayout(1, layout))[:, None]
    columns = gl.arange(0, gl.num_lanes(), layout=gl.SliceLayout(0, layout))[None, :]
    mask = (rows < n) & (columns < n)
    gl.store(out + rows * n + columns, gl.load(x + rows * n + columns, mask=mask, other=0.0) + 1.0, mask=mask)


CASES = [
    *[("a load and a store, iterations", copies, {"TRIPS": trips}, trips) for trips in (500, 2000, 3800)],
    *[("separate masks, iterations", masked_copies, {"TRIPS": trips}, trips) for trips in (500, 2000)],
    *[("masked elements a lane", masked, {"ELEMENTS": elements}, elements) for elements in (64, 128, 256)],
    *[("masked rows", masked_tile, {"ROWS": rows}, rows) for rows in (64, 128, 256)],
]


def spilled(text):
    """Returns the number of spilled registers in AMD assembly; 0 for PTX."""
    return sum(map(int, re.findall(r"\.[sv]gpr_spill_count: *(\d+)", text)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("targets", nargs="*", default=["gfx942", "sm_90a"])
    results = Results("long_code", inputs=NO_INPUTS, method=CPU_TIME)
    results.add_option(parser)
    options = parser.parse_args()
    table = results.table("compile", "compile time of long code", "s", better="lower")
    for target in options.targets:
        copies.warmup(gl.float32, gl.float32, 1, target=target, TRIPS=1)  # the first compilation loads the back end
        for name, kernel, constants, length in CASES:
            begin = time.process_time()
            compiled = kernel.warmup(gl.float32, gl.float32, 1 << 20, target=target, **constants)
            seconds = time.process_time() - begin
            text = compiled.asm["ptx" if target.startswith("sm_") else "amdgcn"]
            line = f"{target:8} {name:28} {length:5}  {seconds:7.2f} s  {seconds / length * 1e3:6.2f} ms each"
            print(f"{line}  {text.count(chr(10)):7} lines  {spilled(text)} spilled", flush=True)
            case = {"target": target, "kernel": name, "length": length, "spilled": spilled(text)}
            table.add(f"{target} {name} {length}", {"Hocket": seconds}, **case)
    results.save(options)


if __name__ == "__main__":
    main()
