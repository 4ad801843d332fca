"""Compares a float16 GEMM with TMA and wgmma on Hopper with cuBLAS and Triton.

    python benchmarks/wgmma.py [SIZE ...] [--json FILE]

The kernels are those of examples/hopper_matmul.py. Inputs are normal-distributed; times are medians of interleaved runs
with the L2 flushed.
"""

import argparse
import pathlib
import sys

import torch
from interleave import gpu_times
from results import INTERLEAVED, NORMAL, Results, Table

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "examples"))
from hopper_matmul import pipelined, product, specialized

# kernel, BM, BN, BK, warps, stages
VARIANTS = [
    (pipelined, 128, 128, 64, 4, 5),
    (pipelined, 128, 256, 64, 8, 4),
    (specialized, 128, 128, 64, 4, 5),
    (specialized, 128, 256, 64, 8, 4),
]


def name_of(variant: tuple) -> str:
    kernel, bm, bn, bk, _warps, stages = variant
    return f"{kernel.fn.__name__} {bm}x{bn}x{bk}, {stages} stages"


def compare(table: Table, size: int) -> None:
    from mma import triton_kernel

    a, b = torch.randn(2, size, size, device="cuda", dtype=torch.float16)
    expected = torch.matmul(a, b)
    rivals = {}
    for variant in VARIANTS:
        kernel, bm, bn, bk, warps, stages = variant
        c = torch.empty_like(expected)
        run = product(kernel, a, b, c, bm, bn, bk, warps, stages)
        run()
        torch.testing.assert_close(c, expected, atol=0.3, rtol=2e-2)
        rivals[name_of(variant)] = run
    out = torch.empty_like(expected)
    rivals["cuBLAS"] = lambda: torch.matmul(a, b)
    rivals["Triton"] = lambda: triton_kernel[(size // 128, size // 128)](
        a, b, out, size, size, size, 128, 128, 64, num_warps=8, num_stages=4
    )
    times = gpu_times(rivals, rounds=60)
    rates = {name: 2 * size**3 / seconds / 1e12 for name, seconds in times.items()}
    table.add(f"{size}^3", rates, seconds=times, dtype="float16", m=size, n=size, k=size)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sizes", nargs="*", type=int, default=[2048, 4096, 8192], metavar="SIZE")
    results = Results("wgmma", inputs=NORMAL, method=INTERLEAVED)
    results.add_option(parser)
    options = parser.parse_args()
    ours = tuple(map(name_of, VARIANTS))
    table = results.table("square", "float16 GEMM by TMA and wgmma", "TFLOP/s", ours=ours)
    for size in options.sizes:
        compare(table, size)
    table.show()
    results.save(options)


if __name__ == "__main__":
    main()
