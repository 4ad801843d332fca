"""How long 64 configurations take to compile: on one thread, on all cores, and on a Dask cluster of two workers.

python benchmarks/autotune.py [TARGET]        TARGET: default sm_90a; no GPU is needed
"""

from __future__ import annotations

import os
import sys
import time

import hocket
from hocket import language as gl

CONFIGS = [
    hocket.Config({"BLOCK": 1 << block, "TRIPS": trips}, num_warps=warps)
    for block in (6, 7, 8, 9)
    for trips in (1, 2, 4, 8)
    for warps in (1, 2, 4, 8)
]


def polynomial(x, out, n, BLOCK: gl.constexpr, TRIPS: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([4], [gl.num_lanes()], [gl.num_warps()], [0])
    i = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=layout)
    value = gl.load(x + i, mask=i < n, other=0.0)
    total = value
    for k in gl.static_range(TRIPS):
        total = gl.exp2(total) * value + k
    gl.store(out + i, total, mask=i < n)


def measure(what: str, target: str, is_parallel: bool = True) -> None:
    """Compiles all configurations of a kernel that this process has not seen."""
    kernel = hocket.jit(polynomial)
    begin = time.perf_counter()
    if is_parallel:
        hocket.autotune(CONFIGS)(kernel).warmup(gl.float32, gl.float32, 1 << 20, target=target)
    else:
        for config in CONFIGS:
            kernel.warmup(gl.float32, gl.float32, 1 << 20, target=target, **config.all_kwargs())
    print(f"{what}: {time.perf_counter() - begin:.2f} s", flush=True)


def main() -> None:
    target = sys.argv[1] if len(sys.argv) > 1 else "sm_90a"
    hocket.jit(polynomial).warmup(gl.float32, gl.float32, 1 << 20, BLOCK=256, TRIPS=2, target=target)
    measure("one thread", target, is_parallel=False)
    measure(f"{os.cpu_count()} threads", target)
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        print("no Dask cluster: `distributed` is not installed")
        return
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        client.run(_load)
        hocket.autotune.use(client)
        measure("2 workers of a Dask cluster", target)
        hocket.autotune.use(None)


def _load() -> None:
    from hocket import _core

    _core.targets()


if __name__ == "__main__":
    main()
