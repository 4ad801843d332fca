"""Two products of one matrix with four results (examples/fused_matmuls.py) on Hopper: the waits that the compiler
places against a wait at each use.

    python benchmarks/horizontal_fusion.py [M N K]

Inputs are normal-distributed; times are medians of interleaved runs with the L2 flushed.
"""

import pathlib
import sys

import torch
from interleave import gpu_times, print_table

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "examples"))
from fused_matmuls import fused

STAGES = (2, 3, 4)


def expected(a, b1, b2):
    d1, d2 = (torch.matmul(a.float(), b.float()) for b in (b1, b2))
    return d1, torch.nn.functional.silu(d1), d2, torch.nn.functional.silu(d1) * d2


def compare(m: int, n: int, k: int) -> list[list[str]]:
    a = torch.randn(m, k, device="cuda", dtype=torch.float16) / k**0.25
    b1, b2 = (torch.randn(k, n, device="cuda", dtype=torch.float16) / k**0.25 for _ in range(2))
    right = expected(a, b1, b2)
    rivals = {}
    for stages in STAGES:
        for with_waits in (False, True):
            outs = [torch.empty(m, n, device="cuda", dtype=torch.float16) for _ in range(4)]
            run = fused(a, b1, b2, outs, stages=stages, with_waits=with_waits)
            run()
            for out, result in zip(outs, right, strict=True):
                torch.testing.assert_close(out.float(), result, atol=0.05, rtol=2e-2)
            rivals[stages, with_waits] = run
    times = gpu_times(rivals, rounds=100)
    rows = []
    for stages in STAGES:
        placed, written = times[stages, False], times[stages, True]
        tflops = [f"{4 * m * n * k / seconds / 1e12:.0f}" for seconds in (placed, written)]
        rows.append([f"{stages}", f"{placed * 1e3:.3f}", f"{written * 1e3:.3f}", *tflops, f"{written / placed:.3f}"])
    return rows


if __name__ == "__main__":
    m, n, k = [int(size) for size in sys.argv[1:]] or [4096, 14336, 5120]
    header = ["stages", "placed, ms", "at each use, ms", "placed, TFLOP/s", "at each use, TFLOP/s", "ratio"]
    print_table(f"Two products of one matrix, M {m}, N {n}, K {k}", header, compare(m, n, k))
