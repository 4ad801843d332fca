"""Section "rows" of `matmul.py`: GEMMs with few rows, as in decoding, which are bound by reading B.

Launches are measured plainly, and as replays of a CUDA graph of several launches with different B, none of which is in
the L2 when it is read.
"""

import random
import statistics

import torch
from interleave import gpu_times, print_table

from hocket.kernels import matmul

ROWS = (1, 2, 4, 8, 16, 32, 64, 128)
#: N, K and whether K is contiguous in B. TMA cannot read B of 8191 x 8191.
WEIGHTS = ((8192, 8192, True), (8192, 8192, False), (4096, 14336, True), (14336, 4096, True), (8191, 8191, True))

REPLAYS = "replays of a CUDA graph, CUDA events, medians of interleaved replays, B from memory in each launch"
#: Arrays B of a graph exceed the L2 of an H200, 60 MB, several times.
ALL_BYTES = 512 << 20


def replay_times(rivals, weights, rounds):
    """Returns the median seconds of a launch of each callable, which takes one of `weights`, in replays of a graph with
    two launches per weight."""
    graphs, events = {}, {name: [] for name in rivals}
    for name, run in rivals.items():
        for weight in weights:
            run(weight)
        torch.cuda.synchronize()
        graphs[name] = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graphs[name]):
            for weight in (*weights, *weights):
                run(weight)
    order = random.Random(0)
    for _ in range(rounds):
        for name, graph in order.sample(list(graphs.items()), len(graphs)):
            start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            start.record()
            graph.replay()
            stop.record()
            events[name].append((start, stop))
    torch.cuda.synchronize()
    return {
        name: statistics.median(start.elapsed_time(stop) for start, stop in pairs) / 1e3 / (2 * len(weights))
        for name, pairs in events.items()
    }


def rows(results, arguments):
    plain = results.table("rows", "bfloat16, few rows, launched plainly: B", "GB/s")
    replayed = results.table("rows_graph", "bfloat16, few rows, in a CUDA graph: B", "GB/s", method=REPLAYS)
    lines = []
    for n, k, is_transposed in WEIGHTS:
        size = 2 * n * k
        shape = (n, k) if is_transposed else (k, n)
        weights = [torch.randn(shape, device="cuda").to(torch.bfloat16) for _ in range(-(-ALL_BYTES // size))]
        weights = [weight.T if is_transposed else weight for weight in weights]
        for m in ROWS:
            a = torch.randn(m, k, device="cuda").to(torch.bfloat16)
            out, theirs = (torch.empty(m, n, device="cuda", dtype=torch.bfloat16) for _ in range(2))
            torch.testing.assert_close(
                matmul(a, weights[0], out), torch.mm(a, weights[0]), rtol=0.02, atol=0.02 * k**0.5
            )
            rivals = {
                "Hocket": lambda b, a=a, out=out: matmul(a, b, out),
                "cuBLAS": lambda b, a=a, out=theirs: torch.mm(a, b, out=out),
            }
            first = {name: lambda run=run, b=weights[0]: run(b) for name, run in rivals.items()}
            name = f"{m} x {n} x {k}" + ", B^T" * is_transposed
            line = [name]
            for table, times in (
                (plain, gpu_times(first, rounds=arguments.rounds)),
                (replayed, replay_times(rivals, weights, arguments.rounds)),
            ):
                rates = {rival: size / seconds / 1e9 for rival, seconds in times.items()}
                case = {"dtype": "bfloat16", "m": m, "n": n, "k": k, "transposed_b": is_transposed}
                table.add(name, rates, seconds=times, **case)
                line += [*(f"{rate:.0f}" for rate in rates.values()), f"{times['cuBLAS'] / times['Hocket']:.2f}"]
            lines.append(line)
    header = ["bfloat16, B in GB/s", "Hocket", "cuBLAS", "ratio", "Hocket, graph", "cuBLAS, graph", "ratio"]
    print_table(plain.title, header, lines)


__all__ = ["rows"]
