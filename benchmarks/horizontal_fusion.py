"""Measures two GEMMs that share A, with four results (examples/fused_matmuls.py), on Hopper: with the waits that the
compiler inserts, and with a wait before each use.

    python benchmarks/horizontal_fusion.py [M N K] [--json FILE]

Inputs are normal-distributed; times are medians of interleaved runs with the L2 flushed.
"""

import argparse
import pathlib
import sys

import torch
from interleave import gpu_times
from results import INTERLEAVED, NORMAL, Results, Table

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "examples"))
from fused_matmuls import fused

STAGES = (2, 3, 4)


def expected(a, b1, b2):
    d1, d2 = (torch.matmul(a.float(), b.float()) for b in (b1, b2))
    return d1, torch.nn.functional.silu(d1), d2, torch.nn.functional.silu(d1) * d2


#: Variants, and True if the kernel has a wait before each use.
NAMES = {False: "waits placed", True: "waits at each use"}


def compare(table: Table, m: int, n: int, k: int) -> None:
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
    for stages in STAGES:
        seconds = {name: times[stages, with_waits] for with_waits, name in NAMES.items()}
        rates = {name: 4 * m * n * k / time / 1e12 for name, time in seconds.items()}
        table.add(f"{stages} stages", rates, seconds=seconds, dtype="float16", m=m, n=n, k=k, stages=stages)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("size", nargs="*", type=int, default=[4096, 14336, 5120], metavar="M N K")
    results = Results("horizontal_fusion", inputs=NORMAL, method=INTERLEAVED)
    results.add_option(parser)
    options = parser.parse_args()
    m, n, k = options.size
    title = f"two GEMMs that share A, M {m}, N {n}, K {k}"
    table = results.table("stages", title, "TFLOP/s", ours=tuple(NAMES.values()))
    compare(table, m, n, k)
    table.show()
    results.save(options)


if __name__ == "__main__":
    main()
