"""What profiling inside kernels costs on a GPU, and how true its times are.

    python benchmarks/profiler_overhead.py [--rounds 20]

Cycles of a record; the times of the matrix product and of attention with and without records, by the warps that
record, in turns; the time that a launch takes on the host; a chain of dependent operations, whose cycles must be
proportional to its length.
"""

import argparse
import statistics
import time
import warnings

import numpy as np
import torch
from interleave import print_table

import hocket
from hocket import language as gl
from hocket import profiler
from hocket.kernels import attention, matmul
from hocket.profiler.calibration import cycles_of_record
from hocket.runtime.profiling import ProfileConfig

LINKS = (256, 512, 1024, 2048, 4096, 8192)


@hocket.jit
def chain(out, LINKS: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [1], [0])
    offsets = gl.arange(0, 32, layout=layout)
    value = gl.load(out + offsets)
    with gl.profiler.scope("empty"):
        pass
    with gl.profiler.scope("chain"):
        for _ in range(LINKS // 64):
            for _ in gl.static_range(64):
                value = gl.fma(value, value, value)
        # The scope ends when the value is there.
        gl.sched_barrier(computed=[value])
    gl.store(out + offsets, value)


@hocket.jit
def add_one(x, BLOCK: gl.constexpr):
    offsets = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=gl.BlockedLayout([4], [32], [4], [0]))
    with gl.profiler.scope("load"):
        value = gl.load(x + offsets)
    gl.store(x + offsets, value + 1)


def accuracy():
    out = torch.zeros(32, device="cuda")
    rows = []
    for links in LINKS:
        chain[(1,)](out, links, num_warps=1)
        with profiler.session("chain", stages=None) as profile:
            for _ in range(8):
                chain[(1,)](out, links, num_warps=1)
        spans = {name: [] for name in ("empty", "chain")}
        records = profile.records()
        names = {site.id: site.name for site in profile.launches[0].facts.sites}
        for launch in range(2, 8):
            mine = records[records["launch"] == launch]
            for site, name in names.items():
                cycles = mine[mine["site"] == site]["cycle"]
                if name in spans and len(cycles) == 2:
                    spans[name].append(float(cycles[1] - cycles[0]))
        rows.append((links, statistics.median(spans["chain"]), statistics.median(spans["empty"])))
    slope, intercept = np.polyfit([r[0] for r in rows], [r[1] for r in rows], 1)
    worst = max(abs(cycles - (slope * links + intercept)) / cycles for links, cycles, _ in rows)
    print_table(
        "chain of dependent FMAs: cycles after correction",
        ("links", "chain", "empty scope"),
        [(str(links), f"{cycles:.0f}", f"{empty:.0f}") for links, cycles, empty in rows],
    )
    print(f"{slope:.3f} cycles a link, intercept {intercept:.1f}, worst deviation {100 * worst:.2f} %")


def time_of(run):
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    run()
    end.record()
    end.synchronize()
    return start.elapsed_time(end)


def kernel_times(rounds):
    a, b = (torch.randn(4096, 4096, device="cuda").half() for _ in range(2))
    c = torch.empty_like(a)
    q, k, v = (torch.randn(4, 16, 4096, 128, device="cuda").half() for _ in range(3))
    o = torch.empty_like(q)
    rows = []
    for name, run in (
        ("matmul 4096^3", lambda: matmul(a, b, c)),
        ("attention 4x16x4096x128", lambda: attention(q, k, v, o)),
    ):
        for buffer in ("smem", "device"):
            for units in ("group", "warp"):
                without, profiled = [], []
                for _ in range(3):
                    run()
                with profiler.session("warm", units=units, buffer=buffer, correct=False, on_overflow="warn"):
                    run()
                for _ in range(rounds):
                    without.append(time_of(run))
                    with profiler.session("timed", units=units, buffer=buffer, correct=False) as profile:
                        profiled.append(time_of(run))
                before, after = statistics.median(without), statistics.median(profiled)
                records = len(profile.records()) + profile.dropped
                rows.append(
                    (
                        name,
                        buffer,
                        units,
                        f"{before:.3f}",
                        f"{after:.3f}",
                        f"{100 * (after / before - 1):+.1f} %",
                        str(records),
                    )
                )
    print_table("kernel time, ms", ("kernel", "records in", "by each", "without", "with", "overhead", "records"), rows)


def launch_times():
    x = torch.zeros(1024, device="cuda")

    def host_time(count=2000):
        for _ in range(50):
            add_one[(1,)](x, 1024)
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(count):
            add_one[(1,)](x, 1024)
        spent = time.perf_counter() - start
        torch.cuda.synchronize()
        return spent / count * 1e6

    without = host_time()
    with profiler.session("launches", correct=False):
        profiled = host_time()
    print(f"launch: {without:.1f} us without, {profiled:.1f} us with records")


def main():
    warnings.simplefilter("ignore", profiler.ProfileWarning)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=20)
    options = parser.parse_args()
    for space in ("shared", "device"):
        short, long = (
            cycles_of_record(torch.cuda.current_device(), space, ProfileConfig(space=space, clock=bits))
            for bits in (32, 44)
        )
        print(f"a record in {space} memory: {short:.1f} cycles (clock of 32 bits), {long:.1f} (44)")
    accuracy()
    launch_times()
    kernel_times(options.rounds)


if __name__ == "__main__":
    main()
