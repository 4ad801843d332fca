"""Measures the compile time of 64 configurations: on one thread, on all cores, and on a Dask cluster of two workers.

python benchmarks/autotune.py [TARGET] [--rounds N] [--json FILE]     TARGET: default gfx950; no GPU is needed

Prints the wall time, and the CPU time of this process, of the busiest worker, and of all processes together. CPU time
depends less on the load of the machine. The runs of the three methods are interleaved. All three methods must produce
equal code, so that autotuning chooses the same configuration.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable
from typing import Any

from interleave import print_table
from results import NO_INPUTS, Results

import hocket
from hocket import language as gl

CONFIGS = [
    hocket.Config({"BLOCK": 1 << block, "TRIPS": trips}, num_warps=warps)
    for block in (8, 9, 10, 11)
    for trips in (24, 48, 72, 96)
    for warps in (1, 2, 4, 8)
]

SIGNATURE = gl.float32, gl.float32, 1 << 20


def polynomial(x, out, n, BLOCK: gl.constexpr, TRIPS: gl.constexpr):
    layout: gl.constexpr = gl.row_layout(4)
    i = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=layout)
    value = gl.load(x + i, mask=i < n, other=0.0)
    total = value
    for k in gl.static_range(TRIPS):
        total = gl.exp2(total) * value + k
    gl.store(out + i, total, mask=i < n)


def on_one_thread(target: str) -> list[Any]:
    kernel = hocket.jit(polynomial)  # a new function, whose kernels are not in the cache of this process
    return [kernel.warmup(*SIGNATURE, target=target, **config.all_kwargs()) for config in CONFIGS]


def in_parallel(target: str) -> list[Any]:
    """Compiles all configurations on threads, or on the cluster that was passed to `hocket.autotune.use`."""
    return hocket.autotune(CONFIGS)(hocket.jit(polynomial)).warmup(*SIGNATURE, target=target)


def measure(
    compile_all: Callable[[str], list[Any]], target: str, cpu_seconds: Callable[[], list[float]]
) -> tuple[list[float], list[str]]:
    """Returns a list of seconds, and the assembly of each configuration. The seconds are wall time, and the CPU times
    of this process, of the busiest worker, and of all processes together."""
    before, begin = cpu_seconds(), time.perf_counter()
    kernels = compile_all(target)
    wall = time.perf_counter() - begin
    here, *workers = (after - earlier for after, earlier in zip(cpu_seconds(), before, strict=True))
    texts = [kernel.asm["ptx" if target.startswith("sm_") else "amdgcn"] for kernel in kernels]
    return [wall, here, max(workers), here + sum(workers)], texts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("target", nargs="?", default="gfx950")
    parser.add_argument("--rounds", type=int, default=3)
    results = Results("autotune", inputs=NO_INPUTS, method="host clock and CPU time, medians, interleaved")
    results.add_option(parser)
    options = parser.parse_args()
    from distributed import Client, LocalCluster

    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:

        def cpu_seconds() -> list[float]:
            """Returns the CPU time of this process and of each worker."""
            return [time.process_time(), *client.run(time.process_time).values()]

        def on_cluster(target: str) -> list[Any]:
            hocket.autotune.use(client)
            try:
                return in_parallel(target)
            finally:
                hocket.autotune.use(None)

        ways = {"one thread": on_one_thread, f"{os.cpu_count()} threads": in_parallel, "2 workers": on_cluster}
        for warm_up in ways.values():
            warm_up(options.target)
        samples: dict[str, list[list[float]]] = {way: [] for way in ways}
        texts: list[list[str]] = []
        for _ in range(options.rounds):
            for way, compile_all in ways.items():
                seconds, text = measure(compile_all, options.target, cpu_seconds)
                samples[way].append(seconds)
                texts.append(text)
        assert all(text == texts[0] for text in texts), "the ways produce different code"
    times_of = {
        way: [statistics.median(column) for column in zip(*times, strict=True)] for way, times in samples.items()
    }
    kinds = ("wall time", "CPU here", "CPU of the busiest worker", "CPU in all")
    title = f"{len(CONFIGS)} configurations for {options.target}, the same code"
    rows = [[way, *(f"{time:.2f}" for time in times)] for way, times in times_of.items()]
    print_table(f"{title}, seconds (medians)", ["compiled on", *kinds], rows)
    table = results.table("compile", title, "s", better="lower", ours=kinds)
    for way, times in times_of.items():
        table.add(way, dict(zip(kinds, times, strict=True)), target=options.target, configurations=len(CONFIGS))
    results.save(options)


if __name__ == "__main__":
    main()
