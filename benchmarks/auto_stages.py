"""CPU time in which the compiler forms automatic stages, and whether it forms the same stages in each process.

    python benchmarks/auto_stages.py [--processes N]

For loops of up to 40 operations on tiles, the benchmark measures the CPU time of a compilation without stages, and with
the stages of the best estimate (other candidates are not compiled). The difference is the time of the search, and of
one trial. The loops are compiled in N processes with different hash seeds, whose reports on stages must be equal.
"""

import argparse
import hashlib
import linecache
import os
import pathlib
import subprocess
import sys
import time

import numpy
from results import CPU_TIME, NO_INPUTS, Results

#: Loops: number of nodes of the graph, and target.
LOOPS = [(nodes, target) for target in ("gfx942", "gfx950") for nodes in (10, 20, 30, 40)]

SOURCE = """
import hocket
from hocket import language as gl


@hocket.jit
def loop(out, n, HOW: gl.constexpr):
    ROWS: gl.constexpr = gl.BlockedLayout([1, 4], [8, 8], [8, 1], [1, 0])
    shared: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [1, 0])
    ring = gl.allocate_shared_memory(gl.int32, [4, 64, 32], shared)
    for i in gl.static_range(4):
        ring.index(i).store(gl.full([64, 32], i, gl.int32, ROWS))
    rows = gl.arange(0, 64, layout=gl.SliceLayout(1, ROWS))[:, None] * 32
    rows += gl.arange(0, 32, layout=gl.SliceLayout(0, ROWS))[None, :]
{before}
    for k in gl.range(n, warp_pipeline=HOW):
{body}
    gl.store(out + rows, {total})
"""


def kernel_of(nodes):
    """Returns a kernel whose loop has `nodes` nodes: pairs of a read of shared memory and arithmetic on the result."""
    pairs = range(nodes // 2)
    before = [f"    v{i} = gl.full([64, 32], {i}, gl.int32, ROWS)" for i in pairs]
    body = []
    for i in pairs:
        body.append(f"        t = ring.index((k + {i}) % 4).load(ROWS)")
        body.append(f"        v{i} = ((v{i} * 3 + t) ^ (v{i} * 5 - t)) * (t + {i}) + (v{i} // 7)")
    text = SOURCE.format(before="\n".join(before), body="\n".join(body), total=" + ".join(f"v{i}" for i in pairs))
    name = f"<loop of {nodes}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    names = {"__name__": "loops"}
    exec(compile(text, name, "exec"), names)
    return names["loop"]


def compiled(nodes, target, how):
    """Returns a compiled loop and the CPU time of its compilation."""
    kernel = kernel_of(nodes)
    begin = time.process_time()
    options = {"num_warps": 8, "target": target, "stage_choice": 2 if how else None}
    made = kernel.warmup(numpy.zeros(2048, numpy.int32), 4, HOW=how, **options)
    return made, time.process_time() - begin


def reports():
    """Returns a digest of the decisions for all loops."""
    texts = [text for loop in LOOPS for text in compiled(*loop, "auto")[0].metadata.stage_reports]
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--processes", type=int, default=3)
    parser.add_argument("--digest", action="store_true", help="only print a digest of the decisions")
    results = Results("auto_stages", inputs=NO_INPUTS, method=CPU_TIME)
    results.add_option(parser)
    options = parser.parse_args()
    if options.digest:
        print(reports())
        return False
    compiled(10, "gfx950", None)
    table = results.table(
        "compilation", "compilation of a loop", "CPU seconds", "lower", ("plain", "auto", "difference")
    )
    for nodes, target in LOOPS:
        plain, auto = (compiled(nodes, target, how)[1] for how in (None, "auto"))
        values = {"plain": plain, "auto": auto, "difference": auto - plain}
        table.add(f"{nodes} nodes, {target}", values, nodes=nodes, target=target)
    table.show(digits=2)
    results.save(options)
    digests = set()
    for seed in range(options.processes):
        environment = {**os.environ, "PYTHONHASHSEED": str(seed)}
        command = [sys.executable, str(pathlib.Path(__file__)), "--digest"]
        digests.add(subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout)
    print(f"{options.processes} processes made {len(digests)} different sets of decisions")
    return len(digests) > 1


if __name__ == "__main__":
    sys.exit(main())
