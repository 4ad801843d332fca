"""Compares `hocket.kernels.matmul` with cuBLAS (torch.mm) on sizes for which TMA cannot address A, B or C.

    python benchmarks/matmul_shapes.py

The last columns compare with the next larger aligned GEMM of Hocket. `matmul.py --random` measures drawn sizes.

Inputs are normal-distributed; times are medians of interleaved runs with the L2 flushed.
"""

import argparse

import torch
from interleave import gpu_times, print_table
from matmul import check, operands
from results import INTERLEAVED, NORMAL, Results

from hocket import cdiv
from hocket.kernels import matmul

#: (M, N, K) of the section "unaligned". TMA can address the arrays of 1000 x 3000 x 5000, but reads their rows slowly.
UNALIGNED = (
    (4095, 4097, 4104), (4095, 4097, 4101), (8191, 8191, 8191), (3001, 3001, 3001), (1000, 3000, 5000),
    (2047, 50257, 768), (1023, 1025, 8191), (511, 513, 32767), (33, 8191, 8191),
)  # fmt: skip


def rounded(size):
    return cdiv(size, 64) * 64


def rates_of(m, n, k, times):
    """Returns TFLOP/s by name."""
    return {name: 2 * m * n * k / seconds / 1e12 for name, seconds in times.items()}


def times_beside_aligned(m, n, k, order, rounds):
    """Returns the times of a GEMM by Hocket and cuBLAS, and of the next larger GEMM with multiples of 64 by Hocket."""
    a, b = operands(m, n, k, torch.bfloat16, *order)
    near_a, near_b = operands(rounded(m), rounded(n), rounded(k), torch.bfloat16, *order)
    out, theirs = (torch.empty(m, n, device="cuda", dtype=torch.bfloat16) for _ in range(2))
    near_out = matmul(near_a, near_b)
    check(matmul(a, b, out), torch.mm(a, b), k)
    rivals = {
        "Hocket": lambda: matmul(a, b, out),
        "cuBLAS": lambda: torch.mm(a, b, out=theirs),
        "aligned": lambda: matmul(near_a, near_b, near_out),
    }
    return gpu_times(rivals, rounds=rounds)


def unaligned(results, arguments):
    table = results.table("unaligned", "arrays that TMA cannot address", "TFLOP/s", ours=("Hocket", "aligned"))
    rows = []
    for m, n, k in UNALIGNED:
        for order in ((False, False), (False, True)):
            times = times_beside_aligned(m, n, k, order, arguments.rounds)
            name = f"{m} x {n} x {k}" + ", B^T" * order[1]
            rates = rates_of(m, n, k, times)
            table.add(name, rates, seconds=times, dtype="bfloat16", m=m, n=n, k=k, transposed_b=order[1])
            values = table.rows[-1]["values"]
            ratios = [values["Hocket"] / values[rival] for rival in ("cuBLAS", "aligned")]
            rows.append([name, *(f"{value:.0f}" for value in values.values()), *map("{:.2f}".format, ratios)])
    header = ["bfloat16", "Hocket", "cuBLAS", "aligned", "to cuBLAS", "to aligned"]
    print_table(f"{table.title}, {table.unit}", header, rows)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=20)
    results = Results("matmul_shapes", inputs=NORMAL, method=INTERLEAVED)
    results.add_option(parser)
    chosen = parser.parse_args()
    unaligned(results, chosen)
    results.save(chosen)
